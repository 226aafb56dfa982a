"""What Battle Line says about moves and positions."""
