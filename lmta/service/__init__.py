"""The advisor as a service: plans in a database, a JSON API, and a page."""
