"""A compiled tree search over quiet lines with estimated endgames, for positions too large for the solver.

UCT with RAVE (Gelly & Silver 2007) from a position in which nothing can be taken. A quiet line is a safe one or a
gift, which gives away a run of 1 or 2 boxes that the opponent cannot decline. All of them pass the move on, so that a
gift is a safe line with a price. A playout continues with random quiet lines until no line is safe. Then every run is
opened, the cheapest first, which decides how the boxes are shared (see estimate_rest).

Boxes are numbered from 1 here, and the ground is 0. Each box has its degree and lines_xor, the exclusive or of its
undrawn lines. In a box of degree 2 one line thus gives the other, which is how runs are followed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.rng import below
from kibitz.games.dots.exact import layout as at
from kibitz.games.dots.exact.runs_kernel import endgame_value
from kibitz.games.dots.rules.graph import Graph
from kibitz.search.control import NODES, STOP

GROUND = 0
UNDRAWN, TAKEN, LISTED = -1, 2, 3
"""Codes in EndsScratch.drawn_by besides the players (0, the player to move at the root, and 1): not drawn; drawn to
take boxes that were given away; part of a listed run."""

_GROUND_DEGREE = 1 << 40  # the ground never runs out of lines

NO_CHILD = 0  # the root is nobody's child
MAX_PLAYOUTS, LEAD = range(2)
"""Indices into the settings: the limit of playouts, the root player's lead in boxes."""
_EXPLORATION = 0.05
_RAVE_EQUIVALENCE = 1000.0
"""The visits of a child at which its own results begin to outweigh those of all playouts with its line."""
_MARGIN_WEIGHT, _HALF_MARGIN = 0.2, 5.0
"""The weight of the margin relative to winning, and the margin that earns half of that weight."""


class EndsBoard(NamedTuple):
    """A position in which nothing can be taken."""

    ends: Ints  # [lines, 2] the boxes of a line
    degree: Ints  # [boxes + 1]
    lines_xor: Ints  # [boxes + 1] the exclusive or of the undrawn lines of each box
    lines: Ints  # the undrawn lines, ascending


class EndsScratch(NamedTuple):
    """The arrays that one playout works on."""

    degree: Ints
    lines_xor: Ints
    drawn_by: Ints  # [lines] 0, 1, UNDRAWN, FELL or LISTED
    order: Ints  # the undrawn lines of the board in the order in which they come up; those left undrawn are put first
    runs: Ints  # short chains and all strings, as packed by pack_run
    openings: Ints  # [2*i + 0 or 1] the boxes given by the i-th run opened, and how many of them can be declined
    workspace: Ints  # a workspace of the solver; only its counts of isolated chains and loops are used
    path: Ints  # the nodes from the root on


def new_board(graph: Graph, undrawn: int) -> EndsBoard:
    """Return the arrays of a position with these lines left. Assumes that nothing can be taken."""
    lines = [line for line in range(len(graph.strings)) if undrawn >> line & 1]
    ends = np.array(graph.strings, np.int64) + 1
    degree, lines_xor = np.zeros((2, len(graph.coins) + 1), np.int64)
    for line in lines:
        for box in ends[line]:
            degree[box] += 1
            lines_xor[box] ^= line
    degree[GROUND] = _GROUND_DEGREE
    return EndsBoard(ends, degree, lines_xor, np.array(lines, np.int64))


def new_scratch(board: EndsBoard) -> EndsScratch:
    """Return the arrays for playouts from a position."""

    def zeros(n: int) -> NDArray[np.int64]:
        return np.zeros(n, np.int64)

    boxes, lines = len(board.degree), len(board.ends)
    return EndsScratch(
        degree=zeros(boxes),
        lines_xor=zeros(boxes),
        drawn_by=zeros(lines),
        order=np.array(board.lines, np.int64),
        runs=zeros(boxes),
        openings=zeros(2 * boxes),
        workspace=zeros(at.WORKSPACE_LENGTH),
        path=zeros(lines + 1),
    )


# Lines


@jit
def reset(board: EndsBoard, scratch: EndsScratch) -> None:
    """Reset the scratch arrays to the position of the board."""
    for box in range(len(board.degree)):
        scratch.degree[box], scratch.lines_xor[box] = board.degree[box], board.lines_xor[box]
    for i in range(len(board.lines)):
        scratch.drawn_by[board.lines[i]] = UNDRAWN


