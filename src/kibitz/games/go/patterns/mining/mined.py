"""What was mined from a store, as tables of a DuckDB file in its folder.

The file is never changed: a new one takes its place in one step, so readers need
no lock and a killed miner harms nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import FORMS, FULL, edges_of_all, parse_shape, stones_of_all
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.records.store import Store
from kibitz.games.go.records.tables import MINED, quoted, why

VERSION = 1
SOURCES = ("moves", "final")
"""Windows around played moves, seen by who plays; and over the boards at the end."""
COUNTS = ("count", "won", "decided", "first_year", "last_year")
CONFIG: dict[str, Any] = {"threads": 1, "memory_limit": "512MB"}
ROWS = 500_000
"""Rows that are written at a time."""


class Kind(NamedTuple):
    """What windows are counted together."""

    source: str
    shape: str
    forms: int
    size: int = 19


def check_kind(kind: Kind) -> Kind:
    """Return the kind with its shape as it is called. Raises BadOption if there is none such."""
    if kind.source not in SOURCES:
        raise BadOption(f"Patterns come from {' or '.join(SOURCES)}, not {kind.source[:20]!r}.")
    if kind.forms not in FORMS or (kind.source == "moves") != (kind.forms == 8):
        raise BadOption(f"Windows of {kind.source} have {'8' if kind.source == 'moves' else '16 or 12'} forms.")
    if kind.shape == FULL:
        if kind.source == "final":
            raise BadOption("Whole boards at the end are in the table boards; full is a shape for moves.")
        return kind
    shape = parse_shape(kind.shape)
    if kind.forms == 12 and not shape.is_exact:
        raise BadOption(f"The 12 forms of the report need a shape of up to 31 points; {shape.name} has more.")
    return kind._replace(shape=shape.name)


def default_kinds(size: int = 19) -> list[Kind]:
    """Return what is mined if nothing is said."""
    moves = [Kind("moves", shape, 8, size) for shape in ("3x3", "5x5", "diamond2")]
    return [*moves, Kind("final", "3x3", 16, size), Kind("final", "diamond2", 16, size)]


@dataclass
class Gathered:
    """The patterns of a kind, and of how many games of the store they are."""

    tally: Tally
    games: int = 0
    digest: int = 0
    """Of the last of these games, to see whether the store is still the same."""
    windows: int = 0
    min_count: int = 1
    min_stones: int = 0

    def is_whole(self) -> bool:
        """Return whether nothing was dropped, so that more games can be added."""
        return self.min_count <= 1 and self.min_stones <= 0


class Mined:
    """The tables that were mined from a store, opened for reading. A context."""

    def __init__(self, folder: Path, out: Sequence[Path] = ()) -> None:
        """Open them. Raises BadText if there are none, or none that this version can read.

        The file may be somebody else's: what is asked of it reaches no other file but those of out.
        """
        self.path = folder / MINED
        if not self.path.exists():
            raise BadText(f"Nothing was mined from the store in {folder} yet; kibitz go mine does it.")
        try:
            config = CONFIG if out else {**CONFIG, "enable_external_access": False}
            self.connection = duckdb.connect(str(self.path), read_only=True, config=config)
            if out:
                self.connection.execute(f"SET allowed_paths=[{', '.join(map(quoted, out))}]")
                self.connection.execute("SET enable_external_access=false")
            row = self.connection.execute("SELECT version FROM about").fetchone()
        except duckdb.Error as error:
            raise BadText(f"{self.path} cannot be read ({why(error)}); kibitz go mine --anew makes it.") from None
        if row is None or row[0] != VERSION:
            self.connection.close()
            raise BadText(f"{self.path} is of another version of kibitz; kibitz go mine --anew makes it again.")

    def __enter__(self) -> Mined:
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()

    def kinds(self) -> dict[Kind, dict[str, int]]:
        """Return what was mined: kind -> its number, and of how many games and windows."""
        names = "kind, games, windows, patterns, min_count, min_stones"
        rows = self.connection.execute(
            f"SELECT source, shape, forms, size, {names} FROM kinds ORDER BY kind"
        ).fetchall()
        return {Kind(*row[:4]): dict(zip(names.split(", "), row[4:], strict=True)) for row in rows}

    def kind(self, kind: Kind) -> int:
        """Return the number of a kind. Raises BadOption if it was not mined."""
        known = self.kinds()
        if kind not in known:
            names = ", ".join(f"{k.source} {k.shape} ({k.forms} forms, size {k.size})" for k in known)
            raise BadOption(
                f"{kind.shape} from {kind.source} in {kind.forms} forms was not mined; there are {names}. "
                f"kibitz go mine --source {kind.source} --shape {kind.shape} adds it."
            )
        return known[kind]["kind"]

    def gathered(self, kind: Kind) -> Gathered:
        """Return the patterns of a kind as arrays, in the order in which they were first seen."""
        number = self.kind(kind)
        tally = Tally(kind.source == "moves")
        order = self._column(number, "number")
        place = np.argsort(order)
        tally.restore(self._column(number, "key")[place])
        for at, name in enumerate(COUNTS):
            tally.counts[:, at] = self._column(number, name)[place]
        tally.example[:, 0] = self._column(number, "game")[place] - 1
        tally.example[:, 1] = self._column(number, "place")[place]
        for at, name in enumerate(MEANINGS if kind.source == "moves" else ()):
            tally.classes[:, at] = self._column(number, name)[place]
        row = self.connection.execute(
            "SELECT games, digest, windows, min_count, min_stones FROM kinds WHERE kind = ?", [number]
        ).fetchone()
        assert row is not None
        return Gathered(tally, *row)

    def _column(self, number: int, name: str) -> Any:
        """Return a column of the patterns of a kind, in the order of their keys."""
        found = self.connection.execute(f'SELECT "{name}" FROM patterns WHERE kind = ?', [number]).fetchnumpy()[name]
        return np.ma.getdata(found)


def current(store: Store, wanted: list[Kind], min_count: int, min_stones: int) -> dict[Kind, int] | None:
    """Return the patterns of all kinds if nothing is left to mine, else None."""
    try:
        mined = Mined(store.folder)
    except BadText:
        return None
    digests = store.column("digests")
    limits = {"games": len(store), "min_count": min_count, "min_stones": min_stones}
    with mined:
        known = mined.kinds()
        last = {row[0] for row in mined.connection.execute("SELECT digest FROM kinds").fetchall()}
    same = last <= {int(digests[-1])} if len(digests) else True
    done = all(kind in known and limits.items() <= known[kind].items() for kind in wanted)
    if not same or not done or any(facts["games"] != len(store) for facts in known.values()):
        return None
    return {kind: facts["patterns"] for kind, facts in known.items()}


def read_gathered(store: Store, wanted: list[Kind]) -> dict[Kind, Gathered]:
    """Return what is there already; what was dropped from begins anew, and what is of another store is left out."""
    found: dict[Kind, Gathered] = {}
    try:
        mined = Mined(store.folder)
    except BadText:
        return found
    digests = store.column("digests")
    with mined:
        for kind in {**dict.fromkeys(wanted), **mined.kinds()}:
            if kind in mined.kinds():
                gathered = mined.gathered(kind)
                fits = gathered.games <= len(digests)
                if fits and gathered.games and int(digests[gathered.games - 1]) != gathered.digest:
                    fits = False
                if fits and not gathered.is_whole() and gathered.games < len(digests):
                    limits = {"min_count": gathered.min_count, "min_stones": gathered.min_stones}
                    gathered = Gathered(Tally(kind.source == "moves"), **limits)
                if fits:
                    found[kind] = gathered
    return found


def write(folder: Path, gathered: dict[Kind, Gathered], fill: Any = None) -> None:
    """Write all tables anew; fill(connection) adds more of them. Raises KibitzError, all as it was, if it fails."""
    part = folder / f"{MINED}.new"
    try:
        _remove(part)
        with duckdb.connect(str(part), config=CONFIG) as connection:
            connection.execute(f"CREATE TABLE about AS SELECT {VERSION} AS version")
            connection.execute(
                "CREATE TABLE kinds (kind SMALLINT, source VARCHAR, shape VARCHAR, forms SMALLINT, size SMALLINT, "
                "games INTEGER, digest BIGINT, windows BIGINT, patterns BIGINT, min_count INTEGER, min_stones INTEGER)"
            )
            columns = ["number INTEGER", "key BIGINT", "stones SMALLINT", "edge SMALLINT"]
            columns += [f'"{name}" INTEGER' for name in (*COUNTS, "game", "place", *MEANINGS)]
            connection.execute(f"CREATE TABLE patterns (kind SMALLINT, {', '.join(columns)})")
            connection.execute(
                "CREATE MACRO signs(key, points) AS list_aggregate([substr('.XO#', "
                "1 + ((key >> (2 * i)) & 3)::INTEGER, 1) for i in range(points)], 'string_agg', '')"
            )
            for number, (kind, found) in enumerate(gathered.items()):
                _write_kind(connection, number, kind, found)
            if fill is not None:
                fill(connection)
        _force(part)
        os.replace(part, folder / MINED)
    except (duckdb.Error, OSError) as error:
        with suppress(OSError):
            _remove(part)
        raise KibitzError(f"What was mined cannot be kept in {folder}: {why(error)}.") from None


def _remove(path: Path) -> None:
    """Remove a file that was not finished, and DuckDB's log of it."""
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)


