"""The Monte Carlo tree search of Go, compiled: a tree grown by playouts, with RAVE and an optional policy.

A child is chosen by its own results, and by the results of playouts in which the same player played its point later
(RAVE, Gelly & Silver 2007). New children start with virtual games as priors: these depend on what the move does to the
chains around it, on its window, and on its distance from the last move. A policy, such as a net, may give the
probability of each child; likely children are preferred while they have few playouts (PUCT, Rosin 2011).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import never_inline
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.players.mcts import playout_board_kernel as board
from kibitz.games.go.players.mcts.playout_kernel import finish
from kibitz.games.go.players.mcts.windows import ELSEWHERE_WEIGHT
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.search.control import DEPTH, MOVE, NODES, STOP, VALUE

(
    PLAYOUTS, EQUIVALENCE, EXPLORE, EXPAND, MARGIN, EVEN, BAD_ATARI, CAPTURE, SAVE, GIVE_ATARI, WINDOW, NEAR, EDGE_LINE,
    PASS, WON_PASS, POLICY_AFTER, POLICY_WEIGHT,
) = range(17)  # fmt: skip
"""Indices of GrowArrays.weights: maximum number of playouts; the number of playouts that weigh as much as all RAVE
results; exploration; the playouts after which a node gets children; the part of a result that depends on the margin in
points. Then the virtual games of a new child: half won and half lost; losses for a self-atari; wins for a capture, for
saving a chain, giving atari, its window, being near the last move, being on line 3 or 4; losses for a pass, wins for
a pass at the root. Finally, the playouts after which a node other than the root waits for the policy, or 0 for no
policy; and the weight of the policy."""
DEFAULTS = (3000.0, 0.0, 4.0, 0.03, 10.0, 10.0, 10.0, 10.0, 3.0, 30.0, 10.0, 4.0, 8.0)
"""The weights from EQUIVALENCE to PASS: about the best of a few settings tried in games against each other."""
CHILD, CHILDREN, CELL, TRIES, HAS_POLICY = range(5)
"""Columns of GoTree.links: the first child, followed by the others; the number of children; the cell of the move to the
node, 0 for a pass; playouts through the node; 1 if the policy has set the likelihoods of its children."""
GAMES, WINS, LATER, LATER_WINS, LIKELIHOOD = range(5)
"""Columns of GoTree.sums: playouts and virtual games, and how many of them the player who moves to the node won;
playouts through the parent in which that player made the move at any later time (RAVE), and how many of them he won;
the policy's probability of the move."""
UNTRIED_LOSS = 0.05  # with a policy, assume that an untried move wins this much less often than its parent

USED, WAITING, WAITING_DEPTH = range(3)
"""Indices of GoTree.facts: nodes in use; the node that waits for the policy, or NO_NODE; its depth."""
NO_NODE = -1
OWNED, BEGUN, QUARTERS, HALF_WINS = range(4)
"""Rows of GrowArrays.ends, by cell: playouts that end with the cell owned by Black minus those with White as owner;
playouts that begin with a move there (cell 0: a pass); the sum of Black's leads at their ends, in quarter points; twice
the number of those that Black wins, where a draw counts half."""


class GoTree(NamedTuple):
    """A pool of nodes; node 0 is the root."""

    links: NDArray[np.int32]  # [node, column]: columns CHILD to HAS_POLICY
    sums: NDArray[np.float32]  # [node, column]: columns GAMES to LIKELIHOOD
    facts: Ints  # int64: indexed by USED, WAITING, WAITING_DEPTH


class GrowArrays(NamedTuple):
    """The working arrays of one search."""

    weights: Floats
    signal: Ints  # see search/control.py; signal[VALUE] is the win rate in millionths
    rng: NDArray[np.uint64]
    path: Ints  # int64: the nodes of the current playout
    moves: NDArray[np.int64]  # the cells of its moves
    player: Ints  # int64 [cell]: scratch; the colour that played there first, or 0
    allowed: NDArray[np.int64]  # [cell]: 1 where the move is legal at the root
    windows: Ints  # weights of the windows; see window_weights() in windows.py
    ends: Ints  # int64 [row, cell]: what an analysis counts, rows OWNED to HALF_WINS; without rows in a game


def new_tree(nodes: int) -> GoTree:
    """Return an empty tree with room for this many nodes."""
    links, sums = np.zeros((nodes, 5), np.int32), np.zeros((nodes, 5), np.float32)
    return GoTree(links, sums, np.zeros(3, np.int64))


