"""The only door to numba: what kernels are written with. Nothing else of kibitz imports numba."""
