"""What a run of LMTA has learned: its sense of time, its values, its subgoals, and the quantities of the theory."""
