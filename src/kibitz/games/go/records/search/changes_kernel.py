"""Games as runs of changes: every stone that comes onto the board or goes off it, captures worked out once.

A search then needs no liberties. While a game is played, the positions of its
opening are noted as well, and its plays are turned the way that all eight
symmetries of a game have in common.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.kernel.board import EDGE, BoardArrays, clear, put_here, rebuild_all
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

# A change is a play (see record.py) with two more bits; its colour is what the point has from then on.
LASTS = 1 << 13
"""The point does not change again in this game."""
TAKEN = 1 << 14
"""The stone of this point was captured by the move before."""
COLOUR = 3 << POINT_BITS

CORNER = 7
"""Rows and columns of the corners whose positions are noted."""
MOST_FULL, MOST_CORNER = 20, 10
"""Positions of the whole board, and of each corner, are noted up to so many stones."""
NOTES = MOST_FULL + 4 * MOST_CORNER
"""Words of a game's notes: the whole board with 1, 2, ... stones, then the four corners with 1, with 2, ..."""
WILD, NEVER = 0, 1
"""Instead of a position in the notes: there were several with so many stones, or none."""


class Tables(NamedTuple):
    """What is the same for all games of a size. int64."""

    images: Any
    """[8, point]: where each point goes under each symmetry"""
    full: Any
    """[16, point, colour]: keys of stones under each symmetry, and again with the colours swapped"""
    corners: Any
    """[4, point]: which cell of each corner a point is, or -1"""
    corner: Any
    """[4, cell, colour]: keys of stones in a corner, mirrored, and both again with the colours swapped"""


class Made(NamedTuple):
    """What is made of the games, and scratch."""

    changes: Any
    """uint16: those of game g from 2 * first[g] on"""
    rings: Any
    """uint16: beside each change of a move, the eight points around it once the move is complete"""
    counts: Ints
    """int64 [game]: how many changes"""
    turned: Any
    """uint16: the plays of game g from first[g] on, as the least of its symmetries"""
    notes: Any
    """uint32 [game, NOTES]: positions of the opening"""
    last: Ints
    """int64 [point]: the change that a point has from"""
    hashes: Any
    """int64 [5, 16]: of the board and of the corners, under each symmetry"""
    stones: Ints
    """int64 [5]: how many stones there are on the board and in the corners"""
    over: Ints
    """int64 [5]: whether there have ever been more than are noted"""


@entry
def change_games(b: BoardArrays, plays: Any, first: Ints, which: Ints, kept: Ints, tables: Tables, made: Made) -> None:
    """Work out the changes of the games in `which`, all of the board's size, whose first kept[game] plays are legal."""
    for i in range(len(which)):
        game = which[i]
        start, end = first[game], first[game] + kept[game]
        _turn(plays, start, end, tables.images, made.turned)
        made.counts[game] = _change(b, plays, start, end, tables, made, game)


@jit
def _turn(plays: Any, start: int, end: int, images: Any, turned: Any) -> None:
    """Write the plays as they are under the symmetry that makes them least, compared play by play."""
    alive = 255
    for at in range(start, end):
        point = plays[at] & PASS
        if point == PASS:
            continue
        least = PASS
        for image in range(8):
            if alive >> image & 1 and images[image, point] < least:
                least = images[image, point]
        for image in range(8):
            if alive >> image & 1 and images[image, point] != least:
                alive ^= 1 << image
        if alive & (alive - 1) == 0:
            break
    best = 0
    while not alive >> best & 1:
        best += 1
    for at in range(start, end):
        point = plays[at] & PASS
        turned[at] = plays[at] if point == PASS else plays[at] - point + images[best, point]


