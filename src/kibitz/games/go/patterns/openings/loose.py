"""ScannedGames read from files for one use, without a store: for what needs only their moves, winners and years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from kibitz.core.errors import BadText
from kibitz.games.go.records.changes import prepare_games
from kibitz.games.go.records.heads import parse_date, parse_result
from kibitz.games.go.records.importing import LIMITS
from kibitz.games.go.records.store import GameStore, StoreManifest
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, pieces

BYTES_PER_BATCH = 4 << 20  # files are played together up to this size: small ones cost more one by one


class LooseGames(GameStore):
    """ScannedGames of files and archives, with the columns that fuseki and joseki need. Duplicates are kept."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read all games. Raise BadText if there are none."""
        self.folder = Path()
        changes, rows = [np.zeros(0, np.uint16)], list[tuple[int, int, int, int]]()
        end = 0
        for scanned in _batches(paths):
            prepared = iter(prepare_games(_join(scanned)).changes)
            for games in scanned:
                for game in range(len(games)):
                    played = next(prepared)
                    if len(played):
                        changes.append(played)
                        end += len(played)
                        winner = parse_result(games.value(game, "RE") or "").winner
                        date = parse_date(games.value(game, "DT") or "")
                        rows.append((end, int(games.sizes[game]), winner, date.year if date else 0))
        if not rows:
            raise BadText("There are no games of Go in these files.")
        dtypes = {"ends": np.int64, "sizes": np.uint8, "winners": np.uint8, "years": np.int16}
        columns = zip(dtypes.items(), zip(*rows, strict=True), strict=True)
        self._columns = {name: np.array(values, dtype) for (name, dtype), values in columns}
        self._columns["changes"] = np.concatenate(changes)
        empty = StoreManifest.empty()
        self.manifest = replace(empty, rows={**empty.rows, "ends": len(rows), "changes": end})


def _batches(paths: Iterable[Path]) -> Iterator[list[ScannedGames]]:
    """Yield the games of files, those of small ones together."""
    batch, size = list[ScannedGames](), 0
    for piece in pieces(paths, LIMITS):
        if isinstance(piece, Piece):
            batch.append(scan(piece.data))
            size += len(piece.data)
            if size >= BYTES_PER_BATCH:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _join(scanned: list[ScannedGames]) -> ScannedGames:
    """Return all games as one, without their heads."""
    plays = np.concatenate([games.plays for games in scanned])
    starts = np.cumsum([0, *(len(games.plays) for games in scanned)])
    first = [start + games.first[:-1] for start, games in zip(starts.tolist(), scanned, strict=False)]
    sizes = np.concatenate([games.sizes for games in scanned])
    no_fields = np.zeros((len(sizes), 0, 2), np.int64)
    return ScannedGames(b"", plays, np.concatenate([*first, starts[-1:]]), sizes, no_fields)
