"""Performance as a measurement: each command prints what it compares, in one run."""
