"""Searches written once, over any game's positions. Imports no game."""
