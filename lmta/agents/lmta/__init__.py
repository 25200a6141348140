"""LMTA: tree search over learned subgoals, a multi-timescale world model, subgoal-conditioned budgets, a graph Q-network."""
