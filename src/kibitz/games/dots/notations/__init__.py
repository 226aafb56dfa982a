"""Notations of Dots-and-Boxes."""
