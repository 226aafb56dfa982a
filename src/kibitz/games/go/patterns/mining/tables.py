"""The tables beside that of patterns: final boards, templates, fuseki and joseki.

They are written anew whenever something was mined, which takes a few seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kibitz.compiled.arrays import AnyArray, Int64Array
from kibitz.games.go.patterns.kernels.full import final_boards, hashed_board, opening_keys
from kibitz.games.go.patterns.mining.mined import COUNTS, Kind, MinedKind
from kibitz.games.go.patterns.mining.windows import spans_of
from kibitz.games.go.patterns.openings.fuseki import COUNTED_BY, fuseki
from kibitz.games.go.patterns.openings.joseki import joseki
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.patterns.templates import templates
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import Connection, insert_rows

Column: TypeAlias = Sequence[object] | AnyArray
FUSEKI_MOVES = 10  # as in the report of 2013
MAX_TABLE_POINTS = 9  # only templates of shapes up to this size are put into a table; those of larger ones are too many


def add_tables(connection: Connection, store: GameStore, kinds: dict[Kind, MinedKind]) -> None:
    """Add all of these tables, for the board size of the mined patterns."""
    size = next(iter(kinds)).size
    games = np.flatnonzero(store.column("sizes") == size)
    _add_boards(connection, store, games, size)
    _add_fuseki(connection, store, games, size)
    _add_joseki(connection, store, games, size)
    _add_templates(connection, kinds)


def _add_table(connection: Connection, table: str, columns: str, values: Sequence[Column]) -> None:
    """Create a table: its columns as SQL defines them, and the values of each."""
    defined = [column.split() for column in columns.split(", ")]
    quoted = ", ".join(f'"{name}" {kind}' for name, kind in defined)
    connection.execute(f"CREATE TABLE {table} ({quoted})")
    arrays: dict[str, AnyArray] = {}
    for (name, kind), column in zip(defined, values, strict=True):
        arrays[name] = np.array([*column, None], object)[:-1] if kind == "VARCHAR" else np.asarray(column, np.int64)
    insert_rows(connection, table, arrays)


def _add_boards(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of final boards: rows of signs, and a key that all symmetries share."""
    spans, step = spans_of(store, games), size * size
    states, keys = np.zeros((len(games), step), np.uint8), np.zeros(len(games), np.int64)
    final_boards(spans, states)
    opening_keys(hashed_board(size), spans, -1, keys)
    text = states.tobytes().decode("ascii")
    rows = [text[at : at + step] for at in range(0, len(text), step)]
    _add_table(connection, "boards", "game INTEGER, key BIGINT, state VARCHAR", [games + 1, keys, rows])


def _add_fuseki(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of openings that were played at least twice, by order and by state."""
    found = [(by, opening) for by in COUNTED_BY for opening in fuseki(store, games, FUSEKI_MOVES, by, size)]
    numbers = ("count", "black_won", "decided", "first_year", "last_year", "game")
    kinds = ", ".join(f"{name} INTEGER" for name in numbers)
    columns: list[Column] = [
        [by for by, _ in found],
        [opening.text(size) for _, opening in found],
        *([getattr(opening, name) for _, opening in found] for name in numbers),
        [", ".join(opening.names) for _, opening in found],
        [opening.lean for _, opening in found],
    ]
    head, tail = "counted_by VARCHAR, moves VARCHAR", "names VARCHAR, lean VARCHAR"
    _add_table(connection, "fuseki", f"{head}, {kinds}, {tail}", columns)


def _add_joseki(connection: Connection, store: GameStore, games: Int64Array, size: int) -> None:
    """Add the table of joseki: one row for each node of the tree but the root, which is node 0."""
    found = joseki(store, games, size=size)
    tree = found.tree
    nodes, codes, parents = range(1, len(tree)), tree.move[1:].tolist(), tree.parent[1:]
    sides = np.array([1, *(found.move(code)[0] for code in codes)])  # as if the root were a move of O
    columns: list[Column] = [
        nodes, parents, tree.depth[1:], ["XO"[side] for side in sides[1:].tolist()],
        [found.text(code) for code in codes], sides[parents] == sides[1:],
        *(getattr(tree, name)[1:] for name in COUNTS), [found.game(node) for node in nodes],
    ]  # fmt: skip
    head = "node INTEGER, parent INTEGER, depth INTEGER, side VARCHAR, move VARCHAR, tenuki BOOLEAN"
    kinds = ", ".join(f"{name} INTEGER" for name in (*COUNTS, "game"))
    _add_table(connection, "joseki", f"{head}, {kinds}", columns)


def _add_templates(connection: Connection, kinds: dict[Kind, MinedKind]) -> None:
    """Add the tables of templates with one don't-care point, and of the patterns that each covers."""
    rows, covers = list[tuple[object, ...]](), list[tuple[object, ...]]()
    for number, (kind, found) in enumerate(kinds.items()):
        if kind.shape == FULL or kind.forms == 12 or len(parse_shape(kind.shape).offsets) > MAX_TABLE_POINTS:
            continue
        made = templates(kind, found.tally)
        for at in range(len(made)):
            covers += [(len(rows), key) for key in dict.fromkeys(made.covered[at].tolist())]
            rows.append((len(rows), number, "/".join(made.rows(at)), int(made.patterns[at]), int(made.counts[at])))
    columns = "template INTEGER, kind SMALLINT, rows VARCHAR, patterns INTEGER, count BIGINT"
    _add_table(connection, "templates", columns, list(zip(*rows, strict=True)) or [()] * 5)
    covered = list(zip(*covers, strict=True)) or [()] * 2
    _add_table(connection, "template_patterns", "template INTEGER, key BIGINT", covered)
