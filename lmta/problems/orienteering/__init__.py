"""Stochastic orienteering: which cities to visit today."""
