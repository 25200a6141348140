"""Advice on one's own plan, day after day, kept in a file."""
