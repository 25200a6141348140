"""What a trained run has learned: its sense of time, its values, its subgoals, and the quantities of the theory."""
