"""LMTA: search over learned subgoals, a multi-timescale world model, a budget for each subgoal, a graph Q-network."""
