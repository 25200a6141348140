"""The advisor as a service: campaigns and tours in a database, a JSON API, and a page."""
