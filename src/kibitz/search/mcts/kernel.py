"""Compiled Monte Carlo tree search over any game's position. plain.py is the readable version.

UCT (Kocsis & Szepesvari 2006) with a solver (Winands et al. 2008): a node whose
result is proved needs no more playouts, and may prove its parent. A leaf is worth
the result of one random game, or an evaluation converted to points.

Points are the first player's: 1 for a win, 1/2 for a draw, 0 for a loss.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import Position, copy, evaluate, final, legal, mover, over, play, undo
from kibitz.compiled.rng import below
from kibitz.search.control import DEPTH, MOVE, NODES, STOP, VALUE, zeros

MAX_PLAYOUTS, EVALUATION = range(2)
"""Indices into `settings`; an EVALUATION of -1 means that leaves are evaluated by random games."""
EXPLORATION, FIRST_PLAY, SCALE = range(3)
"""Indices into `weights`: UCT's exploration constant, the assumed points of an untried move, the evaluation's scale."""
UNKNOWN = -1
"""The result of a node that is not proved; proved results are twice the first player's points: 0, 1 or 2."""
NO_CHILD = -1


class MctsTree(NamedTuple):
    """A pool of nodes, one array per attribute; node 0 is the root. A node's children have consecutive indices."""

    child: Ints
    """the index of the first child, or NO_CHILD"""
    children: Ints
    """the number of children"""
    move: Ints
    """the move that leads here"""
    mover: Ints
    """the player to move here"""
    visits: Ints
    points: Floats
    """the first player's, summed over the visits"""
    proved: Ints
    """UNKNOWN, 0, 1 or 2"""
    used: Ints
    """[1] the number of nodes in use"""


class MctsScratch(NamedTuple):
    """The settings and working arrays of a search."""

    settings: Ints
    weights: Floats
    signal: Ints
    """see search/control.py; VALUE is in millionths of a point, for the player to move at the root"""
    rng: Any
    moves: Ints
    """one move list"""
    path: Ints
    """the nodes visited in the current playout, from the root"""


def new_tree(nodes: int) -> MctsTree:
    """Return an empty tree with room for this many nodes."""
    links = zeros(child=nodes, children=nodes, move=nodes, mover=nodes)
    return MctsTree(**links, **zeros(visits=nodes, proved=nodes, used=1), points=np.zeros(nodes, np.float64))


@entry
def grow(pos: Position, scratch: Position, tree: MctsTree, tools: MctsScratch) -> int:
    """Grow a new tree until a limit or stop, or until the root is proved; return the index of the root's best child.

    scratch: a position of the same kind to play on; pos stays unchanged. The root must have a legal move.
    """
    _new_node(tree, 0, -1, mover(pos))
    tree.used[0] = 1
    copy(pos, scratch)
    _expand(scratch, tree, tools, 0)
    while tree.proved[0] == UNKNOWN and tools.signal[NODES] < tools.settings[MAX_PLAYOUTS] and not tools.signal[STOP]:
        copy(pos, scratch)
        _playout(scratch, tree, tools)
        tools.signal[NODES] += 1
        if tools.signal[NODES] & 1023 == 0:
            _publish(tree, tools)
    return _publish(tree, tools)


@jit
def _new_node(tree: MctsTree, node: int, move: int, player: int) -> None:
    tree.child[node], tree.children[node] = NO_CHILD, 0
    tree.move[node], tree.mover[node] = move, player
    tree.visits[node], tree.points[node], tree.proved[node] = 0, 0.0, UNKNOWN


@jit
def _playout(scratch: Position, tree: MctsTree, tools: MctsScratch) -> None:
    """Walk down to a leaf, evaluate it, and add its points to all nodes on the path."""
    node, depth = 0, 0
    tools.path[0] = 0
    while tree.child[node] != NO_CHILD and tree.proved[node] == UNKNOWN:
        node = _select(tree, tools, node)
        play(scratch, tree.move[node])
        depth += 1
        tools.path[depth] = node
    if tree.proved[node] == UNKNOWN and tree.visits[node] > 0:
        _expand(scratch, tree, tools, node)
    if tree.proved[node] != UNKNOWN:
        points = tree.proved[node] / 2
    else:
        points = _judge(scratch, tools)
    tools.signal[DEPTH] = max(tools.signal[DEPTH], depth)
    for d in range(depth, -1, -1):
        node = tools.path[d]
        tree.visits[node] += 1
        tree.points[node] += points
        if tree.proved[node] == UNKNOWN and d < depth and tree.proved[tools.path[d + 1]] != UNKNOWN:
            _prove(tree, node)