@jit
def other_end(board: EndsBoard, line: int, box: int) -> int:
    """Return the end of a line that is not this box."""
    return board.ends[line, 0] + board.ends[line, 1] - box


@jit
def draw(board: EndsBoard, scratch: EndsScratch, line: int, player: int) -> int:
    """Draw a quiet line for a player, and the opponent's lines that take the boxes given; return how many."""
    given = 0
    scratch.drawn_by[line] = player
    for i in range(2):
        box = board.ends[line, i]
        scratch.degree[box] -= 1
        scratch.lines_xor[box] ^= line
    for i in range(2):
        box = board.ends[line, i]
        if scratch.degree[box] == 1:
            last = scratch.lines_xor[box]
            scratch.drawn_by[last] = TAKEN
            scratch.degree[box] = 0
            box = other_end(board, last, box)
            scratch.degree[box] -= 1
            scratch.lines_xor[box] ^= last
            given += 1
    return given


@jit
def is_safe(board: EndsBoard, scratch: EndsScratch, line: int) -> bool:
    """Return whether an undrawn line gives no box away."""
    return scratch.degree[board.ends[line, 0]] > 2 and scratch.degree[board.ends[line, 1]] > 2


@jit
def is_gift(board: EndsBoard, scratch: EndsScratch, line: int) -> bool:
    """Return whether an undrawn line is a gift: it gives away 1 or 2 boxes that cannot be declined.

    One line per run counts: the lower-numbered one of a run of 1, the middle of a run of 2; none of a possible loop.
    """
    box, end = board.ends[line, 0], board.ends[line, 1]
    if scratch.degree[box] != 2:
        box, end = end, box
        if scratch.degree[box] != 2:
            return False
    other_line = scratch.lines_xor[box] ^ line
    end_beyond = other_end(board, other_line, box)
    if scratch.degree[end] == 2:
        end = other_end(board, scratch.lines_xor[end] ^ line, end)
        if scratch.degree[end] == 2:
            return False
    elif other_line < line:
        return False
    return scratch.degree[end_beyond] != 2 and (end_beyond != end or end == GROUND)


# The end: no line is safe. A listed run is one number, and the least number is the cheapest run.


@jit
def pack_run(length: int, end: int, other: int) -> int:
    """Pack a run into a number: from the low end its two ends (8 bits each), its length (16), 1 for a possible loop."""
    is_possible_loop = 1 if end == other != GROUND else 0
    return is_possible_loop << 32 | length << 16 | min(end, other) << 8 | max(end, other)


@jit
def length_of(run: int) -> int:
    """Return the number of boxes of a listed run."""
    return run >> 16 & 0xFFFF


@jit
def ends_of(run: int) -> tuple[int, int]:
    """Return the two ends of a listed run, the smaller first."""
    return run >> 8 & 255, run & 255


@jit
def list_runs(board: EndsBoard, scratch: EndsScratch, left: int) -> int:
    """List the runs of the undrawn lines, all among the first `left` of the order; return the length of the list.

    Long isolated chains and loops are counted in EndsScratch.workspace instead.
    """
    for word in range(at.CHAINS, at.LOOPS + at.LENGTH_LIMIT):
        scratch.workspace[word] = 0
    runs = 0
    for i in range(left):
        line = scratch.order[i]
        if scratch.drawn_by[line] != UNDRAWN:
            continue
        scratch.drawn_by[line] = LISTED
        length, end = follow_run(board, scratch, line, board.ends[line, 0])
        if end == board.ends[line, 0] and scratch.degree[end] == 2:
            add_loop(scratch, length)
            continue
        more_boxes, other = follow_run(board, scratch, line, board.ends[line, 1])
        runs = add_run(scratch, runs, length + more_boxes, end, other)
    return runs


@jit
def follow_run(board: EndsBoard, scratch: EndsScratch, line: int, box: int) -> tuple[int, int]:
    """Follow a run from a line into a box; return the number of boxes passed, and the end: the first box for a loop."""
    length, start, first = 0, line, box
    while scratch.degree[box] == 2:
        length += 1
        line ^= scratch.lines_xor[box]
        if line == start:
            return length, first
        scratch.drawn_by[line] = LISTED
        box = other_end(board, line, box)
    return length, box


@jit
def add_loop(scratch: EndsScratch, length: int) -> None:
    """Count an isolated loop. A loop of 3, for which there is no formula, counts as a chain; no grid has any."""
    scratch.workspace[at.CHAINS + 3 if length == 3 else at.LOOPS + length] += 1


