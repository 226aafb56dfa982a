"""The Monte Carlo tree search of Go, compiled: a tree grown by playouts that also learns from moves made later.

A child is chosen by what came of it and by what came of playouts in which its
point was played later by the same player (RAVE, Gelly & Silver 2007). New
children begin with games that were not played: the priors, from what a move
does to the chains around it, its window, and how far it is from the last move.
A judge of moves may say how likely each child is; such children are preferred
as long as they were tried little (PUCT, Rosin 2011).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import stay_apart
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.players.mcts.playout_board_kernel import (
    AROUND,
    CELLS,
    EYE,
    FINE,
    FIRST,
    HEAD,
    KO,
    LAST,
    MADE,
    MANY,
    PASSES,
    POINTS,
    SELF_ATARI,
    STEP,
    STONES,
    SUICIDE,
    TO_PLAY,
    advance,
    consequence,
    copy_game,
    has_two,
    in_atari,
    side_of,
)
from kibitz.games.go.players.mcts.playout_kernel import finish
from kibitz.games.go.players.mcts.windows import ELSEWHERE
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.search.control import DEPTH, MOVE, NODES, STOP, VALUE

(
    PLAYOUTS, EQUIVALENCE, EXPLORE, EXPAND, MARGIN, EVEN, BAD_ATARI, CAPTURE, SAVE, GIVE_ATARI, WINDOW, NEAR, EDGE_LINE,
    PASS, WON_PASS, JUDGE, TRUST,
) = range(17)  # fmt: skip
"""The places of the weights: how many playouts; how many playouts weigh as much as all that was learned from later
moves; how curious; after how many playouts a node gets children; how much of a result is its margin in points. Then
the games that were not played, of each new child: even ones; lost ones of a move into atari; won ones of a capture, of
a chain saved, of an atari given, by its window, near the last move, off the edge; lost ones of a pass, and won
ones of a pass at the root. At last, after how many playouts a node below the root waits for a judge, 0 for never, and
not at the root either; and how much what a judge holds for likely is preferred."""
DEFAULTS = (3000.0, 0.0, 4.0, 0.03, 10.0, 10.0, 10.0, 10.0, 3.0, 30.0, 10.0, 4.0, 8.0)
"""The weights from EQUIVALENCE to PASS. They are about the best of a few tried in games against each other."""
CHILD, CHILDREN, CELL, TRIES, JUDGED = range(5)
"""The places of Tree.links: the first child, the others follow it; how many; the move that leads here, 0 for a pass;
playouts that went through the node; 1 if a judge has said how likely its children are."""
GAMES, WINS, LATER, LATER_WINS, LIKELY = range(5)
"""The places of Tree.sums: those playouts and the games of the priors, and what the player who moves to the node won of
them; playouts from the parent in which that player made the move at some time, and what was won of these; how likely a
judge holds the move."""
UNTRIED = 0.05
"""By how much a move that was not tried yet is held for worse than its parent, where there is a judge."""


USED, WANTED = range(2)
"""The words of Tree.facts: nodes taken; the node that waits for a judge, or NOBODY."""
NOBODY = -1


class Tree(NamedTuple):
    """A pool of nodes; node 0 is the root."""

    links: Ints
    """int32 [node, place]"""
    sums: Floats
    """float32 [node, place]"""
    facts: Ints
    """int64: USED, WANTED"""


class Tools(NamedTuple):
    """What a search works with."""

    weights: Floats
    signal: Ints
    """see search/control.py; the value is in millionths of a win"""
    rng: Any
    path: Ints
    """int64: the nodes of this playout"""
    moves: Ints
    """int64: its moves"""
    player: Ints
    """int64 [cell]: who played there first, 0 for nobody; scratch"""
    allowed: Ints
    """int64 [cell]: 1 where the rules allow a stone at the root"""
    windows: Any
    """see windows.py"""


def new_tree(nodes: int) -> Tree:
    """Return a pool of that many nodes."""
    links, sums = np.zeros((nodes, 5), np.int32), np.zeros((nodes, 5), np.float32)
    return Tree(links, sums, np.zeros(2, np.int64))


@entry
def grow(tree: Tree, start: Ints, g: Ints, tools: Tools) -> int:
    """Grow a tree from a start until a limit or a stop; return the best child of the root.

    A tree that has nodes already must be one that was grown from this start; signal[NODES] counts on. Also returns
    when a node waits for a judge: it is then WANTED, and g is the position there; else g is scratch.
    """
    weights, signal, path = tools.weights, tools.signal, tools.path
    links, sums = tree.links, tree.sums
    if tree.facts[USED] == 0:
        tree.facts[USED] = 1
        _clear(tree, 0, 0)
    if links[0, CHILDREN] == 0:
        _expand(tree, start, tools, 0)
    tree.facts[WANTED] = NOBODY
    done, most = signal[NODES], int(weights[PLAYOUTS])
    while done < most and not (done and signal[STOP]):
        copy_game(start, g)
        node, depth = 0, 0
        while g[PASSES] < 2 and depth < len(path) - 1:
            if links[node, CHILDREN] == 0 and (
                links[node, TRIES] < weights[EXPAND] or not _expand(tree, g, tools, node)
            ):
                break
            if _needs_judge(links, weights, node):
                tree.facts[WANTED] = node
                return best_child(tree)
            node = _select(tree, weights, node)
            advance(g, tools.moves, links[node, CELL])
            depth += 1
            path[depth] = node
        _learn(tree, g, tools, depth, finish(g, tools.moves, tools.windows, tools.rng))
        signal[DEPTH] = max(signal[DEPTH], depth)
        done += 1
        signal[NODES] = done
        if done & 127 == 0:
            best = best_child(tree)
            signal[MOVE] = _move_of(start, links[best, CELL])
            signal[VALUE] = int(1e6 * sums[best, WINS] / sums[best, GAMES])
            if _is_settled(tree, best, most - done):
                break
    return best_child(tree)


@jit
def _needs_judge(links: Ints, weights: Floats, node: int) -> bool:
    """Return whether a node is to wait for a judge."""
    after = weights[JUDGE]
    return after > 0 and links[node, JUDGED] == 0 and (node == 0 or links[node, TRIES] >= after)


@jit
def _move_of(g: Ints, cell: int) -> int:
    """Return the move that a cell stands for."""
    return (cell // g[STEP] - 1) * (g[STEP] - 1) + cell % g[STEP] - 1 if cell else g[POINTS]


@jit
def best_child(tree: Tree) -> int:
    """Return the child of the root with most playouts, of equals the one that won more."""
    links, sums = tree.links, tree.sums
    best = first = links[0, CHILD]
    for child in range(first, first + links[0, CHILDREN]):
        more = links[child, TRIES] - links[best, TRIES]
        if more > 0 or (more == 0 and sums[child, WINS] * sums[best, GAMES] > sums[best, WINS] * sums[child, GAMES]):
            best = child
    return best


@jit
def _is_settled(tree: Tree, best: int, left: int) -> bool:
    """Return whether no other child can get more playouts than the best one."""
    links = tree.links
    for child in range(links[0, CHILD], links[0, CHILD] + links[0, CHILDREN]):
        if child != best and links[child, TRIES] + left >= links[best, TRIES]:
            return False
    return True


@jit
def _clear(tree: Tree, node: int, cell: int) -> None:
    for place in range(5):
        tree.links[node, place] = 0
        tree.sums[node, place] = 0.0
    tree.links[node, CELL] = cell


@jit
def _select(tree: Tree, weights: Floats, node: int) -> int:
    """Return the child to try next."""
    stay_apart()
    sums, first, equivalence = tree.sums, tree.links[node, CHILD], weights[EQUIVALENCE]
    curiosity = weights[EXPLORE] * math.sqrt(math.log(tree.links[node, TRIES] + 1.0))
    belief = weights[TRUST] * math.sqrt(tree.links[node, TRIES] + 1.0)
    best, highest = first, -1.0
    for child in range(first, first + tree.links[node, CHILDREN]):
        n, m = sums[child, GAMES], sums[child, LATER]
        value = sums[child, WINS] / n
        if m > 0.0:
            trust = m / (m + n + n * m / equivalence)
            value += trust * (sums[child, LATER_WINS] / m - value)
        if curiosity:
            value += curiosity / math.sqrt(n)
        value += belief * sums[child, LIKELY] / (1.0 + tree.links[child, TRIES])
        if value > highest:
            best, highest = child, value
    return best


@jit
def _learn(tree: Tree, g: Ints, tools: Tools, depth: int, quarters: int) -> None:
    """Add a finished playout, won by Black by so many quarter points, to all nodes on the way and their children."""
    stay_apart()
    links, sums, player, moves, path = tree.links, tree.sums, tools.player, tools.moves, tools.path
    share, scale, first = tools.weights[MARGIN], 4.0 * g[POINTS], g[FIRST]
    points = 1.0 if quarters > 0 else 0.5 if quarters == 0 else 0.0
    points += share * (0.5 + 0.5 * max(min(quarters / scale, 1.0), -1.0) - points)
    for i in range(g[MADE] - 1, depth - 1, -1):
        player[moves[i]] = first if i & 1 == 0 else BLACK + WHITE - first
    for d in range(depth, -1, -1):
        node = path[d]
        mover = first if d & 1 == 0 else BLACK + WHITE - first
        mine = points if mover == BLACK else 1.0 - points
        links[node, TRIES] += 1
        sums[node, GAMES] += 1.0
        sums[node, WINS] += 1.0 - mine
        player[0] = 0  # passes teach nothing
        for child in range(links[node, CHILD], links[node, CHILD] + links[node, CHILDREN]):
            if player[links[child, CELL]] == mover:
                sums[child, LATER] += 1.0
                sums[child, LATER_WINS] += mine
        if d:
            player[moves[d - 1]] = BLACK + WHITE - mover
    for i in range(g[MADE]):
        player[moves[i]] = 0


@jit
def _expand(tree: Tree, g: Ints, tools: Tools, node: int) -> bool:
    """Give a node its children, if the pool has room; return whether it had."""
    stay_apart()
    first, weights = tree.facts[USED], tools.weights
    if first + g[POINTS] + 1 > len(tree.links):
        return False
    n, colour = 0, g[TO_PLAY]
    for cell in range(g[STEP], g[CELLS] - g[STEP]):
        if g[STONES + cell] != EMPTY or cell == g[KO] or (node == 0 and not tools.allowed[cell]):
            continue
        result = consequence(g, cell, colour)
        if result not in (EYE, SUICIDE):
            _clear(tree, first + n, cell)
            _set_prior(tree, g, tools, first + n, result)
            n += 1
    _clear(tree, first + n, 0)
    won = 0.5 * weights[EVEN] + (weights[WON_PASS] if node == 0 else 0.0)
    lost = 0.5 * weights[EVEN] + (0.0 if g[PASSES] else weights[PASS])
    tree.sums[first + n, GAMES], tree.sums[first + n, WINS] = won + lost, won
    tree.links[node, CHILD], tree.links[node, CHILDREN] = first, n + 1
    tree.facts[USED] = first + n + 1
    return True


@jit
def _set_prior(tree: Tree, g: Ints, tools: Tools, node: int, result: int) -> None:
    """Give a new child the games of its priors."""
    weights, cell, colour, last = tools.weights, tree.links[node, CELL], g[TO_PLAY], g[LAST]
    taken, saved, threatened = 0, 0, 0
    for side in range(4):
        near = side_of(g, cell, side)
        code, head = g[STONES + near], g[HEAD + near]
        if code == BLACK + WHITE - colour:
            if in_atari(g, head):
                taken = max(taken, g[MANY + head])
            elif has_two(g, head):
                threatened = max(threatened, g[MANY + head])
        elif code == colour and in_atari(g, head):
            saved = max(saved, g[MANY + head])
    won = lost = 0.5 * weights[EVEN]
    if result == SELF_ATARI:
        lost += weights[BAD_ATARI]
    if taken:
        won += weights[CAPTURE] * min(taken, 2)
    if result == FINE and saved:
        won += weights[SAVE] * min(saved, 2)
    if result == FINE and threatened:
        won += weights[GIVE_ATARI]
    weight = tools.windows[(colour - 1 << 16) + g[AROUND + cell]]
    won += weights[WINDOW] * weight / (weight + ELSEWHERE)
    step = g[STEP]
    row, column = cell // step, cell % step
    if last:
        down, across = abs(row - last // step), abs(column - last % step)
        far = down + across + max(down, across)
        if far <= 8:
            won += weights[NEAR] * (10 - far) / 8.0
    line, around = min(min(row, step - row), min(column, step - column)), g[AROUND + cell]
    if (around ^ around >> 1) & 0x5555 == 0:  # no stone on the eight points around it
        if line <= 2:
            lost += weights[EDGE_LINE] * (3 - line)
        elif line <= 4:
            won += weights[EDGE_LINE]
    tree.sums[node, GAMES], tree.sums[node, WINS] = won + lost, won


@entry
def heed(tree: Tree, node: int, chances: Floats, even: float) -> None:
    """Let a node know what a judge says: how likely each move is, and that priors are nothing beside that.

    chances [cell]: from 0 to 1; of a pass at 0. Moves that were not tried yet begin with so many even games.
    """
    links, sums = tree.links, tree.sums
    links[node, JUDGED] = 1
    worth = 0.5
    if links[node, TRIES]:
        worth = max(1.0 - sums[node, WINS] / sums[node, GAMES] - UNTRIED, 0.0)
    for child in range(links[node, CHILD], links[node, CHILD] + links[node, CHILDREN]):
        cell = links[child, CELL]
        sums[child, LIKELY] = chances[cell]
        if cell and links[child, TRIES] == 0:
            sums[child, GAMES], sums[child, WINS] = even, even * worth


@entry
def transplant(tree: Tree, node: int, into: Tree, source: Any) -> None:
    """Make one tree what grows from a node of another. source: int32 [node], scratch."""
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
def _copy_node(tree: Tree, node: int, into: Tree, at: int) -> None:
    for place in range(5):
        into.links[at, place] = tree.links[node, place]
        into.sums[at, place] = tree.sums[node, place]
