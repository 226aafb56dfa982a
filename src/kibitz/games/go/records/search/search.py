"""Search a store for a pattern: where it occurs, how the games continued there, and in which years.

A guise of the pattern at one place of the board is at most one hit in a game, the first time it occurs there. Its
continuation is the next move inside the rectangle, immediate or later.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import BoolArray, Int16Array, Int32Array, Int64Array, Uint8Array
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.changes_kernel import find_noted
from kibitz.games.go.records.filters import Filters
from kibitz.games.go.records.search import kernel
from kibitz.games.go.records.search.guises import CompiledPattern, compile_pattern, opening_note
from kibitz.games.go.records.search.pattern import Pattern, parse
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

HITS_PER_PASS = 1 << 17
"""Hits that one call of the kernel can collect."""
FIRST_BATCH, MAX_BATCH = 2, 32
"""Blocks of games to search before the first figures of a stream; then twice as many each time, up to the maximum."""
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
    """Games to search: those that pass the filters."""
    share_done: float
    """The share of these games that was searched so far: 1.0 once the search is complete."""
    continuations: list[Continuation]
    """Most frequent first."""
    wins: tuple[int, int]
    """Hits in games won by X, and won by O."""
    years: tuple[Int64Array, Int64Array]
    """[year]: games with the pattern, and games searched; year 0 is for games without a date."""
    seconds: float
    compiled: CompiledPattern
    parts: list[Int32Array]
    """Pieces of `arrays`, as they were found."""

    @cached_property
    def arrays(self) -> tuple[Int32Array, ...]:
        """Columns of all hits: game from 0, move, guise, place."""
        return tuple(np.concatenate([np.zeros((4, 0), np.int32), *self.parts], axis=1))

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


def find(
    store: GameStore,
    rows: Sequence[str] | Pattern,
    anchor: str = "anywhere",
    filters: Filters | None = None,
) -> Iterator[Occurrence]:
    """Yield the hits of a pattern as they are found, in the order of games; the arguments are those of search()."""
    pattern = rows if isinstance(rows, Pattern) else parse(rows, anchor)
    seen = 0
    for found in Searcher(store).stream(Query(pattern, filters=filters or Filters())):
        if found.hits > seen:
            yield from replace(found, parts=found.parts[-1:]).occurrences(0, found.hits - seen)
            seen = found.hits


class Searcher:
    """Searches one store, any number of times and from any thread."""

    def __init__(self, store: GameStore) -> None:
        self.store = store
        changes, first, sizes = store.column("changes"), store.first, store.column("sizes")
        blocks = -(-len(store) // kernel.GAMES_PER_BLOCK)
        points = int(sizes.max(initial=1)) ** 2
        stones = np.zeros((blocks, 2 * points * kernel.WORDS), np.int64)
        self._games = kernel.StoredGames(changes, first, stones)
        kernel.index_stones(*self._games)
        self._notes = np.ascontiguousarray(store.column("notes").T)  # so that a search reads only what it needs
        self._max_changes = int(np.diff(first).max(initial=0))
        self.winners, self.years = store.column("winners"), store.column("years")
        self._of_size: dict[int, tuple[Int64Array, Int64Array]] = {}
        self._warm_up()

    def _warm_up(self) -> None:
        """Load the compiled kernels by searching no games, so that the first search is as fast as the next."""
        query, (chosen, per_year) = Query(parse(["X" + "." * 6, *["." * 7] * 6], "corner")), self._chosen(Filters())
        self._may_contain(query, chosen)
        compiled = compile_pattern(query.pattern, 19)
        tallies = _Findings(query, compiled, per_year, self.winners).tallies
        list(self._search(compiled, tallies, kernel.MoveRange(0, 0), np.zeros_like(chosen), len(chosen)))

    def _chosen(self, filters: Filters) -> tuple[Int64Array, Int64Array]:
        """Return the games that pass the filters, as bits [block, word], and how many there are of each year."""
        only_size = filters.has_only_size()
        if only_size and filters.size in self._of_size:
            return self._of_size[filters.size]
        passes = self.store.column("sizes") == filters.size
        if not only_size:
            of_size, passes = passes, np.zeros(len(self.store), bool)
            passes[filters.games(self.store)] = True
            passes &= of_size
        found = self._packed(passes), np.bincount(np.maximum(self.years[passes], 0))
        if only_size:
            self._of_size[filters.size] = found
        return found

    def _packed(self, passes: BoolArray) -> Int64Array:
        """Return which games pass, [game], as bits [block, word]."""
        bits = np.zeros(len(self._games.stones) * kernel.GAMES_PER_BLOCK // 8, np.uint8)
        packed = np.packbits(passes, bitorder="little")
        bits[: len(packed)] = packed
        return bits.view(np.int64).reshape(-1, kernel.WORDS)

    def _may_contain(self, query: Query, chosen: Int64Array) -> Int64Array:
        """Return which of these games to search, as bits: for an opening position, those whose notes may have it."""
        opening = opening_note(query.pattern, query.filters.size)
        if opening is None:
            return chosen
        games, passes = np.empty(len(self.store), np.int64), np.zeros(len(self.store), bool)
        passes[games[: find_noted(self._notes, *opening, games)]] = True
        return chosen & self._packed(passes)

    def search(self, query: Query) -> SearchResult:
        """Return what a query finds in the store. Raise BadText if the pattern does not fit on the board."""
        *_, found = self._passes(query, len(self._games.stones))
        return found.result()

    def stream(self, query: Query) -> Iterator[SearchResult]:
        """Yield what was found so far, several times during a search, and at last the complete result.

        Raise BadText if the pattern does not fit on the board.
        """
        return (found.result() for found in self._passes(query, FIRST_BATCH))

    def _passes(self, query: Query, batch: int) -> Iterator[_Findings]:
        """Yield the same findings each time more games have been searched. batch: blocks to search at first."""
        chosen, per_year = self._chosen(query.filters)
        began = time.perf_counter()
        compiled = compile_pattern(query.pattern, query.filters.size, not query.fixed)
        found = _Findings(query, compiled, per_year, self.winners)
        chosen, limits = self._may_contain(query, chosen), kernel.MoveRange(query.low, query.high)
        for part, share in self._search(compiled, found.tallies, limits, chosen, batch):
            found.add(part, self.years)
            found.share_done = share
            found.seconds += time.perf_counter() - began
            yield found
            began = time.perf_counter()

    def _search(
        self,
        compiled: CompiledPattern,
        tallies: kernel.Tallies,
        limits: kernel.MoveRange,
        chosen: Int64Array,
        batch: int,
    ) -> Iterator[tuple[Int32Array, float]]:
        """Search games batch by batch; yield the columns of the hits, and the share of the blocks searched so far.

        chosen: the games to search, as bits [block, word].
        """
        blocks, state = len(self._games.stones), self._new_state(compiled, tallies)
        counts = state.counts
        while True:
            if counts[kernel.NEXT] == counts[kernel.END]:
                counts[kernel.END], batch = min(blocks, counts[kernel.NEXT] + batch), min(2 * batch, MAX_BATCH)
            counts[kernel.FOUND] = 0
            kernel.search_blocks(state, self._games, chosen, limits)
            is_done = counts[kernel.NEXT] == blocks
            if counts[kernel.NEEDED] > len(state.hits.game):
                state = state._replace(hits=_hit_columns(2 * int(counts[kernel.NEEDED])))
            else:
                part = np.array([column[: counts[kernel.FOUND]] for column in state.hits])
                yield part, 1.0 if is_done else float(counts[kernel.NEXT] / blocks)
            if is_done:
                return

    def _new_state(self, compiled: CompiledPattern, tallies: kernel.Tallies) -> kernel.PatternSearch:
        """Return the work space of a search."""
        games = min(kernel.GAMES_PER_BLOCK, len(self.store))
        return kernel.PatternSearch(
            compiled.guises,
            kernel.Candidates(
                np.empty(kernel.GAMES_PER_BLOCK, np.int32),
                np.empty((games, compiled.guises.placements), np.int32),
                np.empty(kernel.WORDS, np.int64),
                *np.empty((2, compiled.guises.placements), np.int32),
            ),
            kernel.Histories(
                np.empty(compiled.guises.size**2, np.int32), *np.empty((5, self._max_changes + 1), np.int32)
            ),
            _hit_columns(HITS_PER_PASS),
            tallies,
            np.zeros(4, np.int64),
        )


def _hit_columns(hits: int) -> kernel.HitColumns:
    return kernel.HitColumns(*np.empty((4, hits), np.int32))


class _Findings:
    """What a search has found so far."""

    def __init__(self, query: Query, compiled: CompiledPattern, per_year: Int64Array, winners: Uint8Array) -> None:
        self.query, self.compiled, self.per_year = query, compiled, per_year
        self.share_done = self.seconds = 0.0
        self._parts, self._games, self._years = list[Int32Array](), 0, np.zeros_like(per_year)
        self.tallies = kernel.Tallies(
            compiled.labels,
            winners,
            np.where(compiled.swapped, WHITE, BLACK),
            {"": EMPTY, "X": BLACK, "O": WHITE}[query.next],
            np.zeros((4, compiled.labels.shape[1]), np.int64),
            np.zeros(2, np.int64),
        )

    def add(self, part: Int32Array, years: Int16Array) -> None:
        """Add hits, by their columns; years: of all games of the store."""
        game = part[0]
        distinct = game[np.diff(game, prepend=-1) != 0]
        self._parts.append(part)
        self._games += len(distinct)
        self._years += np.bincount(np.maximum(years[distinct], 0), minlength=len(self._years))

    def result(self) -> SearchResult:
        """Return what was found so far."""
        x_wins, o_wins = self.tallies.wins.tolist()
        hits = sum(part.shape[1] for part in self._parts)
        return SearchResult(
            self.query, self._games, hits, int(self.per_year.sum()), self.share_done, self._continuations(hits),
            (x_wins, o_wins), (self._years.copy(), self.per_year), self.seconds, self.compiled, list(self._parts),
        )  # fmt: skip

    def _continuations(self, hits: int) -> list[Continuation]:
        """Return the next moves inside the pattern with their figures, most frequent first."""
        found, cells = [], self.compiled.labels.shape[1] // 3
        for at in np.flatnonzero(self.tallies.counts[kernel.HITS]).tolist():
            row, col = divmod(at % cells, self.query.pattern.width)
            count, *others = self.tallies.counts[:, at].tolist()
            found.append(Continuation(row, col, ".XO"[at // cells], count, count / hits, *others))
        return sorted(found, key=lambda c: (-c.count, c.row, c.col, c.colour))
