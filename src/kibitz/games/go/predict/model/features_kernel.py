"""The features of every legal point of a position, as numbers; see layout.py for what they mean."""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel.board import EDGE, BoardArrays, copy_board, in_atari, put
from kibitz.games.go.predict.model.layout import BASES, BUCKETS, OFFSETS, PHASES, RECENT
from kibitz.games.go.predict.model.patterns_kernel import Words, patterns
from kibitz.games.go.predict.model.scene_kernel import BITS, KO, MOVES, TOOK_KO, Scene, read_ladder
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

PLACE, LAST_MOVE, BOTH = BASES["place"], BASES["last"], BASES["both"]
AFTER, CAPTURE, ESCAPE, ATARI = BASES["after"], BASES["capture"], BASES["escape"], BASES["atari"]
ENEMY_CHAIN, OWN_CHAIN, CHAINS, RACE = BASES["enemy"], BASES["own"], BASES["chains"], BASES["race"]
NEAREST, ANSWER, KO_FIGHT, INFLUENCE, PHASE = (
    BASES["nearest"], BASES["answer"], BASES["ko"], BASES["influence"], BASES["phase"],
)  # fmt: skip
_OWN_AT, _ENEMY_AT = 0, 4


class Found(NamedTuple):
    """The candidates of a position and their features."""

    points: Any
    """int32 [candidate]"""
    features: Any
    """int32 [candidate, place]"""
    many: Any
    """int32 [candidate]: how many features"""
    kinds: Any
    """int32 [candidate, place]: of a pattern, 1 + family * number of sizes + size; else 0"""
    scratch: Ints
    """int64: heads of chains beside a point"""


@jit
def size_class(stones: int) -> int:
    """Return 0 for 1 stone, 1 for 2, 2 for 3 and 4, else 3."""
    return 0 if stones == 1 else 1 if stones == 2 else 2 if stones <= 4 else 3


@jit
def phase_of(moves: int) -> int:
    """Return layout.phase."""
    return (
        (moves >= 6) + (moves >= 16) + (moves >= 30) + (moves >= 50) + (moves >= 80) + (moves >= 120) + (moves >= 180)
    )


@jit
def describe(scene: Scene, words: Words, colour: int, found: Found) -> int:
    """Write the features of every legal point for who is to move; return how many points there are.

    The scene must have been surveyed.
    """
    b, ko = scene.board, scene.facts[KO]
    stones, cells = b.stones, b.cells
    n = 0
    for point in range(len(cells)):
        if stones[cells[point]] != EMPTY or point == ko:
            continue
        row, kinds = found.features[n], found.kinds[n]
        many = tactics(scene, point, colour, row, found.scratch)
        if many == 0:
            continue
        many = distances(scene, point, colour, row, many)
        for place in range(many):
            kinds[place] = 0
        found.points[n], found.many[n] = point, patterns(scene, words, point, colour, row, kinds, many)
        n += 1
    return n


@jit
def _neighbours(b: BoardArrays, cell: int, colour: int, heads: Ints) -> int:
    """Write the heads of own chains from _OWN_AT, of enemy chains from _ENEMY_AT; return 16 * own + enemy."""
    own, enemy = 0, 0
    for side in range(4):
        near = b.near[cell, side]
        stone = b.stones[near]
        if stone in (EMPTY, EDGE):
            continue
        head, known = b.head[near], False
        for earlier in range(side):
            if b.head[b.near[cell, earlier]] == head:
                known = True
        if known:
            continue
        if stone == colour:
            heads[_OWN_AT + own] = head
            own += 1
        else:
            heads[_ENEMY_AT + enemy] = head
            enemy += 1
    return 16 * own + enemy


