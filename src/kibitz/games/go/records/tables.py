"""Tables of the heads of games: written as Parquet at each commit, and read with DuckDB.

Readers get a connection that can only read these tables.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import duckdb
import numpy as np

from kibitz.compiled.arrays import AnyArray
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import part_of, replacing
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.layout import NOT_A_MOVE
from kibitz.games.go.records.store import GameStore, StoreManifest, read_manifest
from kibitz.games.go.sgf.heads import name_key
from kibitz.games.go.sgf.record import PASS, POINT_BITS

Connection: TypeAlias = duckdb.DuckDBPyConnection
Row: TypeAlias = tuple[Any, ...]  # a row of a query's result

MAX_TABLES = 16  # merge the tables into one at the next commit once there are this many
MINED = "mined.duckdb"  # the file of tables mined from a store, written by patterns/mining
MINE_ANEW = "Create it again with kibitz go mine --anew."
ALIASES = "aliases.txt"  # spellings of names: a file of the package, and an optional one in a store

TEXTS = ("source", "black", "white", "black_rank", "white_rank", "rules", "date", "event", "round", "place", "result",
         "how", "winner", "problem")  # fmt: skip
NUMBERS = ("id", "size", "black_strength", "white_strength", "handicap", "year", "month", "day", "edition", "moves")
REALS = ("komi", "margin")
NULL_NUMBER = -(1 << 20)  # stands for NULL in arrays of numbers


def _head_columns(rows: Sequence[JsonObject]) -> dict[str, AnyArray]:
    """Return the heads of games as column -> array. A missing value is None, or NULL_NUMBER or nan for numbers."""
    found = {name: np.array([row.get(name) or None for row in rows], object) for name in TEXTS}
    for names, null, dtype in ((NUMBERS, NULL_NUMBER, np.dtype(np.int32)), (REALS, math.nan, np.dtype(np.float64))):
        for name in names:
            values = (row.get(name) for row in rows)
            found[name] = np.array([null if value is None else value for value in values], dtype)
    return found


def write_table(rows: Sequence[JsonObject], path: Path, earlier: tuple[str, ...]) -> tuple[str, ...]:
    """Write heads as a table, merged with the earlier ones if there are MAX_TABLES; return the names of all tables.

    Raise OSError if writing fails, for example if the disk is full.
    """
    columns = [f"CAST({name} AS VARCHAR) AS {name}" for name in TEXTS]
    columns += [f"nullif({name}, {NULL_NUMBER}) AS {name}" for name in NUMBERS]
    columns += [f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END AS {name}" for name in REALS]
    select = f"SELECT {', '.join(columns)} FROM rows"
    is_merging = len(earlier) >= MAX_TABLES
    if is_merging:
        files = ", ".join(quoted(path.parent / name) for name in earlier)
        select = f"SELECT * FROM read_parquet([{files}]) UNION ALL BY NAME {select}"
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("rows", _head_columns(rows))
        try:
            connection.execute(f"COPY ({select} ORDER BY id) TO {quoted(path)} (FORMAT parquet, COMPRESSION zstd)")
        except duckdb.Error as error:
            raise OSError(str(error)) from None
    return (path.name,) if is_merging else (*earlier, path.name)


def reason_of(error: Exception) -> str:
    """Return why DuckDB or a file operation failed, as part of a sentence."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error).strip().partition("\n")[0]
    return text.rstrip(".:") or type(error).__name__


def quoted(path: Path) -> str:
    """Return a path as an SQL string literal."""
    return "'" + str(path).replace("'", "''") + "'"


def as_utf8(typed: str) -> str:
    """Return a text with ? for characters that UTF-8 cannot encode, which DuckDB rejects."""
    return typed.encode("utf-8", "replace").decode()


def insert_rows(connection: Connection, table: str, columns: Mapping[str, AnyArray]) -> None:
    """Add rows to a table; the columns must be in the table's order."""
    if len(next(iter(columns.values()))):
        connection.register("new_rows", dict(columns))
        connection.execute(f"INSERT INTO {table} SELECT * FROM new_rows")
        connection.unregister("new_rows")


