"""Positions valued and explained, games reviewed."""
