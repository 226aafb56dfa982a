"""A tree search over quiet lines with estimated ends, compiled: for positions that are too large for the solver.

UCT with RAVE (Gelly & Silver 2007) from a position in which nothing can be taken.
Its moves are the quiet lines of kernel/ends.py. All of them pass the move on, so that
a gift is a safe line with a price. A playout continues with random quiet lines until
no line is safe; the rest is estimated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.dots.kernel import ends
from kibitz.games.dots.kernel.ends import UNDRAWN, EndsBoard, EndsScratch
from kibitz.search.control import NODES, STOP

NO_CHILD = 0  # the root is nobody's child
MAX_PLAYOUTS, LEAD = range(2)
"""The places of the settings: the limit of playouts, the root player's lead."""
_EXPLORATION = 0.05
_EQUIVALENCE = 1000.0
"""The visits of a child at which its own results begin to outweigh those of all playouts with its line."""
_MARGIN_WEIGHT, _HALF_MARGIN = 0.2, 5.0
"""The weight of the margin beside the win, and the margin that has half of that weight."""


class QuietTree(NamedTuple):
    """A pool of nodes; node 0 is the root. The children of a node follow each other.

    Points, wins and margins are those of the player who drew the line of the node.
    """

    child: Ints  # the first child, or NO_CHILD
    children: Ints
    line: Ints  # the line that leads here
    visits: Ints
    points: Floats  # see _points
    wins: Floats  # a draw is half a win
    margins: Floats  # at the end of the game
    rave_visits: Ints  # playouts through the parent in which the same player drew the line at any time
    rave_points: Floats  # points in these
    used: Ints  # [1] nodes in use


def new_tree(nodes: int) -> QuietTree:
    """Return a pool of this size with the root in it."""
    child, children, line, visits, rave_visits = (np.zeros(nodes, np.int64) for _ in range(5))
    points, wins, margins, rave_points = (np.zeros(nodes, np.float64) for _ in range(4))
    used = np.ones(1, np.int64)
    return QuietTree(child, children, line, visits, points, wins, margins, rave_visits, rave_points, used)


@entry
def grow(
    board: EndsBoard, scratch: EndsScratch, tree: QuietTree, signal: Ints, settings: Ints, rng: NDArray[np.uint64]
) -> None:
    """Make playouts until the limit or a stop, at least one; only one if the root has no quiet line."""
    while True:
        ends.reset(board, scratch)
        depth, cost = go_down(board, scratch, tree)
        ply, cost, left = play_out(board, scratch, depth, cost, rng)
        lead = settings[LEAD] - cost
        value = ends.settle(scratch, ends.list_runs(board, scratch, left))
        learn(scratch, tree, depth, lead - value if ply & 1 else lead + value)
        signal[NODES] += 1
        if signal[STOP] or signal[NODES] >= settings[MAX_PLAYOUTS] or tree.children[0] == 0:
            return


@jit
def go_down(board: EndsBoard, scratch: EndsScratch, tree: QuietTree) -> tuple[int, int]:
    """Draw the lines from the root to a leaf of the tree; return how many, and their cost for the root player."""
    node, depth, cost = 0, 0, 0
    scratch.path[0] = 0
    while True:
        if tree.child[node] == NO_CHILD and is_due(board, tree, node):
            expand(board, scratch, tree, node)
        if tree.children[node] == 0:
            return depth, cost
        node = select(tree, node)
        given = ends.draw(board, scratch, tree.line[node], depth & 1)
        cost += -given if depth & 1 else given
        depth += 1
        scratch.path[depth] = node


@jit
def play_out(
    board: EndsBoard, scratch: EndsScratch, ply: int, cost: int, rng: NDArray[np.uint64]
) -> tuple[int, int, int]:
    """Draw random quiet lines until none is safe; return plies, cost, and how many lines are left in the order.

    Every line comes up once, in random order. A safe one is drawn, a gift every other time.
    """
    n, left = len(scratch.order), 0
    for i in range(n):
        j = i + below(rng, n - i)
        line = scratch.order[j]
        scratch.order[j] = scratch.order[i]
        scratch.order[i] = line
        if scratch.drawn_by[line] != UNDRAWN:
            continue
        if ends.is_safe(board, scratch, line) or (below(rng, 2) and ends.is_gift(board, scratch, line)):
            given = ends.draw(board, scratch, line, ply & 1)
            cost += -given if ply & 1 else given
            ply += 1
        else:
            scratch.order[i] = scratch.order[left]
            scratch.order[left] = line
            left += 1
    return ply, cost, left


@jit
def _points(margin: int) -> float:
    """Return the points for a margin: mostly whether it is a win, and a little how large it is."""
    win = 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
    return (1.0 - _MARGIN_WEIGHT) * win + _MARGIN_WEIGHT * (0.5 + 0.5 * margin / (abs(margin) + _HALF_MARGIN))


@jit
def learn(scratch: EndsScratch, tree: QuietTree, depth: int, margin: int) -> None:
    """Credit the nodes of the path, and their children whose line was drawn at any time, with the root's margin."""
    for i in range(depth + 1):
        node = scratch.path[i]
        mine = margin if i & 1 else -margin
        tree.visits[node] += 1
        tree.points[node] += _points(mine)
        tree.wins[node] += 1.0 if mine > 0 else 0.5 if mine == 0 else 0.0
        tree.margins[node] += mine
        points = _points(-mine)
        for child in range(tree.child[node], tree.child[node] + tree.children[node]):
            if scratch.drawn_by[tree.line[child]] == i & 1:
                tree.rave_visits[child] += 1
                tree.rave_points[child] += points


@jit
def is_due(board: EndsBoard, tree: QuietTree, node: int) -> bool:
    """Return whether a leaf is to be expanded: at its second visit, later when the pool fills up."""
    free = len(tree.child) - tree.used[0]
    return free > len(board.lines) and (node == 0 or tree.visits[node] * free > tree.used[0])


@jit
def expand(board: EndsBoard, scratch: EndsScratch, tree: QuietTree, node: int) -> None:
    """Give a node a child for each quiet line."""
    tree.child[node] = tree.used[0]
    for i in range(len(board.lines)):
        line = board.lines[i]
        if scratch.drawn_by[line] == UNDRAWN and (
            ends.is_safe(board, scratch, line) or ends.is_gift(board, scratch, line)
        ):
            tree.line[tree.used[0]] = line
            tree.used[0] += 1
            tree.children[node] += 1


@jit
def select(tree: QuietTree, node: int) -> int:
    """Return the child to follow."""
    first = tree.child[node]
    best, top = first, -1.0
    log = math.log(tree.visits[node] + 1.0)
    average = 1.0 - tree.points[node] / tree.visits[node] if tree.visits[node] else 0.5
    for child in range(first, first + tree.children[node]):
        n, m = tree.visits[child], tree.rave_visits[child]
        mean = tree.points[child] / n if n else 0.0
        rave = tree.rave_points[child] / m if m else average
        beta = math.sqrt(_EQUIVALENCE / (3.0 * n + _EQUIVALENCE))
        score = (1.0 - beta) * mean + beta * rave + _EXPLORATION * math.sqrt(log / (n + 1.0))
        if score > top:
            best, top = child, score
    return best
