"""Director: a manager chooses goals in the latent space of a world model, a worker is paid for reaching them."""
