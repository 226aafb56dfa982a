"""The champion's search, compiled: a tree over what one player knows, grown by playouts.

Single-observer information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012): before each playout
all cards hidden from the player are dealt again, likelier ones first (belief_kernel.py), and only children that are
legal in that deal count. A child is selected by its points, its rating by the policy, and how rarely it was tried
(PUCT, Rosin 2011). From a new leaf the same policy plays a few more turns, and the result is evaluated. Claims and
only moves get no node. Once both decks are empty nothing is hidden any more, and results are proved as they are
found (Winands et al. 2008).

Points are for the searching player: 1 for a win, 1/2 for a draw, 0 for a loss.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import never_inline
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import copy, final, mover, over
from kibitz.compiled.rng import RandomState, below, stream
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel import legal as legal_kernel
from kibitz.games.battleline.kernel import play as play_kernel
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.deal import redeal
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.players.champion.belief_kernel import Belief, redeal_by_weight, update_beliefs
from kibitz.games.battleline.players.champion.net_kernel import TO_DRAW, TO_PLAY, WAITS, Evaluator, position_chance
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import MOVES, PLACE
from kibitz.search.control import MOVE, NODES, STOP, VALUE, new_signal

EXPLORE, SHARPNESS, TRUST, NOISE, TURNS, PLAYOUTS = range(6)
"""The weights: the PUCT constant; the factor of the rating in the exponent of the prior; how many playouts a rating
is worth; the maximum noise added to ratings in playouts; how many turns to play on from a leaf; the number of
playouts."""
NODE_MOVE, CHILD, SIBLING, VISITS, PROVED, WIDTH, OWN_TURN = range(7)
"""The columns of a node: the move that leads to it; the last child added, or NONE; the sibling added before it, or
NONE; the number of visits; twice the points if proved, else UNKNOWN; the number of legal moves; 1 if the searching
player is to move."""
NONE, UNKNOWN = -1, -1
legal, play = jit(legal_kernel.legal), jit(play_kernel.play)
"""Called, not inlined as in compiled/position.py, to compile faster."""


class Tree(NamedTuple):
    """A pool of nodes; node 0 is the root."""

    node: Ints  # [node, column]
    points: Floats  # [node] sum over all visits
    used: Ints  # [1] the number of nodes in use


class Tools(NamedTuple):
    """The working arrays of a search."""

    weights: Floats
    signal: Ints  # see search/control.py; the value is in millionths of a point
    rng: RandomState
    moves: Ints  # [MAX_LEGAL_MOVES]
    ratings: Floats  # [MAX_LEGAL_MOVES]
    root: Floats  # [MAX_LEGAL_MOVES] the ratings of the root's moves
    path: Ints  # the nodes visited in this playout
    slot: Ints  # [MOVES] the child of a move, or NONE
    belief: Belief
    keys: Floats  # [TROOPS + 1] for redeal_by_weight


def new_tree(nodes: int) -> Tree:
    """Return an empty tree with room for this many nodes."""
    columns, points = np.zeros((nodes, 7), np.int64), np.zeros(nodes)
    return Tree(cast(Ints, columns), cast(Floats, points), cast(Ints, np.zeros(1, np.int64)))


def new_tools(weights: Floats, seed: int, belief: Belief) -> Tools:
    """Return the working arrays of one search."""
    moves, slot = (np.full(n, NONE, np.int64) for n in (kernel.MAX_LEGAL_MOVES, MOVES))
    path = np.zeros(kernel.MAX_GAME_LENGTH, np.int64)
    ratings, root, keys = (np.zeros(n) for n in (kernel.MAX_LEGAL_MOVES, kernel.MAX_LEGAL_MOVES, TROOPS + 1))
    return Tools(
        weights, new_signal(), stream(seed), cast(Ints, moves), cast(Floats, ratings), cast(Floats, root),
        cast(Ints, path), cast(Ints, slot), belief, cast(Floats, keys),
    )  # fmt: skip


@entry
def grow(pos: BattleLinePosition, scratch: BattleLinePosition, tree: Tree, tools: Tools, e: Evaluator) -> int:
    """Search from the view of the player to move; return the root's best child.

    A claim or an only move is played first, and the root is the position after it.
    """
    me, done = mover(pos), 0
    nothing_hidden = at.undrawn(pos.words) == 0
    tree.used[0] = 0
    _add_node(tree, NONE, NONE)
    n = legal(pos, tools.moves, 0)
    rate_moves(pos.words, e, tools.moves, n, tools.root)
    update_beliefs(pos, scratch, tools.belief, e, me, tools.moves, tools.ratings, tools.rng)
    while done < tools.weights[PLAYOUTS] and not (done and (tools.signal[STOP] or tree.node[0, PROVED] != UNKNOWN)):
        copy(pos, scratch)
        redeal(scratch.words, me, tools.rng)
        redeal_by_weight(scratch.words, me, tools.belief, tools.keys, tools.rng)
        node, length, in_tree, used_policy, last_turn, at_root = 0, 1, True, False, 0, True
        while not over(scratch) and (in_tree or scratch.words[at.TURN] < last_turn):
            n = legal(scratch, tools.moves, 0)
            move = tools.moves[0]
            if n > 1 and move >= PLACE:
                if at_root:
                    for i in range(n):
                        tools.ratings[i] = tools.root[i]
                else:
                    rate_moves(scratch.words, e, tools.moves, n, tools.ratings)
                if in_tree:
                    child, move = _select(tree, tools, node, n, mover(scratch) == me)
                    if child == NONE:
                        in_tree, last_turn = False, scratch.words[at.TURN] + int(tools.weights[TURNS])
                        child = _add_node(tree, node, move)
                    if child != NONE:
                        node = child
                        tools.path[length] = node
                        length += 1
                else:
                    used_policy = True
                    move = highest_rated(tools.moves, tools.ratings, n, tools.weights[NOISE], tools.rng)
            play(scratch, move)
            at_root = False
        points = _points(scratch, e, me)
        for i in range(length):
            tree.node[tools.path[i], VISITS] += 1
            tree.points[tools.path[i]] += points
        if nothing_hidden and over(scratch) and not used_policy:
            tree.node[node, PROVED] = int(2 * points)
            _propagate_proof(tree, tools.path, length)
        done += 1
        tools.signal[NODES] = done
        best = _best_child(tree) if done & 63 == 0 or done == 1 else NONE
        if best != NONE:
            tools.signal[MOVE] = tree.node[best, NODE_MOVE]
            tools.signal[VALUE] = int(1e6 * tree.points[best] / tree.node[best, VISITS])
    return _best_child(tree)


@jit
def _best_child(tree: Tree) -> int:
    """Return the root's child proved best, or else the most visited one not proved lost; NONE if it has none."""
    best, most, child = tree.node[0, CHILD], -1, tree.node[0, CHILD]
    while child != NONE:
        visits = tree.node[child, VISITS]
        if tree.node[child, PROVED] == 0:
            visits = 0
        elif tree.node[child, PROVED] == 2 or tree.node[child, PROVED] == tree.node[0, PROVED] == 1:
            visits += 1 << 40  # above any number of visits
        if visits > most:
            best, most = child, visits
        child = tree.node[child, SIBLING]
    return best


