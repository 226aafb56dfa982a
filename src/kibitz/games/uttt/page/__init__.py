"""Ultimate Tic-Tac-Toe on the page."""
