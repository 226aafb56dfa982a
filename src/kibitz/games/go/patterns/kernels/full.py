"""Positions of the whole board as hashes, brought up to date change by change, the same for all symmetries."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.records.search.changes_kernel import TAKEN, Tables
from kibitz.games.go.rules.board import EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MOVE = 0x2545F4914F6CDD1D
"""Multiplied with the key of a stone, it is the key of the move there."""
IMAGES = 16
"""Eight symmetries, and eight with the colours swapped."""


@jit
def start_board(board: Any, hashes: Ints) -> None:
    """Take all stones off."""
    for point in range(len(board)):
        board[point] = EMPTY
    for image in range(IMAGES):
        hashes[image] = 0


@jit
def set_point(tables: Tables, board: Any, hashes: Ints, point: int, colour: int) -> None:
    """Give a point a colour."""
    before = board[point]
    board[point] = colour
    for image in range(IMAGES):
        hashes[image] ^= tables.full[image, point, before] ^ tables.full[image, point, colour]


@jit
def least_of(hashes: Ints, low: int, high: int) -> int:
    """Return the least hash of some images."""
    least = hashes[low]
    for image in range(low + 1, high):
        if hashes[image] < least:
            least = hashes[image]
    return least


@entry
def full_keys(tables: Tables, changes: Any, board: Any, hashes: Ints, starts: Ints, ends: Ints, keys: Ints) -> int:
    """Write a key of the board and the next move for each move of some games; return how many.

    The mover is Black, and all eight symmetries have one key.
    """
    n = 0
    for game in range(len(starts)):
        start_board(board, hashes)
        for at in range(starts[game], ends[game]):
            change = changes[at]
            point, colour = change & PASS, change >> POINT_BITS & 3
            if point == PASS:
                continue
            if change & (SETUP | TAKEN) == 0:
                side = IMAGES // 2 if colour == WHITE else 0
                least = hashes[side] ^ (tables.full[side, point, colour] * MOVE)
                for image in range(side + 1, side + 8):
                    key = hashes[image] ^ (tables.full[image, point, colour] * MOVE)
                    if key < least:
                        least = key
                keys[n] = least
                n += 1
            set_point(tables, board, hashes, point, colour)
    return n


@entry
def opening_keys(
    tables: Tables, changes: Any, board: Any, hashes: Ints, starts: Ints, ends: Ints, moves: Ints, keys: Ints
) -> None:
    """Write the key of the position after so many moves, moves[0], of each game; 0 where the game is shorter.

    Colours are as they are. A pass is a move. With moves[0] -1 the whole game is meant.
    """
    for game in range(len(starts)):
        start_board(board, hashes)
        made = 0
        for at in range(starts[game], ends[game]):
            change = changes[at]
            if change & (SETUP | TAKEN) == 0:
                if made == moves[0]:
                    break
                made += 1
            if change & PASS != PASS:
                set_point(tables, board, hashes, change & PASS, change >> POINT_BITS & 3)
        keys[game] = least_of(hashes, 0, 8) if made >= moves[0] else 0


@entry
def final_boards(tables: Tables, changes: Any, starts: Ints, ends: Ints, boards: Any) -> None:
    """Write [game, point] the boards at the end of games as signs: . X O, in ASCII."""
    for game in range(len(starts)):
        for point in range(len(tables.images[0])):
            boards[game, point] = 46
        for at in range(starts[game], ends[game]):
            change = changes[at]
            if change & PASS != PASS:
                colour = change >> POINT_BITS & 3
                boards[game, change & PASS] = 46 if colour == EMPTY else 79 if colour == WHITE else 88
