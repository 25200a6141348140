"""Sampled MuZero: search over a few sampled actions at each node."""
