"""The rules of Ultimate Tic-Tac-Toe: the game with its options, and its positions.

Nine mini-boards make one macro board. A move in cell c of any mini-board sends the
opponent to mini-board c; three cells in a row win a mini-board, three mini-boards in a
row win the game. kernel/ is the fast twin, tested against this file.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kibitz.core.errors import IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, Player
from kibitz.games.uttt.rules import drawing, text
from kibitz.games.uttt.rules.geometry import LINES_THROUGH, MOVE_SYMMETRIES
from kibitz.games.uttt.rules.possible import DRAW, GOING_ON, check_and_complete, has_line, result_without_line
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE, Fields

UNKNOWN = -1
"""Stands for an unknown last move or cell."""


@dataclass(frozen=True)
class Uttt(Game["UtttState", "UtttState"]):
    """Ultimate Tic-Tac-Toe with its two options."""

    variant: Literal["closed", "open"] = "closed"
    """closed: a decided mini-board takes no more moves. open: it takes moves until it is full."""
    tiebreak: Literal["draw", "count"] = "draw"
    """If nobody gets three boards in a row: draw, or count: the player with more boards wins."""

    name: ClassVar[str] = "uttt"
    title: ClassVar[str] = "Ultimate Tic-Tac-Toe"
    players: ClassVar[tuple[str, str]] = ("X", "O")

    def start(self, seed: int = 0) -> UtttState:
        """Return the empty board."""
        return UtttState(self, (EMPTY,) * 81, (EMPTY,) * 9, 0, FREE, GOING_ON)

    def moves(self) -> range:
        """Return 0 to 80: each move is 9 * board + cell."""
        return range(81)

    @property
    def max_game_length(self) -> int:
        """The maximum number of moves, one per cell."""
        return 81

    def move_text(self, move: Move) -> str:
        """Return the text of a move: the number 9 * board + cell."""
        return text.move_text(move)

    def parse_move(self, words: str) -> Move:
        """Parse a move: "40", "4 4" (row and column) or "e5" (as on the page). Raise BadText if it is none of these."""
        return text.parse_move(words)

    def position_text(self, state: UtttState) -> str:
        """Return the text of a position, 93 digits, as described in rules/text.py."""
        return text.position_digits(_fields(state))

    def fen(self, state: UtttState) -> str:
        """Return the text of a position in FEN style, as described in rules/text.py."""
        return text.position_fen(_fields(state), owners=self.variant == "open")

    def parse_position(self, words: str) -> UtttState:
        """Parse a position in digits or in FEN style. Raise BadText if it is invalid or impossible."""
        fields = text.parse_position(words)
        boards, forced, result = check_and_complete(fields, self.variant == "closed", self.tiebreak == "count")
        return UtttState(self, fields.cells, boards, fields.to_move, forced, result)

    def move_label(self, move: Move) -> str:
        """Return the row and column of a move, as numbered on the drawn board."""
        return text.move_codingame(move)

    def scores(self, view: UtttState, marks: Collection[str] | None = None) -> tuple[float, float]:
        """Return the number of boards each player has won."""
        return view.boards.count(0), view.boards.count(1)

    def draw(self, view: UtttState, last: Move | None = None) -> tuple[Line, ...]:
        """Return the 9x9 grid as lines for a terminal."""
        return drawing.draw(_fields(view), set(view.legal_moves()), last, self.variant == "closed")

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the eight rotations and reflections of the board."""
        return MOVE_SYMMETRIES


