"""The compiled twin of the rules of Ultimate Tic-Tac-Toe."""
