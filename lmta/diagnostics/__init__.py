"""What a trained run has learned: what is measured of every learner, and what an agent adds to that."""