@jit
def add_run(scratch: EndsScratch, runs: int, length: int, end: int, other: int) -> int:
    """Count a long isolated chain, or add any other run to the list; return the length of the list."""
    if end == other == GROUND and length > 2:
        scratch.workspace[at.CHAINS + length] += 1
        return runs
    scratch.runs[runs] = pack_run(length, end, other)
    return runs + 1


@jit
def remove_run(scratch: EndsScratch, runs: int, joint: int) -> tuple[int, int]:
    """Remove one run that ends at a joint from the list, shortening it by one; return its length and other end."""
    i = 0
    while joint not in ends_of(scratch.runs[i]):
        i += 1
    run = scratch.runs[i]
    scratch.runs[i] = scratch.runs[runs - 1]
    low, high = ends_of(run)
    return length_of(run), low + high - joint


@jit
def merge_at(scratch: EndsScratch, runs: int, joint: int) -> int:
    """Merge the two runs that meet in a joint if its degree is now 2; return the new length of the list."""
    if scratch.degree[joint] != 2:
        return runs
    length, end = remove_run(scratch, runs, joint)
    if end == joint:
        add_loop(scratch, length + 1)
        return runs - 1
    more, other = remove_run(scratch, runs - 1, joint)
    return add_run(scratch, runs - 2, length + 1 + more, end, other)


@jit
def open_cheapest(scratch: EndsScratch, runs: int, step: int) -> int:
    """Open the cheapest run, record in `openings` how many boxes it gives, and return the new length of the list.

    Possible loops come last, when nothing else is left at their joint: its degree is even, so it is never given away.
    """
    cheapest = 0
    for i in range(1, runs):
        if scratch.runs[i] < scratch.runs[cheapest]:
            cheapest = i
    run = scratch.runs[cheapest]
    runs -= 1
    scratch.runs[cheapest] = scratch.runs[runs]
    given, (end, other) = length_of(run), ends_of(run)
    scratch.degree[end] -= 1
    scratch.degree[other] -= 1
    scratch.openings[2 * step], scratch.openings[2 * step + 1] = given, 2 if given > 2 else 0
    runs = merge_at(scratch, runs, end)
    return runs if end == other else merge_at(scratch, runs, other)


@jit
def estimate_rest(scratch: EndsScratch, runs: int) -> int:
    """Estimate the value of the listed and counted runs, in net boxes for the player to move.

    The order of opening is fixed: the shortest of those listed first, possible loops last, until
    only isolated long ones are left, whose value is known. At each step the taker declines where
    that is better (see value_with_captures in theory/endgames.py).
    """
    steps = 0
    while runs:
        runs = open_cheapest(scratch, runs, steps)
        steps += 1
    value = endgame_value(scratch.workspace)
    for step in range(steps - 1, -1, -1):
        given, declined = scratch.openings[2 * step], scratch.openings[2 * step + 1]
        value = -(given - declined + abs(declined + value)) if declined else -(given + value)
    return value


@entry
def estimate(board: EndsBoard, scratch: EndsScratch) -> int:
    """Return the estimated value of a position without safe lines, in net boxes for the player to move."""
    reset(board, scratch)
    return estimate_rest(scratch, list_runs(board, scratch, len(board.lines)))


# The tree


