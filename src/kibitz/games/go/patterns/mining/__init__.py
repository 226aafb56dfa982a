"""Counting patterns over all games of a store."""