@jit
def _change(b: BoardArrays, plays: Any, start: int, end: int, tables: Tables, made: Made, game: int) -> int:
    """Play one game and write its changes and notes; return how many changes."""
    base = 2 * start
    n = base
    clear(b)
    _clear_notes(made, game)
    dirty = False
    for at in range(start, end):
        play = plays[at]
        point, colour = play & PASS, play >> POINT_BITS & 3
        if play & SETUP:
            cell = b.cells[point]
            n = _write(made, tables, n, base, play, point, b.stones[cell], colour)
            b.stones[cell] = colour
            dirty = True
            continue
        if dirty:
            rebuild_all(b)
            _note(made, game)
            dirty = False
        before = n
        if point == PASS:
            made.changes[n] = play
            n += 1
            continue
        cell, enemy = b.cells[point], BLACK + WHITE - colour
        beside = 0
        for side in range(4):
            if b.stones[b.near[cell, side]] == enemy:
                beside |= 1 << side
        n = _write(made, tables, n, base, play, point, EMPTY, colour)
        if put_here(b, cell, colour) > 0:
            for side in range(4):
                near = b.near[cell, side]
                if beside >> side & 1 and b.stones[near] == EMPTY:
                    n = _write_taken(b, made, tables, n, base, near, enemy)
        for at_change in range(before, n):
            made.rings[at_change] = _ring(b, int(b.cells[made.changes[at_change] & PASS]))
        _note(made, game)
    if dirty:
        _note(made, game)
    return n - base


@jit
def _ring(b: BoardArrays, cell: int) -> int:
    """Return the points around a cell, two bits each, row by row from the top left."""
    line = int(b.near[cell, 3]) - cell
    ring, place = 0, 0
    for row in range(-1, 2):
        for col in range(-1, 2):
            if row or col:
                near = cell + row * line + col
                ring |= (int(b.stones[near]) if near < len(b.stones) else EDGE) << place
                place += 2
    return ring


@jit
def _write_taken(b: BoardArrays, made: Made, tables: Tables, n: int, base: int, cell: int, colour: int) -> int:
    """Write that a captured chain is gone: its ring of links is still there. Return how many changes there are now."""
    stone = cell
    while True:
        point = b.points[stone]
        if made.changes[made.last[point]] & COLOUR == EMPTY:  # a chain that touches the move twice
            return n
        n = _write(made, tables, n, base, TAKEN | point, point, colour, EMPTY)
        stone = b.link[stone]
        if stone == cell:
            return n


@jit
def _write(made: Made, tables: Tables, n: int, base: int, change: int, point: int, before: int, after: int) -> int:
    """Write one change; return how many there are now."""
    last = made.last[point]
    if base <= last < n and made.changes[last] & PASS == point:
        made.changes[last] &= 0xFFFF ^ LASTS
    made.changes[n] = change | LASTS
    made.last[point] = n
    if before != after:
        _update(made, tables, point, before, after)
    return n + 1


@jit
def _update(made: Made, tables: Tables, point: int, before: int, after: int) -> None:
    """Bring counts and hashes up to date."""
    more = int(after != EMPTY) - int(before != EMPTY)
    made.stones[0] += more
    if not made.over[0]:
        for image in range(16):
            made.hashes[0, image] ^= tables.full[image, point, before] ^ tables.full[image, point, after]
    for corner in range(4):
        cell = tables.corners[corner, point]
        if cell >= 0:
            made.stones[1 + corner] += more
            if not made.over[1 + corner]:
                for image in range(4):
                    key = tables.corner[image, cell, before] ^ tables.corner[image, cell, after]
                    made.hashes[1 + corner, image] ^= key


@jit
def _clear_notes(made: Made, game: int) -> None:
    for word in range(NOTES):
        made.notes[game, word] = NEVER
    for region in range(5):
        made.stones[region], made.over[region] = 0, 0
        for image in range(16):
            made.hashes[region, image] = 0


@jit
def _note(made: Made, game: int) -> None:
    """Note the positions of the board and the corners, once a move is complete."""
    for region in range(5):
        stones, most = made.stones[region], MOST_FULL if region == 0 else MOST_CORNER
        if stones > most:
            made.over[region] = 1
        elif stones > 0:
            word = stones - 1 if region == 0 else MOST_FULL + 4 * (stones - 1) + region - 1
            seen = made.notes[game, word]
            if made.over[region]:
                made.notes[game, word] = WILD  # its hash is no longer kept
                continue
            least = made.hashes[region, 0]
            for image in range(1, 16 if region == 0 else 4):
                if made.hashes[region, image] < least:
                    least = made.hashes[region, image]
            note = least & 0x7FFFFFFF | 2
            made.notes[game, word] = note if seen in (NEVER, note) else WILD
