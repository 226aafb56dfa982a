"""Boards looked up in a table of patterns: which pattern lies around each empty point for who is to move."""

from __future__ import annotations

from typing import Any, NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.patterns.kernels.windows import (
    EXACT,
    RADIUS,
    SIZE,
    Table,
    Window,
    cell_of,
    clear_board,
    first_slot,
    gather,
    least_form,
    look_up,
    mover_key,
    swap,
)
from kibitz.games.go.records.search.changes_kernel import TAKEN
from kibitz.games.go.rules.board import EMPTY, WHITE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP


class Memo(NamedTuple):
    """What windows as they lie were found to be: the last one of each slot is remembered."""

    keys: Ints
    """int64 [power of two]: keys as they lie; NONE where there is none"""
    numbers: Any
    """int32 [slot]: the number of the pattern, -1 for none"""


@entry
def match_boards(
    window: Window, table: Table, memo: Memo, board: Any, boards: Any, colours: Ints, numbers: Any
) -> None:
    """Write [board, point] the number of the pattern around each empty point of boards, -1 where there is none."""
    clear_board(window, board)
    size, radius = window.facts[SIZE], window.facts[RADIUS]
    stride = size + 2 * radius
    for at in range(len(boards)):
        point = 0
        for row in range(size):
            start = (row + radius) * stride + radius
            for cell in range(start, start + size):
                board[cell] = boards[at, point]
                point += 1
        point = 0
        for row in range(size):
            start = (row + radius) * stride + radius
            for cell in range(start, start + size):
                numbers[at, point] = -1
                if board[cell] == EMPTY:
                    numbers[at, point] = _number(window, table, memo, board, cell, colours[at])
                point += 1


@jit
def _number(window: Window, table: Table, memo: Memo, board: Any, cell: int, colour: int) -> int:
    """Return the number of the pattern around a cell, -1 for none."""
    if not window.facts[EXACT]:
        return max(look_up(table, mover_key(window, board, cell, colour)), -1)
    key = gather(window, board, cell)
    if colour == WHITE:
        key = swap(key)
    slot = first_slot(key, len(memo.keys) - 1)
    if memo.keys[slot] != key:
        memo.keys[slot] = key
        memo.numbers[slot] = max(look_up(table, least_form(window, key, 0)), -1)
    number: int = memo.numbers[slot]
    return number


@entry
def match_game(
    window: Window, table: Table, memo: Memo, board: Any, changes: Any, span: Ints, numbers: Any, played: Ints
) -> int:
    """Write the same for each position of a game before a move, and the point that was played; return how many.

    span: where the changes of the game begin and end. A pass is left out.
    """
    clear_board(window, board)
    n = 0
    points = numbers.shape[1]
    for at in range(span[0], span[1]):
        change = changes[at]
        point, colour = change & PASS, change >> POINT_BITS & 3
        if point == PASS:
            continue
        if change & (SETUP | TAKEN) == 0:
            played[n] = point
            for other in range(points):
                cell = cell_of(window, other)
                numbers[n, other] = -2
                if board[cell] == EMPTY:
                    numbers[n, other] = _number(window, table, memo, board, cell, colour)
            n += 1
        board[cell_of(window, point)] = colour
    return n
