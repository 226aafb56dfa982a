"""Speeds and strength of one game."""
