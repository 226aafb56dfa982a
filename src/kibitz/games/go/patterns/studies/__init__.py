"""Studies of mined patterns: Singh (2013), and the styles of players."""
