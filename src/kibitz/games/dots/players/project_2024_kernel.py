"""The search of the 2024 student project, compiled. Plain2024 in project_2024.py is the same to read.

Alpha-beta or minimax to a fixed number of lines, lines in ascending order, no
table. Scores are the project's, times 2 so that they are whole: twice the boxes
that the machine is ahead, plus the boxes that nobody owns. The machine is the
player to move at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.games.dots.kernel.position import MARGIN, TO_MOVE, DotsPosition
from kibitz.games.dots.rules.graph import MOST_STRINGS
from kibitz.search.alphabeta.plain import INFINITY
from kibitz.search.control import NODES, STOP, new_signal

DEPTH, MAX_NODES, AGAIN, PRUNES = range(4)
"""The places of the settings: lines to look ahead; most nodes; 1 if who takes a box moves again; 1 to cut off."""


class Search(NamedTuple):
    """Everything a search writes to, all int64."""

    settings: Ints
    signal: Ints
    """see search/control.py; only STOP and NODES are used, because a score is no value that a watch could show"""
    scores: Ints
    """of the lines of the root, in their order"""


def new_search() -> Search:
    """Return the working arrays."""
    return Search(np.zeros(4, np.int64), new_signal(), np.zeros(MOST_STRINGS, np.int64))


@entry
def score_lines(pos: DotsPosition, s: Search) -> int:
    """Score the free lines one after the other; return how many were scored before the end, a cut or a stop.

    With cuts, a score that is not above all before it may be too high, though never above them.
    """
    score = 2 * (-pos.facts[MARGIN] if pos.facts[TO_MOVE] else pos.facts[MARGIN])
    score += len(pos.degree) - 1
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
            mine = 1 + ZERO if taken and s.settings[AGAIN] else ZERO
            found = _score(pos, s, s.settings[DEPTH] - 1, mine, score + taken, alpha, INFINITY + ZERO)
            _rub_out(pos, line)
            if s.signal[STOP]:
                return n
            s.scores[n] = found
            n += 1
            alpha = max(alpha, found)
            if alpha >= INFINITY and s.settings[PRUNES]:
                return n
    return n


@jit
def _score(pos: DotsPosition, s: Search, depth: int, mine: int, score: int, alpha: int, beta: int) -> int:
    """Return the score of a position with so many lines to look ahead; `score` is what it counts as it stands.

    mine is 1 if it is the machine's turn, else 0. After a stop the score means nothing.
    """
    if s.signal[NODES] >= s.settings[MAX_NODES]:
        s.signal[STOP] = 1
    if s.signal[STOP]:
        return ZERO
    s.signal[NODES] += 1
    if depth == 0:
        return score
    best = -INFINITY + ZERO if mine else INFINITY + ZERO
    none_left = True
    for w in range(len(pos.undrawn)):
        word = pos.undrawn[w]
        while word:
            none_left = False
            line = 64 * w + lowest(word)
            word &= word - 1
            taken = _draw(pos, line)
            after = mine if taken and s.settings[AGAIN] else 1 - mine
            counted = score + taken if mine else score - 3 * taken  # 2 for each box, and 1 less that nobody owns
            found = _score(pos, s, depth - 1, after, counted, alpha, beta)
            _rub_out(pos, line)
            if s.signal[STOP]:
                return ZERO
            if mine:
                best = max(best, found)
                alpha = max(alpha, best)
            else:
                best = min(best, found)
                beta = min(beta, best)
            if beta <= alpha and s.settings[PRUNES]:
                return best
    if none_left and s.settings[AGAIN]:  # as written, the end of the game is not scored
        return score
    return best


@jit
def _draw(pos: DotsPosition, line: int) -> int:
    """Draw a line; return how many boxes that finishes. Of the facts none is kept up."""
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
def _rub_out(pos: DotsPosition, line: int) -> None:
    """Take a line back."""
    pos.undrawn[line >> 6] ^= (1 + ZERO) << (line & 63)
    for i in range(2):
        box = pos.ends[line, i]
        if box < len(pos.degree) - 1:
            pos.degree[box] += 1