@jit
def tactics(scene: Scene, point: int, colour: int, row: Any, heads: Ints) -> int:
    """Write what a move does to the chains around it; return how many features that are, or 0 for a suicide."""
    # Arrays are named once: every look into a scene costs the compiler as much as all its arrays.
    b, counts, facts, liberties = scene.board, scene.counts, scene.facts, scene.liberties
    stones_of, cells = b.stone_count, b.cells
    cell = cells[point]
    both = _neighbours(b, cell, colour, heads)
    own, enemy = both >> 4, both & 15
    last, before = facts[0], facts[1]
    last_head = b.head[cells[last]] if last >= 0 else 0
    before_head = b.head[cells[before]] if before >= 0 else 0
    captured, takes_last, saves = 0, 0, 0
    for i in range(_ENEMY_AT, _ENEMY_AT + enemy):
        head = heads[i]
        if counts[head] == 1:
            captured += stones_of[head]
            takes_last |= head == last_head
            saves |= _saves(b, counts, head, colour)
    stones = 1
    for i in range(own):
        stones += stones_of[heads[i]]
    room = captured + _room(b, liberties, point, heads, own)
    if room == 0:
        return 0
    large = 0 if stones == 1 else 1 if stones == 2 else 2 if stones <= 4 else 3 if stones <= 8 else 4
    row[0] = AFTER + (min(room, 6) - 1) * 5 + large
    row[1] = CHAINS + own * 5 + enemy
    n = 2
    if captured:
        row[n] = CAPTURE + size_class(captured) * 4 + saves * 2 + takes_last
        n += 1
    own_room, enemy_room = 0, 0
    if own:
        head = heads[_weakest(counts, stones_of, heads, _OWN_AT, own)]
        own_room = min(counts[head], 5)
        row[n] = OWN_CHAIN + (own_room - 1) * 8 + size_class(stones_of[head]) * 2 + (head == before_head)
        n += 1
        if own_room == 1:
            caught = room == 1 or (room == 2 and _caught(scene, point, colour, point, False))
            by_last = _touches(b, cells[last], head) if last >= 0 else False
            kind = size_class(stones_of[head]) * 3 + min(room, 3) - 1
            row[n] = ESCAPE + kind * 4 + by_last * 2 + caught
            n += 1
    if enemy:
        head = heads[_weakest(counts, stones_of, heads, _ENEMY_AT, enemy)]
        enemy_room = min(counts[head], 5)
        row[n] = ENEMY_CHAIN + (enemy_room - 1) * 8 + size_class(stones_of[head]) * 2 + (head == last_head)
        n += 1
    largest, is_last, falls = 0, 0, False
    for i in range(_ENEMY_AT, _ENEMY_AT + enemy):
        head = heads[i]
        if counts[head] == 2:
            largest = max(largest, stones_of[head])
            is_last |= head == last_head
            falls = falls or (room > 1 and _caught(scene, point, colour, int(b.points[head]), True))
    if largest:
        row[n] = ATARI + size_class(largest) * 4 + is_last * 2 + falls
        n += 1
    row[n] = RACE + (own_room * 6 + enemy_room) * 3 + min(room, 3) - 1
    n += 1
    if captured == 1 and stones == 1 and room == 1:
        row[n] = KO_FIGHT
        n += 1
    elif facts[TOOK_KO]:
        row[n] = KO_FIGHT + 1 + (largest > 0 or captured > 0)
        n += 1
    if last >= 0:
        tables = scene.near
        size = tables.size
        relation = BUCKETS
        if liberties[last_head, point >> 6] >> (point & 63) & 1 == 0:
            relation = tables.buckets[abs(point // size - last // size), abs(point % size - last % size)]
        row[n] = ANSWER + (min(counts[last_head], 4) - 1) * (BUCKETS + 1) + relation
        n += 1
    return n


@jit
def _room(b: BoardArrays, liberties: Any, point: int, heads: Ints, own: int) -> int:
    """Return how many liberties the chain of a move has, captures left out."""
    stones, near, points = b.stones, b.near, b.points
    cell, room = b.cells[point], 0
    for word in range(BITS):
        free = 0
        for i in range(own):
            free |= liberties[heads[i], word]
        if point >> 6 == word:
            free &= ~(1 << (point & 63))
        for side in range(4):
            other = near[cell, side]
            if stones[other] == EMPTY and points[other] >> 6 == word:
                free |= 1 << (points[other] & 63)
        room += popcount(free)
    return room


@jit
def _saves(b: BoardArrays, counts: Any, head: int, colour: int) -> bool:
    """Return whether a chain that is taken stands beside one of the taker's that is in atari."""
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
def _weakest(counts: Any, stones: Any, heads: Ints, start: int, many: int) -> int:
    """Return where among some heads that of the chain with the fewest liberties is; of equals, the largest."""
    best = start
    for i in range(start + 1, start + many):
        here, held = heads[i], heads[best]
        if counts[here] < counts[held] or (counts[here] == counts[held] and stones[here] > stones[held]):
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
def _caught(scene: Scene, point: int, colour: int, stone: int, in_danger: bool) -> bool:
    """Return whether the chain of a stone is caught in a ladder after a move: one put in atari, or a runner."""
    spare = scene.spare
    copy_board(scene.board, spare)
    put(spare, spare.cells[point], colour)
    cell = spare.cells[stone]
    if in_danger and not in_atari(spare, spare.head[cell]):
        return False  # a capture beside it has given it more liberties
    return read_ladder(spare, scene.found, cell, in_danger)


@jit
def distances(scene: Scene, point: int, colour: int, row: Any, n: int) -> int:
    """Write where a move is: on the board, from the recent moves, from stones. Return how many features there are."""
    tables, facts, walks = scene.near, scene.facts, scene.walks
    buckets, classes, size = tables.buckets, tables.classes, tables.size
    phase = phase_of(facts[MOVES])
    row[n] = PLACE + tables.places[point] * PHASES + phase
    first, second = BUCKETS - 1, BUCKETS - 1
    for i in range(RECENT):
        kind, move = OFFSETS - 1, facts[i]
        if move >= 0:
            down, across = abs(point // size - move // size), abs(point % size - move % size)
            kind = classes[down, across]
            if i == 0:
                first = buckets[down, across]
            if i == 1:
                second = buckets[down, across]
        row[n + 1 + i] = LAST_MOVE + i * OFFSETS + kind
    n += 1 + RECENT
    row[n] = BOTH + first * BUCKETS + second
    row[n + 1] = PHASE + phase * BUCKETS + first
    own = min(max(walks[colour, point], 1), 7) - 1
    enemy = min(max(walks[BLACK + WHITE - colour, point], 1), 7) - 1
    row[n + 2] = NEAREST + own * 7 + enemy
    lead = scene.influence[point]
    if colour == WHITE:
        lead = -lead
    row[n + 3] = INFLUENCE + min(max(lead + 44, 0) >> 3, 10) * 6 + min(scene.weight[point] >> 5, 5)
    return n + 4
