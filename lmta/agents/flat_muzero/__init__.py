"""Flat MuZero: search over all primitive actions."""
