"""Windows of the games of a store: around each move as it was played, and over the final boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kibitz.compiled.arrays import AnyArray, Int8Array, Int32Array, Int64Array
from kibitz.games.go.patterns.kernels.full import full_keys, hashed_board
from kibitz.games.go.patterns.kernels.windows import FinalRules, GameSpans, final_keys, played_keys
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.records.layout import NOT_A_MOVE
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.sgf.record import PASS, POINT_BITS, move_of, setup_of


class GameColumns(Protocol):
    """Games as columns: those of a store, or of a portion of it."""

    @property
    def first(self) -> Int64Array:
        """Return where the changes of each game begin, and where the last ones end."""

    def column(self, name: str) -> AnyArray:
        """Return a column."""


@dataclass
class Moves:
    """The moves of games of one size, without passes, in order."""

    spans: GameSpans
    games: Int32Array  # [move]: its game, from 0
    numbers: Int32Array  # [move]: its number in the game, from 1, passes counted
    points: Int32Array
    colours: Int8Array  # [move]: BLACK or WHITE
    results: Int8Array  # [move]: 1 if the mover won, 0 if not, -1 without a winner

    def __len__(self) -> int:
        return len(self.games)


def spans_of(store: GameColumns, games: Int64Array) -> GameSpans:
    """Return games as kernels take them."""
    starts, ends = np.ascontiguousarray(store.first[games]), np.ascontiguousarray(store.first[games + 1])
    return GameSpans(store.column("changes"), starts, ends)


def moves_of(store: GameColumns, chosen: Int64Array) -> Moves:
    """Return the moves of games, whose numbers, from 0, ascend."""
    spans = spans_of(store, chosen)
    changes, starts, ends = spans
    if len(starts) and np.all(starts[1:] == ends[:-1]):
        played = changes[starts[0] : ends[-1]]
    else:
        played = np.concatenate([changes[:0], *(changes[a:b] for a, b in zip(starts, ends, strict=True))])
    games = np.repeat(np.asarray(chosen, np.int32), ends - starts)
    is_move = played & NOT_A_MOVE == 0
    played, games = played[is_move], games[is_move]
    begins = np.searchsorted(games, chosen)
    numbers = np.arange(1, len(games) + 1) - np.repeat(begins, np.diff(np.append(begins, len(games))))
    on_board = played & PASS != PASS
    played, games = played[on_board], games[on_board]
    colours = (played >> POINT_BITS & 3).astype(np.int8)
    winners = store.column("winners")[games]
    results = np.where(winners == 0, -1, winners == colours).astype(np.int8)
    points = (played & PASS).astype(np.int32)
    return Moves(spans, games, numbers[on_board].astype(np.int32), points, colours, results)


def played_windows(moves: Moves, shape: str, size: int) -> Int64Array:
    """Return the canonical key around each move, with the mover as Black; FULL is the board with the move."""
    keys = np.zeros(len(moves), np.int64)
    if shape == FULL:
        n = full_keys(hashed_board(size), moves.spans, keys)
    else:
        n = played_keys(parse_shape(shape).window(size), moves.spans, keys)
    assert n == len(keys), "every move has a window"
    return keys


def windows_around(board: Board, colour: int, points: Sequence[int], shape: str) -> list[int]:
    """Return the canonical key around empty points of a board, with the player to move as Black.

    Each is that of a game that sets the board up and then plays the point.
    """
    stones = [setup_of(code, point) for point, code in enumerate(board.points) if code != EMPTY]
    changes = np.array([[*stones, move_of(colour, point)] for point in points], np.uint16).reshape(-1)
    changes.flags.writeable = False  # like those of a store, so that no other kernel is compiled
    starts = np.arange(len(points), dtype=np.int64) * (len(stones) + 1)
    keys = np.zeros(len(points), np.int64)
    played_keys(parse_shape(shape).window(board.size), GameSpans(changes, starts, starts + len(stones) + 1), keys)
    return keys.tolist()


def final_windows(
    store: GameColumns, games: Int64Array, shape: str, size: int, canonical: bool = True, edges: bool = True,
    captures: bool = True,
) -> Int64Array:  # fmt: skip
    """Return [game, point] the keys of windows around all points of final boards, see FinalRules.

    A window without a stone is NO_WINDOW.
    """
    keys = np.zeros((len(games), size * size), np.int64)
    rules = FinalRules(canonical, edges, captures)
    final_keys(parse_shape(shape).window(size), spans_of(store, games), keys, rules)
    return keys
