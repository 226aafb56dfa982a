"""The features of every legal point of a position, as numbers whose meanings layout.py defines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel.board import EDGE, BoardArrays, copy_board, in_atari, put
from kibitz.games.go.predict.model import board_kernel, layout
from kibitz.games.go.predict.model.board_kernel import LIBERTY_WORDS, FeatureBoard
from kibitz.games.go.predict.model.layout import BASES, BUCKETS, OFFSETS, PHASES, RECENT_MOVES
from kibitz.games.go.predict.model.patterns_kernel import PatternRow, PatternTable, write_patterns
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

PLACE, LAST_MOVE, BOTH = BASES["place"], BASES["last"], BASES["both"]
AFTER, CAPTURE, ESCAPE, ATARI = BASES["after"], BASES["capture"], BASES["escape"], BASES["atari"]
ENEMY_CHAIN, OWN_CHAIN, CHAINS, RACE = BASES["enemy"], BASES["own"], BASES["chains"], BASES["race"]
NEAREST, ANSWER, KO_FIGHT = BASES["nearest"], BASES["answer"], BASES["ko"]
INFLUENCE, PHASE = BASES["influence"], BASES["phase"]
_OWN_HEADS, _ENEMY_HEADS = 0, 4  # where the heads of own and of enemy chains begin in Features.heads


class Features(NamedTuple):
    """The candidates of a position and their features."""

    points: NDArray[np.int32]  # [candidate]
    features: NDArray[np.int32]  # [candidate, place]
    counts: NDArray[np.int32]  # [candidate]: the number of its features
    kinds: NDArray[np.int32]  # [candidate, place]: 1 + family * number of sizes + size for a pattern, otherwise 0
    heads: Ints  # int64 [8]: scratch, the heads of the chains beside a point


def new_features(size: int) -> Features:
    """Return empty arrays with room for all points of a board as candidates."""
    n = size * size
    return Features(
        points=np.zeros(n, np.int32),
        features=np.zeros((n, layout.MAX_FEATURES), np.int32),
        counts=np.zeros(n, np.int32),
        kinds=np.zeros((n, layout.MAX_FEATURES), np.int32),
        heads=np.zeros(8, np.int64),
    )


@jit
def _stones_class(stones: int) -> int:
    """Return 0 for 1 stone, 1 for 2, 2 for 3 or 4, otherwise 3."""
    return 0 if stones == 1 else 1 if stones == 2 else 2 if stones <= 4 else 3


@jit
def write_features(fb: FeatureBoard, table: PatternTable, colour: int, out: Features) -> int:
    """Write the features of every legal point for the player to move; return the number of points.

    The position must have been surveyed.
    """
    b, ko = fb.board, fb.facts[board_kernel.KO]
    stones, cells = b.stones, b.cells
    n = 0
    for point in range(len(cells)):
        if stones[cells[point]] != EMPTY or point == ko:
            continue
        row, kinds = out.features[n], out.kinds[n]
        count = _write_tactics(fb, point, colour, row, out.heads)
        if count == 0:
            continue
        count = _write_distances(fb, point, colour, row, count)
        for place in range(count):
            kinds[place] = 0
        out.points[n] = point
        out.counts[n] = write_patterns(fb, table, point, colour, PatternRow(row, kinds), count)
        n += 1
    return n


@jit
def _find_chains(b: BoardArrays, cell: int, colour: int, heads: Ints) -> int:
    """Write the heads of the own and enemy chains beside a cell; return 16 * own chains + enemy chains."""
    own, enemy = 0, 0
    for side in range(4):
        near = b.near[cell, side]
        stone = b.stones[near]
        if stone in (EMPTY, EDGE) or not board_kernel.is_first_side(b, cell, side):
            continue
        if stone == colour:
            heads[_OWN_HEADS + own] = b.head[near]
            own += 1
        else:
            heads[_ENEMY_HEADS + enemy] = b.head[near]
            enemy += 1
    return 16 * own + enemy


@jit
def _write_tactics(fb: FeatureBoard, point: int, colour: int, row: Ints, heads: Ints) -> int:
    """Write the features of what a move does to the chains around it; return their number, or 0 for a suicide."""
    # Name arrays once: each access to a FeatureBoard costs as much compile time as all of its arrays.
    b, counts, facts, liberties = fb.board, fb.liberty_counts, fb.facts, fb.liberties
    stones_of, cells = b.stone_count, b.cells
    cell = cells[point]
    chains = _find_chains(b, cell, colour, heads)
    own, enemy = chains >> 4, chains & 15
    last, before = facts[0], facts[1]
    last_head = b.head[cells[last]] if last >= 0 else 0
    before_head = b.head[cells[before]] if before >= 0 else 0
    captured, takes_last, saves = 0, 0, 0
    for i in range(_ENEMY_HEADS, _ENEMY_HEADS + enemy):
        head = heads[i]
        if counts[head] == 1:
            captured += stones_of[head]
            takes_last |= head == last_head
            saves |= _saves_chain(b, counts, head, colour)
    stones = 1
    for i in range(own):
        stones += stones_of[heads[i]]
    liberties_after = captured + _liberties_after(b, liberties, point, heads, own)
    if liberties_after == 0:
        return 0
    size_class = 0 if stones == 1 else 1 if stones == 2 else 2 if stones <= 4 else 3 if stones <= 8 else 4
    row[0] = AFTER + (min(liberties_after, 6) - 1) * 5 + size_class
    row[1] = CHAINS + own * 5 + enemy
    n = 2
    if captured:
        row[n] = CAPTURE + _stones_class(captured) * 4 + saves * 2 + takes_last
        n += 1
    own_liberties, enemy_liberties = 0, 0
    if own:
        head = heads[_weakest_chain(counts, stones_of, heads, _OWN_HEADS, own)]
        own_liberties = min(counts[head], 5)
        row[n] = OWN_CHAIN + (own_liberties - 1) * 8 + _stones_class(stones_of[head]) * 2 + (head == before_head)
        n += 1
        if own_liberties == 1:
            is_caught = liberties_after == 1 or (liberties_after == 2 and _is_caught(fb, point, colour, point, False))
            by_last = _touches(b, cells[last], head) if last >= 0 else False
            kind = _stones_class(stones_of[head]) * 3 + min(liberties_after, 3) - 1
            row[n] = ESCAPE + kind * 4 + by_last * 2 + is_caught
            n += 1
    if enemy:
        head = heads[_weakest_chain(counts, stones_of, heads, _ENEMY_HEADS, enemy)]
        enemy_liberties = min(counts[head], 5)
        row[n] = ENEMY_CHAIN + (enemy_liberties - 1) * 8 + _stones_class(stones_of[head]) * 2 + (head == last_head)
        n += 1
    largest, is_last, in_ladder = 0, 0, False
    for i in range(_ENEMY_HEADS, _ENEMY_HEADS + enemy):
        head = heads[i]
        if counts[head] == 2:
            largest = max(largest, stones_of[head])
            is_last |= head == last_head
            in_ladder = in_ladder or (liberties_after > 1 and _is_caught(fb, point, colour, int(b.points[head]), True))
    if largest:
        row[n] = ATARI + _stones_class(largest) * 4 + is_last * 2 + in_ladder
        n += 1
    row[n] = RACE + (own_liberties * 6 + enemy_liberties) * 3 + min(liberties_after, 3) - 1
    n += 1
    if captured == 1 and stones == 1 and liberties_after == 1:
        row[n] = KO_FIGHT
        n += 1
    elif facts[board_kernel.TOOK_KO]:
        row[n] = KO_FIGHT + 1 + (largest > 0 or captured > 0)
        n += 1
    if last >= 0:
        tables = fb.tables
        size = tables.size
        relation = BUCKETS
        if liberties[last_head, point >> 6] >> (point & 63) & 1 == 0:
            relation = tables.buckets[abs(point // size - last // size), abs(point % size - last % size)]
        row[n] = ANSWER + (min(counts[last_head], 4) - 1) * (BUCKETS + 1) + relation
        n += 1
    return n


@jit
def _bit(point: int) -> int:
    """Return the word in which only the bit of a point is set."""
    return np.int64(1) << (point & 63)  # type: ignore[return-value]  # an int once compiled


@jit
def _liberties_after(b: BoardArrays, liberties: Ints, point: int, heads: Ints, own: int) -> int:
    """Return the number of liberties of a move's chain, not counting captured stones."""
    stones, near, points = b.stones, b.near, b.points
    cell, total = b.cells[point], 0
    for word in range(LIBERTY_WORDS):
        free = 0
        for i in range(own):
            free |= liberties[heads[i], word]
        if point >> 6 == word:
            free &= ~_bit(point)
        for side in range(4):
            other = near[cell, side]
            if stones[other] == EMPTY and points[other] >> 6 == word:
                free |= _bit(points[other])
        total += popcount(free)
    return total


