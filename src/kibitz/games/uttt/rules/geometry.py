"""Lines, cells and symmetries of the 3x3 board and of the 9x9 grid. Independent of marks and rules.

The cells of a mini-board and the mini-boards of the macro board are numbered alike, and
a move is 9 * board + cell:

    0 1 2
    3 4 5
    6 7 8
"""

from __future__ import annotations

LINES: tuple[tuple[int, int, int], ...] = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (2, 4, 6),
)  # fmt: skip

LINES_THROUGH: tuple[tuple[tuple[int, int, int], ...], ...] = tuple(
    tuple(line for line in LINES if cell in line) for cell in range(9)
)


def grid(move: int) -> tuple[int, int]:
    """Return the row and column of a move on the 9x9 grid, each 0 to 8 from the top left."""
    board, cell = divmod(move, 9)
    return 3 * (board // 3) + cell // 3, 3 * (board % 3) + cell % 3


def from_grid(row: int, col: int) -> int:
    """Return the move at a row and column of the 9x9 grid."""
    return 9 * (3 * (row // 3) + col // 3) + 3 * (row % 3) + col % 3


def _rotated(square: tuple[int, ...]) -> tuple[int, ...]:
    """Return the nine cells of a 3x3 square rotated by 90 degrees."""
    return tuple(square[3 * (2 - i % 3) + i // 3] for i in range(9))


def _symmetries() -> tuple[tuple[int, ...], ...]:
    """Return the eight symmetries of a 3x3 board, the identity first: cell -> cell."""
    found = []
    for square in (tuple(range(9)), (2, 1, 0, 5, 4, 3, 8, 7, 6)):
        for _ in range(4):
            found.append(square)
            square = _rotated(square)
    return tuple(found)


CELL_SYMMETRIES: tuple[tuple[int, ...], ...] = _symmetries()

MOVE_SYMMETRIES: tuple[tuple[int, ...], ...] = tuple(
    tuple(9 * turn[move // 9] + turn[move % 9] for move in range(81)) for turn in CELL_SYMMETRIES
)
"""The eight symmetries of moves. Board and cell turn together, because cell c sends the opponent to board c."""
