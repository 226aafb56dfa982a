"""The input planes of the net from a playout board, and likelihoods from its output, compiled.

The planes are those of planes_of() in predict/net/net.py, without a detour over the rules' board, which would take as
long as the net itself takes on 9x9.
"""

from __future__ import annotations

import math

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, jit
from kibitz.games.go.players.mcts import playout_board_kernel as board
from kibitz.games.go.predict.net.boards_kernel import CODES, KO, LAST_MOVES, OPPONENT
from kibitz.games.go.rules.board import BLACK, EMPTY

LAST_PLANE, BLACK_PLANE = CODES - 1, CODES - 1 + LAST_MOVES
"""Where the planes of the last moves begin, and the plane that says whether Black moves; the one after it is all 1."""


@entry
def write_planes(g: Ints, moves: Ints, before: Ints, liberties: Ints, planes: Floats) -> None:
    """Write the planes of a position, float32 [plane, point], which must be 0.

    moves: the cells of the moves made in this playout. before: the cells of the moves before these, the latest first,
    LAST_MOVES of them; 0 for a pass or an unknown move. liberties: int64 [cell], scratch.
    """
    step, mover = g[board.STEP], g[board.TO_PLAY]
    for cell in range(g[board.CELLS]):
        liberties[cell] = 0
    for cell in range(step, g[board.CELLS] - step):
        if board.stone_at(g, cell) == EMPTY:
            for side in range(4):
                head = board.head_of(g, board.neighbour(g, cell, side))
                if head and not board.is_repeated(g, cell, side, head):
                    liberties[head] += 1
    black = 1.0 if mover == BLACK else 0.0
    for point in range(g[board.POINTS]):
        cell = _cell_of(point, step)
        colour = board.stone_at(g, cell)
        if colour != EMPTY:
            code = min(liberties[board.head_of(g, cell)], 4) + (0 if colour == mover else OPPONENT)
            planes[code - 1, point] = 1.0
        elif cell == g[board.KO]:
            planes[KO - 1, point] = 1.0
        planes[BLACK_PLANE, point], planes[BLACK_PLANE + 1, point] = black, 1.0
    made = g[board.MADE]
    for age in range(LAST_MOVES):
        cell = moves[made - 1 - age] if age < made else before[age - made]
        if cell:
            planes[LAST_PLANE + age, (cell // step - 1) * (step - 1) + cell % step - 1] = 1.0


@entry
def read_logits(g: Ints, logits: Floats, probabilities: Floats) -> None:
    """Write the probability of each cell, float64 [cell], from the logits of the points; 0 for cells with a stone."""
    step = g[board.STEP]
    highest, total = -math.inf, 0.0
    for point in range(len(logits)):
        if board.stone_at(g, _cell_of(point, step)) == EMPTY:
            highest = max(highest, logits[point])
    for point in range(len(logits)):
        cell = _cell_of(point, step)
        probabilities[cell] = math.exp(logits[point] - highest) if board.stone_at(g, cell) == EMPTY else 0.0
        total += probabilities[cell]
    if total > 0.0:
        for point in range(len(logits)):
            probabilities[_cell_of(point, step)] /= total


@jit
def _cell_of(point: int, step: int) -> int:
    """Return the cell of a point on a board whose rows are `step` cells apart."""
    return (point // (step - 1) + 1) * step + point % (step - 1) + 1
