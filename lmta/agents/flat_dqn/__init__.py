"""Flat DQN: one graph Q-network over picks and the end of the day, no hierarchy."""