def connect(store: GameStore, sql: str = "", out: Path | None = None) -> Connection:
    """Return a connection with the tables `games`, `players`, `spellings` and, if the query asks for it, `moves`.

    With a query, it also has the mined tables, see docs/games/go/patterns.md. The connection can read and write no
    other file but `out`, and change no setting. Raise BadText if the store is damaged.
    """
    connection = duckdb.connect(
        config={"threads": 1, "memory_limit": "1GB", "temp_directory": "", "python_enable_replacements": False}
    )
    try:
        _load_heads(connection, store.folder, store.manifest)
    except duckdb.Error:  # a writer may have merged the tables since the store was opened
        try:
            _load_heads(connection, store.folder, replace(store.manifest, tables=read_manifest(store.folder).tables))
        except duckdb.Error as error:
            raise BadText(f"The tables of the store in {store.folder} cannot be read: {reason_of(error)}.") from None
    _add_players(connection, store)
    if any(word in sql.lower() for word in ("moves", "show", "tables")):  # which takes a second in a large store
        connection.register("moves", _moves_table(store))
    if sql:
        _attach_mined(connection, store.folder)
    if out is not None:
        connection.execute(f"SET allowed_paths=[{quoted(part_of(out))}]")
    connection.execute("SET enable_external_access=false")
    connection.execute("SET lock_configuration=true")
    return connection


def _attach_mined(connection: Connection, folder: Path) -> None:
    """Add views of the mined tables, if the store has been mined. Raise BadText if they cannot be read."""
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
        raise BadText(f"{path} cannot be read ({reason_of(error)}). {MINE_ANEW}") from None


_connections: WeakKeyDictionary[GameStore, Connection] = WeakKeyDictionary()
_connections_lock = threading.Lock()


def open_tables(store: GameStore) -> Connection:
    """Return a new cursor on the tables of a store, which are loaded once and kept for the lifetime of the store."""
    with _connections_lock:
        if store not in _connections:
            _connections[store] = connect(store)
        return _connections[store].cursor()


def _load_heads(connection: Connection, folder: Path, manifest: StoreManifest) -> None:
    """Load the heads of all games in a manifest into the table `heads`."""
    files = ", ".join(quoted(folder / name) for name in manifest.tables)
    if files:
        heads = f"SELECT * FROM read_parquet([{files}]) WHERE id <= {manifest.games}"
        connection.execute(f"CREATE TABLE heads AS {heads}")
    else:
        connection.register("empty", _head_columns(()))
        connection.execute("CREATE TABLE heads AS SELECT * FROM empty")
        connection.unregister("empty")


def _add_players(connection: Connection, store: GameStore) -> None:
    """Turn the table `heads` into `games`, `players`, and `spellings`, which has the name shown for each spelling."""
    counted = connection.execute(
        "SELECT name, count(*) FROM (SELECT black AS name FROM heads UNION ALL SELECT white FROM heads) "
        "WHERE name IS NOT NULL GROUP BY name ORDER BY count(*) DESC, name"
    ).fetchall()
    aliases, shown = read_aliases(store.folder), dict[str, str]()
    spellings = [spelling for spelling, _ in counted]
    # the name shown is that of the alias list or, without one, the most frequent spelling
    names = [aliases.get(key := name_key(spelling)) or shown.setdefault(key, spelling) for spelling in spellings]
    connection.execute("CREATE TABLE spellings (spelling VARCHAR, player VARCHAR)")
    insert_rows(connection, "spellings", {"spelling": np.array(spellings, object), "player": np.array(names, object)})
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
    """Return key of a spelling -> the name shown, by both alias files, see ALIASES. Raise BadText if unreadable."""
    texts = [resources.files(__package__).joinpath(ALIASES).read_text(encoding="utf-8")]
    try:
        texts.append((folder / ALIASES).read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise BadText(f"{folder / ALIASES} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadText(f"{folder / ALIASES} is not UTF-8 text.") from None
    found: dict[str, str] = {}
    for line in "\n".join(texts).splitlines():
        names = [name.strip() for name in line.partition("#")[0].split(";") if name.strip()]
        for name in names:
            found[name_key(name)] = names[0]
    return found


def _moves_table(store: GameStore) -> dict[str, AnyArray]:
    """Return the columns of the table `moves`. All numbers count from 1; a pass has col and row 0."""
    changes = store.column("changes")
    is_move = changes & NOT_A_MOVE == 0
    moves_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_move)])
    starts = moves_before[store.first]
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
class QueryResult:
    """The result of an SQL query."""

    names: list[str]
    rows: list[Row]
    more: bool  # whether there were more rows than the limit

    def json(self) -> str:
        """Return the result as the text of a JSON object."""
        rows = [dict(zip(self.names, row, strict=True)) for row in self.rows]
        return json.dumps({"columns": self.names, "rows": rows, "more": self.more}, default=str, ensure_ascii=False)