@dataclass(frozen=True, slots=True)
class UtttState(NothingHidden):
    """A position. Nothing is hidden."""

    game: Uttt
    cells: tuple[int, ...]
    """81 cells at 9*board+cell: EMPTY (-1), 0 (X) or 1 (O)."""
    boards: tuple[int, ...]
    """9 boards: EMPTY (-1) while undecided, 0, 1, or DRAWN (2)."""
    to_move: Player
    forced: int
    """The board to play in, or FREE (9); FREE when the game is over."""
    result: int
    """GOING_ON (0), 1 X won, 2 O won, DRAW (3)."""
    last: Move = field(default=UNKNOWN, compare=False)
    """The last move, or UNKNOWN (-1) at the start and in positions read from texts."""
    last_cells: tuple[int, ...] = field(default=(UNKNOWN,) * 9, compare=False)
    """The cell played last in each mini-board, or UNKNOWN. Like `last`, used by evaluations only."""

    @property
    def turn(self) -> int:
        """The number of moves made."""
        return 81 - self.cells.count(EMPTY)

    def takes_moves(self, board: int) -> bool:
        """Return whether a mini-board can still be played in."""
        return _takes_moves(self.game, self.cells, self.boards, board)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the empty cells of the forced board, or of all boards that take moves."""
        if self.result != GOING_ON:
            return ()
        cells = self.cells
        if self.forced != FREE:
            first = 9 * self.forced
            return tuple([move for move in range(first, first + 9) if cells[move] == EMPTY])
        return tuple(
            [9 * b + c for b in range(9) if self.takes_moves(b) for c in range(9) if cells[9 * b + c] == EMPTY]
        )

    def play(self, move: Move) -> UtttState:
        """Return the position after a move. Raise IllegalMove, with the reason, if it is illegal."""
        board, cell = divmod(move, 9)
        if (
            self.result != GOING_ON
            or not 0 <= move < 81
            or self.cells[move] != EMPTY
            or self.forced not in (FREE, board)
            or not self.takes_moves(board)
        ):
            raise IllegalMove(self._why_illegal(move))
        player = self.to_move
        cells = _replaced(self.cells, move, player)
        boards = self.boards
        if boards[board] == EMPTY:
            mini = cells[9 * board : 9 * board + 9]
            if _makes_line(mini, cell, player):
                boards = _replaced(boards, board, player)
            elif EMPTY not in mini:
                boards = _replaced(boards, board, DRAWN)
        forced, result = FREE, GOING_ON
        if boards[board] == player and _makes_line(boards, board, player):
            result = player + 1
        elif _takes_moves(self.game, cells, boards, cell):
            forced = cell
        elif not any(_takes_moves(self.game, cells, boards, b) for b in range(9)):
            result = result_without_line(boards, self.game.tiebreak == "count")
        last_cells = _replaced(self.last_cells, board, cell)
        return UtttState(self.game, cells, boards, 1 - player, forced, result, move, last_cells)

    def _why_illegal(self, move: Move) -> str:
        """Return why a move is illegal."""
        if self.result != GOING_ON:
            return "The game is over."
        if not 0 <= move < 81:
            return f"Unknown cell {move}: cells are 0 to 80."
        board, cell = divmod(move, 9)
        if self.cells[move] != EMPTY:
            return f"Cell {cell} of board {board} is already taken by {self.game.players[self.cells[move]]}."
        if self.forced not in (FREE, board):
            return f"The last move sends {self.game.players[self.to_move]} to board {self.forced}, not {board}."
        return f"Board {board} is decided and takes no more moves."

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None if the game is not over."""
        if self.result == GOING_ON:
            return None
        if self.result == DRAW:
            return Outcome(None, "no three boards in a row")
        winner = self.result - 1
        won, lost = self.boards.count(winner), self.boards.count(1 - winner)
        return Outcome(winner, "three boards in a row" if has_line(self.boards, winner) else f"{won} boards to {lost}")


def _takes_moves(game: Uttt, cells: tuple[int, ...], boards: tuple[int, ...], board: int) -> bool:
    if game.variant == "closed":
        return boards[board] == EMPTY
    return EMPTY in cells[9 * board : 9 * board + 9]


def _replaced(codes: tuple[int, ...], i: int, code: int) -> tuple[int, ...]:
    """Return a copy of the codes with element i replaced."""
    return codes[:i] + (code,) + codes[i + 1 :]


def _makes_line(codes: tuple[int, ...], last: int, player: Player) -> bool:
    """Return whether a player has three in a row through the cell or board `last`."""
    return any(codes[a] == codes[b] == codes[c] == player for a, b, c in LINES_THROUGH[last])


def _fields(state: UtttState) -> Fields:
    return Fields(state.cells, state.boards, state.to_move, state.forced, state.result)
