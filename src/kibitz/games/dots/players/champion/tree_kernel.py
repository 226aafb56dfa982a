"""A tree search over quiet lines with estimated ends, compiled: for positions that are too large for the solver.

UCT with RAVE (Gelly & Silver 2007) from a position in which nothing can be
taken. Its moves are the quiet lines (ends_kernel.py). All of them hand the
move to the other, so that a gift is a safe line with a price. A playout goes on
with random quiet lines until no line is safe; the rest is estimated.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.dots.kernel.ends import (
    UNDRAWN,
    Board,
    Room,
    draw,
    is_gift,
    is_safe,
    list_runs,
    reset,
    settle,
)  # fmt: skip
from kibitz.search.control import NODES, STOP

NO_CHILD = 0
"""The root is nobody's child."""
PLAYOUTS, LEAD = range(2)
"""The places of the settings: how many playouts at most, the root player's lead."""
_EXPLORATION = 0.05
_EQUIVALENCE = 1000.0
"""The visits of a child at which its own results begin to outweigh those of all playouts with its line."""
_MARGIN_WEIGHT, _HALF_WAY = 0.2, 5.0
"""How much the margin counts beside the win, and the margin that counts half of that."""


class Tree(NamedTuple):
    """A pool of nodes; node 0 is the root. The children of a node follow each other."""

    child: Ints
    """the first child, or NO_CHILD"""
    children: Ints
    line: Ints
    """the line that leads here"""
    visits: Ints
    points: Floats
    """of who drew the line: see _points"""
    wins: Floats
    """of who drew the line, a draw being half a win"""
    margins: Floats
    """of who drew the line, at the end of the game"""
    others: Ints
    """playouts through the parent in which its player drew the line at any time"""
    hopes: Floats
    """his points in these"""
    used: Ints
    """[1] nodes taken"""


def new_tree(nodes: int) -> Tree:
    """Return a pool of so many nodes, the root in it."""
    child, children, line, visits, others = (np.zeros(nodes, np.int64) for _ in range(5))
    points, wins, margins, hopes = (np.zeros(nodes, np.float64) for _ in range(4))
    return Tree(child, children, line, visits, points, wins, margins, others, hopes, np.ones(1, np.int64))


@entry
def grow(board: Board, room: Room, tree: Tree, signal: Ints, settings: Ints, rng: Any) -> None:
    """Make playouts until there are enough or a stop, but one at least; no more if the root has no quiet line."""
    while True:
        reset(board, room)
        depth, cost = go_down(board, room, tree)
        ply, cost, left = go_on(board, room, depth, cost, rng)
        lead = settings[LEAD] - cost
        value = settle(room, list_runs(board, room, left))
        learn(room, tree, depth, lead - value if ply & 1 else lead + value)
        signal[NODES] += 1
        if signal[STOP] or signal[NODES] >= settings[PLAYOUTS] or tree.children[0] == 0:
            return


@jit
def go_down(board: Board, room: Room, tree: Tree) -> tuple[int, int]:
    """Draw the lines from the root to a leaf of the tree; return how many, and what that cost the root player."""
    node, depth, cost = 0, 0, 0
    room.path[0] = 0
    while True:
        if tree.child[node] == NO_CHILD and is_due(board, tree, node):
            expand(board, room, tree, node)
        if tree.children[node] == 0:
            return depth, cost
        node = select(tree, node)
        given = draw(board, room, tree.line[node], depth & 1)
        cost += -given if depth & 1 else given
        depth += 1
        room.path[depth] = node


@jit
def go_on(board: Board, room: Room, ply: int, cost: int, rng: Any) -> tuple[int, int, int]:
    """Draw random quiet lines until none is safe; return plies and cost by then, and the lines to look for runs in.

    The lines come up once each, in random order. A safe one is drawn, a gift every other time.
    """
    n, left = len(room.order), 0
    for i in range(n):
        j = i + below(rng, n - i)
        line = room.order[j]
        room.order[j] = room.order[i]
        room.order[i] = line
        if room.drawn_by[line] != UNDRAWN:
            continue
        if is_safe(board, room, line) or (below(rng, 2) and is_gift(board, room, line)):
            given = draw(board, room, line, ply & 1)
            cost += -given if ply & 1 else given
            ply += 1
        else:
            room.order[i] = room.order[left]
            room.order[left] = line
            left += 1
    return ply, cost, left


@jit
def _points(margin: int) -> float:
    """Return the points for a margin: mostly whether it is a win, and a little how large it is."""
    win = 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
    return (1.0 - _MARGIN_WEIGHT) * win + _MARGIN_WEIGHT * (0.5 + 0.5 * margin / (abs(margin) + _HALF_WAY))


@jit
def learn(room: Room, tree: Tree, depth: int, margin: int) -> None:
    """Credit the nodes of the path, and their children whose line was drawn at any time, with the root's margin."""
    for i in range(depth + 1):
        node = room.path[i]
        mine = margin if i & 1 else -margin
        tree.visits[node] += 1
        tree.points[node] += _points(mine)
        tree.wins[node] += 1.0 if mine > 0 else 0.5 if mine == 0 else 0.0
        tree.margins[node] += mine
        points = _points(-mine)
        for child in range(tree.child[node], tree.child[node] + tree.children[node]):
            if room.drawn_by[tree.line[child]] == i & 1:
                tree.others[child] += 1
                tree.hopes[child] += points


@jit
def is_due(board: Board, tree: Tree, node: int) -> bool:
    """Return whether a leaf is to get children: at its second visit, later when the pool fills up."""
    free = len(tree.child) - tree.used[0]
    return free > len(board.lines) and (node == 0 or tree.visits[node] * free > tree.used[0])


@jit
def expand(board: Board, room: Room, tree: Tree, node: int) -> None:
    """Give a node a child for each quiet line."""
    tree.child[node] = tree.used[0]
    for i in range(len(board.lines)):
        line = board.lines[i]
        if room.drawn_by[line] == UNDRAWN and (is_safe(board, room, line) or is_gift(board, room, line)):
            tree.line[tree.used[0]] = line
            tree.used[0] += 1
            tree.children[node] += 1


@jit
def select(tree: Tree, node: int) -> int:
    """Return the child to follow."""
    first = tree.child[node]
    best, top = first, -1.0
    log = math.log(tree.visits[node] + 1.0)
    usual = 1.0 - tree.points[node] / tree.visits[node] if tree.visits[node] else 0.5
    for child in range(first, first + tree.children[node]):
        n, m = tree.visits[child], tree.others[child]
        mean = tree.points[child] / n if n else 0.0
        hope = tree.hopes[child] / m if m else usual
        beta = math.sqrt(_EQUIVALENCE / (3.0 * n + _EQUIVALENCE))
        score = (1.0 - beta) * mean + beta * hope + _EXPLORATION * math.sqrt(log / (n + 1.0))
        if score > top:
            best, top = child, score
    return best
