"""The tools that kernels are written with. No other package of kibitz imports numba."""
