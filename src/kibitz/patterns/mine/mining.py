"""Mining a store: windows of games that are new are counted batch by batch, and all tables written in one step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.lock import try_lock
from kibitz.patterns.importing import told_to_stop
from kibitz.patterns.mine.mined import Gathered, Kind, check_kind, current, default_kinds, read_gathered, write
from kibitz.patterns.mine.shapes import parse_shape
from kibitz.patterns.mine.tables import fill
from kibitz.patterns.mine.tallies import Tally
from kibitz.patterns.mine.windows import Moves, final, moves_of, played, played_meanings
from kibitz.patterns.mine.windows_kernel import NONE, Seen
from kibitz.patterns.store import Store
from kibitz.patterns.tables import MINED

BATCH = 2000
"""Games that are worked on at a time."""
CHECKPOINT_SECONDS = 60.0
"""What was counted is written at the latest after so long, so that a killed miner goes on from there."""
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
) -> Summary:
    """Count the patterns of a store's games that are not counted yet, and write all tables.

    Kinds that were mined before are brought up to date too. What is rarer than
    min_count or has fewer stones than min_stones is dropped at the end; a kind
    that anything was dropped from is counted anew when there are new games.
    tell(games done, games in all) is called after every batch. Ctrl-C ends it
    after a batch, with what was counted written. Raises BadOption if somebody
    else is mining the store, and still is after so many seconds of patience.
    """
    began = time.perf_counter()
    wanted = [check_kind(kind) for kind in kinds] or default_kinds()
    with _Locked(store.folder, patience), told_to_stop() as stop:
        known = None if anew else current(store, wanted, min_count, min_stones)
        if known is not None:
            return Summary(len(store), 0, known, seconds=time.perf_counter() - began)
        gathered = {} if anew else read_gathered(store, wanted)
        for kind in wanted:
            found = gathered.get(kind)
            limits = (min_count, min_stones)
            if found is None or (not found.is_whole() and (found.min_count, found.min_stones) != limits):
                gathered[kind] = Gathered(Tally(kind.source == "moves"))
            gathered[kind].min_count, gathered[kind].min_stones = limits
        low = min(found.games for found in gathered.values())
        summary = Summary()
        since = time.perf_counter()
        for start in range(low, len(store), BATCH):
            end = min(start + BATCH, len(store))
            _add(store, gathered, start, end)
            if tell is not None:
                tell(end, len(store))
            if stop and end < len(store):
                summary.interrupted = True
                break
            if time.perf_counter() - since > CHECKPOINT_SECONDS and end < len(store):
                _write_whole(store, gathered)
                since = time.perf_counter()
        if summary.interrupted:
            _write_whole(store, gathered)
        elif low < len(store) or not (store.folder / MINED).exists() or min_count > 1 or min_stones > 0:
            write(store.folder, gathered, lambda connection: fill(connection, store, gathered))
    summary.games = min(found.games for found in gathered.values())
    summary.new = summary.games - low
    summary.patterns = {kind: len(found.tally) for kind, found in gathered.items()}
    summary.seconds = time.perf_counter() - began
    return summary


def _write_whole(store: Store, gathered: dict[Kind, Gathered]) -> None:
    """Write what was counted so far with nothing dropped, and without the tables that need all games."""
    unfinished = [found for found in gathered.values() if found.games < len(store)]
    limits = [(found.min_count, found.min_stones) for found in unfinished]
    for found in unfinished:
        found.min_count, found.min_stones = 1, 0
    write(store.folder, gathered)
    for found, kept in zip(unfinished, limits, strict=True):
        found.min_count, found.min_stones = kept


def _add(store: Store, gathered: dict[Kind, Gathered], start: int, end: int) -> None:
    """Add the games of a batch to every kind that does not have them yet."""
    sizes = store.column("sizes")
    batches: dict[tuple[int, int], tuple[Moves, Any]] = {}
    for kind, found in gathered.items():
        if found.games >= end:
            continue
        low = max(start, found.games)
        which = low + np.flatnonzero(sizes[low:end] == kind.size)
        if kind.source == "moves":
            if (low, kind.size) not in batches:
                moves = moves_of(store, which)
                batches[low, kind.size] = moves, played_meanings(store, moves, kind.size)
            moves, classes = batches[low, kind.size]
            seen = Seen(moves.games, moves.numbers, moves.results, classes)
            found.tally.add(played(store, moves, kind.shape, kind.size), seen, store.column("years"))
            found.windows += len(moves)
        else:
            _add_final(store, kind, found, which)
        found.games, found.digest = end, int(store.column("digests")[end - 1])


def _add_final(store: Store, kind: Kind, found: Gathered, which: Any) -> None:
    """Add the windows of boards at the end; with the report's 12 forms, only those that lie on the board."""
    points = kind.size * kind.size
    keys = final(store, which, kind.shape, kind.size, kind.forms, edges=kind.forms == 16).reshape(-1)
    kept = keys != NONE
    games = np.repeat(which.astype(np.int32), points)[kept]
    places = np.tile(np.arange(points, dtype=np.int32), len(which))[kept]
    keys = keys[kept]
    seen = Seen(games, places, np.full(len(keys), -1, np.int8), np.zeros(len(keys), np.uint8))
    if kind.forms == 12:
        found.tally.add_as_reported(parse_shape(kind.shape), kind.size, keys, seen, store.column("years"))
    else:
        found.tally.add(keys, seen, store.column("years"))
    found.windows += len(keys)


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
