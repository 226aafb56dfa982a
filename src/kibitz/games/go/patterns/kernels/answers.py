"""How each move answers the one before it: the window around that, and where in it the answer lies."""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.kernels.windows import (
    NONE,
    RADIUS,
    SIZE,
    Window,
    cell_of,
    clear_board,
    gather,
    swap,
    turn_key,
)
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP


class Answers(NamedTuple):
    """Where answers are written."""

    keys: Ints
    """int64: the canonical key of the window around the move before, the one who answers as Black; NONE for none"""
    choices: Any
    """uint8: which point of the canonical window was chosen; as many as there are points for one outside"""
    images: Any
    """int64 [8, point]: where each point of the shape goes under each symmetry"""


@entry
def answer_keys(answers: Answers, window: Window, changes: Any, board: Any, starts: Ints, ends: Ints) -> int:
    """Write for each move of some games, passes left out, what it answers and how; return how many moves.

    A move answers the last one of the opponent if nothing else came between.
    """
    n = 0
    for game in range(len(starts)):
        clear_board(window, board)
        last, last_colour = PASS, 0
        for at in range(starts[game], ends[game]):
            change = changes[at]
            point, colour = change & PASS, change >> POINT_BITS & 3
            moved = change & (SETUP | TAKEN) == 0
            if moved and point != PASS:
                answers.keys[n] = NONE
                if last != PASS and last_colour != colour:
                    _answer(answers, window, board, n, last, point, colour)
                n += 1
            if moved:
                last, last_colour = point, colour
            if point != PASS:
                board[cell_of(window, point)] = colour
    return n


@jit
def _answer(answers: Answers, window: Window, board: Any, n: int, last: int, point: int, colour: int) -> None:
    """Write one answer. Where the window is symmetric, the least of the points that are the same is chosen."""
    size, radius = window.facts[SIZE], window.facts[RADIUS]
    stride = size + 2 * radius
    offset = (point // size - last // size) * stride + point % size - last % size
    outside = len(window.offsets)
    place = outside
    if abs(point % size - last % size) <= radius:
        for i in range(outside):
            if window.offsets[i] == offset:
                place = i
    key = gather(window, board, cell_of(window, last))
    if colour == WHITE:
        key = swap(key)
    least = key
    choice = place
    for image in range(1, 8):
        turned = turn_key(window, key, image)
        if turned > least:
            continue
        to = outside if place == outside else answers.images[image, place]
        if turned < least or to < choice:
            least, choice = turned, to
    answers.keys[n] = least
    answers.choices[n] = choice
