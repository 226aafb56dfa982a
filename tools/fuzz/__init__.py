"""Fuzzing the readers of files and messages."""
