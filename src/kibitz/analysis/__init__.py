"""Evaluates and explains positions, and reviews games."""
