"""The commands of kibitz uttt."""
