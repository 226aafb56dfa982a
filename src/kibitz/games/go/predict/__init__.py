"""Predicting the next move of a game of Go: models learned from records, and how they are fitted."""
