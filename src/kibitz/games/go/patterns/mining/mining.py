"""Mining a store: windows of games that are new are counted batch by batch, and all tables written in one step.

The batches are counted here, or by the workers of an executor; they are added in the order of the games, so that
what comes out is the same.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TypeAlias

from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.files import try_lock
from kibitz.core.training import caught_interrupts
from kibitz.games.go.patterns.mining.mined import (
    Gathered,
    Kind,
    check_kind,
    current,
    default_kinds,
    read_gathered,
    write,
)
from kibitz.games.go.patterns.mining.portions import Counted, Portion, count, portion
from kibitz.games.go.patterns.mining.tables import fill
from kibitz.games.go.patterns.shapes import parse_shape
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.records.store import Store
from kibitz.games.go.records.tables import MINED

BATCH = 2000
"""Games that are worked on at a time."""
CHECKPOINT_SECONDS = 60.0
"""What was counted is written at the latest after so long, so that a killed miner goes on from there."""
GLANCE = 0.2
"""Seconds between two looks at whether to stop."""
LOCK = "mined.lock"
PATIENCE = 300.0
"""Seconds to wait for somebody else who mines the demo games, which are mined by whoever needs them first."""


@dataclass
class Summary:
    """What mining did."""

    games: int = 0
    """Games of the store that are mined now."""
    new: int = 0
    """Those that were added this time."""
    patterns: dict[Kind, int] = field(default_factory=dict)
    interrupted: bool = False
    seconds: float = 0.0


def mine(
    store: Store,
    kinds: Iterable[Kind] = (),
    min_count: int = 1,
    min_stones: int = 0,
    anew: bool = False,
    tell: Callable[[int, int], None] | None = None,
    patience: float = 0.0,
    executor: Executor | None = None,
    jobs: Callable[[], int] = lambda: 1,
) -> Summary:
    """Count the patterns of a store's games that are not counted yet, and write all tables.

    Kinds that were mined before are brought up to date too. What is rarer than
    min_count or has fewer stones than min_stones is dropped at the end; a kind
    that anything was dropped from is counted anew when there are new games.
    tell(games done, games in all) is called after every batch. Ctrl-C ends it
    after a batch, with what was counted written. With an executor its workers,
    which jobs() counts, do the counting. Raises BadOption if somebody else is
    mining the store, and still is after so many seconds of patience; raises
    KibitzError if the workers fail, with what was counted written.
    """
    began = time.perf_counter()
    wanted = [check_kind(kind) for kind in kinds] or default_kinds()
    with _Locked(store.folder, patience), caught_interrupts() as stop:
        known = None if anew else current(store, wanted, min_count, min_stones)
        if known is not None:
            return Summary(len(store), 0, known, seconds=time.perf_counter() - began)
        gathered = {} if anew else read_gathered(store, wanted)
        _limit(gathered, wanted, min_count, min_stones)
        low = _games(gathered)
        batches = _batches(store, gathered, low)
        counting = _count_here(batches, stop) if executor is None else _count_there(batches, stop, executor, jobs)
        try:
            _add_up(store, gathered, counting, tell)
        except KibitzError:
            if _games(gathered) > low:
                _write_whole(store, gathered)
            raise
        games = _games(gathered)
        if games < len(store):
            _write_whole(store, gathered)
        elif low < len(store) or not (store.folder / MINED).exists() or min_count > 1 or min_stones > 0:
            write(store.folder, gathered, lambda connection: fill(connection, store, gathered))
    patterns = {kind: len(found.tally) for kind, found in gathered.items()}
    return Summary(games, games - low, patterns, games < len(store), time.perf_counter() - began)


def _limit(gathered: dict[Kind, Gathered], wanted: Iterable[Kind], min_count: int, min_stones: int) -> None:
    """Set what is dropped of the kinds wanted; one that something else was dropped from begins anew."""
    limits = (min_count, min_stones)
    for kind in wanted:
        found = gathered.get(kind)
        if found is None or (not found.is_whole() and (found.min_count, found.min_stones) != limits):
            gathered[kind] = Gathered(Tally(kind.source == "moves"))
        gathered[kind].min_count, gathered[kind].min_stones = limits


def _add_up(
    store: Store,
    gathered: dict[Kind, Gathered],
    counting: Iterator[tuple[int, dict[Kind, Counted]]],
    tell: Callable[[int, int], None] | None,
) -> None:
    """Add what is counted batch by batch, and write it now and then."""
    since = time.perf_counter()
    for end, counted in counting:
        _merge(gathered, counted, end, int(store.column("digests")[end - 1]))
        if tell is not None:
            tell(end, len(store))
        if time.perf_counter() - since > CHECKPOINT_SECONDS and end < len(store):
            _write_whole(store, gathered)
            since = time.perf_counter()


def _games(gathered: dict[Kind, Gathered]) -> int:
    """Return how many games every kind has."""
    return min(found.games for found in gathered.values())


def _write_whole(store: Store, gathered: dict[Kind, Gathered]) -> None:
    """Write what was counted so far with nothing dropped, and without the tables that need all games."""
    unfinished = [found for found in gathered.values() if found.games < len(store)]
    limits = [(found.min_count, found.min_stones) for found in unfinished]
    for found in unfinished:
        found.min_count, found.min_stones = 1, 0
    write(store.folder, gathered)
    for found, kept in zip(unfinished, limits, strict=True):
        found.min_count, found.min_stones = kept


Batch: TypeAlias = tuple[int, Portion, dict[Kind, int]]
"""The game before which it ends, its games, and the kinds that lack any of them, each with the first that it lacks."""


def _batches(store: Store, gathered: dict[Kind, Gathered], low: int) -> Iterator[Batch]:
    """Yield the batches of games that are not counted yet."""
    lacks = {kind: found.games for kind, found in gathered.items()}
    for start in range(low, len(store), BATCH):
        end = min(start + BATCH, len(store))
        yield end, portion(store, start, end), {kind: lack for kind, lack in lacks.items() if lack < end}


def _count_here(batches: Iterator[Batch], stop: list[int]) -> Iterator[tuple[int, dict[Kind, Counted]]]:
    """Yield where each batch ends and what was counted in it, until told to stop."""
    for end, games, kinds in batches:
        yield end, count(games, kinds)
        if stop:
            return


def _count_there(
    batches: Iterator[Batch], stop: list[int], executor: Executor, jobs: Callable[[], int]
) -> Iterator[tuple[int, dict[Kind, Counted]]]:
    """Do the same by an executor; every worker has one batch and one in waiting."""
    begun = deque[tuple[int, Future[dict[Kind, Counted]]]]()
    while not stop:
        for end, games, kinds in islice(batches, max(0, 2 * jobs() - len(begun))):
            begun.append((end, executor.submit(count, games, kinds)))
        if not begun:
            return
        if wait([begun[0][1]], GLANCE).done:
            end, future = begun.popleft()
            yield end, future.result()


def _merge(gathered: dict[Kind, Gathered], counted: dict[Kind, Counted], end: int, digest: int) -> None:
    """Add what was counted of the games up to end, the last of which has this digest."""
    for kind, (keys, tallies, windows) in counted.items():
        found = gathered[kind]
        if kind.forms == 12:
            found.tally.merge_as_reported(parse_shape(kind.shape), kind.size, keys, tallies)
        else:
            found.tally.merge(keys, tallies)
        found.windows += windows
        found.games, found.digest = end, digest


class _Locked:
    """Holds the lock of who mines a store."""

    def __init__(self, folder: Path, patience: float) -> None:
        self.folder, self.patience = folder, patience
        self.file: IO[str] | None = None

    def __enter__(self) -> None:
        try:
            self.file = open(self.folder / LOCK, "w", encoding="utf-8")
        except OSError as error:
            raise BadOption(f"Nothing can be written to the store in {self.folder}: {error.strerror}.") from None
        until = time.monotonic() + self.patience
        while not try_lock(self.file):
            if time.monotonic() < until:
                time.sleep(0.1)
                continue
            self.file.close()
            raise BadOption(f"Somebody is mining the store in {self.folder} just now; try again when that is done.")

    def __exit__(self, *error: object) -> None:
        if self.file is not None:
            self.file.close()
