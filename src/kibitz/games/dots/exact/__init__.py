"""The exact solver of Dots-and-Boxes. Begin to read in solver.py; docs/games/dots/solver.md tells how it works."""
