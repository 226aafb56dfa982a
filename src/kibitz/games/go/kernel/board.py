"""The compiled twin of board.py: stones and chains in arrays, changed in place.

The cells of a board are its points with one more column on the left and one
more row above and below, all of them EDGE, so that every point has four
neighbours. Size 3, with the points in brackets:

     0   1   2   3
     4 ( 5   6   7)
     8 ( 9  10  11)
    12 (13  14  15)
    16  17  18  19

The right neighbour of a last column is the edge of the next row. A chain has
one of its stones for a head, and the rest of what is known of a chain lies at
its head. Liberties are counted once for each stone beside them, so a chain is
out of liberties when its count is 0, and in atari when all that is counted is
one and the same point: by Cauchy and Schwarz, when the count times the sum of
the squares of the points is the square of their sum. Count, sum and squares are
kept in one word, so that a liberty comes and goes by one addition.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import inlined, jit
from kibitz.core.seeds import Stream
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import LARGEST

EDGE = 3
MOST_CELLS = (LARGEST + 1) * (LARGEST + 2)
_SUM, _COUNT = 31, 52  # where the sum and the count begin in a word of liberties, above the squares
_SUM_MASK, _SQUARES_MASK, _COUNT_MASK = (1 << 21) - 1, (1 << 31) - 1, (1 << 12) - 1

LIBERTY = np.array(
    [((1 << _COUNT) + (cell << _SUM) + cell * cell) & 0xFFFFFFFFFFFFFFFF for cell in range(MOST_CELLS)], np.uint64
).view(np.int64)
"""[cell] what it adds to the word of a chain that it is a liberty of."""


def random_words(seed: int, n: int) -> Any:
    """Return so many random words, always the same from a seed."""
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


STONE_KEYS = random_words(21, 3 * MOST_CELLS).reshape(3, MOST_CELLS)
"""[colour, cell] the key of a stone; that of EMPTY is not used."""
NO_STONES = 0x3C6EF372FE94F82B
"""The hash of an empty board; that of another is this and the keys of its stones."""

HASH, STAMP, TAKEN = range(3)
"""The words of Board.facts: hash of the stones; the last stamp of marks; a cell of the chain captured last."""


class Board(NamedTuple):
    """Stones and chains. Cells are kept as unsigned numbers, so that no compiled code asks whether one is negative."""

    stones: Ints
    """int8 [cell]: EMPTY (0), BLACK (1), WHITE (2) or EDGE (3)"""
    head: Ints
    """uint16 [cell]: the head of a stone's chain; 0, which is no point, where there is no stone"""
    link: Ints
    """uint16 [cell]: the next stone of a chain, round and round"""
    many: Ints
    """int32 [head]: how many stones"""
    liberties: Ints
    """int64 [head]: the word of liberties; that of 0 has no meaning"""
    hashes: Ints
    """int64 [head]: the keys of its stones"""
    marks: Ints
    """int64 [cell]: scratch; a cell is marked if it has the present stamp"""
    queue: Ints
    """uint16 [cell]: scratch"""
    facts: Ints
    """int64: HASH, STAMP, TAKEN"""
    cells: Any
    """uint16 [point]: the cell of each point"""
    points: Any
    """uint16 [cell]: the point of each cell; 0 for the edge"""
    near: Any
    """uint16 [cell, 4]: the cells above, left, right and below. These three are shared and never written to"""


def new_board(size: int) -> Board:
    """Return an empty board."""
    n = (size + 1) * (size + 2)
    board = Board(
        stones=np.full(n, EDGE, np.int8),
        head=np.zeros(n, np.uint16),
        link=np.zeros(n, np.uint16),
        many=np.zeros(n, np.int32),
        liberties=np.zeros(n, np.int64),
        hashes=np.zeros(n, np.int64),
        marks=np.zeros(n, np.int64),
        queue=np.zeros(n, np.uint16),
        facts=np.array([NO_STONES, 0, 0], np.int64),
        cells=cells_of(size),
        points=_points_of(size),
        near=_near(size),
    )
    for cell in cells_of(size).tolist():
        board.stones[cell] = EMPTY
    return board


