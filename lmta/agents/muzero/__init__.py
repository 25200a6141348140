"""What Flat and Sampled MuZero share: a node-level model, self-play, unrolls and losses."""
