"""Evaluations of Ultimate Tic-Tac-Toe, readable: what a position is worth to the player to move.

From Amar & Ben Binyamin (2014). kernel.py holds the compiled twins, in the
order of EVALUATIONS. A finished game is worth WIN and the cells left empty, so
that of two wins the quicker one counts more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kibitz.core.agent import WIN, Unit
from kibitz.games.uttt.geometry import LINES, LINES_THROUGH
from kibitz.games.uttt.rules import State
from kibitz.games.uttt.text import DRAWN, EMPTY

MACRO_WEIGHT = 23
"""What a line of boards counts in `winning`, a line of cells being 1."""
WON_BOARD = sum(len(lines) for lines in LINES_THROUGH)
"""What a won board counts in `recursive`: as much as all nine of its cells, 24."""


def final(state: State) -> int:
    """Return the value of a finished game."""
    outcome = state.outcome()
    assert outcome is not None
    return outcome.value(state.to_move) * (WIN + state.cells.count(EMPTY))


def winning(state: State) -> int:
    """Count the lines with marks of one side only: 1 each, 8 with two marks; the macro board likewise, times 23.

    A drawn board counts as empty on the macro board, as in the paper's own program.
    """
    total = MACRO_WEIGHT * _open_lines([EMPTY if owner == DRAWN else owner for owner in state.boards])
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            total += _open_lines(state.cells[9 * board : 9 * board + 9])
    return total if state.to_move == 0 else -total


def recursive(state: State) -> int:
    """Weigh every cell by the lines through it (4, 3, 2), and every board the same way again."""
    total = 0
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            worth = _weigh_cells(state.cells[9 * board : 9 * board + 9])
        else:
            worth = {0: WON_BOARD, 1: -WON_BOARD, DRAWN: 0}[owner]
        total += len(LINES_THROUGH[board]) * worth
    return total if state.to_move == 0 else -total


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


def _weigh_cells(codes: Sequence[int]) -> int:
    """Return the weights of X's cells less those of O's on one 3x3 board."""
    return sum(len(LINES_THROUGH[i]) * {EMPTY: 0, 0: 1, 1: -1}[code] for i, code in enumerate(codes))


EVALUATIONS: dict[str, Callable[[State], int]] = {"winning": winning, "recursive": recursive}

UNIT: Unit = "probability"

SCALES: dict[str, float] = {"winning": 173.0, "recursive": 67.0}
"""A value of v stands for a win probability of 1 / (1 + exp(-v / scale)).

Fitted to 400 games of self-play at 20,000 nodes a move by python -m
bench.calibrate uttt NAME (15,047 and 15,449 positions, log loss 0.668 and 0.671).
"""