@jit
def _add_node(tree: Tree, parent: int, move: int) -> int:
    """Add a child of parent, or the root if parent is NONE; return its number, or NONE if the tree is full."""
    child = tree.used[0]
    if child == len(tree.points):
        return NONE
    tree.used[0] = child + 1
    tree.points[child] = 0.0
    tree.node[child, NODE_MOVE], tree.node[child, CHILD], tree.node[child, SIBLING] = move, NONE, NONE
    tree.node[child, VISITS], tree.node[child, PROVED], tree.node[child, WIDTH] = 0, UNKNOWN, 0
    if parent != NONE:
        tree.node[child, SIBLING] = tree.node[parent, CHILD]
        tree.node[parent, CHILD] = child
    return child


@jit
def _propagate_proof(tree: Tree, path: Ints, length: int) -> None:
    """Mark the nodes of a path as proved, from its end upwards, as far as the proved result at its end decides them."""
    for i in range(length - 2, -1, -1):
        node = path[i]
        mine = tree.node[node, OWN_TURN]
        best, proved, child = (0 if mine else 2), 0, tree.node[node, CHILD]
        while child != NONE:
            points = tree.node[child, PROVED]
            if points != UNKNOWN:
                proved += 1
                best = max(best, points) if mine else min(best, points)
            child = tree.node[child, SIBLING]
        if best != (2 if mine else 0) and proved < tree.node[node, WIDTH]:
            return
        tree.node[node, PROVED] = best


