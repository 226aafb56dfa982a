"""A board with everything that the features of the pattern model depend on, updated move by move.

For each point and each pattern size it keeps the hash of the ring that the size adds to the next smaller one, in all
eight symmetries and as either player sees it. A stone placed or removed changes each ring around it by one word,
so no pattern is ever read point by point. Weights are not used here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel.board import TAKEN, BoardArrays, clear, in_atari, new_board, put, rebuild_all
from kibitz.games.go.predict.model import layout
from kibitz.games.go.predict.model.layout import RECENT_MOVES, SizeTables, size_tables
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

LIBERTY_WORDS = 6  # 64-bit words that hold a bit for each point of the largest board
MAX_SIZE = 19
KO, MOVES, TOOK_KO, STALE = range(RECENT_MOVES, RECENT_MOVES + 4)
"""The words of FeatureBoard.facts after the recent moves: the point of a ko or -1; moves made; whether the last one
took a ko; whether stones were set up since the chains were last computed."""


class FeatureBoard(NamedTuple):
    """A position and the surroundings of its points."""

    board: BoardArrays
    spare: BoardArrays  # scratch, for reading ladders
    tables: SizeTables
    rings: NDArray[np.int64]  # [player, point, size, symmetry]: hashes
    influence: NDArray[np.int32]  # [point]: the sum of the pulls of stones, stronger when nearer, Black's minus White's
    presence: NDArray[np.int32]  # [point]: the same for both colours added
    liberties: NDArray[np.int64]  # [cell, word]: at the head of a chain, one bit for each point that is a liberty of it
    liberty_counts: NDArray[np.int32]  # [cell]: at the head of a chain, the number of its liberties
    steps: NDArray[np.int32]  # [colour, point]: steps along the lines to the nearest stone of a colour
    facts: Ints  # int64: the points of the last RECENT_MOVES moves, -1 if unknown; KO, MOVES, TOOK_KO, STALE
    hashes: Ints  # int64 [symmetry]: scratch
    found: Ints  # int64: scratch, the liberties of a chain in a ladder


def new_feature_board(size: int) -> FeatureBoard:
    """Return an empty board of a size up to MAX_SIZE."""
    points, tables = size * size, size_tables(size)
    cells = len(new_board(size).stones)
    return FeatureBoard(
        board=new_board(size),
        spare=new_board(size),
        tables=tables,
        rings=np.stack([tables.edges, tables.edges]),
        influence=np.zeros(points, np.int32),
        presence=np.zeros(points, np.int32),
        liberties=np.zeros((cells, LIBERTY_WORDS), np.int64),
        liberty_counts=np.zeros(cells, np.int32),
        steps=np.zeros((3, points), np.int32),
        facts=np.array([-1] * (RECENT_MOVES + 1) + [0] * 3, np.int64),
        hashes=np.zeros(8, np.int64),
        found=np.zeros(4, np.int64),
    )


@jit
def clear_position(fb: FeatureBoard) -> None:
    """Remove all stones and forget all moves."""
    clear(fb.board)
    edges = fb.tables.edges
    for point in range(len(fb.influence)):
        fb.influence[point] = fb.presence[point] = 0
        for ring in range(len(layout.PATTERN_SIZES)):
            for image in range(8):
                word = edges[point, ring, image]
                fb.rings[0, point, ring, image] = word
                fb.rings[1, point, ring, image] = word
    _forget_moves(fb)
    fb.facts[MOVES] = fb.facts[STALE] = 0


@jit
def _forget_moves(fb: FeatureBoard) -> None:
    for i in range(RECENT_MOVES):
        fb.facts[i] = -1
    fb.facts[KO], fb.facts[TOOK_KO] = -1, 0


@jit
def _toggle_stone(fb: FeatureBoard, point: int, colour: int, sign: int) -> None:
    """Add a stone (sign 1) to the patterns and influence of all points around it, or remove it (sign -1)."""
    tables, rings, influence, presence = fb.tables, fb.rings, fb.influence, fb.presence
    size, downs, acrosses, ring_of, words = tables.size, tables.downs, tables.acrosses, tables.rings, tables.words
    row, col = point // size, point % size
    black, white = (layout.OWN, layout.ENEMY) if colour == BLACK else (layout.ENEMY, layout.OWN)
    for i in range(len(downs)):
        r, c = row - downs[i], col - acrosses[i]
        if not (0 <= r < size and 0 <= c < size):
            continue
        at, ring = r * size + c, ring_of[i]
        for image in range(8):
            rings[0, at, ring, image] ^= words[black, i, image]
        for image in range(8):
            rings[1, at, ring, image] ^= words[white, i, image]
        down, across = abs(row - r), abs(col - c)
        pull = sign * (layout.MAX_REACH + 1 - (down + across + max(down, across)))
        influence[at] += pull if colour == BLACK else -pull
        presence[at] += pull


@jit
def set_stone(fb: FeatureBoard, point: int, colour: int) -> None:
    """Set the colour of a point as setup, not as a move. The chains are STALE until they are rebuilt."""
    cell = fb.board.cells[point]
    old = fb.board.stones[cell]
    fb.facts[STALE] = 1
    if old == colour:
        return
    if old != EMPTY:
        _toggle_stone(fb, point, old, -1)
    if colour != EMPTY:
        _toggle_stone(fb, point, colour, 1)
    fb.board.stones[cell] = colour


@jit
def next_stone(fb: FeatureBoard, plays: Ints, at: int, end: int) -> int:
    """Carry out setup stones and passes from plays[at] on; return the index of the next play of a stone.

    Return end if there is none, or if it is on an occupied point.
    """
    for i in range(at, end):
        play = int(plays[i])
        point = play & PASS
        if play & SETUP:
            set_stone(fb, point, play >> POINT_BITS & 3)
            _forget_moves(fb)
            continue
        if fb.facts[STALE]:
            rebuild_all(fb.board)
            fb.facts[STALE] = 0
        if point != PASS:
            return i if fb.board.stones[fb.board.cells[point]] == EMPTY else end
        _remember_move(fb, -1)
        fb.facts[KO], fb.facts[TOOK_KO] = -1, 0
    return end


@jit
def _remember_move(fb: FeatureBoard, point: int) -> None:
    """Add a move to the recent ones, as the latest; -1 is a pass."""
    for i in range(RECENT_MOVES - 1, 0, -1):
        fb.facts[i] = fb.facts[i - 1]
    fb.facts[0] = point
    fb.facts[MOVES] += 1


@jit
def play_stone(fb: FeatureBoard, point: int, colour: int) -> bool:
    """Play a stone on an empty point. Return False if it is a suicide; the position is then unusable."""
    b = fb.board
    cell = b.cells[point]
    enemy = BLACK + WHITE - colour
    for side in range(4):
        near = b.near[cell, side]
        if b.stones[near] == enemy and in_atari(b, b.head[near]) and is_first_side(b, cell, side):
            stone = near
            for _ in range(b.stone_count[b.head[near]]):
                _toggle_stone(fb, b.points[stone], enemy, -1)
                stone = b.link[stone]
    _toggle_stone(fb, point, colour, 1)
    taken = put(b, cell, colour)
    fb.facts[KO] = -1
    if taken == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, cell):
        fb.facts[KO] = b.points[b.facts[TAKEN]]
    fb.facts[TOOK_KO] = fb.facts[KO] >= 0
    _remember_move(fb, point)
    return taken >= 0


@jit
def is_first_side(b: BoardArrays, cell: int, side: int) -> bool:
    """Return whether the chain on this side of a cell is not also on an earlier side."""
    head = b.head[b.near[cell, side]]
    for earlier in range(side):
        if b.head[b.near[cell, earlier]] == head:
            return False
    return True


@jit
def survey(fb: FeatureBoard) -> None:
    """Compute the liberties of all chains, and the steps from each point to the nearest stone of each colour."""
    b, liberties, counts = fb.board, fb.liberties, fb.liberty_counts
    cells, heads, stones, near = b.cells, b.head, b.stones, b.near
    points, size = len(cells), fb.tables.size
    for point in range(points):
        cell = cells[point]
        if heads[cell] == cell:
            for word in range(LIBERTY_WORDS):
                liberties[cell, word] = 0
        for colour in (BLACK, WHITE):
            fb.steps[colour, point] = 0 if stones[cell] == colour else 2 * MAX_SIZE
    for point in range(points):
        cell = cells[point]
        if stones[cell] == EMPTY:
            for side in range(4):
                head = heads[near[cell, side]]
                liberties[head, point >> 6] |= np.int64(1) << (point & 63)  # where there is no stone, the head is 0
    for point in range(points):
        cell = cells[point]
        if heads[cell] == cell:
            n = 0
            for word in range(LIBERTY_WORDS):
                n += popcount(liberties[cell, word])
            counts[cell] = n
    for colour in (BLACK, WHITE):
        steps = fb.steps[colour]
        for point in range(points):
            if point % size and steps[point - 1] + 1 < steps[point]:
                steps[point] = steps[point - 1] + 1
            if point >= size and steps[point - size] + 1 < steps[point]:
                steps[point] = steps[point - size] + 1
        for point in range(points - 1, -1, -1):
            if point % size < size - 1 and steps[point + 1] + 1 < steps[point]:
                steps[point] = steps[point + 1] + 1
            if point + size < points and steps[point + size] + 1 < steps[point]:
                steps[point] = steps[point + size] + 1


@jit
def read_ladder(b: BoardArrays, found: Ints, stone: int, defender_moves: bool) -> bool:
    """Return whether the chain of a stone is captured in a ladder. The board is overwritten.

    The chain must have one liberty if the defender is to move, otherwise two. The
    defender always extends; capturing a stone that gives atari saves the chain. The
    attacker plays where the runner would gain most liberties, and never backtracks.
    """
    colour = b.stones[stone]
    enemy = BLACK + WHITE - colour
    for _ in range(4 * MAX_SIZE):
        if defender_moves:
            if _can_capture(b, stone, colour):
                return False
            _find_liberties(b, stone, found)
            if put(b, found[0], colour) < 0:
                return True
        defender_moves = True
        n = _find_liberties(b, stone, found)
        if n != 2:
            return n < 2
        attack = found[1] if _empty_beside(b, found[1]) > _empty_beside(b, found[0]) else found[0]
        if put(b, attack, enemy) < 0:
            return False
    return False


@jit
def _find_liberties(b: BoardArrays, stone: int, found: Ints) -> int:
    """Write the first two liberties of a chain; return the number of its liberties, or 3 if there are more."""
    n, at = 0, stone
    while True:
        for side in range(4):
            cell = b.near[at, side]
            if b.stones[cell] == EMPTY and (n == 0 or cell != found[0]) and (n < 2 or cell != found[1]):
                if n == 2:
                    return 3
                found[n] = cell
                n += 1
        at = b.link[at]
        if at == stone:
            return n


@jit
def _can_capture(b: BoardArrays, stone: int, colour: int) -> bool:
    """Return whether an enemy chain next to the chain of a stone is in atari."""
    enemy, at = BLACK + WHITE - colour, stone
    while True:
        for side in range(4):
            cell = b.near[at, side]
            if b.stones[cell] == enemy and in_atari(b, b.head[cell]):
                return True
        at = b.link[at]
        if at == stone:
            return False


@jit
def _empty_beside(b: BoardArrays, cell: int) -> int:
    """Return the number of empty points beside a cell."""
    n = 0
    for side in range(4):
        n += b.stones[b.near[cell, side]] == EMPTY
    return n