@jit
def _saves_chain(b: BoardArrays, counts: Ints, head: int, colour: int) -> bool:
    """Return whether capturing a chain saves one of the capturer's chains from atari."""
    stone = head
    while True:
        for side in range(4):
            near = b.near[stone, side]
            if b.stones[near] == colour and counts[b.head[near]] == 1:
                return True
        stone = b.link[stone]
        if stone == head:
            return False


@jit
def _weakest_chain(counts: Ints, stones: Ints, heads: Ints, start: int, chains: int) -> int:
    """Return the index in heads of the chain with the fewest liberties; of equals, the largest."""
    best = start
    for i in range(start + 1, start + chains):
        head, best_head = heads[i], heads[best]
        fewer = counts[head] < counts[best_head]
        if fewer or (counts[head] == counts[best_head] and stones[head] > stones[best_head]):
            best = i
    return best


@jit
def _touches(b: BoardArrays, cell: int, head: int) -> bool:
    """Return whether a cell is beside a chain."""
    for side in range(4):
        if b.head[b.near[cell, side]] == head:
            return True
    return False


@jit
def _is_caught(fb: FeatureBoard, point: int, colour: int, stone: int, defender_moves: bool) -> bool:
    """Return whether the chain of a stone is caught in a ladder after a move: a runner, or a chain put in atari."""
    spare = fb.spare
    copy_board(fb.board, spare)
    put(spare, spare.cells[point], colour)
    cell = spare.cells[stone]
    if defender_moves and not in_atari(spare, spare.head[cell]):
        return False  # a capture beside it has given it more liberties
    return board_kernel.read_ladder(spare, fb.found, cell, defender_moves)


