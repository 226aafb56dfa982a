"""Random games with captures, kos, passes and setup, their records, and stores of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.rules.text import sgf_point

Stones = Sequence[tuple[int, int]]
"""Colour and point of each stone; the point of a pass is -1."""
Game = tuple[Stones, Stones]
"""Setup and moves."""


def random_game(stream: random.Random, size: int, length: int) -> Game:
    """Return a legal game with many captures; colours do not always alternate."""
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
