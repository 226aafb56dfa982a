"""The commands of kibitz go."""