@jit
def _write_distances(fb: FeatureBoard, point: int, colour: int, row: Ints, n: int) -> int:
    """Write the features of a point's place and distances; return the new number of features."""
    tables, facts, steps = fb.tables, fb.facts, fb.steps
    buckets, classes, size = tables.buckets, tables.classes, tables.size
    phase = 0
    for start in layout.PHASE_STARTS:
        phase += facts[board_kernel.MOVES] >= start
    row[n] = PLACE + tables.places[point] * PHASES + phase
    first, second = BUCKETS - 1, BUCKETS - 1
    for i in range(RECENT_MOVES):
        kind, move = OFFSETS - 1, facts[i]
        if move >= 0:
            down, across = abs(point // size - move // size), abs(point % size - move % size)
            kind = classes[down, across]
            if i == 0:
                first = buckets[down, across]
            if i == 1:
                second = buckets[down, across]
        row[n + 1 + i] = LAST_MOVE + i * OFFSETS + kind
    n += 1 + RECENT_MOVES
    row[n] = BOTH + first * BUCKETS + second
    row[n + 1] = PHASE + phase * BUCKETS + first
    own = min(max(steps[colour, point], 1), 7) - 1
    enemy = min(max(steps[BLACK + WHITE - colour, point], 1), 7) - 1
    row[n + 2] = NEAREST + own * 7 + enemy
    lead = fb.influence[point]
    if colour == WHITE:
        lead = -lead
    # influence in eleven steps of 8 around 0, stones around in six steps of 32
    row[n + 3] = INFLUENCE + min(max(lead + 44, 0) >> 3, 10) * 6 + min(fb.presence[point] >> 5, 5)
    return n + 4
