"""Windows of the games of a store: around each move as it was played, and over the boards at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kibitz.games.go.patterns.kernels import windows as kernel
from kibitz.games.go.patterns.kernels.full import IMAGES, full_keys
from kibitz.games.go.patterns.mining.meaning import meanings
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.records.search.changes import tables
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP


class Columns(Protocol):
    """Games as columns: those of a store, or of a portion of it."""

    @property
    def first(self) -> Any:
        """Return where the changes of each game begin; at last, where they end."""

    def column(self, name: str) -> Any:
        """Return a column."""


@dataclass
class Moves:
    """The moves of some games of one size, passes left out, in order."""

    starts: Any
    """int64 [game]: where its changes begin"""
    ends: Any
    games: Any
    """int32 [move]: its game, from 0"""
    numbers: Any
    """int32 [move]: which move of its game it is, from 1, passes counted"""
    points: Any
    """int32 [move]"""
    colours: Any
    """int8 [move]: BLACK or WHITE"""
    results: Any
    """int8 [move]: 1 if the mover won, 0 if not, -1 if nobody did"""

    def __len__(self) -> int:
        return len(self.games)


def bounds(store: Columns, which: Any) -> tuple[Any, Any]:
    """Return where the changes of some games begin, and where they end, as kernels take them."""
    return np.ascontiguousarray(store.first[which]), np.ascontiguousarray(store.first[which + 1])


def moves_of(store: Columns, which: Any) -> Moves:
    """Return the moves of some games, whose numbers, from 0, ascend."""
    changes, (starts, ends) = store.column("changes"), bounds(store, which)
    taken = spans(changes, starts, ends)
    games = np.repeat(np.asarray(which, np.int32), ends - starts)
    is_move = taken & (SETUP | TAKEN) == 0
    taken, games = taken[is_move], games[is_move]
    begins = np.searchsorted(games, which)
    numbers = np.arange(1, len(games) + 1) - np.repeat(begins, np.diff(np.append(begins, len(games))))
    on_board = taken & PASS != PASS
    taken, games = taken[on_board], games[on_board]
    colours = (taken >> POINT_BITS & 3).astype(np.int8)
    winners = store.column("winners")[games]
    results = np.where(winners == 0, -1, winners == colours).astype(np.int8)
    points = (taken & PASS).astype(np.int32)
    return Moves(starts, ends, games, numbers[on_board].astype(np.int32), points, colours, results)


def spans(column: Any, starts: Any, ends: Any) -> Any:
    """Return the parts of a column from starts to ends, one after the other."""
    if len(starts) and np.all(starts[1:] == ends[:-1]):
        return np.asarray(column[starts[0] : ends[-1]])
    return np.concatenate([np.zeros(0, column.dtype), *(column[a:b] for a, b in zip(starts, ends, strict=True))])


def played(store: Columns, moves: Moves, shape: str, size: int) -> Any:
    """Return the canonical key around each move, with the mover as Black; FULL is the board with the move."""
    keys = np.zeros(len(moves), np.int64)
    changes = store.column("changes")
    if shape == FULL:
        table = tables(size)
        board, hashes = np.zeros(size * size, np.uint8), np.zeros(IMAGES, np.int64)
        full_keys(table, changes, board, hashes, moves.starts, moves.ends, keys)
        return keys
    found = parse_shape(shape)
    board = np.zeros((size + 2 * found.radius) ** 2, np.uint8)
    n = kernel.played_keys(found.window(size), changes, board, moves.starts, moves.ends, keys)
    assert n == len(keys), "every move has a window"
    return keys


def around(board: Board, colour: int, points: Sequence[int], shape: str) -> list[int]:
    """Return the canonical key around some empty points of a board, with who is to move as Black.

    Each is that of a game which sets the board up and then plays the point.
    """
    stones = [SETUP | code << POINT_BITS | point for point, code in enumerate(board.points) if code != EMPTY]
    changes = np.array([[*stones, colour << POINT_BITS | point] for point in points], np.uint16).reshape(-1)
    changes.flags.writeable = False  # as those of a store, so that the kernel is the same
    starts = np.arange(len(points), dtype=np.int64) * (len(stones) + 1)
    found, keys = parse_shape(shape), np.zeros(len(points), np.int64)
    room = np.zeros((board.size + 2 * found.radius) ** 2, np.uint8)
    kernel.played_keys(found.window(board.size), changes, room, starts, starts + len(stones) + 1, keys)
    return [int(key) for key in keys]


def played_meanings(store: Columns, moves: Moves, size: int) -> Any:
    """Return the class of each move, as its place in MEANINGS."""
    return meanings(store.column("changes"), moves.starts, moves.ends, size)


def final(
    store: Columns, which: Any, shape: str, size: int, forms: int = 16, edges: bool = True, captures: bool = True
) -> Any:
    """Return [game, point] the keys of windows around all points of boards at the end; NONE where there is no stone.

    With 16 forms the keys are canonical, else they are of windows as they lie.
    Without edges, windows that hang over the edge are NONE; without captures,
    captured stones are left on the board until another is put there.
    """
    found, (starts, ends) = parse_shape(shape), bounds(store, which)
    board = np.zeros((size + 2 * found.radius) ** 2, np.uint8)
    keys = np.zeros((len(starts), size * size), np.int64)
    options = np.array([forms, int(edges), int(not captures)], np.int64)
    kernel.final_keys(found.window(size), store.column("changes"), board, starts, ends, keys, options)
    return keys
