"""Training of the learned evaluation, in rounds: play games, judge their positions, fit the net."""
