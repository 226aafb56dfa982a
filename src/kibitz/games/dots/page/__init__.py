"""Dots-and-Boxes on the page."""
