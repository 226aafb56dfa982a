"""Portions of the games of a store: they carry all that counting needs, so that anybody can count them, anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.games.go.patterns.kernels.windows import NONE, Seen, Tallies
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.mining.windows import final, moves_of, played, played_meanings
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.records.store import Store


@dataclass(frozen=True)
class Portion:
    """Some games of a store that follow each other. They are numbered from 0 here."""

    start: int
    """The number of the first of them in the store, from 0."""
    first: Any
    columns: dict[str, Any]

    def __len__(self) -> int:
        return len(self.first) - 1

    def column(self, name: str) -> Any:
        """Return a column, which cannot be written to, as those of a store."""
        column = self.columns[name]
        column.flags.writeable = False
        return column


def portion(store: Store, start: int, end: int) -> Portion:
    """Return the games from start to end of a store."""
    first = store.first[start : end + 1]
    columns = {name: store.column(name)[start:end] for name in ("sizes", "winners", "years")}
    columns["changes"] = store.column("changes")[first[0] : first[-1]]
    return Portion(start, first - first[0], columns)


class Counted(NamedTuple):
    """The patterns of a kind in a portion, in the order in which they were seen; those of 12 forms as they lie."""

    keys: Any
    tallies: Tallies
    """The games of examples are numbered as in the store."""
    windows: int


def count(games: Portion, kinds: dict[Kind, int]) -> dict[Kind, Counted]:
    """Count the windows of a portion: kind -> the number in the store of the first game that it lacks."""
    batches: dict[tuple[int, int], tuple[Any, Seen]] = {}
    found = {}
    for kind, lacks in kinds.items():
        low = max(lacks - games.start, 0)
        which = low + np.flatnonzero(games.column("sizes")[low:] == kind.size)
        if kind.source == "moves":
            if (low, kind.size) not in batches:
                moves = moves_of(games, which)
                classes = played_meanings(games, moves, kind.size)
                batches[low, kind.size] = moves, Seen(moves.games, moves.numbers, moves.results, classes)
            moves, seen = batches[low, kind.size]
            keys = played(games, moves, kind.shape, kind.size)
        else:
            keys, seen = _final(games, kind, which)
        tally = Tally(kind.source == "moves")
        tally.add(keys, seen, games.column("years"))
        tally.example[:, 0] += games.start
        found[kind] = Counted(tally.keys, Tallies(tally.counts, tally.example, tally.classes), len(keys))
    return found


def _final(games: Portion, kind: Kind, which: Any) -> tuple[Any, Seen]:
    """Return the windows of boards at the end; with the report's 12 forms, only those that lie on the board."""
    points = kind.size * kind.size
    keys = final(games, which, kind.shape, kind.size, kind.forms, edges=kind.forms == 16).reshape(-1)
    kept = keys != NONE
    at = np.repeat(which.astype(np.int32), points)[kept]
    places = np.tile(np.arange(points, dtype=np.int32), len(which))[kept]
    keys = keys[kept]
    return keys, Seen(at, places, np.full(len(keys), -1, np.int8), np.zeros(len(keys), np.uint8))
