"""Advice on one's own campaign or tour, day after day, kept in a file."""