@entry
def grow(tree: GoTree, start: Ints, g: Ints, arrays: GrowArrays) -> int:
    """Grow a tree by playouts from `start` until their limit or a stop signal; return the best child of the root.

    A tree that already has nodes must have been grown from this start; signal[NODES] counts on. Also return when a
    node must wait for the policy: facts[WAITING] is then that node, and g its position. Otherwise g is scratch.
    In a game, also end when no other move can become the best; an analysis values the other moves too.
    """
    weights, signal, path = arrays.weights, arrays.signal, arrays.path
    links, sums = tree.links, tree.sums
    if tree.facts[USED] == 0:
        tree.facts[USED] = 1
        _reset_node(tree, 0, 0)
    if links[0, CHILDREN] == 0:
        _expand(tree, start, arrays, 0)
    tree.facts[WAITING] = NO_NODE
    done, limit = signal[NODES], int(weights[PLAYOUTS])
    while done < limit and not (done and signal[STOP]):
        board.copy_game(start, g)
        node, depth = 0, 0
        while g[board.PASSES] < 2 and depth < len(path) - 1:
            if links[node, CHILDREN] == 0 and (
                links[node, TRIES] < weights[EXPAND] or not _expand(tree, g, arrays, node)
            ):
                break
            if _needs_policy(links, weights[POLICY_AFTER], node):
                tree.facts[WAITING], tree.facts[WAITING_DEPTH] = node, depth
                return _best_child(tree)
            node = _select(tree, weights, node)
            board.advance(g, arrays.moves, links[node, CELL])
            depth += 1
            path[depth] = node
        quarters = finish(g, arrays.moves, arrays.windows, arrays.rng)
        if len(arrays.ends):
            _count_end(arrays, g, quarters)
        _add_playout(tree, g, arrays, depth, quarters)
        signal[DEPTH] = max(signal[DEPTH], depth)
        done += 1
        signal[NODES] = done
        if done & 127 == 0:
            best = _best_child(tree)
            signal[MOVE] = _move_of(start, links[best, CELL])
            signal[VALUE] = int(1e6 * sums[best, WINS] / sums[best, GAMES])
            if len(arrays.ends) == 0 and _is_settled(tree, best, limit - done):
                break
    return _best_child(tree)


@jit
def _needs_policy(links: Ints, after: float, node: int) -> bool:
    """Return whether a node must wait for the policy; nodes other than the root only after this many playouts."""
    return after > 0 and links[node, HAS_POLICY] == 0 and (node == 0 or links[node, TRIES] >= after)


