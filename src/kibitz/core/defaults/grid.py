"""Ready-made rules for games in which two players mark the cells of a rectangular grid.

A game subclasses GridState and GridGame. It must define which player has won; the
rest is provided here: placing marks in turn, texts of moves and positions, the
drawing for a terminal and the picture for the page. Cells are numbered row by row from the top:

    0 1 2      a1 b1 c1
    3 4 5      a2 b2 c2      and hold EMPTY (-1), 0 (first player) or 1 (second player)
    6 7 8      a3 b3 c3
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self

from typing_extensions import TypeVar

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, Player, Role

EMPTY = -1
MARKS = "xo."
"""The characters for cells in texts: MARKS[0] and MARKS[1] for the players, MARKS[EMPTY] for an empty cell."""

_CACHED_GAMES = 16


@dataclass(frozen=True)
class GridState(NothingHidden, ABC):
    """A position on a grid. Subclasses define winner(), and placeable() if not every empty cell can be marked."""

    game: GridGame
    cells: tuple[int, ...]
    to_move: Player = 0

    @property
    def turn(self) -> int:
        """The number of marks on the grid."""
        return len(self.cells) - self.cells.count(EMPTY)

    @abstractmethod
    def winner(self) -> Player | None:
        """Return the player who has won, or None. Called after every move."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended: a win, or a draw if no moves are left; None while it is in progress."""
        winner = self.winner()
        if winner is not None:
            return Outcome(winner, self.game.winning)
        return None if self.placeable() else Outcome(None, "no moves are left")

    def placeable(self) -> tuple[Move, ...]:
        """Return the moves for which there is room, ascending, even if a player has won; by default the empty cells."""
        return tuple(cell for cell, mark in enumerate(self.cells) if mark == EMPTY)

    def landing(self, move: Move) -> int:
        """Return the cell that a move marks."""
        return move

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending; empty when the game is over."""
        return () if self.winner() is not None else self.placeable()

    def play(self, move: Move) -> Self:
        """Return the position after a move. Raise IllegalMove if it is not legal."""
        if move not in self.legal_moves():
            if move not in self.game.moves():
                raise IllegalMove(f"{move} is not a move: moves are 0 to {len(self.game.moves()) - 1}.")
            reason = "the game is over" if self.outcome() is not None else "there is no empty cell"
            raise IllegalMove(f"{self.game.move_text(move)} cannot be played: {reason}.")
        cell = self.landing(move)
        cells = self.cells[:cell] + (self.to_move,) + self.cells[cell + 1 :]
        return replace(self, cells=cells, to_move=1 - self.to_move)


C = TypeVar("C", bound=GridState, default=Any)
"""The class of a game's positions on a grid."""


