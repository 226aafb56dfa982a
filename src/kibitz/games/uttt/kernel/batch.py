"""Many games of Ultimate Tic-Tac-Toe side by side; observe() is the compiled twin of observation.py."""

from __future__ import annotations

import sys
from typing import NamedTuple

from kibitz.compiled.arrays import Float32Array
from kibitz.compiled.batch import register_batch
from kibitz.compiled.intrinsics import lowest
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import RandomState
from kibitz.games.uttt.kernel import layout as at
from kibitz.games.uttt.kernel.position import UtttPosition
from kibitz.games.uttt.rules.possible import GOING_ON
from kibitz.games.uttt.rules.text import FREE


class UtttBatch(NamedTuple):
    """Positions side by side, see compiled/batch.py."""

    start: UtttPosition
    rows: UtttPosition


def observe(batch: UtttBatch, pos: UtttPosition, player: int, out: Float32Array) -> None:
    """Write the seven layers of a position from a player's view."""
    w = pos.words
    mine, theirs = 9 * player, 9 * (1 - player)
    free = w[at.FORCED] == FREE
    for b in range(9):
        own, other = w[at.X + mine + b], w[at.X + theirs + b]
        _mark(out, 9 * b, own)
        _mark(out, 81 + 9 * b, other)
        if w[at.WON + player] >> b & 1:
            _fill(out, 162 + 9 * b)
        elif w[at.WON + 1 - player] >> b & 1:
            _fill(out, 243 + 9 * b)
        elif own | other == at.FULL:
            _fill(out, 324 + 9 * b)
        if w[at.RESULT] == GOING_ON and (w[at.FORCED] == b or (free and not w[at.SHUT] >> b & 1)):
            _mark(out, 405 + 9 * b, at.FULL & ~(own | other))
    if w[at.TO_MOVE] == player:
        for cell in range(486, 567):
            out[cell] = 1


@jit
def _mark(out: Float32Array, start: int, cells: int) -> None:
    """Set the numbers of some cells of a board to 1."""
    while cells:
        out[start + lowest(cells)] = 1
        cells &= cells - 1


@jit
def _fill(out: Float32Array, start: int) -> None:
    """Set the numbers of all cells of a board to 1."""
    for cell in range(start, start + 9):
        out[cell] = 1


def deal(batch: UtttBatch, pos: UtttPosition, rng: RandomState) -> None:
    """Do nothing: all games start alike."""


register_batch(UtttBatch, sys.modules[__name__])
