"""The search of the 2024 student project, compiled. Plain2024 in project_2024.py is its readable twin.

Alpha-beta or minimax to a fixed depth, lines in ascending order, no table. Scores
are the project's, times 2 so that they are whole: twice the machine's lead in boxes,
plus the boxes that nobody owns. The machine is the player to move at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.games.dots.kernel.position import DotsPosition, margin_of
from kibitz.games.dots.rules.graph import MAX_STRINGS
from kibitz.search.alphabeta.plain import INFINITY
from kibitz.search.control import NODES, STOP, new_signal

DEPTH, MAX_NODES, MOVES_AGAIN, PRUNES = range(4)
"""Indices into the settings: depth in lines; node limit; 1 if a player who takes a box moves again; 1 to prune."""


class Arrays2024(NamedTuple):
    """The arrays that a search reads its settings from and writes to, all int64."""

    settings: NDArray[np.int64]
    signal: Ints
    """see search/control.py; only STOP and NODES are used, because a score is not a value that a watch could show"""
    scores: Ints  # of the lines of the root, in their order

    def begin(self, depth: int, max_nodes: int, moves_again: bool, prunes: bool) -> None:
        """Prepare for a new search."""
        self.settings[:] = depth, max_nodes, moves_again, prunes
        self.signal[STOP] = self.signal[NODES] = 0


def new_arrays() -> Arrays2024:
    """Return the working arrays of a search, with room for the lines of any board."""
    return Arrays2024(np.zeros(4, np.int64), new_signal(), np.zeros(MAX_STRINGS, np.int64))


@entry
def score_lines(pos: DotsPosition, s: Arrays2024) -> int:
    """Score the undrawn lines one after the other; return how many were scored before the end, a cutoff or a stop.

    With pruning, a score that does not exceed all earlier ones may be too high, but never exceeds their maximum.
    """
    score = 2 * margin_of(pos) + len(pos.degree) - 1  # all boxes count as unowned; those owned are subtracted below
    for player in range(2):
        for w in range(pos.owned.shape[1]):
            score -= popcount(pos.owned[player, w])
    n, alpha = 0, -INFINITY + ZERO
    for w in range(len(pos.undrawn)):
        word = pos.undrawn[w]
        while word:
            line = 64 * w + lowest(word)
            word &= word - 1
            taken = _draw(pos, line)
            machine_turn = 1 + ZERO if taken and s.settings[MOVES_AGAIN] else ZERO
            value = _score(pos, s, s.settings[DEPTH] - 1, machine_turn, score + taken, alpha, INFINITY + ZERO)
            _erase(pos, line)
            if s.signal[STOP]:
                return n
            s.scores[n] = value
            n += 1
            alpha = max(alpha, value)
            if alpha >= INFINITY and s.settings[PRUNES]:
                return n
    return n


@jit
def _score(pos: DotsPosition, s: Arrays2024, depth: int, machine_turn: int, score: int, alpha: int, beta: int) -> int:
    """Return the score of a position by a search to a depth. score: that of the position itself.

    machine_turn: 1 if it is the machine's turn, else 0. After a stop the result means nothing.
    """
    if s.signal[NODES] >= s.settings[MAX_NODES]:
        s.signal[STOP] = 1
    if s.signal[STOP]:
        return ZERO
    s.signal[NODES] += 1
    if depth == 0:
        return score
    best = -INFINITY + ZERO if machine_turn else INFINITY + ZERO
    none_left = True
    for w in range(len(pos.undrawn)):
        word = pos.undrawn[w]
        while word:
            none_left = False
            line = 64 * w + lowest(word)
            word &= word - 1
            taken = _draw(pos, line)
            next_turn = machine_turn if taken and s.settings[MOVES_AGAIN] else 1 - machine_turn
            next_score = score + taken if machine_turn else score - 3 * taken  # 2 per box, less 1 that was unowned
            value = _score(pos, s, depth - 1, next_turn, next_score, alpha, beta)
            _erase(pos, line)
            if s.signal[STOP]:
                return ZERO
            if machine_turn:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if beta <= alpha and s.settings[PRUNES]:
                return best
    if none_left and s.settings[MOVES_AGAIN]:  # as written, the end of the game is not scored
        return score
    return best


@jit
def _draw(pos: DotsPosition, line: int) -> int:
    """Draw a line; return how many boxes it finishes. Leaves DotsPosition.scalars as they are."""
    taken = ZERO
    pos.undrawn[line >> 6] ^= (1 + ZERO) << (line & 63)
    for i in range(2):
        box = pos.ends[line, i]
        if box < len(pos.degree) - 1:
            pos.degree[box] -= 1
            if pos.degree[box] == 0:
                taken += 1
    return taken


@jit
def _erase(pos: DotsPosition, line: int) -> None:
    """Take a line back."""
    pos.undrawn[line >> 6] ^= (1 + ZERO) << (line & 63)
    for i in range(2):
        box = pos.ends[line, i]
        if box < len(pos.degree) - 1:
            pos.degree[box] += 1
