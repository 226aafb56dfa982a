"""Predicting the next move of a game of Go from records: what is learned from them, and how."""
