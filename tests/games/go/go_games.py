"""Random games with captures, kos, passes and setup, and their records."""

from __future__ import annotations

import random

from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE, Board
from kibitz.games.go.rules.text import sgf_point

Game = tuple[list[tuple[int, int]], list[tuple[int, int]]]
"""Setup and moves, each colour and point; a pass is -1."""


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


def record(game: Game, size: int, head: str = "") -> str:
    """Return a game in SGF."""
    setup, moves = game
    stones = "AB" + "".join(f"[{sgf_point(size, point)}]" for _, point in setup) if setup else ""
    played = "".join(f";{'.BW'[colour]}[{'' if point < 0 else sgf_point(size, point)}]" for colour, point in moves)
    return f"(;GM[1]FF[4]SZ[{size}]{head}{stones}{played})\n"
