"""The commands of kibitz battleline."""
