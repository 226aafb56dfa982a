"""The tables beside that of patterns: boards at the end of games, templates, fuseki and joseki.

They are made anew whenever something was mined, which takes a few seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.games.go.patterns.kernels.full import IMAGES, final_boards, opening_keys
from kibitz.games.go.patterns.mining.mined import Gathered, Kind
from kibitz.games.go.patterns.mining.windows import bounds
from kibitz.games.go.patterns.openings.fuseki import BY, fuseki
from kibitz.games.go.patterns.openings.joseki import joseki
from kibitz.games.go.patterns.shapes import FULL, parse_shape
from kibitz.games.go.patterns.templates import templates
from kibitz.games.go.records.search.changes import tables
from kibitz.games.go.records.store import Store

FUSEKI_MOVES = 10
"""As the report of 2013 has it."""
TEMPLATE_POINTS = 9
"""Templates are put into a table for shapes of up to so many points; those of larger ones are too many."""


def fill(connection: Any, store: Store, gathered: dict[Kind, Gathered]) -> None:
    """Make all of them, for the size of boards that patterns were mined of."""
    size = next(iter(gathered)).size
    which = np.flatnonzero(store.column("sizes") == size)
    _boards(connection, store, which, size)
    _fuseki(connection, store, which, size)
    _joseki(connection, store, which, size)
    _templates(connection, gathered)


def _insert(connection: Any, table: str, columns: str, arrays: dict[str, Any]) -> None:
    """Make a table of some columns and fill it."""
    connection.execute(f"CREATE TABLE {table} ({columns})")
    if len(next(iter(arrays.values()))):
        connection.register("found", arrays)
        connection.execute(f"INSERT INTO {table} SELECT * FROM found")
        connection.unregister("found")


def _texts(values: list[str]) -> Any:
    return np.array([*values, None], object)[:-1]


def _boards(connection: Any, store: Store, which: Any, size: int) -> None:
    """Make the table of boards at the end: rows of signs, and a key that all symmetries share."""
    starts, ends = bounds(store, which)
    states = np.zeros((len(which), size * size), np.uint8)
    keys, moves = np.zeros(len(which), np.int64), np.array([-1], np.int64)
    changes, known = store.column("changes"), tables(size)
    final_boards(known, changes, starts, ends, states)
    opening_keys(known, changes, np.zeros(size * size, np.uint8), np.zeros(IMAGES, np.int64), starts, ends, moves, keys)
    text, step = states.tobytes().decode("ascii"), size * size
    rows = _texts([text[at : at + step] for at in range(0, len(text), step)])
    columns = {"game": which.astype(np.int32) + 1, "key": keys, "state": rows}
    _insert(connection, "boards", "game INTEGER, key BIGINT, state VARCHAR", columns)


def _fuseki(connection: Any, store: Store, which: Any, size: int) -> None:
    """Make the table of openings that were played at least twice, by order and by state."""
    found = [(by, one) for by in BY for one in fuseki(store, which, FUSEKI_MOVES, by, size)]
    names = ("count", "black_won", "decided", "first_year", "last_year", "game")
    columns: dict[str, Any] = {"counted_by": _texts([by for by, _ in found])}
    columns["moves"] = _texts([one.text(size) for _, one in found])
    columns.update({name: np.array([getattr(one, name) for _, one in found], np.int32) for name in names})
    columns["names"] = _texts([", ".join(one.names) for _, one in found])
    columns["lean"] = _texts([one.lean for _, one in found])
    kinds = ", ".join(f'"{name}" INTEGER' for name in names)
    _insert(connection, "fuseki", f"counted_by VARCHAR, moves VARCHAR, {kinds}, names VARCHAR, lean VARCHAR", columns)


def _joseki(connection: Any, store: Store, which: Any, size: int) -> None:
    """Make the table of joseki: one row for each node of the tree but the root, which is node 0."""
    found = joseki(store, which, size=size)
    tree = found.tree
    nodes = range(1, len(tree))
    sides = np.array([found.move(int(tree.move[node]))[0] for node in nodes], np.int8)
    before = np.concatenate([[1], sides])[tree.parent[1:]] if len(tree) > 1 else sides
    columns = {
        "node": np.arange(1, len(tree), dtype=np.int32), "parent": tree.parent[1:].astype(np.int32),
        "depth": tree.depth[1:].astype(np.int32), "side": _texts(["XO"[side] for side in sides.tolist()]),
        "move": _texts([found.text(int(tree.move[node])) for node in nodes]), "tenuki": before == sides,
    }  # fmt: skip
    for name in ("count", "won", "decided", "first_year", "last_year"):
        columns[name] = getattr(tree, name)[1:].astype(np.int32)
    columns["game"] = np.array([found.game(node) for node in nodes], np.int32)
    kinds = ", ".join(f'"{name}" INTEGER' for name in ("count", "won", "decided", "first_year", "last_year", "game"))
    head = "node INTEGER, parent INTEGER, depth INTEGER, side VARCHAR, move VARCHAR, tenuki BOOLEAN"
    _insert(connection, "joseki", f"{head}, {kinds}", columns)


def _templates(connection: Any, gathered: dict[Kind, Gathered]) -> None:
    """Make the tables of templates with one don't-care point, and of the patterns that each covers."""
    columns: dict[str, list[Any]] = {name: [] for name in ("template", "kind", "rows", "patterns", "count")}
    covers: dict[str, list[Any]] = {"template": [], "key": []}
    for number, (kind, found) in enumerate(gathered.items()):
        if kind.shape == FULL or kind.forms == 12 or len(parse_shape(kind.shape).offsets) > TEMPLATE_POINTS:
            continue
        made = templates(kind, found)
        for at in range(len(made)):
            name = len(columns["template"])
            row = (name, number, "/".join(made.rows(at)), int(made.patterns[at]), int(made.counts[at]))
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
            for key in dict.fromkeys(made.covered[at].tolist()):
                covers["template"].append(name)
                covers["key"].append(key)
    arrays = {
        name: _texts(column) if name == "rows" else np.array(column, np.int64) for name, column in columns.items()
    }
    _insert(
        connection, "templates", "template INTEGER, kind SMALLINT, rows VARCHAR, patterns INTEGER, count BIGINT", arrays
    )
    _insert(
        connection, "template_patterns", "template INTEGER, key BIGINT",
        {name: np.array(column, np.int64) for name, column in covers.items()},
    )  # fmt: skip