class QuietTree(NamedTuple):
    """A pool of nodes; node 0 is the root. The children of a node are consecutive.

    Points, wins and margins are totals for the player who drew the node's line.
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
    """Return a tree that has only the root, with room for this many nodes."""
    child, children, line, visits, rave_visits = (np.zeros(nodes, np.int64) for _ in range(5))
    points, wins, margins, rave_points = (np.zeros(nodes, np.float64) for _ in range(4))
    used = np.ones(1, np.int64)
    return QuietTree(child, children, line, visits, points, wins, margins, rave_visits, rave_points, used)


@entry
def grow(
    board: EndsBoard, scratch: EndsScratch, tree: QuietTree, signal: Ints, settings: Ints, rng: NDArray[np.uint64]
) -> None:
    """Grow the tree by playouts until the limit or a stop: at least one, and only one if the root has no quiet line."""
    while True:
        reset(board, scratch)
        depth, cost = descend(board, scratch, tree)
        ply, cost, left = play_out(board, scratch, depth, cost, rng)
        lead = settings[LEAD] - cost
        value = estimate_rest(scratch, list_runs(board, scratch, left))
        back_up(scratch, tree, depth, lead - value if ply & 1 else lead + value)
        signal[NODES] += 1
        if signal[STOP] or signal[NODES] >= settings[MAX_PLAYOUTS] or tree.children[0] == 0:
            return


@jit
def descend(board: EndsBoard, scratch: EndsScratch, tree: QuietTree) -> tuple[int, int]:
    """Draw the lines from the root to a leaf of the tree; return how many, and how many boxes they cost player 0."""
    node, depth, cost = 0, 0, 0
    scratch.path[0] = 0
    while True:
        if tree.child[node] == NO_CHILD and should_expand(board, tree, node):
            expand(board, scratch, tree, node)
        if tree.children[node] == 0:
            return depth, cost
        node = select(tree, node)
        given = draw(board, scratch, tree.line[node], depth & 1)
        cost += -given if depth & 1 else given
        depth += 1
        scratch.path[depth] = node


@jit
def play_out(
    board: EndsBoard, scratch: EndsScratch, ply: int, cost: int, rng: NDArray[np.uint64]
) -> tuple[int, int, int]:
    """Draw random quiet lines until none is safe; return the plies, their cost in boxes, and the number of lines left.

    Every line comes up once, in random order. A safe line is drawn, a gift with probability 1/2.
    """
    n, left = len(scratch.order), 0
    for i in range(n):
        j = i + below(rng, n - i)
        line = scratch.order[j]
        scratch.order[j] = scratch.order[i]
        scratch.order[i] = line
        if scratch.drawn_by[line] != UNDRAWN:
            continue
        if is_safe(board, scratch, line) or (below(rng, 2) and is_gift(board, scratch, line)):
            given = draw(board, scratch, line, ply & 1)
            cost += -given if ply & 1 else given
            ply += 1
        else:
            scratch.order[i] = scratch.order[left]
            scratch.order[left] = line
            left += 1
    return ply, cost, left


@jit
def _points(margin: int) -> float:
    """Return the points for a margin, from 0 to 1: mostly for winning, and a little for the size of the margin."""
    win = 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
    return (1.0 - _MARGIN_WEIGHT) * win + _MARGIN_WEIGHT * (0.5 + 0.5 * margin / (abs(margin) + _HALF_MARGIN))


@jit
def back_up(scratch: EndsScratch, tree: QuietTree, depth: int, margin: int) -> None:
    """Update the nodes of the path and, for RAVE, their children whose line was drawn. margin: that of player 0."""
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
def should_expand(board: EndsBoard, tree: QuietTree, node: int) -> bool:
    """Return whether to expand a leaf: at its second visit, or later when the pool of nodes fills up."""
    free = len(tree.child) - tree.used[0]
    return free > len(board.lines) and (node == 0 or tree.visits[node] * free > tree.used[0])


@jit
def expand(board: EndsBoard, scratch: EndsScratch, tree: QuietTree, node: int) -> None:
    """Add a child to a node for each quiet line."""
    tree.child[node] = tree.used[0]
    for i in range(len(board.lines)):
        line = board.lines[i]
        if scratch.drawn_by[line] == UNDRAWN and (is_safe(board, scratch, line) or is_gift(board, scratch, line)):
            tree.line[tree.used[0]] = line
            tree.used[0] += 1
            tree.children[node] += 1


@jit
def select(tree: QuietTree, node: int) -> int:
    """Return the child with the highest score by UCT and RAVE."""
    first = tree.child[node]
    best, best_score = first, -1.0
    log_visits = math.log(tree.visits[node] + 1.0)
    average = 1.0 - tree.points[node] / tree.visits[node] if tree.visits[node] else 0.5
    for child in range(first, first + tree.children[node]):
        visits, rave_visits = tree.visits[child], tree.rave_visits[child]
        own_mean = tree.points[child] / visits if visits else 0.0
        rave_mean = tree.rave_points[child] / rave_visits if rave_visits else average
        rave_weight = math.sqrt(_RAVE_EQUIVALENCE / (3.0 * visits + _RAVE_EQUIVALENCE))
        exploration = _EXPLORATION * math.sqrt(log_visits / (visits + 1.0))
        score = (1.0 - rave_weight) * own_mean + rave_weight * rave_mean + exploration
        if score > best_score:
            best, best_score = child, score
    return best