def heads_of(store: GameStore, numbers: list[int]) -> dict[int, JsonObject]:
    """Return the heads of games numbered from 1: number -> the values of the columns of `games`."""
    if not numbers:
        return {}
    with open_tables(store) as connection:
        connection.register("chosen", {"number": np.array(numbers, np.int64)})
        result = connection.execute("SELECT games.* FROM games JOIN chosen ON games.id = chosen.number")
        names = [column[0] for column in result.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    return {row["id"]: row for row in rows}


_READ_STATEMENTS = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}


def ask(store: GameStore, sql: str, limit: int = 1000) -> QueryResult:
    """Run one SELECT and return up to `limit` rows. Raise BadText if it is not a SELECT, or fails."""
    with _asking(store, sql) as (connection, statement):
        result = connection.execute(statement)
        names = [column[0] for column in result.description or ()]
        rows = result.fetchmany(limit + 1)
    return QueryResult(names, rows[:limit], len(rows) > limit)


@contextmanager
def _asking(store: GameStore, sql: str, out: Path | None = None) -> Iterator[tuple[Connection, duckdb.Statement]]:
    """Yield a connection and the one SELECT in `sql`. Raise BadText if it is not a SELECT, or fails."""
    sql = as_utf8(sql)
    connection = connect(store, sql, out)
    try:
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in _READ_STATEMENTS:
            raise BadText(f"Only one SELECT statement is allowed, not {sql.strip()[:40]!r}.")
        yield connection, statements[0]
    except duckdb.Error as error:
        raise BadText(f"The query failed: {str(error).strip()}") from None
    except KeyboardInterrupt:
        raise KibitzError("The query was stopped.") from None
    finally:
        connection.close()


TABLE_FORMATS = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet"}
"""Ending of a file's name -> the options with which DuckDB writes such a file."""


def copy_rows(connection: Connection, query: str, path: Path) -> int:
    """Write the rows of a query to a CSV or Parquet file, by the ending of its name; return their number.

    The connection must be allowed to write part_of(path). Raise KibitzError if the file cannot be written. After an
    error the old file is unchanged.
    """
    options = TABLE_FORMATS[path.suffix.lower()]
    try:
        with replacing(path) as part:
            copy = f"COPY ({query}) TO {quoted(part)} ({options}, USE_TMP_FILE false)"
            copied = connection.execute(copy).fetchone()
    except (OSError, duckdb.IOException) as error:
        raise KibitzError(f"{path} cannot be written: {reason_of(error)}.") from None
    return int(copied[0]) if copied else 0


def write_rows(store: GameStore, sql: str, path: Path) -> int:
    """Write all rows of a SELECT to a CSV or Parquet file; return their number.

    Raise BadOption for another ending of the name, BadText if the query is not a SELECT, or fails, or as copy_rows().
    """
    if path.suffix.lower() not in TABLE_FORMATS:
        raise BadOption(f"Cannot write {path.name}: its name must end in {' or '.join(TABLE_FORMATS)}.")
    with _asking(store, sql, path) as (connection, statement):
        connection.execute("CREATE SCHEMA written")  # so that SHOW TABLES does not show the view
        connection.execute(f"CREATE VIEW written.answer AS {statement.query}")
        return copy_rows(connection, "SELECT * FROM written.answer", path)
