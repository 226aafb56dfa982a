"""The compiled twin of the rules of Dots-and-Boxes."""
