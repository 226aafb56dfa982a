"""Makes the shipped net of Go from a policy net: 8-bit weights, and layers that estimate the end of the game."""