@jit
def _move_of(g: Ints, cell: int) -> int:
    """Convert a cell, or 0 for a pass, to the number of the move in the rules: a point, or POINTS for a pass."""
    return (cell // g[board.STEP] - 1) * (g[board.STEP] - 1) + cell % g[board.STEP] - 1 if cell else g[board.POINTS]


@jit
def _best_child(tree: GoTree) -> int:
    """Return the child of the root with the most playouts; break ties by win rate."""
    links, sums = tree.links, tree.sums
    first: int = links[0, CHILD]
    best = first
    for child in range(first, first + links[0, CHILDREN]):
        more = links[child, TRIES] - links[best, TRIES]
        if more > 0 or (more == 0 and sums[child, WINS] * sums[best, GAMES] > sums[best, WINS] * sums[child, GAMES]):
            best = child
    return best


@jit
def _is_settled(tree: GoTree, best: int, left: int) -> bool:
    """Return whether no other child can catch up with the best one in the playouts left."""
    links = tree.links
    for child in range(links[0, CHILD], links[0, CHILD] + links[0, CHILDREN]):
        if child != best and links[child, TRIES] + left >= links[best, TRIES]:
            return False
    return True


@jit
def _reset_node(tree: GoTree, node: int, cell: int) -> None:
    for place in range(5):
        tree.links[node, place] = 0
        tree.sums[node, place] = 0.0
    tree.links[node, CELL] = cell


@jit
def _select(tree: GoTree, weights: Floats, node: int) -> int:
    """Return the child to try next: the highest win rate with RAVE, plus exploration and policy bonuses."""
    never_inline()
    sums, equivalence = tree.sums, weights[EQUIVALENCE]
    first: int = tree.links[node, CHILD]
    exploration = weights[EXPLORE] * math.sqrt(math.log(tree.links[node, TRIES] + 1.0))
    policy = weights[POLICY_WEIGHT] * math.sqrt(tree.links[node, TRIES] + 1.0)
    best, highest = first, -1.0
    for child in range(first, first + tree.links[node, CHILDREN]):
        n, later = sums[child, GAMES], sums[child, LATER]
        value = sums[child, WINS] / n
        if later > 0.0:
            rave_share = later / (later + n + n * later / equivalence)
            value += rave_share * (sums[child, LATER_WINS] / later - value)
        if exploration:
            value += exploration / math.sqrt(n)
        value += policy * sums[child, LIKELIHOOD] / (1.0 + tree.links[child, TRIES])
        if value > highest:
            best, highest = child, value
    return best


@jit
def _add_playout(tree: GoTree, g: Ints, arrays: GrowArrays, depth: int, quarters: int) -> None:
    """Add a finished playout, with Black's lead in quarter points, to all nodes on its path and their children."""
    never_inline()
    links, sums, player, moves, path = tree.links, tree.sums, arrays.player, arrays.moves, arrays.path
    margin_share, max_quarters, first = arrays.weights[MARGIN], 4.0 * g[board.POINTS], g[board.FIRST]
    black_result = 1.0 if quarters > 0 else 0.5 if quarters == 0 else 0.0
    black_result += margin_share * (0.5 + 0.5 * max(min(quarters / max_quarters, 1.0), -1.0) - black_result)
    for i in range(g[board.MADE] - 1, depth - 1, -1):
        player[moves[i]] = first if i & 1 == 0 else BLACK + WHITE - first
    for d in range(depth, -1, -1):
        node = path[d]
        mover = first if d & 1 == 0 else BLACK + WHITE - first
        own_result = black_result if mover == BLACK else 1.0 - black_result
        links[node, TRIES] += 1
        sums[node, GAMES] += 1.0
        sums[node, WINS] += 1.0 - own_result
        player[0] = 0  # nothing is learned from passes
        for child in range(links[node, CHILD], links[node, CHILD] + links[node, CHILDREN]):
            if player[links[child, CELL]] == mover:
                sums[child, LATER] += 1.0
                sums[child, LATER_WINS] += own_result
        if d:
            player[moves[d - 1]] = BLACK + WHITE - mover
    for i in range(g[board.MADE]):
        player[moves[i]] = 0


@jit
def _count_end(arrays: GrowArrays, g: Ints, quarters: int) -> None:
    """Count the owners at the end of a playout that was not cut short, and its result for its first move."""
    ends, first = arrays.ends, arrays.moves[0]
    for cell in range(g[board.STEP], g[board.CELLS] - g[board.STEP]):
        ends[OWNED, cell] += board.owner_at(g, cell)
    ends[BEGUN, first] += 1
    ends[QUARTERS, first] += quarters
    ends[HALF_WINS, first] += 2 if quarters > 0 else 1 if quarters == 0 else 0


@jit
def _expand(tree: GoTree, g: Ints, arrays: GrowArrays, node: int) -> bool:
    """Add the children of a node; return False if the tree has no room for them."""
    never_inline()
    first, weights = tree.facts[USED], arrays.weights
    if first + g[board.POINTS] + 1 > len(tree.links):
        return False
    n, colour = 0, g[board.TO_PLAY]
    for cell in range(g[board.STEP], g[board.CELLS] - g[board.STEP]):
        if board.stone_at(g, cell) != EMPTY or cell == g[board.KO] or (node == 0 and not arrays.allowed[cell]):
            continue
        result = board.consequence(g, cell, colour)
        if result not in (board.EYE, board.SUICIDE):
            _reset_node(tree, first + n, cell)
            _set_prior(tree, g, arrays, first + n, result)
            n += 1
    _reset_node(tree, first + n, 0)
    won = 0.5 * weights[EVEN] + (weights[WON_PASS] if node == 0 else 0.0)
    lost = 0.5 * weights[EVEN] + (0.0 if g[board.PASSES] else weights[PASS])
    tree.sums[first + n, GAMES], tree.sums[first + n, WINS] = won + lost, won
    tree.links[node, CHILD], tree.links[node, CHILDREN] = first, n + 1
    tree.facts[USED] = first + n + 1
    return True


@jit
def _set_prior(tree: GoTree, g: Ints, arrays: GrowArrays, node: int, result: int) -> None:
    """Set the virtual games of a new child; result is the consequence of its move."""
    weights, cell, colour, last = arrays.weights, tree.links[node, CELL], g[board.TO_PLAY], g[board.LAST]
    taken, saved, threatened = 0, 0, 0
    for side in range(4):
        near = board.neighbour(g, cell, side)
        code, head = board.stone_at(g, near), board.head_of(g, near)
        if code == BLACK + WHITE - colour:
            if board.in_atari(g, head):
                taken = max(taken, board.stones_in(g, head))
            elif board.has_few_liberties(g, head):
                threatened = max(threatened, board.stones_in(g, head))
        elif code == colour and board.in_atari(g, head):
            saved = max(saved, board.stones_in(g, head))
    won = lost = 0.5 * weights[EVEN]
    if result == board.SELF_ATARI:
        lost += weights[BAD_ATARI]
    if taken:
        won += weights[CAPTURE] * min(taken, 2)
    if result == board.FINE and saved:
        won += weights[SAVE] * min(saved, 2)
    if result == board.FINE and threatened:
        won += weights[GIVE_ATARI]
    window = board.window_at(g, cell)
    weight = arrays.windows[(colour - 1 << 16) + window]
    won += weights[WINDOW] * weight / (weight + ELSEWHERE_WEIGHT)
    step = g[board.STEP]
    row, column = cell // step, cell % step
    if last:
        down, across = abs(row - last // step), abs(column - last % step)
        distance = down + across + max(down, across)
        if distance <= 8:
            won += weights[NEAR] * (10 - distance) / 8.0
    line = min(min(row, step - row), min(column, step - column))
    if (window ^ window >> 1) & 0x5555 == 0:  # no stones on the eight cells around it
        if line <= 2:
            lost += weights[EDGE_LINE] * (3 - line)
        elif line <= 4:
            won += weights[EDGE_LINE]
    tree.sums[node, GAMES], tree.sums[node, WINS] = won + lost, won


@entry
def take_advice(
    tree: GoTree, g: Ints, arrays: GrowArrays, probabilities: Floats, even: float, black_rate: float, games: float
) -> None:
    """Set the likelihoods of the children of the waiting node, whose position is g, and count a value for the node.

    probabilities: [cell], where cell 0 is the pass. The priors of untried moves become `even` virtual games, won a
    little less often than those of the parent. black_rate counts like the results of `games` playouts on the whole path
    to the node.
    """
    links, sums, node = tree.links, tree.sums, tree.facts[WAITING]
    depth, first = tree.facts[WAITING_DEPTH], g[board.FIRST]
    for d in range(depth + 1):
        mover = first if d & 1 == 0 else BLACK + WHITE - first
        sums[arrays.path[d], GAMES] += games
        sums[arrays.path[d], WINS] += games * (1.0 - black_rate if mover == BLACK else black_rate)
    links[node, HAS_POLICY] = 1
    untried_rate = 0.5
    if links[node, TRIES]:
        untried_rate = max(1.0 - sums[node, WINS] / sums[node, GAMES] - UNTRIED_LOSS, 0.0)
    for child in range(links[node, CHILD], links[node, CHILD] + links[node, CHILDREN]):
        cell = links[child, CELL]
        sums[child, LIKELIHOOD] = probabilities[cell]
        if cell and links[child, TRIES] == 0:
            sums[child, GAMES], sums[child, WINS] = even, even * untried_rate


@entry
def copy_subtree(tree: GoTree, node: int, into: GoTree, source: Ints) -> None:
    """Copy the subtree below a node, with that node as the root, into another tree. source: int32 [node], scratch."""
    _copy_node(tree, node, into, 0)
    source[0] = node
    used, i = 1, 0
    while i < used:
        first = tree.links[source[i], CHILD]
        into.links[i, CHILD] = used
        for child in range(first, first + into.links[i, CHILDREN]):
            _copy_node(tree, child, into, used)
            source[used] = child
            used += 1
        i += 1
    into.facts[USED] = used


@jit
def _copy_node(tree: GoTree, node: int, into: GoTree, at: int) -> None:
    for place in range(5):
        into.links[at, place] = tree.links[node, place]
        into.sums[at, place] = tree.sums[node, place]