@lru_cache(maxsize=LARGEST)
def cells_of(size: int) -> Any:
    """Return the cell of each point."""
    points = np.arange(size * size)
    return (size + 1 + points // size * (size + 1) + points % size + 1).astype(np.uint16)


@lru_cache(maxsize=LARGEST)
def _points_of(size: int) -> Any:
    """Return the point of each cell."""
    points = np.zeros((size + 1) * (size + 2), np.uint16)
    points[cells_of(size)] = np.arange(size * size)
    return points


@lru_cache(maxsize=LARGEST)
def _near(size: int) -> Any:
    """Return the neighbours of each cell; those of the edge are of no use."""
    cells = np.arange((size + 1) * (size + 2))
    sides = np.array([-size - 1, -1, 1, size + 1])
    return ((cells[:, None] + sides) % len(cells)).astype(np.uint16)


@jit
def clear(b: Board) -> None:
    """Take all stones off."""
    for i in range(len(b.cells)):
        cell = b.cells[i]
        b.stones[cell] = EMPTY
        b.head[cell] = 0
    b.facts[HASH] = NO_STONES


@jit
def copy_board(b: Board, into: Board) -> None:
    """Make one board equal to another of the same size."""
    for cell in range(len(b.stones)):
        into.stones[cell] = b.stones[cell]
        into.head[cell] = b.head[cell]
        into.link[cell] = b.link[cell]
        into.many[cell] = b.many[cell]
        into.liberties[cell] = b.liberties[cell]
        into.hashes[cell] = b.hashes[cell]
    into.facts[HASH] = b.facts[HASH]


@jit
def in_atari(b: Board, head: int) -> bool:
    """Return whether a chain has one liberty."""
    word = b.liberties[head]
    count, total = (word >> _COUNT) & _COUNT_MASK, (word >> _SUM) & _SUM_MASK
    return count * (word & _SQUARES_MASK) == total * total


def _put(b: Board, cell: int, colour: int) -> int:
    """Put a stone on an empty cell; return how many stones it captured, or minus how many it lost by suicide.

    TAKEN is then a cell of the last chain captured.
    """
    unit = LIBERTY[cell]
    key = STONE_KEYS[colour, cell]
    b.stones[cell], b.head[cell], b.link[cell] = colour, cell, cell
    b.many[cell], b.hashes[cell] = 1, key
    b.facts[HASH] ^= key
    own = 0
    for i in range(4):
        near = b.near[cell, i]
        b.liberties[b.head[near]] -= unit  # where there is no stone, the head is 0
        if b.stones[near] == EMPTY:
            own += LIBERTY[near]
    b.liberties[cell] = own
    enemy, captured = BLACK + WHITE - colour, 0
    for i in range(4):
        near = b.near[cell, i]
        if b.stones[near] == colour:
            if b.head[near] != b.head[cell]:
                _join(b, b.head[near], b.head[cell])
        elif b.stones[near] == enemy and b.liberties[b.head[near]] == 0:
            b.facts[TAKEN] = near
            captured += take_off(b, near)
    if b.liberties[b.head[cell]] == 0:
        return -take_off(b, cell)
    return captured


put = jit(_put)
put_here = inlined(_put)
"""The same for a loop over many moves: a call with all arrays of a board costs as much as the move itself."""


@jit
def _join(b: Board, one: int, other: int) -> None:
    """Make two chains one."""
    if b.many[one] < b.many[other]:
        one, other = other, one
    stone = other
    while True:
        b.head[stone] = one
        stone = b.link[stone]
        if stone == other:
            break
    b.link[one], b.link[other] = b.link[other], b.link[one]
    b.many[one] += b.many[other]
    b.liberties[one] += b.liberties[other]
    b.hashes[one] ^= b.hashes[other]


@jit
def take_off(b: Board, cell: int) -> int:
    """Take the chain of a stone off; return how many stones it had."""
    head = b.head[cell]
    n = b.many[head]
    b.facts[HASH] ^= b.hashes[head]
    stone = cell
    for _ in range(n):
        b.stones[stone], b.head[stone] = EMPTY, 0
        unit = LIBERTY[stone]
        for side in range(4):
            b.liberties[b.head[b.near[stone, side]]] += unit  # its own stones gain too, to no effect
        stone = b.link[stone]
    return n


@jit
def put_back(b: Board, cell: int, colour: int) -> int:
    """Fill a region of empty cells with a chain, as it was before it was taken off; return how many stones."""
    stamp = b.facts[STAMP] + 1
    b.facts[STAMP] = stamp
    b.queue[0], b.marks[cell] = cell, stamp
    n, i = 1, 0
    while i < n:
        stone = b.queue[i]
        i += 1
        b.stones[stone] = colour
        unit = LIBERTY[stone]
        b.facts[HASH] ^= STONE_KEYS[colour, stone]
        for side in range(4):
            near = b.near[stone, side]
            b.liberties[b.head[near]] -= unit
            if b.stones[near] == EMPTY and b.marks[near] != stamp:
                b.marks[near] = stamp
                b.queue[n] = near
                n += 1
    rebuild(b, cell)
    return n


@jit
def pick_up(b: Board, cell: int) -> None:
    """Take one stone off by itself: what is left of its chain may be several."""
    colour, unit = b.stones[cell], LIBERTY[cell]
    b.facts[HASH] ^= STONE_KEYS[colour, cell]
    b.stones[cell], b.head[cell] = EMPTY, 0
    for i in range(4):
        near = b.near[cell, i]
        if b.stones[near] == colour:
            rebuild(b, near)  # once more for each stone beside it: they are few
        else:
            b.liberties[b.head[near]] += unit


@jit
def rebuild(b: Board, cell: int) -> None:
    """Work out the chain of a stone from the stones alone, with this one for its head."""
    stamp, colour = b.facts[STAMP] + 1, b.stones[cell]
    b.facts[STAMP] = stamp
    b.queue[0], b.marks[cell] = cell, stamp
    n, i, word, key = 1, 0, 0, 0
    while i < n:
        stone = b.queue[i]
        i += 1
        b.head[stone] = cell
        key ^= STONE_KEYS[colour, stone]
        for side in range(4):
            near = b.near[stone, side]
            if b.stones[near] == EMPTY:
                word += LIBERTY[near]
            elif b.stones[near] == colour and b.marks[near] != stamp:
                b.marks[near] = stamp
                b.queue[n] = near
                n += 1
        b.link[stone] = b.queue[i] if i < n else cell
    b.many[cell], b.liberties[cell], b.hashes[cell] = n, word, key


@jit
def rebuild_all(b: Board) -> None:
    """Work out all chains and the hash from the stones alone."""
    b.facts[HASH] = NO_STONES
    for i in range(len(b.cells)):
        b.head[b.cells[i]] = 0
    for i in range(len(b.cells)):
        cell = b.cells[i]
        if b.stones[cell] != EMPTY:
            b.facts[HASH] ^= STONE_KEYS[b.stones[cell], cell]
            if b.head[cell] == 0:
                rebuild(b, cell)


@jit
def lead(b: Board, stones_count: int) -> int:
    """Return the points that only Black reaches less those that only White reaches, and stones if they count (1)."""
    stamp = b.facts[STAMP] + 1
    b.facts[STAMP] = stamp
    total = 0
    for point in range(len(b.cells)):
        start = b.cells[point]
        if b.stones[start] != EMPTY:
            if stones_count:
                total += 1 if b.stones[start] == BLACK else -1
            continue
        if b.marks[start] == stamp:
            continue
        b.queue[0], b.marks[start] = start, stamp
        n, i, touched = 1, 0, 0
        while i < n:
            cell = b.queue[i]
            i += 1
            for side in range(4):
                near = b.near[cell, side]
                if b.stones[near] != EMPTY:
                    touched |= 1 << b.stones[near]
                elif b.marks[near] != stamp:
                    b.marks[near] = stamp
                    b.queue[n] = near
                    n += 1
        touched &= 1 << BLACK | 1 << WHITE
        if touched == 1 << BLACK:
            total += n
        elif touched == 1 << WHITE:
            total -= n
    return total
