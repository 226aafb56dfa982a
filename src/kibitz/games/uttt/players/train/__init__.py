"""How the learned evaluation is made: play games, judge their positions, fit the net; several rounds of it."""
