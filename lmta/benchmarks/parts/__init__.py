"""The parts of an agent's decision, timed alone."""
