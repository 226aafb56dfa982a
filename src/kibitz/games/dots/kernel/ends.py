"""Positions of any size for the tree search, compiled: quiet lines, runs, and an estimate of the end.

A quiet line is a safe one or a gift, which gives away a run of 1 or 2 boxes
that the other cannot decline. Where no line is safe, every run is opened, the
cheapest first, and how the boxes are shared follows from that (see settle).

Boxes are numbered from 1 here, and the ground is 0. Each box keeps its degree and
its tangle: the exclusive or of its undrawn lines. Of a box of degree 2 the one
line is then known from the other, which is how runs are followed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.dots.exact.runs_kernel import endgame
from kibitz.games.dots.exact.words import CHAINS, LENGTHS, LOOPS, SIZE
from kibitz.games.dots.rules.graph import Graph

GROUND = 0
UNDRAWN, FELL, LISTED = -1, 2, 3
"""Codes of Room.drawn_by beside the players 0, who moves at the root, and 1: not drawn; drawn to take what was
given; part of a run that is listed."""

_FAR = 1 << 40
"""The degree of the ground: it is never used up."""


class Board(NamedTuple):
    """A position in which nothing can be taken."""

    ends: Ints
    """[lines, 2] the boxes of a line"""
    degree: Ints
    """[boxes + 1]"""
    tangle: Ints
    """[boxes + 1]"""
    lines: Ints
    """the undrawn lines, ascending"""


class Room(NamedTuple):
    """Where one playout works."""

    degree: Ints
    tangle: Ints
    drawn_by: Ints
    """[lines] 0, 1, UNDRAWN, FELL or LISTED"""
    order: Ints
    """the undrawn lines of the board in the order in which they come up; those left undrawn are put first"""
    runs: Ints
    """short chains and all strings, each as one number, the cheaper the smaller: from the low end its two ends
    (8 bits each, the smaller one high), its length (16), and 1 if the ends are the same joint"""
    shares: Ints
    """[2*i + 0 or 1] of the i-th run opened, how many boxes it gives and how many of them can be declined"""
    words: Ints
    """a workspace of the solver, of which the counts of isolated chains and loops are used"""
    path: Ints
    """the nodes from the root on"""


def new_board(graph: Graph, undrawn: int) -> Board:
    """Return the position of a graph with these lines left. Nothing must be there to take."""
    lines = [line for line in range(len(graph.strings)) if undrawn >> line & 1]
    ends = np.array(graph.strings, np.int64) + 1
    degree, tangle = np.zeros((2, len(graph.coins) + 1), np.int64)
    for line in lines:
        for box in ends[line]:
            degree[box] += 1
            tangle[box] ^= line
    degree[GROUND] = _FAR
    return Board(ends, degree, tangle, np.array(lines, np.int64))


def new_room(board: Board) -> Room:
    """Return room for playouts from a position."""

    def room(n: int) -> Any:
        return np.zeros(n, np.int64)

    boxes, lines = len(board.degree), len(board.ends)
    order = np.array(board.lines, np.int64)
    return Room(
        room(boxes), room(boxes), room(lines), order, room(boxes), room(2 * boxes), room(SIZE), room(lines + 1)
    )  # fmt: skip


# Lines


@jit
def reset(board: Board, room: Room) -> None:
    """Put the position of the board up."""
    for box in range(len(board.degree)):
        room.degree[box], room.tangle[box] = board.degree[box], board.tangle[box]
    for i in range(len(board.lines)):
        room.drawn_by[board.lines[i]] = UNDRAWN


@jit
def other_end(board: Board, line: int, box: int) -> int:
    """Return the end of a line that is not this box."""
    return board.ends[line, 0] + board.ends[line, 1] - box


@jit
def draw(board: Board, room: Room, line: int, player: int) -> int:
    """Draw a quiet line for a player, and for the other those that take what it gives; return how many boxes."""
    given = 0
    room.drawn_by[line] = player
    for i in range(2):
        box = board.ends[line, i]
        room.degree[box] -= 1
        room.tangle[box] ^= line
    for i in range(2):
        box = board.ends[line, i]
        if room.degree[box] == 1:
            last = room.tangle[box]
            room.drawn_by[last] = FELL
            room.degree[box] = 0
            box = other_end(board, last, box)
            room.degree[box] -= 1
            room.tangle[box] ^= last
            given += 1
    return given


@jit
def is_safe(board: Board, room: Room, line: int) -> bool:
    """Return whether an undrawn line gives no box away."""
    return room.degree[board.ends[line, 0]] > 2 and room.degree[board.ends[line, 1]] > 2


@jit
def is_gift(board: Board, room: Room, line: int) -> bool:
    """Return whether an undrawn line is the one by which to give 1 or 2 boxes that cannot be declined.

    It is the lower line of a run of 1, or the middle of a run of 2. A possible loop is no gift.
    """
    box, end = board.ends[line, 0], board.ends[line, 1]
    if room.degree[box] != 2:
        box, end = end, box
        if room.degree[box] != 2:
            return False
    out = room.tangle[box] ^ line
    beyond = other_end(board, out, box)
    if room.degree[end] == 2:
        end = other_end(board, room.tangle[end] ^ line, end)
        if room.degree[end] == 2:
            return False
    elif out < line:
        return False
    return room.degree[beyond] != 2 and (beyond != end or end == GROUND)


# The end: no line is safe


@jit
def list_runs(board: Board, room: Room, left: int) -> int:
    """List the runs of the first so many lines of the order, as far as undrawn; return how many are in Room.runs.

    Long isolated chains and loops are counted in Room.words instead.
    """
    for word in range(CHAINS, LOOPS + LENGTHS):
        room.words[word] = 0
    runs = 0
    for i in range(left):
        line = room.order[i]
        if room.drawn_by[line] != UNDRAWN:
            continue
        room.drawn_by[line] = LISTED
        length, end = walk(board, room, line, board.ends[line, 0])
        if end == board.ends[line, 0] and room.degree[end] == 2:
            add_loop(room, length)
            continue
        more, other = walk(board, room, line, board.ends[line, 1])
        runs = add_run(room, runs, length + more, end, other)
    return runs


@jit
def walk(board: Board, room: Room, line: int, box: int) -> tuple[int, int]:
    """Follow a run from a line over one of its ends; return the boxes passed and where it ends: a loop in that box."""
    length, start, first = 0, line, box
    while room.degree[box] == 2:
        length += 1
        line ^= room.tangle[box]
        if line == start:
            return length, first
        room.drawn_by[line] = LISTED
        box = other_end(board, line, box)
    return length, box


@jit
def add_loop(room: Room, length: int) -> None:
    """Count a loop. One of 3, for which there is no formula, passes for a chain; no grid has any."""
    room.words[CHAINS + 3 if length == 3 else LOOPS + length] += 1


@jit
def add_run(room: Room, runs: int, length: int, end: int, other: int) -> int:
    """Count a long chain, or add another run to the list; return how many it has."""
    if end == other == GROUND and length > 2:
        room.words[CHAINS + length] += 1
        return runs
    loopy = 1 if end == other != GROUND else 0
    room.runs[runs] = loopy << 32 | length << 16 | min(end, other) << 8 | max(end, other)
    return runs + 1


@jit
def pull(room: Room, runs: int, joint: int) -> tuple[int, int]:
    """Take a run that meets a joint out of the list, which is one shorter then; return its length and other end."""
    i = 0
    while room.runs[i] & 255 != joint and room.runs[i] >> 8 & 255 != joint:
        i += 1
    run = room.runs[i]
    room.runs[i] = room.runs[runs - 1]
    return run >> 16 & 0xFFFF, (run & 255) + (run >> 8 & 255) - joint


@jit
def join(room: Room, runs: int, joint: int) -> int:
    """Make one run of the two that meet in a former joint, if its degree is 2 now; return how many there are."""
    if room.degree[joint] != 2:
        return runs
    length, end = pull(room, runs, joint)
    if end == joint:
        add_loop(room, length + 1)
        return runs - 1
    more, other = pull(room, runs - 1, joint)
    return add_run(room, runs - 2, length + 1 + more, end, other)


@jit
def open_cheapest(room: Room, runs: int, step: int) -> int:
    """Open the first run by Room.runs, note what it gives as that of a step, and return how many runs there are then.

    Possible loops come last, when only such are left at their joint: it has an even degree, and never falls.
    """
    best = 0
    for i in range(1, runs):
        if room.runs[i] < room.runs[best]:
            best = i
    run = room.runs[best]
    runs -= 1
    room.runs[best] = room.runs[runs]
    given, end, other = run >> 16 & 0xFFFF, run >> 8 & 255, run & 255
    room.degree[end] -= 1
    room.degree[other] -= 1
    room.shares[2 * step], room.shares[2 * step + 1] = given, 2 if given > 2 else 0
    runs = join(room, runs, end)
    return runs if end == other else join(room, runs, other)


@jit
def settle(room: Room, runs: int) -> int:
    """Return an estimate of what is left for the player to move: boxes he will get less those of the other.

    Which run is opened next is fixed: the shortest of those listed, possible loops last, until
    only isolated long ones are left, whose value is known. When to decline is not fixed but
    decided as is best (theory.after_captures).
    """
    steps = 0
    while runs:
        runs = open_cheapest(room, runs, steps)
        steps += 1
    value = endgame(room.words)
    for step in range(steps - 1, -1, -1):
        given, declined = room.shares[2 * step], room.shares[2 * step + 1]
        value = -(given - declined + abs(declined + value)) if declined else -(given + value)
    return value


@entry
def survey(board: Board, room: Room) -> int:
    """List the runs of a position without safe lines; return how many are in Room.runs."""
    reset(board, room)
    return list_runs(board, room, len(board.lines))


@entry
def estimate(board: Board, room: Room) -> int:
    """Return what settle returns, of a position without safe lines."""
    reset(board, room)
    return settle(room, list_runs(board, room, len(board.lines)))
