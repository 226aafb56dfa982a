"""The heads of games as tables: written in Parquet for each commit, and opened as tables of DuckDB for reading.

Whoever reads gets a connection that can do nothing but read these tables.
"""

from __future__ import annotations

import json
import math
import threading
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import duckdb
import numpy as np

from kibitz.core.errors import BadText, KibitzError
from kibitz.games.go.records.heads import name_key
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.records.store import Manifest, Store, read_manifest
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MOST_TABLES = 16
"""More tables than this are made one."""
MINED = "mined.duckdb"
"""The file of what was mined from a store; patterns/mine writes it."""
ALIASES = "aliases.txt"
"""In the package, and in a store where somebody wants more of them."""

TEXTS = ("source", "black", "white", "black_rank", "white_rank", "rules", "date", "event", "round", "place", "result",
         "how", "winner", "problem")  # fmt: skip
NUMBERS = ("id", "size", "black_strength", "white_strength", "handicap", "year", "month", "day", "edition", "moves")
REALS = ("komi", "margin")
NONE = -(1 << 20)
"""A number that stands for none until it is in a table."""


class Rows:
    """Rows of heads that wait for their commit."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in (*TEXTS, *NUMBERS, *REALS)}

    def __len__(self) -> int:
        return len(self.columns["id"])

    def add(self, row: dict[str, Any]) -> None:
        """Add one row; what it lacks, or has as None or an empty text, is null."""
        for name, column in self.columns.items():
            column.append(row.get(name))

    def arrays(self) -> dict[str, Any]:
        """Return the columns as DuckDB takes them, with NONE and nan for null."""
        found: dict[str, Any] = {
            name: np.array([value or None for value in self.columns[name]], object) for name in TEXTS
        }
        for name in NUMBERS:
            found[name] = np.array([NONE if value is None else value for value in self.columns[name]], np.int32)
        for name in REALS:
            found[name] = np.array([math.nan if value is None else value for value in self.columns[name]], np.float64)
        return found


def write_table(rows: Rows, path: Path, earlier: tuple[str, ...]) -> tuple[str, ...]:
    """Write rows as a table; with many earlier tables, all of them in one. Return the tables that there are then.

    Raises OSError if there is no room.
    """
    chosen = [f"CAST({name} AS VARCHAR) AS {name}" for name in TEXTS]
    chosen += [f"nullif({name}, {NONE}) AS {name}" for name in NUMBERS]
    chosen += [f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END AS {name}" for name in REALS]
    select = f"SELECT {', '.join(chosen)} FROM rows"
    merged = len(earlier) >= MOST_TABLES
    if merged:
        files = ", ".join(quoted(path.parent / name) for name in earlier)
        select = f"SELECT * FROM read_parquet([{files}]) UNION ALL BY NAME {select}"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("rows", rows.arrays())
        try:
            connection.execute(f"COPY ({select} ORDER BY id) TO {quoted(path)} (FORMAT parquet, COMPRESSION zstd)")
        except duckdb.Error as error:
            raise OSError(str(error)) from None
    return (path.name,) if merged else (*earlier, path.name)


def why(error: Exception) -> str:
    """Return the reason of a failure of DuckDB or of a file, as part of a sentence."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error).strip().partition("\n")[0]
    return told.rstrip(".:") or type(error).__name__


def quoted(path: Path) -> str:
    """Return a path as SQL writes a text."""
    return "'" + str(path).replace("'", "''") + "'"


def as_text(given: str) -> str:
    """Return what somebody typed with ? for bytes that are no text, which DuckDB does not take."""
    return given.encode("utf-8", "replace").decode()


