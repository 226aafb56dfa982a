"""Evaluate and explain positions, and review games."""
