"""Find the mined patterns of moves that match a board, for the player to move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int32Array, Int64Array, Ints, Uint8Array
from kibitz.compiled.jit import entry, jit
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns import windows as kernel
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.shapes import FULL, Window, parse_shape
from kibitz.games.go.patterns.tallies import COUNT, KeyTable, Tally, first_slot, look_up
from kibitz.games.go.patterns.windows import NO_WINDOW, GameSpans, cell_of, spans_of, windows_around
from kibitz.games.go.records.layout import colour_of, is_move, point_of
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.sgf.record import PASS

MEMO_SLOTS = 1 << 16  # windows to remember as they lie, so that a repeated one need not be turned again
UNKNOWN, STONE = -1, -2  # in place of the number of a pattern


class Match(NamedTuple):
    """A pattern that matches the window around an empty point."""

    point: int
    number: int  # of the pattern in its tally
    times: int  # how often the move in its centre was played


class Memo(NamedTuple):
    """A cache from windows as they lie to their patterns; each slot holds the latest window."""

    keys: Ints  # int64 [slot], a power of two: keys of windows as they lie, or NO_WINDOW
    numbers: Ints  # int32 [slot]: the number of the pattern, or UNKNOWN


def new_memo(slots: int = MEMO_SLOTS) -> Memo:
    """Return an empty memo; slots is a power of two."""
    return Memo(np.full(slots, NO_WINDOW, np.int64), np.zeros(slots, np.int32))


def _check_kind(kind: Kind, board: Board | None = None) -> None:
    """Raise BadOption if the patterns are not windows around moves, or if the board has another size."""
    if kind.source != "moves" or kind.shape == FULL:
        raise BadOption(f"Only windows around moves can be matched, not {kind.shape} from {kind.source}.")
    if board is not None and board.size != kind.size:
        raise BadOption(f"These patterns are for board size {kind.size}, not {board.size}.")


def keys_around(shape: str, board: Board, colour: int) -> dict[int, int]:
    """Return empty point -> the key of the window around it, or of the whole board and the move there.

    The player to move counts as Black.
    """
    empty = [point for point, code in enumerate(board.points) if code == EMPTY]
    return dict(zip(empty, windows_around(board, colour, empty, shape), strict=True))


class PatternMatcher:
    """Finds the patterns of one kind that match boards. Not thread-safe."""

    def __init__(self, kind: Kind, tally: Tally) -> None:
        """Prepare to match the patterns of a kind. Raise BadOption if they are not windows around moves."""
        _check_kind(kind)
        self.kind, self.tally = kind, tally
        self._window = parse_shape(kind.shape).window(kind.size)
        self._memo = new_memo()

    def numbers(self, boards: Uint8Array, colours: Sequence[int] | Int64Array) -> Int32Array:
        """Return the number of the pattern around each empty point of boards, [board, point]; UNKNOWN elsewhere."""
        numbers = np.zeros(boards.shape, np.int32)
        match_boards(self._window, self.tally.table, self._memo, boards, np.asarray(colours, np.int64), numbers)
        return numbers

    def matches(self, board: Board, colour: int) -> list[Match]:
        """Return the patterns that match a board for the player to move, the most played first."""
        _check_kind(self.kind, board)
        found = self.numbers(np.frombuffer(board.points, np.uint8).reshape(1, -1), [colour])[0].tolist()
        counts = self.tally.counts[:, COUNT]
        matches = [Match(point, number, int(counts[number])) for point, number in enumerate(found) if number >= 0]
        return sorted(matches, key=lambda match: (-match.times, match.point))

    def match_game(self, store: GameStore, game: int) -> tuple[Int64Array, Int32Array]:
        """Return the point of each move of a game, and the number of the pattern around each point before it.

        The numbers, [move, point], are UNKNOWN if the pattern was not mined, and STONE where the point is occupied.
        """
        spans = spans_of(store, np.array([game]))
        max_moves = int(spans.ends[0] - spans.starts[0])
        numbers, played = np.zeros((max_moves, self.kind.size**2), np.int32), np.zeros(max_moves, np.int64)
        n = match_game(self._window, self.tally.table, self._memo, spans, numbers, played)
        return played[:n], numbers[:n]


@entry
def match_boards(window: Window, table: KeyTable, memo: Memo, boards: Ints, colours: Ints, numbers: Ints) -> None:
    """Write the number of the pattern around each empty point of boards, [board, point]; UNKNOWN elsewhere."""
    kernel.clear_board(window)
    size = window.size
    for at in range(len(boards)):
        for row in range(size):
            start = cell_of(window, row * size)
            for col in range(size):
                window.board[start + col] = boards[at, row * size + col]
        for row in range(size):
            start = cell_of(window, row * size)
            for col in range(size):
                point = row * size + col
                numbers[at, point] = UNKNOWN
                if window.board[start + col] == EMPTY:
                    numbers[at, point] = pattern_number(window, table, memo, start + col, colours[at])


@entry
def match_game(window: Window, table: KeyTable, memo: Memo, games: GameSpans, numbers: Ints, played: Ints) -> int:
    """Write the patterns before each move of one game, and the points played; return the number of moves.

    numbers [move, point]: the number of the pattern around an empty point, or UNKNOWN; STONE on an occupied point.
    Leave out passes.
    """
    kernel.clear_board(window)
    n = 0
    for at in range(games.starts[0], games.ends[0]):
        change = games.changes[at]
        point, colour = point_of(change), colour_of(change)
        if point == PASS:
            continue
        if is_move(change):
            played[n] = point
            for each in range(numbers.shape[1]):
                cell = cell_of(window, each)
                numbers[n, each] = STONE
                if window.board[cell] == EMPTY:
                    numbers[n, each] = pattern_number(window, table, memo, cell, colour)
            n += 1
        window.board[cell_of(window, point)] = colour
    return n


@jit
def pattern_number(window: Window, table: KeyTable, memo: Memo, cell: int, colour: int) -> int:
    """Return the number of the pattern around a cell for the player to move, or UNKNOWN."""
    if not window.exact:
        return max(look_up(table, kernel.mover_key(window, cell, colour)), UNKNOWN)
    key = kernel.exact_key_for(window, cell, colour)
    slot = first_slot(key, len(memo.keys) - 1)
    if memo.keys[slot] != key:
        memo.keys[slot] = key
        memo.numbers[slot] = max(look_up(table, kernel.least_turned(window, key)), UNKNOWN)
    return memo.numbers[slot]
