"""Plain loops that do not fit JAX, compiled by Numba: they see only NumPy arrays and numbers."""
