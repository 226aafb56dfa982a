"""The exact solver of Dots-and-Boxes. Start reading in solver.py; docs/dots-solver.md explains how it works."""
