"""Small stores to mine: random games of 9 lines with winners and years."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from games.go.go_games import Game, random_game, record
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import Store

MOVES = Kind("moves", "3x3", 8, 9)
FINAL = Kind("final", "3x3", 16, 9)


def games_of(seed: int, number: int) -> list[Game]:
    stream = random.Random(seed)
    return [random_game(stream, 9, 70) for _ in range(number)]


def add(
    folder: Path, games: list[Game], name: str, heads: tuple[str, ...] = ("RE[B+R]DT[1990]", "RE[W+1]DT[2003]", "")
) -> Store:
    file = folder / f"{name}.sgf"
    file.write_text("".join(record(game, 9, heads[at % len(heads)]) for at, game in enumerate(games)))
    import_records([file], folder / "store")
    return Store(folder / "store")


def kept(store: Store) -> list[Any]:
    """Return all that was mined, but for when a pattern was first numbered."""
    with Mined(store.folder) as mined:
        ask_for = mined.connection.execute
        tables = [row[0] for row in ask_for("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
        return [ask_for(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in tables]
