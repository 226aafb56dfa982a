"""Choose moves by the patterns mined from a store, as the pattern matcher of Singh's report of 2013 was meant to do.

Around each empty point lies a window of every mined shape. The largest that was mined decides how likely the point is:
how often its move was played, out of all the turns at which it could have been. Where that was seldom, the next smaller
window has its say too. Of moves that are about equally likely, the one that won more comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.chances import EMPTY_KEY, Chances, count_chances, edge_distances, place_of
from kibitz.games.go.patterns.matching import keys_around
from kibitz.games.go.patterns.mining.mined import Kind, Mined, PatternCounts
from kibitz.games.go.patterns.shapes import FULL, parse_shape, window_rows
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules import EMPTY, Board, point_text

ALL_SHAPES = "all"
SMALLER_WEIGHT = 10.0  # the rate of the next smaller window counts as this many chances
DISCOUNT = 0.5  # taken off how often a pattern was played: a move seen once is less likely than one in one
MAX_DRAWN = "5x5"  # draw at most these points in the middle of a window
EVEN_GAMES = 20.0  # a win rate counts as if this many games more had been decided, half of them won
MAX_LOADED = 3  # collections kept in memory


@dataclass(frozen=True)
class Suggestion:
    """The largest mined pattern around a point, and how likely that makes the move there."""

    board: Board
    colour: int  # the player to move
    point: int
    rate: float  # how likely it is at this turn; the rates of all points need not add up to 1
    shape: str  # of the pattern
    times: int  # how often its move was played, in all games that were mined
    won: int  # by the mover, of those decided
    decided: int
    played: int  # how often it was played, in the games in which the chances were counted
    chances: int  # and how often it could have been

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The middle of the pattern drawn: the player to move is X and plays at *, # is beyond the edge."""
        is_large = self.shape == FULL or parse_shape(self.shape).radius > parse_shape(MAX_DRAWN).radius
        return window_rows(self.board, self.colour, self.point, MAX_DRAWN if is_large else self.shape)

    @cached_property
    def stones(self) -> int:
        """The number of stones in the whole pattern, called its K bits in the report."""
        if self.shape == FULL:
            return len(self.board.points) - self.board.points.count(EMPTY)
        rows = "".join(window_rows(self.board, self.colour, self.point, self.shape))
        return rows.count("X") + rows.count("O")

    @property
    def win_rate(self) -> float | None:
        """Return the share of decided games that the mover won, or None without decided games."""
        return self.won / self.decided if self.decided else None

    @property
    def preference(self) -> tuple[float, float, float]:
        """Return what decides between moves: the rate in whole percent, then the win rate, then the rate itself."""
        return round(self.rate, 2), (self.won + EVEN_GAMES / 2) / (self.decided + EVEN_GAMES), self.rate

    def text(self) -> str:
        """Return the pattern in a line: its shape, its rows, how often it was played, and its win rate."""
        if self.shape == FULL:
            where = "This position"
        elif self.stones or "#" in "".join(self.rows):
            where = f"Pattern {self.shape} {' '.join(row.strip() for row in self.rows)}"
        else:
            near, far = sorted(edge_distances(self.board.size, self.point))
            where = f"An empty {self.shape} at a {1 + near}-{1 + far} point"
        won = "" if self.win_rate is None else f", won {self.win_rate:.0%} of {self.decided:,} games"
        return f"{where}: played {self.played:,} of {self.chances:,} times it could be{won}"

    def json(self) -> JsonObject:
        """Return the suggestion as a JSON object."""
        names = ("shape", "rows", "stones", "rate", "times", "won", "decided", "win_rate", "played", "chances")
        return {"point": point_text(self.board.size, self.point), **{name: getattr(self, name) for name in names}}


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

    def suggestions(self, board: Board, colour: int) -> list[Suggestion]:
        """Return the largest pattern around each empty point that has any, the best choice first."""
        best: dict[int, Suggestion] = {}
        for counted in self.shapes:
            if counted.shape == FULL and board.size != self.size:
                continue
            for found in self._suggestions_of(counted, board, colour, best):
                best[found.point] = found
        return sorted(best.values(), key=lambda found: found.preference, reverse=True)

    def _suggestions_of(
        self, counted: _Counted, board: Board, colour: int, smaller: dict[int, Suggestion]
    ) -> list[Suggestion]:
        """Return the patterns of one shape around points, each likelier or less than the smaller one there."""
        key_at_point = keys_around(counted.shape, board, colour)
        points, keys = np.array([*key_at_point], np.int64), np.array([*key_at_point.values()], np.int64)
        known = counted.counts.keys
        numbers = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
        is_known = known[numbers] == keys if len(known) else np.zeros(len(keys), bool)
        in_position = int(counted.counts.times[np.unique(numbers[is_known])].sum())
        found = []
        for point, number in zip(points[is_known].tolist(), numbers[is_known].tolist(), strict=True):
            _, times, won, decided = (int(column[number]) for column in counted.counts)
            played, chances = times, in_position
            if counted.chances is not None:
                is_empty = known[number] == EMPTY_KEY
                at = len(known) + place_of(board.size, point) if is_empty else number
                played, chances = int(counted.chances.played[at]), int(counted.chances.chances[at])
                if is_empty:  # what was mined of it is not of this place
                    times, won, decided = played, 0, 0
            below = smaller[point].rate if point in smaller else 0.0
            rate = (max(played - DISCOUNT, 0) + SMALLER_WEIGHT * below) / (chances + SMALLER_WEIGHT)
            figures = (times, won, decided, played, chances)
            found.append(Suggestion(board, colour, point, rate, counted.shape, *figures))
        return found


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
