"""The compiled twin of the evaluations in evaluate.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.games.uttt import evaluate as readable
from kibitz.games.uttt.kernel import layout as at
from kibitz.games.uttt.players.net import UtttNet
from kibitz.games.uttt.players.net_kernel import learned
from kibitz.games.uttt.rules.geometry import LINES

_BOARDS = np.arange(3**9)[:, None] // 3 ** np.arange(9) % 3  # 0 empty, 1 X, 2 O


def _open_lines() -> Any:
    """Return readable._open_lines for every 3x3 board, int64 [pattern]."""
    total = np.zeros(3**9, np.int64)
    for line in LINES:
        x, o = ((_BOARDS[:, line] == mark).sum(axis=1) for mark in (1, 2))
        for mine, yours, sign in ((x, o, 1), (o, x, -1)):
            total += sign * np.where((mine > 0) & (yours == 0), np.where(mine == 2, 8, 1), 0)
    return total


_OPEN_LINES = _open_lines()
_SIGNS = (_BOARDS == 1).astype(np.int64) - (_BOARDS == 2)
_LINE_COUNTS = np.array(readable.LINE_COUNTS, dtype=np.int64)
_CELL_WEIGHTS = np.array(readable.CELL_WEIGHTS, dtype=np.int64)
_WEIGH_LINES = _SIGNS @ _LINE_COUNTS  # readable._weigh of every 3x3 board, with either kind of weights
_WEIGH_CELLS = _SIGNS @ _CELL_WEIGHTS
_COMPLETES_LINE = np.array(  # [marks, cell] readable._completes_line; 0 for UNKNOWN_CELL
    [[any(m | 1 << c == m | at.mask(line) for line in LINES if c in line) for c in range(16)] for m in range(512)],
    dtype=np.int64,
)


@jit
def value(w: Ints, net: UtttNet, scratch: Any, evaluation: int) -> int:
    """Return the value of a position for the player to move; evaluation: an index into readable.EVALUATIONS."""
    if evaluation == 0:
        total = _winning(w)
    elif evaluation == 1:
        total = _recursive(w)
    elif evaluation == 2:
        total = _cells(w)
    elif evaluation == 3:
        return _cells_2014(w, w[at.TO_MOVE])
    elif evaluation == 4:
        return -_cells_2014(w, 1 - w[at.TO_MOVE])
    else:
        me = w[at.TO_MOVE]
        rules = w[at.COUNT] + 2 * (1 - w[at.CLOSED])
        return learned(w, me, w[at.WON + me], w[at.WON + 1 - me], w[at.FORCED], rules, net, scratch)
    return total if w[at.TO_MOVE] == 0 else -total


@jit
def _winning(w: Ints) -> int:
    """Return readable.winning from X's view. Drawn boards need no test: they have no open lines."""
    total: int = readable.MACRO_WEIGHT * _OPEN_LINES[at.pattern(w[at.WON], w[at.WON + 1])]
    won = at.decided(w)
    for b in range(9):
        if not won >> b & 1:
            total += _OPEN_LINES[at.pattern(w[at.X + b], w[at.O + b])]
    return total


@jit
def _recursive(w: Ints) -> int:
    """Return readable.recursive from X's view."""
    total = 0
    for b in range(9):
        if w[at.WON] >> b & 1:
            total += _LINE_COUNTS[b] * readable.WON_BOARD_WEIGHT
        elif w[at.WON + 1] >> b & 1:
            total -= _LINE_COUNTS[b] * readable.WON_BOARD_WEIGHT
        elif w[at.X + b] | w[at.O + b] != at.FULL:
            total += _LINE_COUNTS[b] * _WEIGH_LINES[at.pattern(w[at.X + b], w[at.O + b])]
    return total


@jit
def _cells(w: Ints) -> int:
    """Return readable.cells from X's view."""
    total: int = readable.CELLS_MACRO_WEIGHT * _WEIGH_CELLS[at.pattern(w[at.WON], w[at.WON + 1])]
    for b in range(9):
        x, o, last = w[at.X + b], w[at.O + b], at.last_cell(w, b)
        if at.decided(w) >> b & 1:
            total += readable.DECIDED_BOARD_WEIGHT if w[at.WON] >> b & 1 else -readable.DECIDED_BOARD_WEIGHT
        elif x | o == at.FULL:
            continue
        elif _COMPLETES_LINE[o if x >> last & 1 else x, last]:  # the last move blocked a line of the other side
            total += readable.BLOCK_WEIGHT if x >> last & 1 else -readable.BLOCK_WEIGHT
        else:
            total += _WEIGH_CELLS[at.pattern(x, o)]
    return total


@jit
def _cells_2014(w: Ints, player: int) -> int:
    """Return readable.judge_2014 for a player."""
    last_board = at.last_board(w)
    if last_board == at.UNKNOWN_CELL:
        return 0
    cell = at.last_cell(w, last_board)
    weight: int = _CELL_WEIGHTS[cell]
    macro: int = readable.BLOCK_WEIGHT if _COMPLETES_LINE[w[at.WON + player], last_board] else _CELL_WEIGHTS[last_board]
    total = readable.CELLS_MACRO_WEIGHT * macro
    for b in range(9):
        if at.decided(w) >> b & 1:
            total += readable.DECIDED_BOARD_WEIGHT if w[at.WON + player] >> b & 1 else -readable.DECIDED_BOARD_WEIGHT
        elif w[at.X + b] | w[at.O + b] != at.FULL:
            total += readable.BLOCK_WEIGHT if _COMPLETES_LINE[w[9 * player + b], cell] else weight
    return total
