"""The exact solver of Dots-and-Boxes. Begin to read in solver.py; docs/dots-solver.md tells how it works."""
