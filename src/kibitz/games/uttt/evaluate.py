"""Evaluations of Ultimate Tic-Tac-Toe, readable: what a position is worth to the player to move.

From Amar & Ben Binyamin (2014). evaluate_kernel.py holds the compiled twins, in
the order of EVALUATIONS. A finished game is worth WIN and the cells left empty, so
that of two wins the quicker one counts more.
"""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.agent import WIN
from kibitz.core.parts import Evaluation, Evaluations
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.geometry import LINES, LINES_THROUGH
from kibitz.games.uttt.rules.rules import UNKNOWN
from kibitz.games.uttt.rules.text import DRAWN, EMPTY

MACRO_WEIGHT = 23
"""What a line of boards counts in `winning`, a line of cells being 1."""
LINE_COUNTS = tuple(len(lines) for lines in LINES_THROUGH)
"""What a cell or a board counts in `recursive`: the lines through it, 4, 3 or 2."""
WON_BOARD = sum(LINE_COUNTS)
"""What a won board counts in `recursive`: as much as all nine of its cells, 24."""

CELL_WEIGHTS = (30, 20, 30, 20, 50, 20, 30, 20, 30)
"""What a cell counts in `cells` and those of 2014: the centre 50, a corner 30, an edge 20."""
BLOCK = 75
"""What a mini-board counts in them whose last move blocked."""
DECIDED_BOARD = 100
"""What a won board counts in them."""
CELLS_MACRO_WEIGHT = 20
"""What the macro board counts in them, a mini-board being 1."""


def final(state: UtttState) -> int:
    """Return the value of a finished game."""
    outcome = state.outcome()
    assert outcome is not None
    return outcome.value(state.to_move) * (WIN + state.cells.count(EMPTY))


def winning(state: UtttState) -> int:
    """Count the lines with marks of one side only: 1 each, 8 with two marks; the macro board likewise, times 23.

    A drawn board counts as empty on the macro board, as in the paper's own program.
    """
    total = MACRO_WEIGHT * _open_lines([EMPTY if owner == DRAWN else owner for owner in state.boards])
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            total += _open_lines(state.cells[9 * board : 9 * board + 9])
    return total if state.to_move == 0 else -total


def recursive(state: UtttState) -> int:
    """Weigh every cell by the lines through it (4, 3, 2), and every board the same way again."""
    total = 0
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            worth = _weigh(state.cells[9 * board : 9 * board + 9], LINE_COUNTS)
        else:
            worth = _sign(owner) * WON_BOARD
        total += LINE_COUNTS[board] * worth
    return total if state.to_move == 0 else -total


def cells(state: UtttState) -> int:
    """Judge each mini-board by the last move in it, and the macro board by the weights of the boards won, times 20.

    A won board counts 100, a drawn one 0. A board whose last move blocked
    counts 75 for whoever made that move. Any other board, and one whose last
    move is not known, counts the weights of X's cells less those of O's.
    """
    total = CELLS_MACRO_WEIGHT * _weigh([EMPTY if owner == DRAWN else owner for owner in state.boards], CELL_WEIGHTS)
    for board, owner in enumerate(state.boards):
        mini, last = state.cells[9 * board : 9 * board + 9], state.last_cells[board]
        if owner != EMPTY:
            total += _sign(owner) * DECIDED_BOARD
        elif last != UNKNOWN and _is_third(mini, last, 1 - mini[last]):
            total += _sign(mini[last]) * BLOCK
        else:
            total += _weigh(mini, CELL_WEIGHTS)
    return total if state.to_move == 0 else -total


def cells_2014(state: UtttState) -> int:
    """Judge as the paper's program did, with the player to move as its own player: minimax comes to that."""
    return judge_2014(state, state.to_move)


def cells_2014_last(state: UtttState) -> int:
    """Judge as the paper's program did, with whoever moved last as its own player: greedy comes to that."""
    return -judge_2014(state, 1 - state.to_move)


def judge_2014(state: UtttState, player: int) -> int:
    """Return the value for a player by which the paper's program judged: all boards by the very last move.

    A board won counts 100, lost -100, drawn 0. An open one counts the weight of
    the last move's cell, wherever that move was made, or 75 if the player has
    the other two cells of a line through it there. The macro board counts the
    same way, times 20, with the last move's board for a cell. Not zero-sum:
    what one player gains is not what the other loses.
    """
    if state.last == UNKNOWN:
        return 0
    board, cell = divmod(state.last, 9)
    total = CELLS_MACRO_WEIGHT * _judge_cell(state.boards, board, player)
    for b, owner in enumerate(state.boards):
        if owner == EMPTY:
            total += _judge_cell(state.cells[9 * b : 9 * b + 9], cell, player)
        else:
            total += (_sign(owner) if player == 0 else -_sign(owner)) * DECIDED_BOARD
    return total


def _judge_cell(codes: Sequence[int], cell: int, player: int) -> int:
    """Return the weight of a cell, or BLOCK if a player has the other two cells of a line through it."""
    return BLOCK if _is_third(codes, cell, player) else CELL_WEIGHTS[cell]


def learned(state: UtttState) -> int:
    """Ask the net that learned from games, see net.py and docs/games/uttt/champion.md."""
    from kibitz.games.uttt.players import net  # numpy, which the rest of this file does not need

    return net.value(state)


def _open_lines(codes: Sequence[int]) -> int:
    """Return X's open lines less O's on one 3x3 board."""
    total = 0
    for line in LINES:
        x, o = (sum(codes[i] == player for i in line) for player in (0, 1))
        if x and not o:
            total += 8 if x == 2 else 1
        if o and not x:
            total -= 8 if o == 2 else 1
    return total


def _weigh(codes: Sequence[int], weights: Sequence[int]) -> int:
    """Return the weights of X's cells less those of O's on one 3x3 board."""
    return sum(weight * _sign(code) for weight, code in zip(weights, codes, strict=True))


def _sign(code: int) -> int:
    """Return 1 for X, -1 for O, 0 for an empty cell or a drawn board."""
    return {0: 1, 1: -1}.get(code, 0)


def _is_third(codes: Sequence[int], cell: int, player: int) -> bool:
    """Return whether a player has the other two cells of a line through a cell."""
    return any(all(codes[i] == player for i in line if i != cell) for line in LINES_THROUGH[cell])


EVALUATIONS = Evaluations(
    {
        "winning": Evaluation(winning, 173.0),
        "recursive": Evaluation(recursive, 67.0),
        "cells": Evaluation(cells, 893.0),
        "cells-2014": Evaluation(cells_2014, 7743.0),
        "cells-2014-last": Evaluation(cells_2014_last, 10_000.0),
        "learned": Evaluation(learned, 146.0),
    },
    final,
)
"""Scales were fitted to 400 games of self-play at 20,000 nodes a move by python -m
tools.make.calibrate uttt NAME (15,047 and 15,449 positions, log loss 0.668 and 0.671);
the three of `cells` to 150 games at 5,000 nodes (5,762, 6,001 and 5,479
positions, log loss 0.674, 0.691 and 0.693: the last two say next to nothing about
the winner); `learned` to 200 games at 10,000 nodes (6,325 positions, log loss 0.667).
"""
