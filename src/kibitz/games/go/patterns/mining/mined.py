"""The patterns mined from a store, as tables of a DuckDB file in its folder.

The file is never changed but replaced atomically, so readers need no lock and a killed miner does no harm.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np

from kibitz.compiled.arrays import AnyArray, Int32Array, Int64Array
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import part_of
from kibitz.games.go.patterns.mining.meaning import MEANINGS
from kibitz.games.go.patterns.shapes import FORMS, FULL, count_off_board, count_stones, parse_shape
from kibitz.games.go.patterns.tallies import Tally
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import MINE_ANEW, MINED, Connection, insert_rows, quoted, reason_of

VERSION = 1
SOURCES = ("moves", "final")  # windows around played moves, with the mover as X; windows on final boards
COUNTS = ("count", "won", "decided", "first_year", "last_year")  # the names of a tally's columns in the tables
CONFIG: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "memory_limit": "512MB"}
ROWS_PER_INSERT = 500_000


class Kind(NamedTuple):
    """A kind of window; those of one kind are counted together."""

    source: str  # one of SOURCES
    shape: str  # a name that parse_shape knows, or FULL
    forms: int  # how many forms of a window count as one pattern: a key of FORMS
    size: int = 19  # of the board

    @property
    def is_exact(self) -> bool:
        """Return whether a key encodes every point of its window, instead of hashing them."""
        return self.shape != FULL and parse_shape(self.shape).is_exact


def check_kind(kind: Kind) -> Kind:
    """Return the kind with the canonical name of its shape. Raise BadOption for an invalid kind."""
    if kind.source not in SOURCES:
        raise BadOption(f"The source must be {' or '.join(SOURCES)}, not {kind.source[:20]!r}.")
    if kind.forms not in FORMS or (kind.source == "moves") != (kind.forms == 8):
        forms = "8" if kind.source == "moves" else "16 or 12"
        raise BadOption(f"Windows of {kind.source} have {forms} forms, not {kind.forms}.")
    if kind.shape == FULL:
        if kind.source == "final":
            raise BadOption("The shape full is only for moves; whole final boards are in the table boards.")
        return kind
    shape = parse_shape(kind.shape)
    if kind.forms == 12 and not shape.is_exact:
        raise BadOption(
            f"The 12 forms of the report need a shape of up to 31 points; {shape.name} has {len(shape.offsets)}."
        )
    return kind._replace(shape=shape.name)


def default_kinds(size: int = 19) -> list[Kind]:
    """Return the kinds that are mined by default."""
    moves = [Kind("moves", shape, 8, size) for shape in ("3x3", "5x5", "diamond2")]
    return [*moves, Kind("final", "3x3", 16, size), Kind("final", "diamond2", 16, size)]


@dataclass
class MinedKind:
    """The patterns of a kind, and the games in which they were counted."""

    tally: Tally
    games: int = 0  # the number of games counted, from the first of the store on
    digest: int = 0  # of the last of these games, to detect whether the store has been replaced
    windows: int = 0
    min_count: int = 1
    min_stones: int = 0

    def is_whole(self) -> bool:
        """Return whether no patterns were dropped, so that the counts of more games can be added."""
        return self.min_count <= 1 and self.min_stones <= 0


class PatternCounts(NamedTuple):
    """How often the patterns of a kind were played, and how often the mover won. [pattern]."""

    keys: Int64Array  # ascending
    times: Int32Array
    won: Int32Array
    decided: Int32Array


class Mined:
    """The tables mined from a store, opened for reading. A context manager."""

    def __init__(self, folder: Path, out: Path | None = None) -> None:
        """Open the tables. Raise BadText if nothing was mined, or another version mined it.

        The tables may come from a stranger, so queries can access no other files, and write only `out`.
        """
        self.path = folder / MINED
        if not self.path.exists():
            raise BadText(f"The store in {folder} has not been mined yet. Run kibitz go mine first.")
        try:
            config = CONFIG if out else {**CONFIG, "enable_external_access": False}
            self.connection = duckdb.connect(str(self.path), read_only=True, config=config)
            if out:
                self.connection.execute(f"SET allowed_paths=[{quoted(part_of(out))}]")
                self.connection.execute("SET enable_external_access=false")
            row = self.connection.execute("SELECT version FROM about").fetchone()
        except duckdb.Error as error:
            raise BadText(f"{self.path} cannot be read ({reason_of(error)}). {MINE_ANEW}") from None
        if row is None or row[0] != VERSION:
            self.connection.close()
            raise BadText(f"{self.path} was written by another version of kibitz. {MINE_ANEW}")

    def __enter__(self) -> Mined:
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()

    def kinds(self) -> dict[Kind, dict[str, int]]:
        """Return the mined kinds: kind -> its row in the table `kinds`, as column -> value."""
        names = "kind, games, windows, patterns, min_count, min_stones"
        query = f"SELECT source, shape, forms, size, {names} FROM kinds ORDER BY kind"
        rows = self.connection.execute(query).fetchall()
        return {Kind(*row[:4]): dict(zip(names.split(", "), row[4:], strict=True)) for row in rows}

    def kind_number(self, kind: Kind) -> int:
        """Return the number of a kind in the tables. Raise BadOption if it was not mined."""
        known = self.kinds()
        if kind not in known:
            names = ", ".join(f"{k.source} {k.shape} ({k.forms} forms, size {k.size})" for k in known)
            raise BadOption(
                f"{kind.shape} from {kind.source} in {kind.forms} forms was not mined; only {names}. "
                f"Add it with kibitz go mine --source {kind.source} --shape {kind.shape}."
            )
        return known[kind]["kind"]

    def load(self, kind: Kind) -> MinedKind:
        """Return the patterns of a kind as arrays, in the order in which they were first seen."""
        number = self.kind_number(kind)
        order = np.argsort(self._column(number, "number"))
        tally = Tally(kind.source == "moves")
        arrays = tally.restore(self._column(number, "key")[order])
        names = [*COUNTS, "game", "place", *(MEANINGS if kind.source == "moves" else ())]
        columns = [column for array in arrays for column in array.T]  # views: to fill them is to fill the tally
        for name, column in zip(names, columns, strict=True):
            column[:] = self._column(number, name)[order]
        arrays.example[:, 0] -= 1  # games are numbered from 1 in the tables
        query = "SELECT games, digest, windows, min_count, min_stones FROM kinds WHERE kind = ?"
        (row,) = self.connection.execute(query, [number]).fetchall()
        return MinedKind(tally, *row)

    def counts(self, kind: Kind) -> PatternCounts:
        """Return what choosing a move needs of the patterns of a kind, in a fraction of the memory of load()."""
        query = "SELECT key, count, won, decided FROM patterns WHERE kind = ? ORDER BY key"
        found = self.connection.execute(query, [self.kind_number(kind)]).fetchnumpy()
        return PatternCounts(*(np.ma.getdata(found[name]) for name in ("key", "count", "won", "decided")))

    def _column(self, number: int, name: str) -> AnyArray:
        """Return a column of the patterns of a kind, in order of their keys."""
        found = self.connection.execute(f'SELECT "{name}" FROM patterns WHERE kind = ?', [number]).fetchnumpy()[name]
        return np.ma.getdata(found)


def count_if_current(store: GameStore, wanted: list[Kind], min_count: int, min_stones: int) -> dict[Kind, int] | None:
    """Return the number of patterns of each mined kind, or None if anything is left to mine."""
    try:
        mined = Mined(store.folder)
    except BadText:
        return None
    digests = store.column("digests")
    limits = {"games": len(store), "min_count": min_count, "min_stones": min_stones}
    with mined:
        known = mined.kinds()
        last = {row[0] for row in mined.connection.execute("SELECT digest FROM kinds").fetchall()}
    is_same_store = last <= {int(digests[-1])} if len(digests) else True
    is_done = all(kind in known and limits.items() <= known[kind].items() for kind in wanted)
    if not is_same_store or not is_done or any(figures["games"] != len(store) for figures in known.values()):
        return None
    return {kind: figures["patterns"] for kind, figures in known.items()}


def read_mined(store: GameStore, wanted: list[Kind]) -> dict[Kind, MinedKind]:
    """Return the kinds mined from this store, those wanted first.

    A kind that lacks games and had patterns dropped is counted from scratch. Kinds mined
    from another store in the same folder are left out.
    """
    found: dict[Kind, MinedKind] = {}
    try:
        mined = Mined(store.folder)
    except BadText:
        return found
    digests = store.column("digests")
    with mined:
        known = mined.kinds()
        for kind in [*(kind for kind in wanted if kind in known), *(kind for kind in known if kind not in wanted)]:
            loaded = mined.load(kind)
            if loaded.games > len(digests) or (loaded.games and int(digests[loaded.games - 1]) != loaded.digest):
                continue
            if not loaded.is_whole() and loaded.games < len(digests):
                loaded = replace(loaded, tally=Tally(kind.source == "moves"), games=0, digest=0, windows=0)
            found[kind] = loaded
    return found


def write_mined(
    folder: Path, kinds: dict[Kind, MinedKind], add_tables: Callable[[Connection], None] | None = None
) -> None:
    """Replace all tables; add_tables(connection) may add more. If that fails, keep the old ones: raise KibitzError."""
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
            for number, (kind, found) in enumerate(kinds.items()):
                _write_kind(connection, number, kind, found)
            if add_tables is not None:
                add_tables(connection)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, folder / MINED)
    except (duckdb.Error, OSError) as error:
        with suppress(OSError):
            _remove(part)
        raise KibitzError(f"The mined patterns cannot be written to {folder}: {reason_of(error)}.") from None


def _remove(path: Path) -> None:
    """Remove an unfinished file and its DuckDB write-ahead log."""
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)


def _write_kind(connection: Connection, number: int, kind: Kind, found: MinedKind) -> None:
    """Write the patterns of a kind in the order of their keys, so that DuckDB finds a key quickly."""
    keys, arrays = found.tally.keys, found.tally.arrays
    unknown = np.full(len(keys), -1)
    stones, edge = (count_stones(keys), count_off_board(keys)) if kind.is_exact else (unknown, unknown)
    kept = arrays.counts[:, 0] >= found.min_count
    if kind.is_exact:
        kept &= stones >= found.min_stones
    columns: dict[str, AnyArray] = {"number": np.arange(len(keys), dtype=np.int32), "key": keys}
    columns.update(stones=stones.astype(np.int16), edge=edge.astype(np.int16))
    columns.update(zip(COUNTS, arrays.counts.T, strict=True))
    columns.update(game=arrays.example[:, 0] + 1, place=arrays.example[:, 1])
    classes = arrays.classes.T if arrays.classes.shape[1] else np.zeros((len(MEANINGS), len(keys)), np.int32)
    columns.update(zip(MEANINGS, classes, strict=True))
    order = np.argsort(keys, kind="stable")
    order = order[kept[order]]
    for start in range(0, len(order), ROWS_PER_INSERT):
        rows = order[start : start + ROWS_PER_INSERT]
        batch = {name: column[rows] for name, column in columns.items()}
        insert_rows(connection, "patterns", {"kind": np.full(len(rows), number, np.int16), **batch})
    connection.execute(
        "INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [number, *kind, found.games, found.digest, found.windows, len(order), found.min_count, found.min_stones],
    )