def connect(store: Store, sql: str = "") -> duckdb.DuckDBPyConnection:
    """Return a connection with the tables `games`, `players`, `spellings` and, if the query names it, `moves`.

    With a query there are those of what was mined too, see docs/games/go/patterns.md.

    It can reach no other file and change no setting. Raises BadText if the store is damaged.
    """
    limits: dict[str, Any] = {
        "threads": 1,
        "memory_limit": "1GB",
        "temp_directory": "",
        "python_enable_replacements": False,
    }
    connection = duckdb.connect(config=limits)
    try:
        _load(connection, store.folder, store.manifest)
    except duckdb.Error:  # a writer may have made the tables one since the store was opened
        try:
            _load(connection, store.folder, replace(store.manifest, tables=read_manifest(store.folder).tables))
        except duckdb.Error as error:
            raise BadText(f"The tables of the store in {store.folder} cannot be read: {why(error)}.") from None
    _add_players(connection, store)
    if "moves" in sql.lower():
        connection.register("moves", _moves(store))
    if sql:
        attach(connection, store.folder)
    connection.execute("SET enable_external_access=false")
    connection.execute("SET lock_configuration=true")
    return connection


def attach(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Make what was mined from a store part of a connection, if there is anything."""
    path = folder / MINED
    if not path.exists():
        return
    try:
        connection.execute(f"ATTACH {quoted(path)} AS mined (READ_ONLY)")
        rows = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'mined'").fetchall()
        for (name,) in rows:
            table = '"' + str(name).replace('"', '""') + '"'
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM mined.{table}")
    except duckdb.Error as error:
        raise BadText(f"{path} cannot be read ({why(error)}); kibitz go mine --anew makes it.") from None


_kept: WeakKeyDictionary[Store, duckdb.DuckDBPyConnection] = WeakKeyDictionary()
_keeping = threading.Lock()


def opened(store: Store) -> duckdb.DuckDBPyConnection:
    """Return a connection of one's own to the tables of a store, loaded once and kept as long as the store is."""
    with _keeping:
        if store not in _kept:
            _kept[store] = connect(store)
        return _kept[store].cursor()


def _load(connection: duckdb.DuckDBPyConnection, folder: Path, manifest: Manifest) -> None:
    """Load the heads of the games of a manifest."""
    files = ", ".join(quoted(folder / name) for name in manifest.tables)
    if files:
        heads = f"SELECT * FROM read_parquet([{files}]) WHERE id <= {manifest.games}"
        connection.execute(f"CREATE TABLE heads AS {heads}")
    else:
        connection.register("empty", Rows().arrays())
        connection.execute("CREATE TABLE heads AS SELECT * FROM empty")
        connection.unregister("empty")


def _add_players(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    """Make the tables of players: every spelling with the one name that is shown for it."""
    counted = connection.execute(
        "SELECT name, count(*) FROM (SELECT black AS name FROM heads UNION ALL SELECT white FROM heads) "
        "WHERE name IS NOT NULL GROUP BY name ORDER BY count(*) DESC, name"
    ).fetchall()
    shown: dict[str, str] = {}
    aliases = read_aliases(store.folder)
    spellings, names = [], []
    for spelling, _ in counted:
        key = name_key(spelling)
        names.append(aliases.get(key) or shown.setdefault(key, spelling))
        spellings.append(spelling)
    mapped = {"spelling": np.array(spellings, object), "player": np.array(names, object)}
    if not spellings:
        connection.execute("CREATE TABLE spellings (spelling VARCHAR, player VARCHAR)")
    else:
        connection.register("mapped", mapped)
        connection.execute("CREATE TABLE spellings AS SELECT * FROM mapped")
        connection.unregister("mapped")
    connection.execute(
        "CREATE TABLE games AS SELECT h.* EXCLUDE (black, white), b.player AS black, w.player AS white, "
        "h.black AS black_spelt, h.white AS white_spelt FROM heads h LEFT JOIN spellings b ON h.black = b.spelling "
        "LEFT JOIN spellings w ON h.white = w.spelling ORDER BY id"
    )
    connection.execute("DROP TABLE heads")
    connection.execute(
        "CREATE TABLE players AS SELECT player AS name, count(*) AS games, count(*) FILTER (won) AS won, "
        "min(year) AS first_year, max(year) AS last_year, max(strength) AS strength FROM ("
        "SELECT black AS player, winner = 'B' AS won, year, black_strength AS strength FROM games UNION ALL "
        "SELECT white, winner = 'W', year, white_strength FROM games) WHERE player IS NOT NULL GROUP BY player"
    )


def read_aliases(folder: Path) -> dict[str, str]:
    """Return key of a spelling -> the name that is shown, from the package and then from the store."""
    texts = [resources.files(__package__).joinpath(ALIASES).read_text(encoding="utf-8")]
    try:
        texts.append((folder / ALIASES).read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise BadText(f"{folder / ALIASES} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadText(f"{folder / ALIASES} cannot be read: it is no text in UTF-8.") from None
    found: dict[str, str] = {}
    for line in "\n".join(texts).splitlines():
        names = [name.strip() for name in line.partition("#")[0].split(";") if name.strip()]
        for name in names:
            found[name_key(name)] = names[0]
    return found


def _moves(store: Store) -> dict[str, Any]:
    """Return the table of moves: game, number from 1, colour B or W, column and row from 1; both 0 for a pass."""
    changes = store.column("changes")
    is_move = changes & (SETUP | TAKEN) == 0
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_move)])
    starts = before[store.first]
    counts = np.diff(starts)
    played = changes[is_move]
    game = np.repeat(np.arange(len(store), dtype=np.int32), counts)
    number = (np.arange(len(played)) - np.repeat(starts[:-1], counts) + 1).astype(np.int32)
    sizes = store.column("sizes").astype(np.uint16)[game]
    point = played & PASS
    on_board = point != PASS
    return {
        "game": game + np.int32(1),
        "number": number,
        "colour": np.array(["", "B", "W", ""], object)[played >> POINT_BITS & 3],
        "col": np.where(on_board, point % sizes + 1, 0).astype(np.uint8),
        "row": np.where(on_board, point // sizes + 1, 0).astype(np.uint8),
    }


@dataclass
class Answer:
    """What a query gave."""

    names: list[str]
    rows: list[tuple[Any, ...]]
    more: bool
    """Whether there were more rows than asked for."""

    def json(self) -> str:
        """Return it as one JSON object."""
        rows = [dict(zip(self.names, row, strict=True)) for row in self.rows]
        return json.dumps({"columns": self.names, "rows": rows, "more": self.more}, default=str, ensure_ascii=False)


def heads(store: Store, numbers: list[int]) -> dict[int, dict[str, Any]]:
    """Return what the heads of some games say, by their numbers from 1."""
    with opened(store) as connection:
        chosen = {"number": np.array(numbers, np.int64)}
        names = [row[0] for row in connection.execute("DESCRIBE games").fetchall()]
        if not numbers:
            return {}
        connection.register("chosen", chosen)
        rows = connection.execute("SELECT games.* FROM games JOIN chosen ON games.id = chosen.number").fetchall()
    return {row[names.index("id")]: dict(zip(names, row, strict=True)) for row in rows}


_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}


def ask(store: Store, sql: str, most: int = 1000) -> Answer:
    """Run one SELECT and return up to so many rows. Raises BadText if it is none, or fails."""
    sql = as_text(sql)
    connection = connect(store, sql)
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in _READING:
            raise BadText("Only one SELECT at a time can be asked; nothing else is allowed here.")
        result = connection.execute(statements[0])
        names = [column[0] for column in result.description]
        rows = result.fetchmany(most + 1)
    except duckdb.Error as error:
        raise BadText(f"The query failed: {str(error).strip()}") from None
    except KeyboardInterrupt:
        raise KibitzError("The query was stopped.") from None
    finally:
        connection.close()
    return Answer(names, rows[:most], len(rows) > most)
