"""Adaptive influence maximisation: whom to seed today."""
