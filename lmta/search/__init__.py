"""Tree search over subgoals in latent space; the one place that imports mctx."""
