"""Small stores to mine: random games of 9 lines with winners and years."""

from __future__ import annotations

from pathlib import Path

from games.go.go_games import Game, random_games, store_of
from games.go.naive import mining as naive
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.patterns.shapes import SIGNS, WindowShape
from kibitz.games.go.records.store import GameStore

MOVES = Kind("moves", "3x3", 8, 9)
FINAL = Kind("final", "3x3", 16, 9)
HEADS = ("RE[B+R]DT[1990]", "RE[W+1]DT[2003]", "")  # heads of games, in turn


def add(folder: Path, games: list[Game], heads: tuple[str, ...] = HEADS) -> GameStore:
    """Add games to the store in a folder, and open it."""
    return store_of(folder, games, heads=heads)


def mined_games(folder: Path, seed: int, number: int, *kinds: Kind) -> tuple[list[Game], GameStore]:
    """Return random games, and their store with these kinds mined."""
    games = random_games(seed, number)
    store = add(folder, games)
    if kinds:
        mine(store, kinds)
    return games, store


def least_text(shape: WindowShape, key: int, swap: bool) -> str:
    """Return the window of an exact key as the plain counters write it."""
    signs = (SIGNS[code] for code in shape.codes(int(key)))
    return min(naive.forms(dict(zip(shape.offsets, signs, strict=True)), swap))


def tables_of(store: GameStore) -> list[object]:
    """Return all that was mined."""
    with Mined(store.folder) as mined:
        execute = mined.connection.execute
        tables = [row[0] for row in execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
        return [execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in tables]