@jit
def _select(tree: MctsTree, tools: MctsScratch, node: int) -> int:
    """Return the child with the highest UCT score; a proved loss only if all children are proved losses."""
    player = tree.mover[node]
    explore = tools.weights[EXPLORATION] * math.sqrt(math.log(tree.visits[node] + 1.0))
    best, top = tree.child[node], -math.inf
    for child in range(tree.child[node], tree.child[node] + tree.children[node]):
        if tree.proved[child] != UNKNOWN:
            mine = tree.proved[child] / 2 if player == 0 else 1.0 - tree.proved[child] / 2
            score = mine if mine > 0.0 else -0.5
        elif tree.visits[child] == 0:
            score = tools.weights[FIRST_PLAY] + explore
        else:
            mean = tree.points[child] / tree.visits[child]
            score = (mean if player == 0 else 1.0 - mean) + explore / math.sqrt(tree.visits[child])
        if score > top:
            best, top = child, score
    return best


@jit
def _expand(scratch: Position, tree: MctsTree, tools: MctsScratch, node: int) -> None:
    """Add a node's children if the pool has room; mark finished games, and the node if they decide it, as proved."""
    n = legal(scratch, tools.moves, 0)
    first = tree.used[0]
    if first + n > len(tree.move):
        return
    tree.used[0] += n
    tree.child[node], tree.children[node] = first, n
    for child in range(first, first + n):
        move = tools.moves[child - first]
        token = play(scratch, move)
        _new_node(tree, child, move, mover(scratch))
        if over(scratch):
            tree.proved[child] = _result(scratch)
        undo(scratch, move, token)
    _prove(tree, node)


@jit
def _result(scratch: Position) -> int:
    """Return twice the first player's points in a finished game: 0, 1 or 2."""
    value = final(scratch) if mover(scratch) == 0 else -final(scratch)
    return 2 if value > 0 else (1 if value == 0 else 0)


@jit
def _judge(scratch: Position, tools: MctsScratch) -> float:
    """Evaluate a leaf; return the first player's points, 0 to 1. A random game is played out on `scratch`."""
    if tools.settings[EVALUATION] >= 0:
        value = evaluate(scratch, tools.settings[EVALUATION])
        value = value if mover(scratch) == 0 else -value
        return 1.0 / (1.0 + math.exp(-value / tools.weights[SCALE]))
    n = legal(scratch, tools.moves, 0)
    while n:
        play(scratch, tools.moves[below(tools.rng, n)])
        n = legal(scratch, tools.moves, 0)
    return _result(scratch) / 2


@jit
def _prove(tree: MctsTree, node: int) -> None:
    """Mark a node as proved if one child is a win for the player to move, or if all children are proved."""
    player = tree.mover[node]
    goal = 2 if player == 0 else 0
    best, proved = 2 - goal, 0
    for child in range(tree.child[node], tree.child[node] + tree.children[node]):
        result = tree.proved[child]
        if result != UNKNOWN:
            proved += 1
            best = max(best, result) if player == 0 else min(best, result)
    if best == goal or proved == tree.children[node]:
        tree.proved[node] = best


@jit
def _publish(tree: MctsTree, tools: MctsScratch) -> int:
    """Return the best child of the root; write its move and value to the signal."""
    player, best = tree.mover[0], tree.child[0]
    for child in range(tree.child[0], tree.child[0] + tree.children[0]):
        if _merit(tree, player, child) > _merit(tree, player, best):
            best = child
    tools.signal[MOVE] = tree.move[best]
    tools.signal[VALUE] = int(_merit(tree, player, best)[2] * 1e6)
    return best


@jit
def _merit(tree: MctsTree, player: int, child: int) -> tuple[int, int, float]:
    """Return a child's sort key: 1 for a proved win, -1 for a proved loss, else 0; its visits; its mean points."""
    proved, visits = tree.proved[child], tree.visits[child]
    mean = tree.points[child] / visits if visits else 0.5
    mean = mean if proved == UNKNOWN else proved / 2
    rank = 0 if proved == UNKNOWN or proved == 1 else (1 if (proved == 2) == (player == 0) else -1)
    return rank, visits, mean if player == 0 else 1.0 - mean
