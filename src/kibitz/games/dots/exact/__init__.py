"""The exact solver of Dots-and-Boxes. Start reading in solver.py; docs/games/dots/solver.md explains how it works."""
