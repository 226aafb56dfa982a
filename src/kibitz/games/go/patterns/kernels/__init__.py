"""Compiled passes over the games of a store: windows and whole boards as keys."""
