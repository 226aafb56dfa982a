"""The players of Dots-and-Boxes."""
