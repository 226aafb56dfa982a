"""Go agents trained on professional games: with patterns, with a net, and with a search guided by either."""
