"""Training of the learned evaluation: play games, judge their positions, fit the net; several rounds."""
