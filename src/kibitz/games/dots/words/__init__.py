"""Moves and positions of Dots-and-Boxes explained in words."""
