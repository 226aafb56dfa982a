"""From a board to the patterns that match it: those of played moves, for who is to move."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.kernels.match import Memo, match_boards, match_game
from kibitz.games.go.patterns.kernels.windows import NONE
from kibitz.games.go.patterns.mining.mined import Gathered, Kind
from kibitz.games.go.patterns.mining.windows import around
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.board import EMPTY, Board

MEMO = 1 << 16
"""Windows that are remembered as they lie, so that those which come again need not be turned."""


class Match(NamedTuple):
    """A pattern that lies around an empty point."""

    point: int
    number: int
    """Of the pattern in its tally"""
    times: int
    """How often the move in its middle was played"""


def _check(kind: Kind) -> None:
    """Raise BadOption for patterns that lie around no move."""
    if kind.source != "moves" or kind.shape == FULL:
        raise BadOption("Only windows around moves can be matched, not whole boards or boards at the end.")


def _check_size(kind: Kind, board: Board) -> None:
    """Raise BadOption for a board that patterns of a kind are not of."""
    if board.size != kind.size:
        raise BadOption(f"These patterns are of boards of size {kind.size}, not {board.size}.")


def keys_around(kind: Kind, board: Board, colour: int) -> dict[int, int]:
    """Return empty point -> the key of the pattern around it for who is to move. For one board, without a table.

    Raises BadOption as a Matcher does.
    """
    _check(kind)
    _check_size(kind, board)
    empty = [point for point, code in enumerate(board.points) if code == EMPTY]
    return dict(zip(empty, around(board, colour, empty, kind.shape), strict=True))


class Matcher:
    """Patterns of one kind, ready for looking boards up. Not to be used by two threads at once."""

    def __init__(self, kind: Kind, gathered: Gathered) -> None:
        """Take the patterns of a kind. Raises BadOption if they are not of moves, or of the whole board."""
        _check(kind)
        self.kind, self.gathered = kind, gathered
        shape = parse_shape(kind.shape)
        self._window = shape.window(kind.size)
        self._board = np.zeros((kind.size + 2 * shape.radius) ** 2, np.uint8)
        self._memo = Memo(np.full(MEMO, NONE, np.int64), np.zeros(MEMO, np.int32))

    def numbers(self, boards: Any, colours: Any) -> Any:
        """Return [board, point] the pattern around each empty point of boards of that shape, -1 for none."""
        numbers = np.zeros(boards.shape, np.int32)
        colours = np.ascontiguousarray(colours, np.int64)
        match_boards(self._window, self.gathered.tally.table, self._memo, self._board, boards, colours, numbers)
        return numbers

    def matches(self, board: Board, colour: int) -> list[Match]:
        """Return the patterns that match a board for who is to move, those played most first."""
        _check_size(self.kind, board)
        found = self.numbers(np.frombuffer(board.points, np.uint8).reshape(1, -1), [colour])[0]
        counts = self.gathered.tally.counts
        matches = [
            Match(point, number, int(counts[number, 0])) for point, number in enumerate(found.tolist()) if number >= 0
        ]
        return sorted(matches, key=lambda match: (-match.times, match.point))

    def game(self, store: Store, game: int) -> tuple[Any, Any]:
        """Return for each move of a game the point that was played, and [move, point] what lay around each empty point.

        -1 stands for a pattern that is not known, -2 for a stone.
        """
        span = np.array([store.first[game], store.first[game + 1]], np.int64)
        most = int(span[1] - span[0])
        numbers, played = np.zeros((most, self.kind.size**2), np.int32), np.zeros(most, np.int64)
        table, changes = self.gathered.tally.table, store.column("changes")
        n = match_game(self._window, table, self._memo, self._board, changes, span, numbers, played)
        return played[:n], numbers[:n]
