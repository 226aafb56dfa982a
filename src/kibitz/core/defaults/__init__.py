"""What a game gets without writing it: a grid, a page, a picture, notations."""
