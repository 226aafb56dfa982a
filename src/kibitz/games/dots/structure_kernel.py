"""The compiled twin of structure.py: the structure of many positions as arrays.

analyse_many is for Python and validates; fill_row is for use inside kernels and
assumes. Dead trees, what meets in a joint and the long-chain rule are left to
structure.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.compiled.bits import lowest, popcount
from kibitz.compiled.jit import entry, jit
from kibitz.games.dots.graph import Graph
from kibitz.games.dots.runs import LONG_CHAIN

TAKEN, C_BOX, DEAD, CHAIN, LOOP, STRING, POSSIBLE_LOOP, JOINT = range(8)
"""Kinds of boxes; a C-box is not DEAD as well."""
UNDRAWN, OPEN, C_BOXES, DEAD_BOXES, RUNS, LONG_CHAINS, JOINTS, POSSIBLE_LOOPS, SAFE, PHASE = range(10)
"""The columns of Tables.facts. DEAD_BOXES counts the C-boxes too."""
FACTS = 10
START, MIDDLE, FINAL = range(3)
"""Phases."""
CHAINS, LOOPS, STRINGS = range(3)
"""The tables of Tables.counts."""

_ONE = np.array([1 << i for i in range(64)], np.uint64).view(np.int64)
_UNSEEN = 8  # the kind of a box in a run that has not been walked yet


class Board(NamedTuple):
    """A graph."""

    masks: Any
    """int64 [boxes, words]: the strings of each box; bit i of word w stands for string 64*w + i"""
    ends: Any
    """int64 [strings, 2]: the boxes of each string, -1 for the ground"""
    left: Any
    """int64 [boxes]: room to work in"""
    todo: Any
    """int64 [boxes]: room to work in"""
    words: Any
    """int64 [2, words]: room to work in"""


class Tables(NamedTuple):
    """The structures of n positions."""

    degree: Any
    """int16 [n, boxes]"""
    kind: Any
    """int8 [n, boxes]: TAKEN ... JOINT"""
    run: Any
    """int16 [n, boxes]: the number of the run that a box is in, in the order of structure.py; -1 if in none"""
    counts: Any
    """int16 [n, 3, boxes + 1]: CHAINS, LOOPS (possible loops too) and STRINGS of each size"""
    facts: Any
    """int16 [n, FACTS]"""


def words_of(graph: Graph, undrawn: Iterable[int]) -> Any:
    """Return sets of undrawn lines, given as whole numbers, as words: int64 [n, words]."""
    words = _words(graph)
    rows = [[bits >> 64 * w & 0xFFFFFFFFFFFFFFFF for w in range(words)] for bits in undrawn]
    return np.array(rows, np.uint64).reshape(len(rows), words).view(np.int64)


def board_of(graph: Graph) -> Board:
    """Return a graph as arrays, with room of its own to work in."""
    masks, ends = _arrays(graph)
    boxes, words = masks.shape
    return Board(masks, ends, np.zeros(boxes, np.int64), np.zeros(boxes, np.int64), np.zeros((2, words), np.int64))


@lru_cache(maxsize=128)
def _arrays(graph: Graph) -> tuple[Any, Any]:
    return words_of(graph, graph.masks), np.array(graph.strings, np.int64)


def _words(graph: Graph) -> int:
    return 1 + (len(graph.strings) - 1) // 64


def new_tables(graph: Graph, n: int) -> Tables:
    """Return room for the structures of n positions."""
    boxes = len(graph.coins)
    return Tables(
        np.zeros((n, boxes), np.int16),
        np.zeros((n, boxes), np.int8),
        np.zeros((n, boxes), np.int16),
        np.zeros((n, 3, boxes + 1), np.int16),
        np.zeros((n, FACTS), np.int16),
    )


def analyse_many(graph: Graph, undrawn: Any) -> Tables:
    """Return the structures of positions given by the words of their undrawn lines.

    undrawn: uint64 or int64, [n, words], or [n] where one word is enough. Raises
    ValueError if the shape or the type is another, or if a bit stands for no line.
    """
    given, words, lines = np.asarray(undrawn), _words(graph), len(graph.strings)
    if given.dtype not in (np.uint64, np.int64):
        raise ValueError(f"The words are of type {given.dtype}, but must be uint64 or int64.")
    if given.ndim == 1 and words == 1:
        given = given.reshape(-1, 1)
    if given.ndim != 2 or given.shape[1] != words:
        raise ValueError(f"The words have the shape {given.shape}, but must be n rows of {words} for {lines} lines.")
    given = np.ascontiguousarray(given).view(np.int64)
    if (given & ~words_of(graph, [graph.all_strings])).any():
        raise ValueError(f"A bit is set that stands for no line: the lines are 0 to {lines - 1}.")
    tables = new_tables(graph, len(given))
    fill(board_of(graph), given, tables)
    return tables


@entry
def fill(board: Board, undrawn: Any, tables: Tables) -> None:
    """Fill in the structure of each row of undrawn lines. The tables must be new."""
    for row in range(len(undrawn)):
        fill_row(board, undrawn, tables, row)


@jit
def fill_row(board: Board, undrawn: Any, tables: Tables, row: int) -> None:
    """Fill in the structure of one row of undrawn lines. Its counts must be 0."""
    words, left = board.words, board.left
    degree, kind, facts = tables.degree[row], tables.kind[row], tables.facts[row]
    for w in range(words.shape[1]):
        words[0, w] = words[1, w] = undrawn[row, w]
    for box in range(len(left)):
        degree[box] = left[box] = _degree(board, words[0], box)
    facts[DEAD_BOXES] = _take_all(board, words[1])
    lines = safe = taken = c_boxes = joints = 0
    for w in range(words.shape[1]):
        words[1, w] = words[0, w]
        lines += popcount(words[0, w])
    for box in range(len(left)):
        tables.run[row, box] = -1
        if degree[box] > 2 and left[box] > 0:
            kind[box] = JOINT
            joints += 1
            continue
        if degree[box] <= 2:
            for w in range(words.shape[1]):
                words[1, w] &= ~board.masks[box, w]
        if degree[box] == 0:
            kind[box] = TAKEN
            taken += 1
        elif left[box] > 0:
            kind[box] = _UNSEEN
        elif degree[box] == 1:
            kind[box] = C_BOX
            c_boxes += 1
        else:
            kind[box] = DEAD
    for w in range(words.shape[1]):
        safe += popcount(words[1, w])
    formed = _fill_runs(board, tables, row)
    facts[UNDRAWN], facts[OPEN] = lines, len(left) - taken
    facts[C_BOXES], facts[JOINTS], facts[SAFE] = c_boxes, joints, safe
    facts[PHASE] = FINAL if safe == 0 else MIDDLE if formed else START


@jit
def _degree(board: Board, undrawn: Any, box: int) -> int:
    """Return how many strings of a box are undrawn."""
    degree = 0
    for w in range(len(undrawn)):
        degree += popcount(undrawn[w] & board.masks[box, w])
    return degree


@jit
def _string(board: Board, undrawn: Any, box: int, other: int) -> int:
    """Return the lowest undrawn string of a box but for one; -1 excludes none."""
    for w in range(len(undrawn)):
        word = undrawn[w] & board.masks[box, w]
        if other >> 6 == w:
            word &= ~_ONE[other & 63]
        if word:
            return 64 * w + lowest(word)
    return -1


@jit
def _take_all(board: Board, undrawn: Any) -> int:
    """Draw what takes boxes until nothing does; return how many are taken. They have nothing left then."""
    left, todo = board.left, board.todo
    n = 0
    for box in range(len(left)):
        if left[box] == 1:
            todo[n] = box
            n += 1
    taken = 0
    while taken < n:
        box = todo[taken]
        taken += 1
        if left[box] == 0:  # taken by the same line as its neighbour
            continue
        string = _string(board, undrawn, box, -1)
        undrawn[string >> 6] &= ~_ONE[string & 63]
        left[box] = 0
        other = board.ends[string, 0] + board.ends[string, 1] - box
        if other >= 0:
            left[other] -= 1
            if left[other] == 1:
                todo[n] = other
                n += 1
    return taken


@jit
def _fill_runs(board: Board, tables: Tables, row: int) -> bool:
    """Walk along the runs and count them; return whether there is a loop or a run of 3 or more."""
    kind, counts, facts, kinds = tables.kind[row], tables.counts[row], tables.facts[row], board.todo
    runs = possible = long_chains = 0
    formed = False
    for box in range(len(kind)):
        if kind[box] != _UNSEEN:
            continue
        kind[box] = STRING
        tables.run[row, box] = runs
        low = _string(board, board.words[0], box, -1)
        length, end = _walk(board, tables, row, box, low)
        length += 1
        if end == box:
            kinds[runs] = LOOP
            counts[LOOPS, length] += 1
            formed = True
        else:
            more, other = _walk(board, tables, row, box, _string(board, board.words[0], box, low))
            length += more
            formed |= length >= LONG_CHAIN
            if end == other and end >= 0:
                kinds[runs] = POSSIBLE_LOOP
                counts[LOOPS, length + 1] += 1
                possible += 1
            else:
                kinds[runs] = CHAIN if end == other else STRING
                counts[CHAINS if end == other else STRINGS, length] += 1
                long_chains += length >= LONG_CHAIN
        runs += 1
    for box in range(len(kind)):
        if kind[box] == STRING:
            kind[box] = kinds[tables.run[row, box]]
    facts[RUNS], facts[POSSIBLE_LOOPS], facts[LONG_CHAINS] = runs, possible, long_chains
    return formed


@jit
def _walk(board: Board, tables: Tables, row: int, box: int, string: int) -> tuple[int, int]:
    """Mark the run along a string of a box; return how many boxes were met, and where it ends."""
    kind, run = tables.kind[row], tables.run[row]
    number = run[box]
    length = 0
    here = board.ends[string, 0] + board.ends[string, 1] - box
    while here >= 0 and kind[here] == _UNSEEN:
        kind[here] = STRING
        run[here] = number
        length += 1
        string = _string(board, board.words[0], here, string)
        here = board.ends[string, 0] + board.ends[string, 1] - here
    return length, here
