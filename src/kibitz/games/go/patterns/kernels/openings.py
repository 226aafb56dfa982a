"""The first moves of games, on the whole board and in each corner."""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

NONE = -1


class First(NamedTuple):
    """Where first moves are written."""

    moves: Any
    """int16 [game, move]: colour * 1024 + point; NONE from where the game ends, and all of it for a game with setup"""


@entry
def first_moves(first: First, changes: Any, starts: Ints, ends: Ints) -> None:
    """Write the first moves of games; a pass ends them."""
    most = first.moves.shape[1]
    for game in range(len(starts)):
        made = 0
        for move in range(most):
            first.moves[game, move] = NONE
        for at in range(starts[game], ends[game]):
            change = changes[at]
            if change & SETUP:
                for move in range(made):
                    first.moves[game, move] = NONE
                break
            if change & TAKEN:
                continue
            if made == most or change & PASS == PASS:
                break
            first.moves[game, made] = (change >> POINT_BITS & 3) << POINT_BITS | change & PASS
            made += 1


class Corners(NamedTuple):
    """Where the moves in corners are written."""

    moves: Any
    """int16 [4 * game + corner, move]: 0 or reach * reach for who played there first or second, and the cell; NONE"""
    counts: Ints
    """int64 [row]: how many"""
    colours: Ints
    """int64 [row]: the colour that played there first; 0 if nobody did"""
    limits: Ints
    """int64: the size of the board, the lines of a corner, and the last move of a game that counts"""


@entry
def corner_moves(corners: Corners, changes: Any, starts: Ints, ends: Ints) -> None:
    """Write the moves in each corner of games in order, whatever was played elsewhere meanwhile.

    Cell a * reach + b of a corner lies a lines from the upper or lower edge and b
    from the left or right one. Games with setup have none.
    """
    most = corners.moves.shape[1]
    size, reach, last = corners.limits[0], corners.limits[1], corners.limits[2]
    for game in range(len(starts)):
        for row in range(4 * game, 4 * game + 4):
            corners.counts[row], corners.colours[row] = 0, 0
            for move in range(most):
                corners.moves[row, move] = NONE
        made = 0
        for at in range(starts[game], ends[game]):
            change = changes[at]
            if change & SETUP:
                break
            if change & TAKEN:
                continue
            made += 1
            if made > last:
                break
            point, colour = change & PASS, change >> POINT_BITS & 3
            if point == PASS:
                continue
            down, across = point // size, point % size
            corner = 0
            if down > size - 1 - down:
                corner, down = 2, size - 1 - down
            if across > size - 1 - across:
                corner, across = corner + 1, size - 1 - across
            row = 4 * game + corner
            if down >= reach or across >= reach or corners.counts[row] == most:
                continue
            if corners.colours[row] == 0:
                corners.colours[row] = colour
            second = 0 if colour == corners.colours[row] else reach * reach
            corners.moves[row, corners.counts[row]] = second + down * reach + across
            corners.counts[row] += 1
