"""Searching a store for a pattern: where it occurs, how the games went on there, and in which years.

A pattern that stands at a place of the board in one guise is one hit in a game,
however often it goes and comes again: the first time counts. Its continuation
is the next move inside the rectangle, at once or later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.search import kernel
from kibitz.games.go.records.search.guises import PAD, Compiled, compile_pattern, opening_note, triggers
from kibitz.games.go.records.search.pattern import Pattern, parse
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.board import BLACK, WHITE

ROOM = 1 << 17
"""Hits that are gathered at a time."""
LAST_MOVE = 1 << 20
"""A move number that no game reaches."""


@dataclass(frozen=True)
class Query:
    """What is asked."""

    pattern: Pattern
    fixed: bool = False
    """Whether X must be Black."""
    next: str = ""
    """"X" or "O" if the next move inside the pattern must be of this colour."""
    low: int = 0
    """The pattern must stand after at least so many moves,"""
    high: int = LAST_MOVE
    """and at most so many."""
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        if self.next not in ("", "X", "O"):
            raise BadOption(f"The next move is of X or of O, not {self.next[:20]!r}.")
        if not 0 <= self.low <= self.high:
            raise BadOption(f"The range of moves {self.low} to {self.high} is empty.")


@dataclass(frozen=True)
class Continuation:
    """A point of the pattern that was played next."""

    row: int
    col: int
    colour: str
    """X or O of the pattern."""
    count: int
    """Hits that went on here."""
    share: float
    """Of all hits."""
    wins: int
    """Of these, hits in games that the player of this move won."""
    decided: int
    """Of these, hits in games that somebody won."""
    at_once: int
    """Of these, hits where it was the very next move."""

    @property
    def win_rate(self) -> float | None:
        """Return the share of decided games that the player of the move won."""
        return self.wins / self.decided if self.decided else None


class Occurrence(NamedTuple):
    """A hit."""

    game: int
    """Its number in the store, from 1."""
    move: int
    """How many moves had been made when the pattern stood there first."""
    orientation: int
    """The symmetry: 4 if transposed, and 1 if flipped upside down, and 2 if mirrored left to right, after that."""
    swapped: bool
    """Whether X is White."""
    row: int
    """Of the rectangle's top left corner, from 0 at the top."""
    col: int


