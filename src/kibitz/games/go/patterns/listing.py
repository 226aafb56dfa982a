"""List mined patterns with their figures, and find the games in which a pattern occurs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from kibitz.compiled.arrays import Int64Array
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.mining.meaning import GROUPS, MEANINGS
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.shapes import FULL, parse_shape, window_rows
from kibitz.games.go.patterns.windows import final_windows, moves_of, played_windows, windows_around
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import heads_of
from kibitz.games.go.rules.board import BLACK, EMPTY, Board, other

ORDERS = {
    "count": "count DESC",
    "stones": "stones DESC, count DESC",
    "won": "won / nullif(decided, 0) DESC NULLS LAST, count DESC",
    "lost": "won / nullif(decided, 0) NULLS LAST, count DESC",
    "new": "first_year DESC, count DESC",
    "old": "nullif(last_year, 0) NULLS LAST, count DESC",
}
"""Sort order -> its ORDER BY clause in SQL."""
GAMES_PER_BATCH = 1000
MAX_EXAMPLE_GAMES = 10_000  # search at most this many games for examples of a pattern


@dataclass(frozen=True)
class PatternFilter:
    """Which patterns to list, and in which order."""

    min_count: int = 1
    min_stones: int = 0
    edge: bool | None = None  # only patterns that cross the edge (True) or do not (False); None for all
    meaning: str = ""  # a class of moves or a group of classes, to which at least half of the moves must belong
    sort: str = "count"
    limit: int | None = 20  # None for all
    keys: tuple[int, ...] | None = None  # only these patterns

    def sql(self, kind: int) -> tuple[str, list[int]]:
        """Return a query from its FROM clause on, and its values. Raise BadOption for an unknown meaning or order."""
        conditions, values = ["kind = ?", "count >= ?"], [kind, self.min_count]
        if self.min_stones > 0:
            conditions.append("stones >= ?")
            values.append(self.min_stones)
        if self.keys is not None:
            conditions.append(f"key IN ({', '.join('?' * len(self.keys)) or 'NULL'})")
            values += self.keys
        if self.edge is not None:
            conditions.append("edge > 0" if self.edge else "edge = 0")
        if self.meaning:
            names = GROUPS.get(self.meaning, (self.meaning,))
            if not set(names) <= set(MEANINGS):
                known = ", ".join([*MEANINGS, *GROUPS])
                raise BadOption(f"Unknown meaning {self.meaning[:20]!r}; use one of {known}.")
            conditions.append("2 * (" + " + ".join(f'"{name}"' for name in names) + ") >= count")
        if self.sort not in ORDERS:
            raise BadOption(f"Unknown sort order {self.sort[:20]!r}; use one of {', '.join(ORDERS)}.")
        order = f"{ORDERS[self.sort]}, key" + ("" if self.limit is None else f" LIMIT {self.limit}")
        return f"FROM patterns WHERE {' AND '.join(conditions)} ORDER BY {order}", values


@dataclass(frozen=True)
class ListedPattern:
    """A pattern with its figures."""

    rows: tuple[str, ...]  # the mover is X and plays at *; patterns of final boards have no move
    key: int
    stones: int
    edge: int  # number of points beyond the edge
    count: int
    share: float  # of all windows of its kind
    won: int
    decided: int
    first_year: int
    last_year: int
    game: int  # an example game, from 1
    place: int  # the number of the move in that game, or the point on its final board
    meanings: dict[str, int]  # class of move -> count, the most frequent first

    @property
    def win_rate(self) -> float | None:
        """Return the share of decided games that the mover won, or None without decided games."""
        return self.won / self.decided if self.decided else None

    def json(self) -> JsonObject:
        """Return the pattern as a JSON object."""
        return {**asdict(self), "win_rate": self.win_rate}


def list_patterns(store: GameStore, mined: Mined, kind: Kind, wanted: PatternFilter) -> list[ListedPattern]:
    """Return the patterns of a kind that pass a filter, with their figures, in the order of the filter."""
    number = mined.kind_number(kind)
    windows = mined.kinds()[kind]["windows"]
    names = ("key", "stones", "edge", "count", "won", "decided", "first_year", "last_year", "game", "place")
    columns = ", ".join(f'"{name}"' for name in (*names, *MEANINGS))
    tail, values = wanted.sql(number)
    found = []
    for row in mined.connection.execute(f"SELECT {columns} {tail}", values).fetchall():
        figures = dict(zip(names, row[: len(names)], strict=True))
        class_counts = zip(MEANINGS, row[len(names) :], strict=True)
        meanings = {name: n for name, n in sorted(class_counts, key=lambda item: -item[1]) if n}
        rows = draw_rows(store, kind, figures["key"], figures["game"], figures["place"])
        found.append(ListedPattern(rows=rows, share=figures["count"] / max(windows, 1), meanings=meanings, **figures))
    return found


def occurrences(store: GameStore, kind: Kind, key: int, limit: int = 20, since: int = 1) -> list[tuple[int, int]]:
    """Return up to `limit` occurrences of a pattern, each as a game and a move in it, both numbered from 1.

    The search begins with the game `since`. For final boards, return a point of the board instead of a move. Raise
    BadOption for 12 forms, where a window alone does not show as which pattern it was counted.
    """
    if kind.forms == 12:
        raise BadOption("With 12 forms the games of a pattern cannot be found; mine and list it with --forms 16.")
    found: list[tuple[int, int]] = []
    games = np.flatnonzero(store.column("sizes") == kind.size)
    games = games[games >= since - 1]
    for start in range(0, len(games), GAMES_PER_BATCH):
        found += _occurrences_in(store, games[start : start + GAMES_PER_BATCH], kind, key)
        if len(found) >= limit:
            break
    return found[:limit]


def _occurrences_in(store: GameStore, games: Int64Array, kind: Kind, key: int) -> Iterator[tuple[int, int]]:
    """Return all occurrences of a pattern in games, each as a game and a move or point in it, see occurrences."""
    if kind.source == "moves":
        moves = moves_of(store, games)
        here = np.flatnonzero(played_windows(moves, kind.shape, kind.size) == key)
        return zip((moves.games[here] + 1).tolist(), moves.numbers[here].tolist(), strict=True)
    at, points = np.nonzero(final_windows(store, games, kind.shape, kind.size) == key)
    return zip((games[at] + 1).tolist(), points.tolist(), strict=True)


class Examples:
    """Finds moves with the same pattern around them in the games of a store, the latest games first."""

    def __init__(self, folder: Path) -> None:
        self.store = GameStore(folder)

    def of_move(self, board: Board, colour: int, point: int, shape: str, limit: int) -> list[JsonObject]:
        """Return up to `limit` moves with the same pattern as this one, each with game, number and a line of text."""
        games = np.flatnonzero(self.store.column("sizes") == board.size)
        (key,) = windows_around(board, colour, [point], shape)
        found, kind = list[tuple[int, int]](), Kind("moves", shape, 8, board.size)
        for end in range(len(games), max(len(games) - MAX_EXAMPLE_GAMES, 0), -GAMES_PER_BATCH):
            found += _occurrences_in(self.store, games[max(end - GAMES_PER_BATCH, 0) : end], kind, key)
            if len(found) >= limit:
                break
        listed = []
        heads_by_game = heads_of(self.store, [game for game, _ in found[:limit]])
        for game, move in found[:limit]:
            black, white, date = (heads_by_game[game][name] for name in ("black", "white", "date"))
            text = f"game {game}, move {move}: {black or '?'} - {white or '?'}" + (f", {date}" if date else "")
            listed.append({"game": game, "move": move, "text": text})
        return listed


def draw_rows(store: GameStore, kind: Kind, key: int, game: int, place: int) -> tuple[str, ...]:
    """Return a pattern as rows: from its key or, if that is a hash, as it lies on the board of the example game."""
    is_move = kind.source == "moves"
    if kind.is_exact:
        shape = parse_shape(kind.shape)
        return shape.rows(shape.codes(key), shape.move_mark(is_move))
    moves = store.moves_of(game - 1)
    made, (colour, point) = (place - 1, moves[place - 1]) if is_move else (len(moves), (BLACK, place))
    board = store.board(game - 1, made)
    if kind.shape != FULL:
        return window_rows(board, colour, point, kind.shape, is_move)
    size, signs = board.size, {EMPTY: ".", colour: "X", other(colour): "O"}
    text = "".join(signs[code] for code in board.points)
    text = text[:point] + "*" + text[point + 1 :]
    return tuple(text[at : at + size] for at in range(0, size * size, size))
