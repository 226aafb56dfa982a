"""A tree search over safe lines whose leaves are solved, compiled: for positions too large to be solved themselves.

UCT (Kocsis & Szepesvari 2006) from a position in which nothing can be taken.
Each playout goes down the tree, then on by random safe lines until so few of them
are left that the solver can tell at once who wins. Where everything lies:
words.py; the table is the solver's.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.bits import lowest, popcount
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.compiled.rng import below
from kibitz.games.dots.exact.kernel import descend, search, without_twins
from kibitz.games.dots.exact.runs_kernel import count_apart, cut_safely
from kibitz.games.dots.exact.words import LIMIT, MOST

NO_CHILD = -1
PLAYOUTS, MARGIN, SOLVED_FROM = range(3)
"""The places of the settings: playouts at most, the root player's lead, safe lines at which a leaf is solved."""


class Tree(NamedTuple):
    """A pool of nodes; node 0 is the root. The children of a node follow each other."""

    child: Ints
    """the first child, or NO_CHILD"""
    children: Ints
    """how many children"""
    string: Ints
    """the string whose cut leads here"""
    visits: Ints
    points: Floats
    """of the player who made the cut, summed over the visits"""
    used: Ints
    """[2] nodes taken, playouts made"""


class Path(NamedTuple):
    """Scratch of one playout."""

    nodes: Ints
    runs: Ints
    """isolated runs that the playout set apart, to be taken back"""


def new_tree(nodes: int) -> Tree:
    """Return a pool of so many nodes, the root in it."""
    return Tree(
        child=np.full(nodes, NO_CHILD, np.int64),
        children=np.zeros(nodes, np.int64),
        string=np.zeros(nodes, np.int64),
        visits=np.zeros(nodes, np.int64),
        points=np.zeros(nodes, np.float64),
        used=np.array([1, 0], np.int64),
    )


def new_path() -> Path:
    """Return the scratch of one thread."""
    return Path(np.zeros(MOST + 2, np.int64), np.zeros(2 * MOST + 2, np.int64))


@entry
def grow(
    table: Ints, busy: Ints, stop: Ints, w: Ints, tree: Tree, path: Path, settings: Ints, rng: Any, root: Ints
) -> None:
    """Make playouts until there are enough, the pool is full, or a stop. root is core, unsafe strings, coins left."""
    w[LIMIT] = 1 << 60
    while not stop[0] and tree.used[1] < settings[PLAYOUTS] and tree.used[0] + 64 < len(tree.child):
        _playout(table, busy, stop, w, tree, path, settings, rng, root)
        tree.used[1] += 1


@jit
def _playout(
    table: Ints, busy: Ints, stop: Ints, w: Ints, tree: Tree, path: Path, settings: Ints, rng: Any, root: Ints
) -> None:
    core, unsafe, left = root[0], root[1], root[2]
    node, ply, runs, depth = 0, ZERO, 0, 0
    path.nodes[0] = 0
    growing = True
    while True:
        safe = without_twins(w, core) & ~unsafe
        if popcount(safe) <= (settings[SOLVED_FROM] if ply else 0):
            break
        if growing and tree.child[node] == NO_CHILD:
            _expand(tree, node, safe)
            growing = tree.visits[node] > 0 or node == 0
        if growing:
            node = _select(tree, node)
            depth += 1
            path.nodes[depth] = node
            string = tree.string[node]
        else:
            string = _pick(safe, below(rng, popcount(safe)))
        after, unsafe, run, another = cut_safely(w, core, unsafe, string)
        count_apart(w, run, 1)
        count_apart(w, another, 1)
        path.runs[runs], path.runs[runs + 1] = run, another
        runs += 2
        descend(w, ply, core & ~after)
        core = after
        ply += 1
    points = _verdict(table, busy, stop, w, core, unsafe, left, -settings[MARGIN] if ply & 1 else settings[MARGIN], ply)
    for i in range(runs):
        count_apart(w, path.runs[i], -1)
    if stop[0]:
        return
    if (ply - depth) & 1:  # the points are those of who moves at the leaf; make them those of who moves at `node`
        points = 1.0 - points
    for i in range(depth, -1, -1):
        tree.visits[path.nodes[i]] += 1
        points = 1.0 - points  # of who moved to this node
        tree.points[path.nodes[i]] += points


@jit
def _verdict(
    table: Ints, busy: Ints, stop: Ints, w: Ints, core: int, unsafe: int, left: int, lead: int, ply: int
) -> float:
    """Return 1, 1/2 or 0 for who is to move with this lead."""
    if search(table, busy, stop, w, core, unsafe, left, 1 - lead, ply) >= 1 - lead:
        return 1.0
    if (left ^ lead) & 1:
        return 0.0
    return 0.5 if search(table, busy, stop, w, core, unsafe, left, -lead, ply) >= -lead else 0.0


@jit
def _pick(strings: int, n: int) -> int:
    """Return the string of number n among some."""
    for _ in range(n):
        strings &= strings - 1
    return lowest(strings)


@jit
def _expand(tree: Tree, node: int, safe: int) -> None:
    """Give a node a child for each safe string."""
    tree.child[node] = tree.used[0]
    while safe:
        i = tree.used[0]
        tree.string[i] = lowest(safe)
        tree.child[i] = NO_CHILD
        tree.visits[i], tree.points[i], tree.children[i] = 0, 0.0, 0
        tree.used[0] += 1
        tree.children[node] += 1
        safe &= safe - 1


@jit
def _select(tree: Tree, node: int) -> int:
    """Return the child to follow."""
    first = tree.child[node]
    best, top = first, -1.0
    log = math.log(tree.visits[node] + 1.0)
    for child in range(first, first + tree.children[node]):
        n = tree.visits[child]
        score = 1e9 - child if n == 0 else tree.points[child] / n + 0.7 * math.sqrt(log / n)
        if score > top:
            best, top = child, score
    return best