@jit
def _select(tree: Tree, tools: Tools, node: int, n: int, mine: bool) -> tuple[int, int]:
    """Return the child of a node to visit (NONE: it must be added first) and its move. mine: whether it is my turn."""
    never_inline()
    tree.node[node, WIDTH], tree.node[node, OWN_TURN] = n, 1 if mine else 0
    child = tree.node[node, CHILD]
    while child != NONE:
        tools.slot[tree.node[child, NODE_MOVE]] = child
        child = tree.node[child, SIBLING]
    highest, visits = tools.ratings[0], 0
    for i in range(n):
        highest = max(highest, tools.ratings[i])
        child = tools.slot[tools.moves[i]]
        if child != NONE:
            visits += tree.node[child, VISITS]
    total = 0.0
    for i in range(n):
        total += math.exp(tools.weights[SHARPNESS] * (tools.ratings[i] - highest))
    mean = tree.points[node] / tree.node[node, VISITS] if tree.node[node, VISITS] else 0.5
    if not mine:
        mean = 1.0 - mean
    spread = tools.weights[EXPLORE] * math.sqrt(visits + 1.0) / total
    trust = tools.weights[TRUST]
    best, found, move = -1e9, NONE, tools.moves[0]
    for i in range(n):
        child = tools.slot[tools.moves[i]]
        lead = tools.ratings[i] - highest
        tries, points, proved = 0, 0.0, UNKNOWN
        if child != NONE:
            tries, proved = tree.node[child, VISITS], tree.node[child, PROVED]
            points = tree.points[child] if mine else tries - tree.points[child]
        value = (points + trust * (mean + lead)) / (tries + trust)
        value += spread * math.exp(tools.weights[SHARPNESS] * lead) / (1.0 + tries)
        if proved != UNKNOWN:
            value = 0.5 * proved if mine else 1.0 - 0.5 * proved
            value += -10.0 if value == 0.0 else (10.0 if value == 1.0 else 0.0)  # never a loss, always a win
        if value > best:
            best, found, move = value, child, tools.moves[i]
    child = tree.node[node, CHILD]
    while child != NONE:
        tools.slot[tree.node[child, NODE_MOVE]] = NONE
        child = tree.node[child, SIBLING]
    return found, move


@jit
def _points(pos: BattleLinePosition, e: Evaluator, me: int) -> float:
    """Return the points of player `me` in a finished game, or the net's estimate in an unfinished one."""
    if over(pos):
        value = final(pos) if mover(pos) == me else -final(pos)
        return 1.0 if value > 0 else (0.5 if value == 0 else 0.0)
    stage = WAITS if mover(pos) != me else (TO_PLAY if pos.words[at.STAGE] == stages.PLAY else TO_DRAW)
    return position_chance(pos.words, e, me, stage)


@jit
def highest_rated(moves: Ints, ratings: Floats, n: int, noise: float, rng: RandomState) -> int:
    """Return the move with the highest rating, of n, after adding random noise up to this amount to each."""
    best, highest = moves[0], -1e9
    for i in range(n):
        rating = ratings[i] + noise * below(rng, 1 << 20) / (1 << 20)
        if rating > highest:
            best, highest = moves[i], rating
    return best
