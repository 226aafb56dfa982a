"""Connect Four for kibitz: a game that plugs in from a package of its own."""
