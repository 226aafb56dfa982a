"""Search a store for a pattern: where it occurs, how the games continued there, and in which years.

A guise of the pattern at one place of the board is at most one hit in a game, the first time it occurs there. Its
continuation is the next move inside the rectangle, immediate or later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Int32Array, Int64Array
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.changes_kernel import find_noted
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.search import kernel
from kibitz.games.go.records.search.guises import PAD, CompiledPattern, compile_pattern, find_triggers, opening_note
from kibitz.games.go.records.search.kernel import HitColumns
from kibitz.games.go.records.search.pattern import Pattern, parse
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import BLACK, WHITE

HITS_PER_PASS = 1 << 17
"""Hits that one call of the kernel can collect."""
LAST_MOVE = 1 << 20
"""A move number beyond the end of any game."""


@dataclass(frozen=True)
class Query:
    """What to search for, and in which games."""

    pattern: Pattern
    fixed: bool = False
    """Whether X must be Black."""
    next: str = ""
    """The colour, "X" or "O", that the next move inside the pattern must have; "" for either."""
    low: int = 0
    """The minimum number of moves after which the pattern must occur."""
    high: int = LAST_MOVE
    """The maximum number of moves after which it must occur."""
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        if self.next not in ("", "X", "O"):
            raise BadOption(f"The next move must be X or O, not {self.next[:20]!r}.")
        if not 0 <= self.low <= self.high:
            raise BadOption(f"The range of moves {self.low} to {self.high} is empty; give the lower number first.")


@dataclass(frozen=True)
class Continuation:
    """A point of the pattern that was played next."""

    row: int
    col: int
    colour: str
    """X or O, as in the pattern."""
    count: int
    """Hits that continued here."""
    share: float
    """The share of all hits."""
    wins: int
    """How many of these hits are in games won by the player of this move."""
    decided: int
    """How many of these hits are in games with a winner."""
    at_once: int
    """How many of these hits had it as the very next move."""

    @property
    def win_rate(self) -> float | None:
        """Return the share of decided games that the player of the move won, or None without decided games."""
        return self.wins / self.decided if self.decided else None


class Occurrence(NamedTuple):
    """A hit."""

    game: int
    """Its number in the store, from 1."""
    move: int
    """The number of moves made when the pattern first occurred."""
    orientation: int
    """The symmetry, see changes.turn."""
    swapped: bool
    """Whether X is White."""
    row: int
    """The row of the rectangle's top left corner, from 0 at the top."""
    col: int


