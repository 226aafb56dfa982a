"""Evaluations of Ultimate Tic-Tac-Toe in plain Python: the value of a position for the player to move.

From Amar & Ben Binyamin (2014). kernel/evaluate.py holds the compiled twins, in the
order of EVALUATIONS. A won game is worth WIN plus the number of empty cells, so that
quicker wins are worth more.
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
"""Weight of a line of boards in `winning`; a line of cells has weight 1."""
LINE_COUNTS = tuple(len(lines) for lines in LINES_THROUGH)
"""Weight of each cell or board in `recursive`: the number of lines through it, 4, 3 or 2."""
WON_BOARD_WEIGHT = sum(LINE_COUNTS)
"""Weight of a won board in `recursive`: that of all its cells, 24."""

CELL_WEIGHTS = (30, 20, 30, 20, 50, 20, 30, 20, 30)
"""Weight of each cell in `cells` and the evaluations of 2014: centre 50, corners 30, edges 20."""
BLOCK_WEIGHT = 75
"""Weight, in the same evaluations, of an undecided board whose last move blocked a line."""
DECIDED_BOARD_WEIGHT = 100
"""Weight of a won board in the same evaluations."""
CELLS_MACRO_WEIGHT = 20
"""Weight of the macro board in the same evaluations; a mini-board has weight 1."""


def final(state: UtttState) -> int:
    """Return the value of a finished game for the player to move."""
    outcome = state.outcome()
    assert outcome is not None
    return outcome.value(state.to_move) * (WIN + state.cells.count(EMPTY))


def winning(state: UtttState) -> int:
    """Return the weight of own open lines minus the opponent's: 1 with one mark, 8 with two, times 23 for boards.

    A line is open if it has marks of one side only. As in the paper's program, a drawn board counts as empty.
    """
    total = MACRO_WEIGHT * _open_lines([EMPTY if owner == DRAWN else owner for owner in state.boards])
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            total += _open_lines(state.cells[9 * board : 9 * board + 9])
    return total if state.to_move == 0 else -total


def recursive(state: UtttState) -> int:
    """Return the sum of the boards, each times the number of lines (4, 3 or 2) through it; positive is good.

    An undecided board counts own marks minus the opponent's, each times the number of lines through its cell. A won
    board counts 24 for its owner, a drawn one 0.
    """
    total = 0
    for board, owner in enumerate(state.boards):
        if owner == EMPTY:
            worth = _weigh(state.cells[9 * board : 9 * board + 9], LINE_COUNTS)
        else:
            worth = _sign(owner) * WON_BOARD_WEIGHT
        total += LINE_COUNTS[board] * worth
    return total if state.to_move == 0 else -total


def cells(state: UtttState) -> int:
    """Return the sum of the mini-boards, each judged by its last move, plus 20 times the weights of the boards won.

    A won board counts 100, a drawn one 0. An undecided board whose last move blocked a
    line counts 75 for the player who made that move. Any other board, and one whose last
    move is unknown, counts the weights of X's cells minus those of O's.
    """
    total = CELLS_MACRO_WEIGHT * _weigh([EMPTY if owner == DRAWN else owner for owner in state.boards], CELL_WEIGHTS)
    for board, owner in enumerate(state.boards):
        mini, last = state.cells[9 * board : 9 * board + 9], state.last_cells[board]
        if owner != EMPTY:
            total += _sign(owner) * DECIDED_BOARD_WEIGHT
        elif last != UNKNOWN and _completes_line(mini, last, 1 - mini[last]):
            total += _sign(mini[last]) * BLOCK_WEIGHT
        else:
            total += _weigh(mini, CELL_WEIGHTS)
    return total if state.to_move == 0 else -total


def cells_2014(state: UtttState) -> int:
    """Return the value by judge_2014 for the player to move, as the paper's minimax uses it."""
    return judge_2014(state, state.to_move)


def cells_2014_last(state: UtttState) -> int:
    """Return minus the value by judge_2014 for the player who just moved; the paper's greedy agents use it."""
    return -judge_2014(state, 1 - state.to_move)


def judge_2014(state: UtttState, player: int) -> int:
    """Return the value of a position for a player as in the paper's program: every board is judged by the last move.

    A won board counts 100, a lost one -100, a drawn one 0. An undecided board counts the
    weight of the last move's cell, even if that move was made elsewhere, or 75 if the
    player has the other two cells of a line through that cell. The macro board counts in
    the same way, times 20, with the last move's board as the cell. Not zero-sum.
    """
    if state.last == UNKNOWN:
        return 0
    board, cell = divmod(state.last, 9)
    total = CELLS_MACRO_WEIGHT * _judge_cell(state.boards, board, player)
    for b, owner in enumerate(state.boards):
        if owner == EMPTY:
            total += _judge_cell(state.cells[9 * b : 9 * b + 9], cell, player)
        else:
            total += (_sign(owner) if player == 0 else -_sign(owner)) * DECIDED_BOARD_WEIGHT
    return total


def _judge_cell(codes: Sequence[int], cell: int, player: int) -> int:
    """Return the weight of a cell, or BLOCK_WEIGHT if a player has the other two cells of a line through it."""
    return BLOCK_WEIGHT if _completes_line(codes, cell, player) else CELL_WEIGHTS[cell]


def learned(state: UtttState) -> int:
    """Return the trained net's value for the player to move; see players/net.py and docs/games/uttt/champion.md."""
    from kibitz.games.uttt.players import net  # imports numpy

    return net.value(state)


def _load_net() -> None:
    """Let new kernel positions carry the net."""
    from kibitz.games.uttt.players import net  # imports numpy

    net.learned_net()


def _open_lines(codes: Sequence[int]) -> int:
    """Return the weight of X's open lines minus that of O's on a 3x3 board: 8 for two marks, 1 for one."""
    total = 0
    for line in LINES:
        x, o = (sum(codes[i] == player for i in line) for player in (0, 1))
        if x and not o:
            total += 8 if x == 2 else 1
        if o and not x:
            total -= 8 if o == 2 else 1
    return total


def _weigh(codes: Sequence[int], weights: Sequence[int]) -> int:
    """Return the weight of X's cells minus that of O's on a 3x3 board."""
    return sum(weight * _sign(code) for weight, code in zip(weights, codes, strict=True))


def _sign(code: int) -> int:
    """Return 1 for X, -1 for O, 0 for an empty cell or a drawn board."""
    return {0: 1, 1: -1}.get(code, 0)


def _completes_line(codes: Sequence[int], cell: int, player: int) -> bool:
    """Return whether a mark in a cell would complete a line of a player, who has its other two cells."""
    return any(all(codes[i] == player for i in line if i != cell) for line in LINES_THROUGH[cell])


EVALUATIONS = Evaluations(
    {
        "winning": Evaluation(winning, 173.0),
        "recursive": Evaluation(recursive, 67.0),
        "cells": Evaluation(cells, 893.0),
        "cells-2014": Evaluation(cells_2014, 7743.0),
        "cells-2014-last": Evaluation(cells_2014_last, 10_000.0),
        "learned": Evaluation(learned, 146.0, _load_net),
    },
    final,
)
"""The scales were fitted to self-play with python -m tools.make.calibrate uttt NAME: `winning` and `recursive` to 400
games at 20,000 nodes a move (log loss 0.668 and 0.671), the three of `cells` to 150 games at 5,000 nodes (0.674, 0.691
and 0.693: the last two hardly predict the winner), `learned` to 200 games at 10,000 nodes (0.667)."""