def _force(path: Path) -> None:
    """See to it that a file is on the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _write_kind(connection: Any, number: int, kind: Kind, found: Gathered) -> None:
    """Write the patterns of a kind in the order of their keys, by which DuckDB then finds one quickly."""
    tally = found.tally
    keys = tally.keys
    exact = kind.shape != FULL and parse_shape(kind.shape).is_exact
    stones = stones_of_all(keys) if exact else np.full(len(keys), -1)
    edge = edges_of_all(keys) if exact else np.full(len(keys), -1)
    kept = tally.counts[:, 0] >= found.min_count
    if exact:
        kept &= stones >= found.min_stones
    columns: dict[str, Any] = {"number": np.arange(len(keys), dtype=np.int32), "key": keys}
    columns.update(stones=stones.astype(np.int16), edge=edge.astype(np.int16))
    for place, name in enumerate(COUNTS):
        columns[name] = tally.counts[:, place]
    columns.update(game=tally.example[:, 0] + 1, place=tally.example[:, 1])
    for place, name in enumerate(MEANINGS):
        columns[name] = tally.classes[:, place] if tally.classes.shape[1] else np.zeros(len(keys), np.int32)
    order = np.argsort(keys, kind="stable")
    order = order[kept[order]]
    for start in range(0, len(order), ROWS):
        some = order[start : start + ROWS]
        connection.register("found", {name: column[some] for name, column in columns.items()})
        connection.execute(f"INSERT INTO patterns SELECT {number}, * FROM found")
        connection.unregister("found")
    connection.execute(
        "INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [number, *kind, found.games, found.digest, found.windows, len(order), found.min_count, found.min_stones],
    )
