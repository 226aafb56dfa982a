"""Making the champion's net: games it plays against itself, and a net fitted to what came of them."""
