"""Deep Barca, the probabilistic agent of McCulloch et al. (2017)."""