@dataclass
class SearchResult:
    """What a search found."""

    query: Query
    games: int
    """Games in which the pattern occurs."""
    hits: int
    searched: int
    """Games that were searched: those that pass the filters."""
    continuations: list[Continuation]
    """Most frequent first."""
    wins: tuple[int, int]
    """Hits in games won by X, and won by O."""
    years: tuple[Int64Array, Int64Array]
    """[year]: games with the pattern, and games searched; year 0 is for games without a date."""
    seconds: float
    compiled: CompiledPattern
    arrays: tuple[Int32Array, Int32Array, Int32Array, Int32Array]
    """Columns of all hits: game from 0, move, guise, place."""

    @cached_property
    def timeline(self) -> dict[int, tuple[int, int]]:
        """Return year -> the number of games with the pattern and of games searched, for years with games."""
        found, searched = (counts.tolist() for counts in self.years)
        return {year: (found[year], searched[year]) for year in range(len(searched)) if searched[year]}

    def occurrences(self, start: int = 0, limit: int = 100) -> list[Occurrence]:
        """Return up to `limit` hits in the order of games, starting with hit number `start`."""
        size = self.query.filters.size
        found = []
        for game, move, guise, place in zip(*(a[start : start + limit].tolist() for a in self.arrays), strict=True):
            image, swapped = self.compiled.images[guise]
            found.append(Occurrence(game + 1, move, image, swapped, place // size, place % size))
        return found

    def json(self, limit: int = 100) -> JsonObject:
        """Return the result as printed by kibitz go search --json, with up to `limit` occurrences."""
        return {
            "games": self.games,
            "hits": self.hits,
            "searched": self.searched,
            "seconds": round(self.seconds, 6),
            "x_wins": self.wins[0],
            "o_wins": self.wins[1],
            "continuations": [{**asdict(c), "win_rate": c.win_rate} for c in self.continuations],
            "timeline": {str(year): list(counts) for year, counts in self.timeline.items()},
            "occurrences": [occurrence._asdict() for occurrence in self.occurrences(0, limit)],
        }


def search(
    store: GameStore,
    rows: Sequence[str] | Pattern,
    anchor: str = "anywhere",
    filters: Filters | None = None,
    **more: Any,
) -> SearchResult:
    """Search a store for a pattern, given as rows of text or already parsed. more: other fields of Query.

    Raise BadText if the rows are not a valid pattern, BadOption for a bad query. For many searches create one Searcher.
    """
    pattern = rows if isinstance(rows, Pattern) else parse(rows, anchor)
    return Searcher(store).search(Query(pattern, filters=filters or Filters(), **more))


class Searcher:
    """Searches one store, any number of times and from any thread."""

    def __init__(self, store: GameStore) -> None:
        self.store = store
        changes, rings = store.column("changes"), store.column("rings")
        self._games = kernel.StoredGames(changes, rings, store.first)
        self._notes = np.ascontiguousarray(store.column("notes").T)  # so that a search reads only what it needs
        self.winners, self.years = store.column("winners"), store.column("years")
        self._of_size: dict[int, tuple[Int64Array, Int64Array]] = {}
        for column in (changes, rings, self.winners, self.years):
            column[::1024].sum()  # maps the files into memory
        self._warm_up()

    def _warm_up(self) -> None:
        """Load the compiled kernels by searching no games, so that the first search is as fast as the next."""
        self.games_of(Filters())
        nothing = np.zeros(0, np.int64)
        for rows, anchor in ((["X" + "." * 6, *["." * 7] * 6], "corner"), (["X"], "anywhere")):
            query = Query(parse(rows, anchor))
            compiled = compile_pattern(query.pattern, 19)
            self._candidates(query, compiled, nothing)
            self._find_hits(query, compiled, nothing)

    def games_of(self, filters: Filters) -> tuple[Int64Array, Int64Array]:
        """Return the numbers of the games that pass the filters, and how many there are of each year, as [year]."""
        only_size = filters.has_only_size()
        if only_size and filters.size in self._of_size:
            return self._of_size[filters.size]
        games = np.flatnonzero(self.store.column("sizes") == filters.size)
        if not only_size:
            games = np.intersect1d(games, filters.games(self.store), assume_unique=True)
        found = games, np.bincount(np.maximum(self.years[games], 0))
        if only_size:
            self._of_size[filters.size] = found
        return found

    def search(self, query: Query) -> SearchResult:
        """Return what a query finds in the store. Raise BadText if the pattern does not fit on the board."""
        games, per_year = self.games_of(query.filters)
        began = time.perf_counter()
        compiled = compile_pattern(query.pattern, query.filters.size, not query.fixed)
        hits = self._find_hits(query, compiled, self._candidates(query, compiled, games))
        if query.next:
            hits = _continued_by(hits, compiled, query.next)
        continuations = self._continuations(hits, compiled, query)
        distinct = hits.game[np.diff(hits.game, prepend=-1) != 0]
        years = np.bincount(np.maximum(self.years[distinct], 0), minlength=len(per_year))
        wins = self._wins(hits, compiled)
        seconds = time.perf_counter() - began
        return SearchResult(
            query, len(distinct), len(hits.game), len(games), continuations, wins, (years, per_year), seconds, compiled,
            hits[:4],
        )  # fmt: skip

    def _candidates(self, query: Query, compiled: CompiledPattern, games: Int64Array) -> Int64Array:
        """Return the games that must be searched: for an opening position, only those whose notes may contain it."""
        opening = opening_note(compiled, query.pattern.anchor, query.filters.size)
        if opening is None:
            return games
        out = np.empty(len(self.store), np.int64)
        noted = out[: find_noted(self._notes, *opening, out)]
        if len(games) == len(self.store):
            return noted
        mask = np.zeros(len(self.store), bool)
        mask[games] = True
        return noted[mask[noted]]

    def _find_hits(self, query: Query, compiled: CompiledPattern, games: Int64Array) -> HitColumns:
        """Return all hits of a query in these games."""
        size, guises = query.filters.size, compiled.guises
        points = np.arange(size * size, dtype=np.int64)
        board = kernel.BoardWords(
            np.zeros(size + 2 * PAD, np.int64),
            points // size + PAD + 64 * (points % size + PAD),
            np.zeros(len(guises.masks) * size * size, np.int64),
        )
        room = 2 * len(board.seen)
        columns = np.empty((6, max(HITS_PER_PASS, room) if len(games) > 1000 else room), np.int32)
        counts = np.zeros(3, np.int64)
        state = kernel.PatternSearch(board, guises, HitColumns(*columns), counts)
        limits = kernel.MoveRange(query.low, query.high, not (guises.masks & guises.values).any())
        few = _few_placements(state, size)
        if few:
            find = partial(kernel.search_few, state, few)
        else:
            find = partial(kernel.search_anywhere, state, find_triggers(compiled))
        parts: list[Int32Array] = []
        while not parts or counts[kernel.NEXT] < len(games):
            counts[kernel.FOUND] = 0
            find(limits, self._games, games)
            parts.append(columns[:, : counts[kernel.FOUND]].copy())
        return HitColumns(*(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)))

    def _continuations(self, hits: HitColumns, compiled: CompiledPattern, query: Query) -> list[Continuation]:
        """Return the next moves inside the pattern with their figures, most frequent first."""
        total, cells = len(hits.game), query.pattern.height * query.pattern.width
        has_next = hits.then >= 0
        if not has_next.all():
            hits = HitColumns(*(column[has_next] for column in hits))
        label = compiled.labels[hits.guise, hits.then]
        winner, mover = self.winners[hits.game], hits.then // cells
        tallies = np.stack([
            np.bincount(label[chosen], minlength=3 * cells)
            for chosen in (winner == mover, winner > 0, hits.at_once == 1)
        ])  # fmt: skip
        found = []
        counts = np.bincount(label, minlength=3 * cells)
        for at in np.flatnonzero(counts).tolist():
            row, col = divmod(at % cells, query.pattern.width)
            count = int(counts[at])
            found.append(Continuation(row, col, ".XO"[at // cells], count, count / total, *tallies[:, at].tolist()))
        return sorted(found, key=lambda c: (-c.count, c.row, c.col, c.colour))

    def _wins(self, hits: HitColumns, compiled: CompiledPattern) -> tuple[int, int]:
        """Return the number of hits in games won by X, and won by O."""
        winner = self.winners[hits.game]
        x = int(np.count_nonzero(winner == np.where(compiled.swapped[hits.guise], WHITE, BLACK)))
        return x, int(np.count_nonzero(winner > 0)) - x


def _continued_by(hits: HitColumns, compiled: CompiledPattern, colour: str) -> HitColumns:
    """Return the hits whose next move inside the pattern is of this colour: "X" or "O", as in the pattern."""
    cells = compiled.labels.shape[1] // 3
    wanted = np.where(compiled.swapped[hits.guise] == (colour == "X"), WHITE, BLACK)
    chosen = (hits.then >= 0) & (hits.then // cells == wanted)
    return HitColumns(*(column[chosen] for column in hits))


def _few_placements(state: kernel.PatternSearch, size: int) -> kernel.FewPlacements | None:
    """Return the placements of a pattern for search_few, or None if there are more than MAX_PLACEMENTS."""
    ranges = state.guises.ranges.tolist()
    if sum((bottom - top + 1) * (right - left + 1) for top, bottom, left, right in ranges) > kernel.MAX_PLACEMENTS:
        return None
    placements = [
        (guise, row, col)
        for guise, (top, bottom, left, right) in enumerate(ranges)
        for row in range(top, bottom + 1)
        for col in range(left, right + 1)
    ]
    few = kernel.FewPlacements(np.array(placements, np.int64), *np.zeros((2, 3, size * size), np.int64))
    kernel.fill_tables(state, few)
    return few
