"""The vocabulary of games and agents. Imports nothing else of kibitz, and neither numpy nor numba."""
