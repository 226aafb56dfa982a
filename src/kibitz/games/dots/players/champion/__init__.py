"""The champion of Dots-and-Boxes: opening book, search, exact solver."""
