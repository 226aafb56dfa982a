"""Many games of Go side by side; observe() is the compiled twin of observation.py."""

from __future__ import annotations

import sys
from typing import NamedTuple

from kibitz.compiled.arrays import Float32Array
from kibitz.compiled.batch import register_batch
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import RandomState
from kibitz.games.go.kernel.position import BLACK_TOOK, KO, LIMIT, PASSES, TO_MOVE, TURN, GoPosition
from kibitz.games.go.rules import NO_KO


class GoBatch(NamedTuple):
    """Positions side by side, see compiled/batch.py."""

    start: GoPosition
    rows: GoPosition


def observe(batch: GoBatch, pos: GoPosition, player: int, out: Float32Array) -> None:
    """Write the nine layers of a position from a player's view."""
    _observe(pos, player, out)


@jit
def _observe(pos: GoPosition, player: int, out: Float32Array) -> None:
    b, facts = pos.board, pos.facts
    points = len(b.cells)
    for point in range(points):
        code = b.stones[b.cells[point]]
        out[point] = 1 if code == 1 + player else 0
        out[points + point] = 1 if code == 2 - player else 0
    if facts[KO] != NO_KO:
        out[2 * points + facts[KO]] = 1
    _fill(out, 3, points, 1 if facts[PASSES] > 0 else 0)
    _fill(out, 4, points, 1 if facts[TO_MOVE] == player else 0)
    _fill(out, 5, points, 1 if player == 0 else 0)
    _fill(out, 6, points, facts[BLACK_TOOK + player] / facts[LIMIT])
    _fill(out, 7, points, facts[BLACK_TOOK + 1 - player] / facts[LIMIT])
    _fill(out, 8, points, facts[TURN] / facts[LIMIT])


@jit
def _fill(out: Float32Array, layer: int, points: int, number: float) -> None:
    """Write the same number everywhere in a layer."""
    for i in range(layer * points, (layer + 1) * points):
        out[i] = number


def deal(batch: GoBatch, pos: GoPosition, rng: RandomState) -> None:
    """Do nothing: all games start alike."""


register_batch(GoBatch, sys.modules[__name__])
