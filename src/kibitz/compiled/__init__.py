"""Tools for writing kernels, the compiled rules and searches of games. No other package of kibitz imports numba."""
