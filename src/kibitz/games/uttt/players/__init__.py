"""The players of Ultimate Tic-Tac-Toe."""
