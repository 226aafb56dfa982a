"""The rules of Connect Four: drop a disc into a column; four in a row, in any direction, win."""

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.core.defaults.grid import EMPTY, GridGame, GridState
from kibitz.core.errors import BadText

ROWS, COLS = 6, 7
LINES = tuple(
    tuple((row + i * down) * COLS + col + i * right for i in range(4))
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    for row in range(ROWS)
    for col in range(COLS)
    if row + 3 * down < ROWS and 0 <= col + 3 * right < COLS
)
"""The cells of all 69 lines of four, cells numbered row by row from the top left."""


@dataclass(frozen=True)
class State(GridState):
    """A position of Connect Four."""

    def winner(self) -> int | None:
        """Return the player with four in a row."""
        marks = (tuple(self.cells[cell] for cell in line) for line in LINES)
        return next((four[0] for four in marks if four in ((0,) * 4, (1,) * 4)), None)

    def placeable(self) -> tuple[int, ...]:
        """Return the columns that are not full."""
        return tuple(col for col in range(COLS) if self.cells[col] == EMPTY)

    def landing(self, move: int) -> int:
        """Return the lowest empty cell of a column."""
        return max(cell for cell in range(move, ROWS * COLS, COLS) if self.cells[cell] == EMPTY)


@dataclass(frozen=True)
class ConnectFour(GridGame[State]):
    """Connect Four. A move is a column, a to g."""

    name = "connect-four"
    title = "Connect Four"
    players = ("Red", "Yellow")
    winning = "four in a row"
    rows = ROWS
    cols = COLS
    state = State

    def moves(self) -> range:
        """Return the seven columns."""
        return range(COLS)

    def cells_of(self, move: int) -> Sequence[int]:
        """Return the cells of a column from the top."""
        return range(move, ROWS * COLS, COLS)

    def move_text(self, move: int) -> str:
        """Return the letter of a column."""
        return "abcdefg"[move]

    def position(self, cells: tuple[int, ...], to_move: int) -> State:
        """Return a position. Raise BadText if discs float, or if the players did not move in turn."""
        for cell in range(ROWS * COLS - COLS):
            if cells[cell] != EMPTY and cells[cell + COLS] == EMPTY:
                raise BadText(f"There is nothing under the disc at {self.cell_text(cell)}.")
        if cells.count(0) - cells.count(1) != to_move:
            raise BadText(f"{self.players[to_move]} cannot be to move after that many discs of each colour.")
        return State(self, cells, to_move)

    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Return the identity and the mirror image."""
        return tuple(range(COLS)), tuple(reversed(range(COLS)))
