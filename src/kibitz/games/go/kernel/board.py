"""The compiled twin of rules/board.py: stones and chains in arrays, changed in place.

The cells of a board are its points plus one column on the left and one row above
and below. The added cells are all EDGE, so that every point has four neighbours.
Size 3, with the points in brackets:

     0   1   2   3
     4 ( 5   6   7)
     8 ( 9  10  11)
    12 (13  14  15)
    16  17  18  19

The right neighbour of the last column is the edge of the next row. One stone of
each chain is its head, and everything known about a chain is stored at its head.
A liberty is counted once for each stone beside it, so a chain has no liberties
when its count is 0, and is in atari when all counted liberties are the same
point. By the Cauchy-Schwarz inequality that is when the count times the sum of
the squared cell numbers equals the square of their sum. Count, sum and sum of
squares share one 64-bit word, so that one addition adds or removes a liberty.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import inlined, jit
from kibitz.core.seeds import Stream
from kibitz.games.go.rules import BLACK, EMPTY, MAX_BOARD_SIZE, WHITE

EDGE = 3
MAX_CELLS = (MAX_BOARD_SIZE + 1) * (MAX_BOARD_SIZE + 2)
# A chain's word of liberties, from the low bits up: sum of squared cells (31 bits), sum of cells (21), count (12).
_SUM, _COUNT = 31, 52
_SQUARES_MASK, _SUM_MASK, _COUNT_MASK = (1 << 31) - 1, (1 << 21) - 1, (1 << 12) - 1

LIBERTY: Ints = np.array(
    [((1 << _COUNT) + (cell << _SUM) + cell * cell) & 0xFFFFFFFFFFFFFFFF for cell in range(MAX_CELLS)], np.uint64
).view(np.int64)
"""int64 [cell]: the number that a liberty on this cell adds to its chain's word of liberties."""


def random_words(seed: int, n: int) -> NDArray[np.int64]:
    """Return n random 64-bit words, which depend only on the seed."""
    stream = Stream(seed)
    return np.array([stream.next() for _ in range(n)], dtype=np.uint64).view(np.int64)


STONE_KEYS: Ints = random_words(21, 3 * MAX_CELLS).reshape(3, MAX_CELLS)
"""int64 [colour, cell]: the Zobrist key of each stone; the row for EMPTY is unused."""
NO_STONES = 0x3C6EF372FE94F82B  # the hash of an empty board; other boards also xor in the key of each stone

HASH, STAMP, TAKEN = range(3)
"""Indices into BoardArrays.facts: hash of the stones; last stamp used in `marks`; a cell of the last captured chain."""


class BoardArrays(NamedTuple):
    """Stones and chains. Cell numbers are unsigned, so that compiled code need not check for negative indices."""

    stones: Ints  # int8 [cell]: EMPTY (0), BLACK (1), WHITE (2) or EDGE (3)
    head: Ints
    """uint16 [cell]: the head of the chain of the stone there; 0, which is an edge cell, if there is no stone"""
    link: Ints  # uint16 [cell]: the next stone of the chain, a circular list
    stone_count: Ints  # int32 [head]: number of stones in the chain
    liberties: Ints
    """int64 [head]: word of liberties. Cell 0 collects updates meant for no chain, so that no test is needed"""
    hashes: Ints  # int64 [head]: xor of the Zobrist keys of the chain's stones
    marks: Ints  # int64 [cell]: scratch; a cell is marked if it holds the current stamp
    queue: Ints  # uint16 [cell]: scratch
    facts: Ints  # int64: indexed by HASH, STAMP, TAKEN
    cells: NDArray[np.uint16]  # uint16 [point]: the cell of each point
    points: NDArray[np.uint16]  # uint16 [cell]: the point of each cell; 0 for the edge
    near: NDArray[np.uint16]
    """uint16 [cell, 4]: the cells above, left, right, below. Boards share cells, points and near: read only"""


