"""Patterns chosen from what was mined, with their figures, ready to be shown or written out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.mining.meaning import GROUPS, MEANINGS
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.mining.windows import final, moves_of, played
from kibitz.games.go.patterns.shapes import FULL, parse_shape, window_rows
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.board import BLACK, EMPTY, other

ORDERS = {
    "count": "count DESC",
    "stones": "stones DESC, count DESC",
    "won": "won / nullif(decided, 0) DESC NULLS LAST, count DESC",
    "lost": "won / nullif(decided, 0) NULLS LAST, count DESC",
    "new": "first_year DESC, count DESC",
    "old": "nullif(last_year, 0) NULLS LAST, count DESC",
}
"""What patterns can be sorted by."""
MOST = 1_000_000
BATCH = 2000
"""Games that are looked through at a time."""


@dataclass(frozen=True)
class Wanted:
    """Which patterns are chosen."""

    min_count: int = 1
    min_stones: int = 0
    edge: bool | None = None
    """Whether they hang over the edge; None if that does not matter."""
    meaning: str = ""
    """A class of moves, or a group of them, that at least half of the moves are of."""
    sort: str = "count"
    limit: int = 20
    keys: tuple[int, ...] | None = None
    """Only these patterns."""

    def sql(self) -> tuple[str, list[Any]]:
        """Return the end of a query, and its values. Raises BadOption for what is unknown."""
        conditions, values = ["kind = ?", "count >= ?", "stones >= ?"], [self.min_count, self.min_stones]
        if self.min_stones <= 0:
            conditions.pop()
            values.pop()
        if self.keys is not None:
            conditions.append(f"key IN ({', '.join('?' * len(self.keys)) or 'NULL'})")
            values += self.keys
        if self.edge is not None:
            conditions.append("edge > 0" if self.edge else "edge = 0")
        if self.meaning:
            names = GROUPS.get(self.meaning, (self.meaning,))
            if not set(names) <= set(MEANINGS):
                known = ", ".join([*MEANINGS, *GROUPS])
                raise BadOption(f"{self.meaning[:20]!r} is no meaning of a move; known are {known}.")
            conditions.append("2 * (" + " + ".join(f'"{name}"' for name in names) + ") >= count")
        if self.sort not in ORDERS:
            raise BadOption(f"Patterns are sorted by {', '.join(ORDERS)}, not {self.sort[:20]!r}.")
        order = f"{ORDERS[self.sort]}, key LIMIT {min(self.limit, MOST)}"
        return f"FROM patterns WHERE {' AND '.join(conditions)} ORDER BY {order}", values


@dataclass(frozen=True)
class Listed:
    """A pattern with its figures."""

    rows: tuple[str, ...]
    """The mover is X and plays at *; boards at the end have no move."""
    key: int
    stones: int
    edge: int
    count: int
    share: float
    """Of all windows of its kind"""
    won: int
    decided: int
    first_year: int
    last_year: int
    game: int
    place: int
    """The number of the move in the game, or the point of its last board"""
    meanings: dict[str, int]
    """What the move did, the most frequent first"""

    @property
    def win_rate(self) -> float | None:
        """Return how often the mover won, where somebody did."""
        return self.won / self.decided if self.decided else None

    def json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "win_rate": self.win_rate}


def list_patterns(store: Store, mined: Mined, kind: Kind, wanted: Wanted) -> list[Listed]:
    """Return the patterns that were chosen."""
    number = mined.kind(kind)
    windows = mined.kinds()[kind]["windows"]
    names = ("key", "stones", "edge", "count", "won", "decided", "first_year", "last_year", "game", "place")
    chosen = ", ".join(f'"{name}"' for name in (*names, *MEANINGS))
    tail, values = wanted.sql()
    found = []
    for row in mined.connection.execute(f"SELECT {chosen} {tail}", [number, *values]).fetchall():
        facts = dict(zip(names, row[: len(names)], strict=True))
        tallied = dict(zip(MEANINGS, row[len(names) :], strict=True))
        meanings = {name: n for name, n in sorted(tallied.items(), key=lambda item: -item[1]) if n}
        rows = draw_rows(store, kind, facts["key"], facts["game"], facts["place"])
        found.append(Listed(rows=rows, share=facts["count"] / max(windows, 1), meanings=meanings, **facts))
    return found


def occurrences(store: Store, kind: Kind, key: int, limit: int = 20, since: int = 1) -> list[tuple[int, int]]:
    """Return where a pattern was played: the first so many games, from 1, and moves, from 1.

    Games before `since` are not looked at. Of boards at the end it is the game and a point of the board. Raises
    BadOption for 12 forms, where a window does not say what it was counted as.
    """
    if kind.forms == 12:
        raise BadOption("With 12 forms it is not known which windows were counted as a pattern; take 16.")
    found: list[tuple[int, int]] = []
    which = np.flatnonzero(store.column("sizes") == kind.size)
    which = which[which >= since - 1]
    for start in range(0, len(which), BATCH):
        some = which[start : start + BATCH]
        if kind.source == "moves":
            moves = moves_of(store, some)
            here = np.flatnonzero(played(store, moves, kind.shape, kind.size) == key)
            pairs = zip((moves.games[here] + 1).tolist(), moves.numbers[here].tolist(), strict=True)
        else:
            at, points = np.nonzero(final(store, some, kind.shape, kind.size) == key)
            pairs = zip((some[at] + 1).tolist(), points.tolist(), strict=True)
        found += pairs
        if len(found) >= limit:
            break
    return found[:limit]


def draw_rows(store: Store, kind: Kind, key: int, game: int, place: int) -> tuple[str, ...]:
    """Return a pattern as rows: from its key, or where that is a hash, as it lay in the game of its example."""
    if kind.shape != FULL and parse_shape(kind.shape).is_exact:
        shape = parse_shape(kind.shape)
        return shape.rows(shape.codes(key), kind.source == "moves")
    if kind.source == "final":
        return _around(store, kind, game, len(store.moves_of(game - 1)), place, BLACK, False)
    colour, point = store.moves_of(game - 1)[place - 1]
    return _around(store, kind, game, place - 1, point, colour, True)


def _around(store: Store, kind: Kind, game: int, move: int, point: int, colour: int, played: bool) -> tuple[str, ...]:
    """Return what lay around a point after so many moves of a game, for who has a colour."""
    board = store.board(game - 1, move)
    if kind.shape != FULL:
        return window_rows(board, colour, point, kind.shape, played)
    size, signs = board.size, {EMPTY: ".", colour: "X", other(colour): "O"}
    text = "".join(signs[code] for code in board.points)
    text = text[:point] + "*" + text[point + 1 :]
    return tuple(text[at : at + size] for at in range(0, size * size, size))
