"""Games for tests: random ones with captures, kos, passes and setup, their records and stores, and small positions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from clocks import PATIENCE
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.masters import cached_store
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Board, Go, GoState, sgf_point

FEW_GAMES = Path(__file__).with_name("few_games.sgf")
"""The three games printed in Singh's report of 2013, and 84 games of engines on three sizes of board, see
tools/make/go_few_games.py."""
Stones = Sequence[tuple[int, int]]
"""Colour and point of each stone; the point of a pass is -1."""
Game = tuple[Stones, Stones]
"""Setup and moves."""
SMALL = {"size": 5, "komi": 0.5}
WALLS = ["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5", "E3", "A3"]
"""A wall of Black's and one of White's side by side, and a stone of each behind the other's. Size 5:

    . . X O .    With all stones alive both have 6 stones and no territory. Without E3, White has the wall, A3 and
    . . X O .    the five points of E: 11. Without A3 too, Black has 5 stones and 10 points, White 5 and 5.
    O . X O X
    . . X O .
    . . X O .
"""
OVER = [*WALLS, "pass", "pass"]
KO = ["B3", "C3", "A2", "D2", "B1", "C1", "C2", "B2"]
"""White's last stone takes C2 in a ko: Black may not take B2 at C2 at once. Size 5:

    . . . . .
    . . . . .
    . X O . .
    X O . O .
    . X O . .
"""


def few_games() -> GameStore:
    """Return a store of the games in FEW_GAMES, made once in the cache folder."""
    return cached_store("few-games", FEW_GAMES.read_bytes())


def mined_few_games() -> GameStore:
    """Return another store of these games, and mine it, once in the cache folder."""
    store = cached_store("mined-few-games", FEW_GAMES.read_bytes())
    mine(store, wait_seconds=PATIENCE)
    return store


def played(game: Go, *moves: str) -> GoState:
    """Return the position after moves from the start of a game."""
    state = game.start()
    for move in moves:
        state = state.play(game.parse_move(move))
    return state


def random_game(stream: random.Random, size: int, length: int) -> Game:
    """Return a legal game that captures a good deal; colours do not always alternate."""
    setup = [(BLACK, point) for point in stream.sample(range(size * size), 3)] if stream.random() < 0.3 else []
    board = Board.empty(size)
    for colour, point in setup:
        board = board.with_stones((point,), colour)
    moves: list[tuple[int, int]] = []
    before, mover = board, BLACK
    while len(moves) < length:
        if stream.random() < 0.02:
            moves.append((mover, -1))
            mover, before = BLACK + WHITE - mover, board
            continue
        empty = [point for point, code in enumerate(board.points) if code == EMPTY]
        stream.shuffle(empty)
        for point in empty:
            placed = board.place(point, mover)
            if not placed.lost and placed.board != before:
                break
        else:
            break
        moves.append((mover, point))
        before, board = board, placed.board
        if stream.random() > 0.03:
            mover = BLACK + WHITE - mover
    return setup, moves


def random_games(seed: int, number: int, size: int = 9, length: int = 70) -> list[Game]:
    stream = random.Random(seed)
    return [random_game(stream, size, length) for _ in range(number)]


def record(game: Game, size: int, head: str = "") -> str:
    """Return a game in SGF."""
    setup, moves = game
    stones = "AB" + "".join(f"[{sgf_point(size, point)}]" for _, point in setup) if setup else ""
    played = "".join(f";{'.BW'[colour]}[{'' if point < 0 else sgf_point(size, point)}]" for colour, point in moves)
    return f"(;GM[1]FF[4]SZ[{size}]{head}{stones}{played})\n"


def write_records(path: Path, games: Sequence[Game], size: int = 9, heads: Sequence[str] = ("",)) -> Path:
    """Write games to a file, the heads in turn; return its path."""
    path.write_text("".join(record(game, size, heads[at % len(heads)]) for at, game in enumerate(games)))
    return path


def store_of(folder: Path, games: Sequence[Game], size: int = 9, heads: Sequence[str] = ("",)) -> GameStore:
    """Add games to the store in a folder, and open it."""
    folder.mkdir(exist_ok=True)
    import_records([write_records(folder / "games.sgf", games, size, heads)], folder / "store")
    return GameStore(folder / "store")