class GridGame(Game[C, C]):
    """A game on a grid. A subclass is a frozen dataclass; rows and cols are class variables or options."""

    rows: int
    cols: int
    state: type[C]
    """The class of its positions."""
    players = ("X", "O")
    winning: ClassVar[str] = "completed a line"
    """The reason for a win, ready to follow the winner's name."""

    def start(self, seed: int = 0) -> C:
        """Return the empty grid."""
        return self.state(self, (EMPTY,) * (self.rows * self.cols))

    def position(self, cells: tuple[int, ...], to_move: Player) -> C:
        """Return the position with these marks. Override it to raise BadText for impossible positions."""
        return self.state(self, cells, to_move)

    def moves(self) -> range:
        """Return all moves: by default one for each cell."""
        return range(self.rows * self.cols)

    def cells_of(self, move: Move) -> Sequence[int]:
        """Return the cells where a click makes this move, ordered so that the latest mark is first; none for a pass."""
        return (move,)

    def cell_text(self, cell: int) -> str:
        """Return the name of a cell: "c2"."""
        return f"{column_text(cell % self.cols)}{cell // self.cols + 1}"

    @property
    def max_game_length(self) -> int:
        """The maximum number of moves: one for each cell."""
        return self.rows * self.cols

    def move_text(self, move: Move) -> str:
        """Return the name of the cell that a move marks."""
        return self.cell_text(move)

    def parse_move(self, text: str) -> Move:
        """Return the move with this text or label, legal or not, ignoring case. Raise BadText if there is none."""
        moves, name = _moves_by_name(self), text.strip()
        move = moves.get(name, moves.get(name.lower()))
        if move is None:
            valid = [self.move_text(move) for move in self.moves()]
            raise BadText(f"{text[:40]!r} is not a move: write one of {_names_or_range(valid)}.")
        return move

    def position_text(self, state: C) -> str:
        """Return the rows from the top, with numbers for runs of empty cells, and the player to move: "3/1x1/3 o"."""
        rows = ["".join(MARKS[mark] for mark in row) for row in self._rows(state)]
        short_rows = [re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows]
        return f"{'/'.join(short_rows)} {MARKS[state.to_move]}"

    def parse_position(self, text: str) -> C:
        """Parse a text in the format of position_text. Raise BadText if it is malformed or impossible."""
        words = text.split()
        if len(words) != 2 or words[1] not in ("x", "o"):
            raise BadText(f"{text[:60]!r} is not a position: write rows and the player to move, as in 3/1x1/3 o.")
        rows = [re.sub(r"\d{1,3}", lambda gap: "." * int(gap[0]), row) for row in words[0].split("/")]
        if wrong := next((mark for row in rows for mark in row if mark not in MARKS), ""):
            raise BadText(f"{words[0][:60]!r} has {wrong!r} for a cell: write x, o, or the number of empty cells.")
        if len(rows) != self.rows or any(len(row) != self.cols for row in rows):
            raise BadText(f"{words[0][:60]!r} is not a board: write {self.rows} rows of {self.cols} cells.")
        cells = tuple(EMPTY if mark == "." else MARKS.index(mark) for row in rows for mark in row)
        return self.position(cells, MARKS.index(words[1]))

    def draw(self, view: C, last: Move | None = None) -> tuple[Line, ...]:
        """Return the grid with names of columns and rows; below it the last move if it has no cells, such as a pass."""
        last_cell = None if last is None else self.marked_cell(view, last)
        margin, col_width = len(str(self.rows)), len(column_text(self.cols - 1))
        names = (f"{column_text(col):>{col_width}}" for col in range(self.cols))
        lines: list[Line] = [((" " * margin + " " + " ".join(names), "faint"),)]
        for number, row in enumerate(self._rows(view)):
            pieces: list[tuple[str, Role]] = [(f"{number + 1:>{margin}}", "faint")]
            for col, mark in enumerate(row):
                role: Role = "last" if number * self.cols + col == last_cell else ("first", "second", "faint")[mark]
                pieces += [(" " * col_width, ""), (MARKS[mark], role)]
            lines.append(tuple(pieces))
        if passes := [move for move in self.moves() if not self.cells_of(move)]:
            label_width = max(len(self.move_label(move)) for move in passes)
            label = self.move_label(last) if last in passes else ""
            lines.append(((label.ljust(label_width), "last" if label else ""),))
        return tuple(lines)

    def marked_cell(self, view: C, move: Move) -> int | None:
        """Return the cell that the move just played has marked; None for a pass."""
        return next((cell for cell in self.cells_of(move) if view.cells[cell] != EMPTY), None)

    def _rows(self, state: C) -> list[tuple[int, ...]]:
        return [state.cells[i : i + self.cols] for i in range(0, len(state.cells), self.cols)]


@lru_cache(_CACHED_GAMES)
def _moves_by_name(game: GridGame) -> Mapping[str, Move]:
    """Return the moves by text and label, as written and in lower case; the exact spelling wins where two clash."""
    names = [(name(move), move) for name in (game.move_label, game.move_text) for move in game.moves()]
    return {name.lower(): move for name, move in names} | dict(names)


def column_text(col: int) -> str:
    """Return the letters of a column: a to z, then aa, ab and so on."""
    letters = ""
    while col >= 0:
        letters = chr(ord("a") + col % 26) + letters
        col = col // 26 - 1
    return letters


def _names_or_range(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{names[0]} to {names[-1]}"
