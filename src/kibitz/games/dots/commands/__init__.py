"""The commands of kibitz dots."""
