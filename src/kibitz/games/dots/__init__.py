"""Dots-and-Boxes, played on its dual, Strings-and-Coins."""
