"""Go: the board, the rules, their compiled twin, and records in SGF."""
