"""Ultimate Tic-Tac-Toe again, as a list of moves on a 9x9 grid, everything worked out anew each time.

Shares no code with kibitz.games.uttt: cells are (row, column), boards are found by
dividing, lines by looking along rows, columns and diagonals.
"""

from __future__ import annotations

Cell = tuple[int, int]


def cell_of(move: int) -> Cell:
    board, inside = move // 9, move % 9
    return board // 3 * 3 + inside // 3, board % 3 * 3 + inside % 3


def move_of(cell: Cell) -> int:
    row, col = cell
    return (row // 3 * 3 + col // 3) * 9 + row % 3 * 3 + col % 3


def three(square: list[list[str]]) -> str:
    """Return who has three in a row on a 3x3 square of "X", "O" and other marks, or ""."""
    columns = [[row[i] for row in square] for i in range(3)]
    diagonals = [[square[i][i] for i in range(3)], [square[i][2 - i] for i in range(3)]]
    for line in square + columns + diagonals:
        if line in (["X"] * 3, ["O"] * 3):
            return line[0]
    return ""


class Naive:
    """A game as the list of its moves."""

    def __init__(self, variant: str, tiebreak: str) -> None:
        self.variant, self.tiebreak = variant, tiebreak
        self.grid = [[""] * 9 for _ in range(9)]
        self.owner: dict[Cell, str] = {}
        self.last: Cell | None = None
        self.mark = "X"

    def square(self, board: Cell) -> list[list[str]]:
        return [[self.grid[3 * board[0] + r][3 * board[1] + c] for c in range(3)] for r in range(3)]

    def full(self, board: Cell) -> bool:
        return all(mark for row in self.square(board) for mark in row)

    def can_be_played_in(self, board: Cell) -> bool:
        return not self.full(board) and (self.variant == "open" or board not in self.owner)

    def winner(self) -> str:
        """Return "X", "O", "draw", or "" while the game goes on."""
        line = three([[self.owner.get((r, c), "?") for c in range(3)] for r in range(3)])
        if line:
            return line
        if any(self.can_be_played_in((r, c)) for r in range(3) for c in range(3)):
            return ""
        lead = list(self.owner.values()).count("X") - list(self.owner.values()).count("O")
        if self.tiebreak == "draw" or lead == 0:
            return "draw"
        return "X" if lead > 0 else "O"

    def legal(self) -> list[int]:
        if self.winner():
            return []
        sent = None if self.last is None else (self.last[0] % 3, self.last[1] % 3)
        if sent is not None and not self.can_be_played_in(sent):
            sent = None
        return sorted(
            move_of((r, c))
            for r in range(9)
            for c in range(9)
            if not self.grid[r][c]
            and self.can_be_played_in((r // 3, c // 3))
            and (sent is None or sent == (r // 3, c // 3))
        )

    def play(self, move: int) -> None:
        row, col = cell_of(move)
        self.grid[row][col] = self.mark
        board = (row // 3, col // 3)
        line = three(self.square(board))
        if board not in self.owner and line:
            self.owner[board] = line
        self.last = (row, col)
        self.mark = "O" if self.mark == "X" else "X"
