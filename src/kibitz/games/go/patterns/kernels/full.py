"""Positions of the whole board as hashes that all symmetries share, updated change by change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.kernels.windows import GameSpans
from kibitz.games.go.records.changes import symmetry_tables
from kibitz.games.go.records.changes_kernel import IMAGES, SymmetryTables
from kibitz.games.go.records.layout import colour_of, is_move, point_of
from kibitz.games.go.rules.board import EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS

MOVE_FACTOR = 0x2545F4914F6CDD1D  # the key of a stone times this is the key of the move there
SIGN_CODES = np.frombuffer(b".XO", np.uint8)  # [colour] its sign, in ASCII


class HashedBoard(NamedTuple):
    """A board with its hashes under all symmetries."""

    tables: SymmetryTables
    points: Ints  # uint8 [point]: its colour
    hashes: Ints  # int64 [IMAGES]: under eight symmetries, and again with the colours swapped


def hashed_board(size: int) -> HashedBoard:
    """Return a board for the functions below."""
    return HashedBoard(symmetry_tables(size), np.zeros(size * size, np.uint8), np.zeros(IMAGES, np.int64))


@jit
def _clear(b: HashedBoard) -> None:
    """Remove all stones."""
    for point in range(len(b.points)):
        b.points[point] = EMPTY
    for image in range(IMAGES):
        b.hashes[image] = 0


@jit
def _set_point(b: HashedBoard, point: int, colour: int) -> None:
    """Give a point a colour."""
    before, keys = b.points[point], b.tables.full
    b.points[point] = colour
    for image in range(IMAGES):
        b.hashes[image] ^= keys[image, point, before] ^ keys[image, point, colour]


@entry
def full_keys(b: HashedBoard, games: GameSpans, keys: Ints) -> int:
    """Write a key of the board and the next move for each move of games; return their number.

    The mover is Black, and all eight symmetries have one key.
    """
    n = 0
    for game in range(len(games.starts)):
        _clear(b)
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            point, colour = point_of(change), colour_of(change)
            if point == PASS:
                continue
            if is_move(change):
                side = IMAGES // 2 if colour == WHITE else 0
                least = 0x7FFFFFFFFFFFFFFF
                for image in range(side, side + 8):
                    key = b.hashes[image] ^ (b.tables.full[image, point, colour] * MOVE_FACTOR)
                    if key < least:
                        least = key
                keys[n] = least
                n += 1
            _set_point(b, point, colour)
    return n


@entry
def opening_keys(b: HashedBoard, games: GameSpans, moves: int, keys: Ints) -> None:
    """Write the key of the position after the first moves of each game; 0 where the game is shorter.

    Colours are as they are. A pass is a move. With moves -1 the whole game is meant.
    """
    for game in range(len(games.starts)):
        _clear(b)
        made = 0
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if is_move(change):
                if made == moves:
                    break
                made += 1
            if point_of(change) != PASS:
                _set_point(b, point_of(change), colour_of(change))
        least = b.hashes[0]
        for image in range(1, 8):
            if b.hashes[image] < least:
                least = b.hashes[image]
        keys[game] = least if made >= moves else 0


@entry
def final_boards(games: GameSpans, boards: Ints) -> None:
    """Write [game, point] the boards at the end of games as signs: . X O, in ASCII."""
    for game in range(len(games.starts)):
        for point in range(boards.shape[1]):
            boards[game, point] = SIGN_CODES[EMPTY]
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if point_of(change) != PASS:
                boards[game, point_of(change)] = SIGN_CODES[colour_of(change)]