@dataclass
class Found:
    """What a search found."""

    query: Query
    games: int
    """Games in which the pattern occurs."""
    hits: int
    searched: int
    """Games that were searched: those of the size that pass the filters."""
    continuations: list[Continuation]
    """Most frequent first."""
    wins: tuple[int, int]
    """Hits in games that X won, and that O won."""
    years: tuple[Any, Any]
    """[year]: games with the pattern, and games searched; 0 stands for games without a date."""
    seconds: float
    compiled: Compiled
    arrays: tuple[Any, Any, Any, Any]
    """Of all hits: game from 0, move, guise, place."""

    @cached_property
    def timeline(self) -> dict[int, tuple[int, int]]:
        """Return for each year that has games how many have the pattern, and how many were searched."""
        have, of = (counts.tolist() for counts in self.years)
        return {year: (have[year], of[year]) for year in range(len(of)) if of[year]}

    def occurrences(self, start: int = 0, most: int = 100) -> list[Occurrence]:
        """Return hits in the order of games, from a number on, up to so many."""
        size = self.query.filters.size
        found = []
        for game, move, guise, place in zip(*(a[start : start + most].tolist() for a in self.arrays), strict=True):
            image, swapped = self.compiled.images[guise]
            found.append(Occurrence(game + 1, move, image, swapped, place // size, place % size))
        return found

    def json(self, most: int = 100) -> dict[str, Any]:
        """Return it as kibitz go search --json prints it, with up to so many occurrences."""
        return {
            "games": self.games,
            "hits": self.hits,
            "searched": self.searched,
            "seconds": round(self.seconds, 6),
            "x_wins": self.wins[0],
            "o_wins": self.wins[1],
            "continuations": [{**asdict(c), "win_rate": c.win_rate} for c in self.continuations],
            "timeline": {str(year): list(counts) for year, counts in self.timeline.items()},
            "occurrences": [occurrence._asdict() for occurrence in self.occurrences(0, most)],
        }


def search(
    store: Store, rows: Sequence[str] | Pattern, anchor: str = "anywhere", filters: Filters | None = None, **more: Any
) -> Found:
    """Search a store for rows of text, or a pattern; more are the other fields of Query.

    Raises BadText for rows that are no pattern and BadOption for what cannot be
    asked. For many searches make one Searcher.
    """
    pattern = rows if isinstance(rows, Pattern) else parse(rows, anchor)
    return Searcher(store).search(Query(pattern, filters=filters or Filters(), **more))


class Searcher:
    """Searches one store again and again, from any thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.played = kernel.Played(store.column("changes"), store.column("rings"), store.first)
        self.notes = np.ascontiguousarray(store.column("notes").T)  # so that a search reads only those of its kind
        self.winners, self.years = store.column("winners"), store.column("years")
        self._of_size: dict[int, tuple[Any, Any]] = {}
        self._warm()

    def _warm(self) -> None:
        """Load the kernels, and what is mapped into memory, so that the first search is as fast as the next."""
        for column in (self.played.changes, self.played.rings, self.winners, self.years):
            column[::1024].sum()
        self.games_of(Filters())
        for rows, anchor in ((["X" + "." * 6, *["." * 7] * 6], "corner"), (["X"], "anywhere")):
            query = Query(parse(rows, anchor))
            compiled = compile_pattern(query.pattern, 19)
            self._few(query, compiled, np.zeros(0, np.int64))
            self._run(query, compiled, np.zeros(0, np.int64))

    def games_of(self, filters: Filters) -> tuple[Any, Any]:
        """Return the numbers of the games that pass, and how many of them there are in each year."""
        plain = filters.is_plain()
        if plain and filters.size in self._of_size:
            return self._of_size[filters.size]
        which = np.flatnonzero(self.store.column("sizes") == filters.size).astype(np.int64)
        if not plain:
            which = np.intersect1d(which, filters.games(self.store), assume_unique=True)
        found = which, np.bincount(np.maximum(self.years[which], 0))
        if plain:
            self._of_size[filters.size] = found
        return found

    def search(self, query: Query) -> Found:
        """Return what is found. Raises BadText if the pattern does not fit on the board."""
        which, per_year = self.games_of(query.filters)
        began = time.perf_counter()
        compiled = compile_pattern(query.pattern, query.filters.size, not query.fixed)
        few = self._few(query, compiled, which)
        hits = self._run(query, compiled, few)
        if query.next:
            hits = _with_next(hits, compiled, query.next)
        continuations = self._continuations(hits, compiled, query)
        games = hits[0]
        distinct = games[np.concatenate([[True], games[1:] != games[:-1]])] if len(games) else games
        years = np.bincount(np.maximum(self.years[distinct], 0), minlength=len(per_year))
        wins = self._wins(hits, compiled)
        seconds = time.perf_counter() - began
        return Found(
            query,
            len(distinct),
            len(games),
            len(which),
            continuations,
            wins,
            (years, per_year),
            seconds,
            compiled,
            hits[:4],
        )

    def _few(self, query: Query, compiled: Compiled, which: Any) -> Any:
        """Return the games that need be searched: where the pattern is an opening position, those with its note."""
        opening = opening_note(compiled, query.pattern.anchor, query.filters.size)
        if opening is None:
            return which
        out = np.empty(len(self.store), np.int64)
        noted = out[: kernel.noted(self.notes, *opening, out)]
        if len(which) == len(self.store):
            return noted
        mask = np.zeros(len(self.store), bool)
        mask[which] = True
        return noted[mask[noted]]

    def _run(self, query: Query, compiled: Compiled, which: Any) -> tuple[Any, ...]:
        """Return game, move, guise, place, continuation and whether it came at once, of all hits."""
        size, guises = query.filters.size, compiled.guises
        board = _board(size, len(guises.masks))
        room = max(ROOM, 2 * len(board.seen)) if len(which) > 1000 else 2 * len(board.seen)
        columns: Any = np.empty((6, room), np.int32)
        hits = kernel.Hits._make([*columns, np.zeros(3, np.int64)])
        limits = kernel.Range(query.low, query.high, not (guises.masks & guises.values).any())
        places = _places(board, compiled, size)
        points = triggers(compiled) if places is None else None
        parts: list[list[Any]] = []
        while not parts or hits.counts[kernel.NEXT] < len(which):
            hits.counts[kernel.FOUND] = 0
            if places is not None:
                kernel.search_few(board, guises, places, limits, self.played, which, hits)
            elif points is not None:
                kernel.search_many(board, guises, points, limits, self.played, which, hits)
            parts.append([column[: int(hits.counts[kernel.FOUND])].copy() for column in columns])
        return tuple(parts[0]) if len(parts) == 1 else tuple(np.concatenate(some) for some in zip(*parts, strict=True))

    def _continuations(self, hits: tuple[Any, ...], compiled: Compiled, query: Query) -> list[Continuation]:
        """Return how the games went on, most frequent first."""
        game, guise, then, soon = hits[0], hits[2], hits[4], hits[5]
        cells = query.pattern.height * query.pattern.width
        went_on = then >= 0
        if not went_on.all():
            game, guise, then, soon = game[went_on], guise[went_on], then[went_on], soon[went_on]
        label = compiled.labels[guise, then]
        winner, mover = self.winners[game], then // cells
        counts = np.bincount(label, minlength=3 * cells)
        wins = np.bincount(label[winner == mover], minlength=3 * cells)
        decided = np.bincount(label[winner > 0], minlength=3 * cells)
        at_once = np.bincount(label[soon == 1], minlength=3 * cells)
        found = []
        for at in np.flatnonzero(counts).tolist():
            row, col = divmod(at % cells, query.pattern.width)
            tally = int(counts[at]), int(counts[at]) / len(hits[0]), int(wins[at]), int(decided[at]), int(at_once[at])
            found.append(Continuation(row, col, ".XO"[at // cells], *tally))
        return sorted(found, key=lambda c: (-c.count, c.row, c.col, c.colour))

    def _wins(self, hits: tuple[Any, ...], compiled: Compiled) -> tuple[int, int]:
        """Return in how many hits X won, and O."""
        swapped = np.array([swap for _, swap in compiled.images])[hits[2]] if len(hits[2]) else np.zeros(0, bool)
        winner = self.winners[hits[0]]
        black, white = winner == BLACK, winner == WHITE
        x = int(np.count_nonzero(np.where(swapped, white, black)))
        return x, int(np.count_nonzero(winner > 0)) - x


def _with_next(hits: tuple[Any, ...], compiled: Compiled, colour: str) -> tuple[Any, ...]:
    """Return the hits whose next move inside the pattern is of a colour of the pattern."""
    guise, then = hits[2], hits[4]
    cells = compiled.labels.shape[1] // 3
    swapped = np.array([swap for _, swap in compiled.images])[guise]
    wanted = np.where(swapped == (colour == "X"), WHITE, BLACK)
    keep = (then >= 0) & (then // cells == wanted)
    return tuple(column[keep] for column in hits)


def _places(board: kernel.Board, compiled: Compiled, size: int) -> kernel.Places | None:
    """Return the places of a pattern, or None if they are too many."""
    spans = compiled.guises.ranges.tolist()
    if sum((s[1] - s[0] + 1) * (s[3] - s[2] + 1) for s in spans) > kernel.MOST_PLACES:
        return None
    where = [(g, r, c) for g, s in enumerate(spans) for r in range(s[0], s[1] + 1) for c in range(s[2], s[3] + 1)]
    tables = np.zeros((2, 3, size * size), np.int64)
    found = kernel.Places(np.array(where, np.int64), tables[0], tables[1])
    kernel.fill_places(board, compiled.guises, found)
    return found


def _board(size: int, guises: int) -> kernel.Board:
    """Return a board for the kernel."""
    points = np.arange(size * size, dtype=np.int64)
    return kernel.Board(
        np.zeros(size + 2 * PAD, np.int64),
        points // size + PAD + 64 * (points % size + PAD),
        np.zeros(guises * size * size, np.int64),
    )
