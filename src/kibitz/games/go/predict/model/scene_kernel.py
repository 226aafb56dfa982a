"""A board with what the pattern model needs to know of it, kept up as moves are made.

For each point and each of its pattern sizes there is the hash of the ring that
the size adds to the next smaller one, in all eight symmetries and as either
player sees it. A stone that comes or goes changes the rings around it by one
word each, so no pattern is ever looked at point by point.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import popcount
from kibitz.compiled.jit import jit
from kibitz.games.go.kernel.board import TAKEN, BoardArrays, clear, in_atari, new_board, put
from kibitz.games.go.predict.model.layout import ENEMY, OWN, REACH, RECENT, SIZES, Near, near
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE

BITS = 6
"""Words that hold a bit for each point of the largest board."""
LARGEST = 19
KO, MOVES, TOOK_KO = RECENT, RECENT + 1, RECENT + 2
"""The words of Scene.facts after the recent moves: the point of a ko or -1, moves made, whether the last took a ko."""


class Scene(NamedTuple):
    """A position and its surroundings."""

    board: BoardArrays
    spare: BoardArrays
    """Scratch"""
    near: Near
    rings: Any
    """int64 [player, point, size, symmetry]"""
    influence: Any
    """int32 [point]: how near the stones are, Black's less White's"""
    weight: Any
    """int32 [point]: how near the stones are, all together"""
    liberties: Any
    """int64 [cell, word]: at the head of a chain, a bit for each point that is a liberty of it"""
    counts: Any
    """int32 [cell]: at the head of a chain, how many liberties it has"""
    walks: Any
    """int32 [colour, point]: steps to the next stone of a colour"""
    facts: Ints
    """int64: the points of the last RECENT moves, -1 for none; KO, MOVES, TOOK_KO"""
    hashes: Ints
    """int64 [symmetry]: scratch"""
    found: Ints
    """int64: scratch of ladders"""


def new_scene(size: int) -> Scene:
    """Return an empty board of a size up to LARGEST."""
    points, tables = size * size, near(size)
    cells = len(new_board(size).stones)
    scene = Scene(
        board=new_board(size),
        spare=new_board(size),
        near=tables,
        rings=np.stack([tables.edges, tables.edges]),
        influence=np.zeros(points, np.int32),
        weight=np.zeros(points, np.int32),
        liberties=np.zeros((cells, BITS), np.int64),
        counts=np.zeros(cells, np.int32),
        walks=np.zeros((3, points), np.int32),
        facts=np.zeros(RECENT + 3, np.int64),
        hashes=np.zeros(8, np.int64),
        found=np.zeros(4, np.int64),
    )
    for word in range(RECENT + 1):
        scene.facts[word] = -1
    return scene


@jit
def clear_scene(scene: Scene) -> None:
    """Take all stones off and forget all moves."""
    clear(scene.board)
    edges = scene.near.edges
    for point in range(len(scene.influence)):
        scene.influence[point] = scene.weight[point] = 0
        for ring in range(len(SIZES)):
            for image in range(8):
                word = edges[point, ring, image]
                scene.rings[0, point, ring, image] = word
                scene.rings[1, point, ring, image] = word
    for i in range(RECENT + 1):
        scene.facts[i] = -1
    scene.facts[MOVES] = scene.facts[TOOK_KO] = 0


@jit
def toggle(scene: Scene, point: int, colour: int, sign: int) -> None:
    """Let a stone come (sign 1) or go (-1) in the surroundings of all points."""
    tables, rings, influence, weight = scene.near, scene.rings, scene.influence, scene.weight
    size, downs, acrosses, ring_of, words = tables.size, tables.downs, tables.acrosses, tables.rings, tables.words
    row, col = point // size, point % size
    black, white = (OWN, ENEMY) if colour == BLACK else (ENEMY, OWN)
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
        pull = sign * (REACH + 1 - (down + across + max(down, across)))
        influence[at] += pull if colour == BLACK else -pull
        weight[at] += pull


@jit
def set_stone(scene: Scene, point: int, colour: int) -> None:
    """Set a point outside the order of moves; chains must then be rebuilt."""
    cell = scene.board.cells[point]
    held = scene.board.stones[cell]
    if held == colour:
        return
    if held != EMPTY:
        toggle(scene, point, held, -1)
    if colour != EMPTY:
        toggle(scene, point, colour, 1)
    scene.board.stones[cell] = colour


@jit
def remember(scene: Scene, point: int) -> None:
    """Put a move before those that were made earlier; -1 is a pass."""
    for i in range(RECENT - 1, 0, -1):
        scene.facts[i] = scene.facts[i - 1]
    scene.facts[0] = point
    scene.facts[MOVES] += 1


@jit
def advance(scene: Scene, point: int, colour: int) -> bool:
    """Play a stone on an empty point; return False, with nothing that can be used left, if it is a suicide."""
    b = scene.board
    cell = b.cells[point]
    enemy = BLACK + WHITE - colour
    for side in range(4):
        other = b.near[cell, side]
        if b.stones[other] == enemy and in_atari(b, b.head[other]) and _is_first(b, cell, side):
            stone = other
            for _ in range(b.stone_count[b.head[other]]):
                toggle(scene, b.points[stone], enemy, -1)
                stone = b.link[stone]
    toggle(scene, point, colour, 1)
    taken = put(b, cell, colour)
    scene.facts[KO] = -1
    if taken == 1 and b.stone_count[b.head[cell]] == 1 and in_atari(b, cell):
        scene.facts[KO] = b.points[b.facts[TAKEN]]
    scene.facts[TOOK_KO] = scene.facts[KO] >= 0
    remember(scene, point)
    return taken >= 0


@jit
def _is_first(b: BoardArrays, cell: int, side: int) -> bool:
    """Return whether the chain beside a cell is not on an earlier side too."""
    head = b.head[b.near[cell, side]]
    for earlier in range(side):
        if b.head[b.near[cell, earlier]] == head:
            return False
    return True


@jit
def survey(scene: Scene) -> None:
    """Work out the liberties of all chains, and how far each point is from stones."""
    b, liberties, counts = scene.board, scene.liberties, scene.counts
    cells, heads, stones, near = b.cells, b.head, b.stones, b.near
    points, size = len(cells), scene.near.size
    for point in range(points):
        cell = cells[point]
        if heads[cell] == cell:
            for word in range(BITS):
                liberties[cell, word] = 0
        for colour in (BLACK, WHITE):
            scene.walks[colour, point] = 0 if stones[cell] == colour else 2 * LARGEST
    for point in range(points):
        cell = cells[point]
        if stones[cell] == EMPTY:
            for side in range(4):
                head = heads[near[cell, side]]
                liberties[head, point >> 6] |= 1 << (point & 63)  # where there is no stone, the head is 0
    for point in range(points):
        cell = cells[point]
        if heads[cell] == cell:
            n = 0
            for word in range(BITS):
                n += popcount(liberties[cell, word])
            counts[cell] = n
    for colour in (BLACK, WHITE):
        walks = scene.walks[colour]
        for point in range(points):
            if point % size and walks[point - 1] + 1 < walks[point]:
                walks[point] = walks[point - 1] + 1
            if point >= size and walks[point - size] + 1 < walks[point]:
                walks[point] = walks[point - size] + 1
        for point in range(points - 1, -1, -1):
            if point % size < size - 1 and walks[point + 1] + 1 < walks[point]:
                walks[point] = walks[point + 1] + 1
            if point + size < points and walks[point + size] + 1 < walks[point]:
                walks[point] = walks[point + size] + 1


@jit
def read_ladder(b: BoardArrays, found: Ints, stone: int, defender_moves: bool) -> bool:
    """Return whether a chain is caught by ataris alone. The board is used up.

    The chain, of which a cell is given, has one liberty if the defender is to
    move, else two. He always runs; taking a stone that gives atari saves him. The
    attacker plays where the runner would get more liberties, and never goes back.
    """
    colour = b.stones[stone]
    enemy = BLACK + WHITE - colour
    for _ in range(4 * LARGEST):
        if defender_moves:
            if _can_take(b, stone, colour):
                return False
            _liberties(b, stone, found)
            if put(b, found[0], colour) < 0:
                return True
        defender_moves = True
        n = _liberties(b, stone, found)
        if n != 2:
            return n < 2
        one, other = found[0], found[1]
        if _room(b, other) > _room(b, one):
            one, other = other, one
        if put(b, one, enemy) < 0:
            return False
    return False


@jit
def _liberties(b: BoardArrays, stone: int, found: Ints) -> int:
    """Write the first two liberties of a chain; return how many it has, at most 3."""
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
def _can_take(b: BoardArrays, stone: int, colour: int) -> bool:
    """Return whether a chain beside this one is in atari."""
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
def _room(b: BoardArrays, cell: int) -> int:
    """Return how many empty points are beside a cell."""
    n = 0
    for side in range(4):
        n += b.stones[b.near[cell, side]] == EMPTY
    return n
