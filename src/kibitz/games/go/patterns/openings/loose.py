"""Games read from files for once, without a store: for what needs only their moves, winners and years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from kibitz.core.errors import BadText
from kibitz.games.go.records.heads import parse_date, parse_result
from kibitz.games.go.records.importing import LIMITS
from kibitz.games.go.records.search.changes import work_out
from kibitz.games.go.records.store import Manifest, Store
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, pieces

TOGETHER = 4 << 20
"""Bytes of files that are played together: small files cost more one by one."""


class LooseGames(Store):
    """Games of files and archives, with the columns of a store that fuseki and joseki need. Duplicates are kept."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read all of them. Raises BadText if there are no games."""
        self.folder = Path()
        changes, ends, sizes, winners, years = [np.zeros(0, np.uint16)], [0], [0], [0], [0]
        for scanned in _batches(paths):
            worked = work_out(_joined(scanned))
            at = 0
            for games in scanned:
                for game in range(len(games)):
                    found = worked.changes[at]
                    at += 1
                    if not len(found):
                        continue
                    changes.append(found)
                    ends.append(ends[-1] + len(found))
                    sizes.append(int(games.sizes[game]))
                    winners.append(parse_result(games.value(game, "RE") or "").winner)
                    date = parse_date(games.value(game, "DT") or "")
                    years.append(date.year if date else 0)
        if len(ends) == 1:
            raise BadText("There are no games of Go in these files.")
        self._columns = {
            "changes": np.concatenate(changes),
            "ends": np.array(ends[1:], np.int64),
            "sizes": np.array(sizes[1:], np.uint8),
            "winners": np.array(winners[1:], np.uint8),
            "years": np.array(years[1:], np.int16),
        }
        empty = Manifest.empty()
        self.manifest = replace(empty, rows={**empty.rows, "ends": len(ends) - 1, "changes": ends[-1]})


def _batches(paths: Iterable[Path]) -> Iterator[list[ScannedGames]]:
    """Yield the games of files, those of small ones together."""
    gathered, size = list[ScannedGames](), 0
    for piece in pieces(paths, LIMITS):
        if isinstance(piece, Piece):
            gathered.append(scan(piece.data))
            size += len(piece.data)
            if size >= TOGETHER:
                yield gathered
                gathered, size = [], 0
    if gathered:
        yield gathered


def _joined(scanned: list[ScannedGames]) -> ScannedGames:
    """Return all games as one, without their heads."""
    plays = np.concatenate([games.plays for games in scanned])
    starts = np.cumsum([0, *(len(games.plays) for games in scanned)])
    first = [start + games.first[:-1] for start, games in zip(starts.tolist(), scanned, strict=False)]
    sizes = np.concatenate([games.sizes for games in scanned])
    return ScannedGames(
        b"", plays, np.concatenate([*first, starts[-1:]]), sizes, np.zeros((len(sizes), 0, 2), np.int64)
    )
