"""Choose moves by the patterns mined from a store, as the pattern matcher of Singh's report of 2013 was meant to do.

Around each empty point lies a window of every mined shape. The largest that was mined decides how likely the point is:
how often its move was played, out of all the turns at which it could have been. Where that was seldom, the next smaller
window has its say too. Of moves that are about equally likely, the one that won more comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.chances import EMPTY_KEY, Chances, count_chances, place_of
from kibitz.games.go.patterns.matching import keys_around
from kibitz.games.go.patterns.mining.mined import Kind, Mined, PatternCounts
from kibitz.games.go.patterns.shapes import FULL, WindowShape, parse_shape, window_rows
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import MINED
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import EMPTY, Board

ALL_SHAPES = "all"
SMALLER_WEIGHT = 10.0  # the rate of the next smaller window counts as this many chances
DISCOUNT = 0.5  # taken off how often a pattern was played: a move seen once is less likely than one in one
DRAWN_RADIUS = 2  # draw at most the 5x5 points in the middle of a window
EVEN_GAMES = 20.0  # a win rate counts as if this many games more had been decided, half of them won
MAX_LOADED = 3  # collections kept in memory


class Match(NamedTuple):
    """The largest mined pattern around a point, and how likely that makes the move there."""

    point: int
    rate: float  # how likely it is at this turn; the rates of all points need not add up to 1
    shape: str  # of the pattern
    rows: tuple[str, ...]  # its middle drawn: the player to move is X and plays at *, # is beyond the edge
    count: int  # how often its move was played, in all games that were mined
    won: int  # by the mover, of those decided
    decided: int
    played: int  # how often it was played, in the games in which the chances were counted
    chances: int  # and how often it could have been

    @property
    def win_rate(self) -> float | None:
        """Return the share of decided games that the mover won, or None without decided games."""
        return self.won / self.decided if self.decided else None

    def text(self) -> str:
        """Return the pattern in a line: its shape, its rows, how often it was played, and its win rate."""
        where = "on the whole board" if self.shape == FULL else f"{self.shape} {' '.join(self.rows)}"
        won = "" if self.win_rate is None else f", won {self.win_rate:.0%}"
        return f"{where}, played {self.played:,} of {self.chances:,} times ({self.count:,} in all games{won})"

    def json(self) -> JsonObject:
        """Return the match as a JSON object, without its point."""
        return {**self._asdict(), "win_rate": self.win_rate}


class _Counted(NamedTuple):
    """The patterns of one shape."""

    shape: str
    counts: PatternCounts
    chances: Chances | None  # None for the whole board, where the chances are those of the position


@dataclass(frozen=True)
class Collection:
    """The patterns of moves mined from one store, of one or several shapes. Read-only, so threads may share it."""

    size: int  # of the boards that were mined
    shapes: tuple[_Counted, ...]  # the smallest first

    def matches(self, board: Board, colour: int) -> list[Match]:
        """Return the largest pattern around each empty point that has any, the best choice first."""
        best: dict[int, Match] = {}
        for counted in self.shapes:
            if counted.shape == FULL and board.size != self.size:
                continue
            for found in self._matches_of(counted, board, colour, best):
                best[found.point] = found
        return sorted(best.values(), key=_preference, reverse=True)

    def _matches_of(self, counted: _Counted, board: Board, colour: int, smaller: dict[int, Match]) -> list[Match]:
        """Return the patterns of one shape around points, each likelier or less than the smaller one there."""
        key_at_point = keys_around(counted.shape, board, colour)
        points, keys = np.array([*key_at_point], np.int64), np.array([*key_at_point.values()], np.int64)
        known = counted.counts.keys
        numbers = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        is_known = known[numbers] == keys if len(known) else np.zeros(len(keys), bool)
        in_position = int(counted.counts.count[np.unique(numbers[is_known])].sum())
        found = []
        for point, number in zip(points[is_known].tolist(), numbers[is_known].tolist(), strict=True):
            _, count, won, decided = (int(column[number]) for column in counted.counts)
            played, chances = count, in_position
            if counted.chances is not None:
                at = len(known) + place_of(board.size, point) if known[number] == EMPTY_KEY else number
                played, chances = int(counted.chances.played[at]), int(counted.chances.chances[at])
            below = smaller[point].rate if point in smaller else 0.0
            rate = (max(played - DISCOUNT, 0) + SMALLER_WEIGHT * below) / (chances + SMALLER_WEIGHT)
            rows = _drawn(board, colour, point, counted.shape)
            found.append(Match(point, rate, counted.shape, rows, count, won, decided, played, chances))
        return found


def _preference(match: Match) -> tuple[float, float, float]:
    """Return what decides between moves: the rate in whole percent, then the win rate, then the rate itself."""
    win_rate = (match.won + EVEN_GAMES / 2) / (match.decided + EVEN_GAMES)
    return round(match.rate, 2), win_rate, match.rate


def _drawn(board: Board, colour: int, point: int, shape: str) -> tuple[str, ...]:
    """Return the middle of a window as rows of text."""
    if shape == FULL or parse_shape(shape).radius > DRAWN_RADIUS:
        shape = f"{2 * DRAWN_RADIUS + 1}x{2 * DRAWN_RADIUS + 1}"
    return window_rows(board, colour, point, shape)


def kinds_to_match(mined: Mined, size: int, shape: str = ALL_SHAPES) -> list[Kind]:
    """Return the kinds of patterns that choose moves on a board size: of moves, of this shape, the smallest first.

    Patterns mined on this board size are preferred; otherwise those of the largest boards serve, because windows look
    the same on all boards. Raise BadOption if there are none.
    """
    kinds = [kind for kind in mined.kinds() if kind.source == "moves"]
    if shape != ALL_SHAPES:
        wanted = shape if shape == FULL else parse_shape(shape).name
        kinds = [kind for kind in kinds if kind.shape == wanted]
    sizes = {kind.size for kind in kinds if kind.shape != FULL or kind.size == size}
    if not sizes:
        what = "around moves" if shape == ALL_SHAPES else f"of shape {shape[:20]} around moves"
        more = "" if shape == ALL_SHAPES else f" --shape {shape[:20]}"
        raise BadOption(f"No patterns {what} were mined in {mined.path.parent}: add them with kibitz go mine{more}.")
    chosen = size if size in sizes else max(sizes)
    shapes = {kind.shape: kind for kind in kinds if kind.size == chosen and (kind.shape != FULL or chosen == size)}
    return sorted(shapes.values(), key=_points)


def _points(kind: Kind) -> int:
    return kind.size**2 if kind.shape == FULL else len(parse_shape(kind.shape).offsets)


def load_collection(folder: Path, size: int, shape: str = ALL_SHAPES) -> Collection:
    """Return the patterns that choose moves on a board size, from the cache if they were loaded before.

    Counting their chances takes a few seconds the first time. Raise BadText if the store was not mined or is damaged,
    BadOption if there are no such patterns.
    """
    with Mined(folder) as mined:
        kinds = tuple(kinds_to_match(mined, size, shape))
        status = mined.path.stat()
    return _load(folder, kinds, (status.st_mtime_ns, status.st_size))


@lru_cache(MAX_LOADED)
def _load(folder: Path, kinds: tuple[Kind, ...], stamp: tuple[int, int]) -> Collection:
    """Return the patterns of these kinds. stamp: tells one version of the mined patterns from the next."""
    store, shapes = GameStore(folder), []
    with Mined(folder) as mined:
        for kind in kinds:
            counts, games = mined.counts(kind), mined.kinds()[kind]["games"]
            chances = None if kind.shape == FULL else count_chances(store, kind, counts.keys, games)
            shapes.append(_Counted(kind.shape, counts, chances))
    return Collection(kinds[0].size, tuple(shapes))
