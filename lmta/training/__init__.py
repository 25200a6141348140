"""Self-play, replay, losses, updates and the loop that ties them, with checkpoints that resume exactly."""
