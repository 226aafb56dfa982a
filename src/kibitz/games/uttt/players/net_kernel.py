"""The compiled twin of net.py: the value of a position in a tenth of a microsecond."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.compiled.layers import LANES, SHIFT, WIDTH, layer, sum_rows
from kibitz.games.uttt.kernel.layout import FULL, TERNARY
from kibitz.games.uttt.players import net as readable
from kibitz.games.uttt.rules.text import FREE

_TERNARY = TERNARY.astype(np.int32)
_SHAPE_OF_PATTERN = readable.SHAPE_OF_PATTERN.astype(np.int32)

# The scratch array, in words of 32 bits: row numbers, then from these offsets the units of each layer.
_UNITS = 16
_FIRST = _UNITS + WIDTH // 2
_SECOND = _FIRST + LANES // 2
_VALUE = _SECOND + LANES
SCRATCH = _VALUE + LANES // 2
assert readable.MAX_ROWS <= _UNITS


@jit
def learned(marks: Ints, me: int, mine: int, yours: int, forced: int, rules: int, net: Any, scratch: Any) -> int:
    """Return readable.value for a position: the net's value for the player `me`, who is to move.

    marks: nine words per player, as in kernel/layout.py; mine, yours: the won boards;
    rules: 1 for tiebreak=count plus 2 for variant=open. A net without rows makes every position worth 0.
    """
    if len(net.rows) == 0:
        return 0
    for board in range(9):
        own, other = marks[9 * me + board], marks[9 - 9 * me + board]
        if mine >> board & 1:
            shape = readable.WON_SHAPE
        elif yours >> board & 1:
            shape = readable.LOST_SHAPE
        elif own | other == FULL:
            shape = readable.DRAWN_SHAPE
        else:
            shape = _SHAPE_OF_PATTERN[_TERNARY[own] + 2 * _TERNARY[other]]
        scratch[board] = readable.SHAPES * board + shape
    scratch[9] = readable.MACRO_ROWS + _TERNARY[mine] + 2 * _TERNARY[yours]
    scratch[10] = readable.RULES_ROWS + rules + (4 if forced == FREE else 0)
    count = 11
    if forced != FREE:
        scratch[11] = readable.TARGET_ROWS + scratch[forced]
        count = 12
    sum_rows(net.rows, scratch, count, _UNITS)
    layer(scratch, _UNITS, WIDTH // 2, net.head, readable.LAYERS[0], _FIRST)
    layer(scratch, _FIRST, LANES // 2, net.head, readable.LAYERS[1], _SECOND)
    layer(scratch, _FIRST, LANES // 2, net.head, readable.LAYERS[2], _SECOND + LANES // 2)
    return layer(scratch, _SECOND, LANES, net.head, readable.LAYERS[3], _VALUE) >> SHIFT
