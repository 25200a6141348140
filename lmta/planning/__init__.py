"""Decide by simulation: strategies for today are tried in sampled worlds, and the adviser is overruled by evidence."""
