"""What Dots-and-Boxes says about moves and positions."""