def new_board(size: int) -> BoardArrays:
    """Return an empty board."""
    n = (size + 1) * (size + 2)
    board = BoardArrays(
        stones=np.full(n, EDGE, np.int8),
        head=np.zeros(n, np.uint16),
        link=np.zeros(n, np.uint16),
        stone_count=np.zeros(n, np.int32),
        liberties=np.zeros(n, np.int64),
        hashes=np.zeros(n, np.int64),
        marks=np.zeros(n, np.int64),
        queue=np.zeros(n, np.uint16),
        facts=np.array([NO_STONES, 0, 0], np.int64),
        cells=cells_of(size),
        points=_points_of(size),
        near=_neighbour_cells(size),
    )
    for cell in cells_of(size).tolist():
        board.stones[cell] = EMPTY
    return board


@lru_cache(maxsize=MAX_BOARD_SIZE)
def cells_of(size: int) -> NDArray[np.uint16]:
    """Return the cell of each point, as uint16 [point]."""
    points = np.arange(size * size)
    return np.asarray((points // size + 1) * (size + 1) + points % size + 1, np.uint16)


@lru_cache(maxsize=MAX_BOARD_SIZE)
def _points_of(size: int) -> NDArray[np.uint16]:
    """Return the point of each cell, as uint16 [cell]; 0 for edge cells."""
    points = np.zeros((size + 1) * (size + 2), np.uint16)
    points[cells_of(size)] = np.arange(size * size)
    return points


@lru_cache(maxsize=MAX_BOARD_SIZE)
def _neighbour_cells(size: int) -> NDArray[np.uint16]:
    """Return the neighbours of each cell, as uint16 [cell, 4]; those of edge cells are meaningless."""
    cells = np.arange((size + 1) * (size + 2))
    sides = np.array([-size - 1, -1, 1, size + 1])
    return np.asarray((cells[:, None] + sides) % len(cells), np.uint16)


@jit
def clear(b: BoardArrays) -> None:
    """Remove all stones."""
    for i in range(len(b.cells)):
        cell = b.cells[i]
        b.stones[cell] = EMPTY
        b.head[cell] = 0
    b.facts[HASH] = NO_STONES


@jit
def copy_board(b: BoardArrays, into: BoardArrays) -> None:
    """Copy board b into another board of the same size."""
    for cell in range(len(b.stones)):
        into.stones[cell] = b.stones[cell]
        into.head[cell] = b.head[cell]
        into.link[cell] = b.link[cell]
        into.stone_count[cell] = b.stone_count[cell]
        into.liberties[cell] = b.liberties[cell]
        into.hashes[cell] = b.hashes[cell]
    into.facts[HASH] = b.facts[HASH]


@jit
def in_atari(b: BoardArrays, head: int) -> bool:
    """Return whether the chain with this head has exactly one liberty. The chain must have liberties."""
    word = b.liberties[head]
    count, total = (word >> _COUNT) & _COUNT_MASK, (word >> _SUM) & _SUM_MASK
    return count * (word & _SQUARES_MASK) == total * total  # all liberties are one point, see the top of this file


def _put(b: BoardArrays, cell: int, colour: int) -> int:
    """Put a stone on an empty cell; return the number of stones captured, or minus the number lost by suicide.

    After a capture facts[TAKEN] is a cell of the last captured chain.
    """
    unit = LIBERTY[cell]
    key = STONE_KEYS[colour, cell]
    b.stones[cell], b.head[cell], b.link[cell] = colour, cell, cell
    b.stone_count[cell], b.hashes[cell] = 1, key
    b.facts[HASH] ^= key
    own = 0
    for i in range(4):
        near = b.near[cell, i]
        b.liberties[b.head[near]] -= unit  # if there is no stone, the head is 0
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
            captured += remove_chain(b, near)
    if b.liberties[b.head[cell]] == 0:
        return -remove_chain(b, cell)
    return captured


put = jit(_put)
put_here = inlined(_put)
"""put() inlined, for loops over many moves: passing all arrays of a board in a call costs as much as the move."""


@jit
def _join(b: BoardArrays, head: int, other: int) -> None:
    """Merge the chains with these heads; the larger chain keeps its head."""
    if b.stone_count[head] < b.stone_count[other]:
        head, other = other, head
    stone = other
    while True:
        b.head[stone] = head
        stone = b.link[stone]
        if stone == other:
            break
    b.link[head], b.link[other] = b.link[other], b.link[head]
    b.stone_count[head] += b.stone_count[other]
    b.liberties[head] += b.liberties[other]
    b.hashes[head] ^= b.hashes[other]


@jit
def remove_chain(b: BoardArrays, cell: int) -> int:
    """Remove the chain of the stone on a cell; return its number of stones."""
    head = b.head[cell]
    n = b.stone_count[head]
    b.facts[HASH] ^= b.hashes[head]
    stone = cell
    for _ in range(n):
        b.stones[stone], b.head[stone] = EMPTY, 0
        unit = LIBERTY[stone]
        for side in range(4):
            b.liberties[b.head[b.near[stone, side]]] += unit  # harmless for the removed chain itself
        stone = b.link[stone]
    return n


@jit
def restore_chain(b: BoardArrays, cell: int, colour: int) -> int:
    """Undo remove_chain: fill the empty region around a cell with one chain; return its number of stones."""
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
    rebuild_chain(b, cell)
    return n


@jit
def remove_stone(b: BoardArrays, cell: int) -> None:
    """Remove a single stone; the rest of its chain may split into several chains."""
    colour, unit = b.stones[cell], LIBERTY[cell]
    b.facts[HASH] ^= STONE_KEYS[colour, cell]
    b.stones[cell], b.head[cell] = EMPTY, 0
    for i in range(4):
        near = b.near[cell, i]
        if b.stones[near] == colour:
            rebuild_chain(b, near)  # a chain on several sides is rebuilt more than once, at most four times
        else:
            b.liberties[b.head[near]] += unit


@jit
def rebuild_chain(b: BoardArrays, cell: int) -> None:
    """Recompute the data of a stone's chain from b.stones, making this stone its head."""
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
    b.stone_count[cell], b.liberties[cell], b.hashes[cell] = n, word, key


@jit
def rebuild_all(b: BoardArrays) -> None:
    """Recompute all chains and the hash from b.stones."""
    b.facts[HASH] = NO_STONES
    for i in range(len(b.cells)):
        b.head[b.cells[i]] = 0
    for i in range(len(b.cells)):
        cell = b.cells[i]
        if b.stones[cell] != EMPTY:
            b.facts[HASH] ^= STONE_KEYS[b.stones[cell], cell]
            if b.head[cell] == 0:
                rebuild_chain(b, cell)


@jit
def black_lead(b: BoardArrays, count_stones: int) -> int:
    """Return the empty points only Black reaches minus those only White reaches, and stones too if count_stones."""
    stamp = b.facts[STAMP] + 1
    b.facts[STAMP] = stamp
    total = 0
    for point in range(len(b.cells)):
        start = b.cells[point]
        if b.stones[start] != EMPTY:
            if count_stones:
                total += 1 if b.stones[start] == BLACK else -1
            continue
        if b.marks[start] == stamp:
            continue
        b.queue[0], b.marks[start] = start, stamp
        n, i, colours = 1, 0, 0
        while i < n:
            cell = b.queue[i]
            i += 1
            for side in range(4):
                near = b.near[cell, side]
                if b.stones[near] != EMPTY:
                    colours |= 1 << b.stones[near]
                elif b.marks[near] != stamp:
                    b.marks[near] = stamp
                    b.queue[n] = near
                    n += 1
        colours &= 1 << BLACK | 1 << WHITE
        if colours == 1 << BLACK:
            total += n
        elif colours == 1 << WHITE:
            total -= n
    return total
