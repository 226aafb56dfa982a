"""Many games of Dots-and-Boxes side by side; observe() is the compiled twin of observation.py."""

from __future__ import annotations

import sys
from typing import NamedTuple

from kibitz.compiled.arrays import Float32Array
from kibitz.compiled.batch import register_batch
from kibitz.compiled.rng import RandomState
from kibitz.games.dots.kernel.position import TO_MOVE, DotsPosition


class DotsBatch(NamedTuple):
    """Positions side by side, see compiled/batch.py."""

    start: DotsPosition
    rows: DotsPosition


def observe(batch: DotsBatch, pos: DotsPosition, player: int, out: Float32Array) -> None:
    """Write the drawn lines, own boxes, the opponent's boxes, and whether the player is to move."""
    lines, boxes = len(pos.ends), len(pos.degree) - 1
    for line in range(lines):
        out[line] = 1 - (pos.undrawn[line >> 6] >> (line & 63) & 1)
    for side in range(2):
        first, owner = lines + boxes * side, player if side == 0 else 1 - player
        for box in range(boxes):
            out[first + box] = pos.owned[owner, box >> 6] >> (box & 63) & 1
    out[lines + 2 * boxes] = 1 if pos.scalars[TO_MOVE] == player else 0


def deal(batch: DotsBatch, pos: DotsPosition, rng: RandomState) -> None:
    """Do nothing: all games start alike."""


register_batch(DotsBatch, sys.modules[__name__])
