"""The theory of Dots-and-Boxes: chains, loops and joints, Nimstring, endgame values."""
