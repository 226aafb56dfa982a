"""Small neural nets in whole numbers: sums of rows, and dense layers, computed with vector instructions.

numba does not vectorise these two loops so that their sums stay in registers, so compiler/layers.py has them as LLVM
vectors; the loop over rows became five times as fast. The vectors are not specific to one machine.

A unit is the output of a neuron, from 0 to ONE, which stands for 1.0. Units are packed in
pairs into the words of an int32 array, 16 bits each, the first in the low half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ONE, SHIFT = 256, 8
"""The largest unit, which stands for 1.0. Weights have the same scale; a shift by SHIFT removes it from a product."""
WIDTH = 128
"""The number of units in a row."""
LANES = 16
"""The number of units in a layer."""


def sum_rows(rows: NDArray[np.int16], scratch: NDArray[np.int32], count: int, at: int) -> None:
    """Add up the rows whose numbers are in scratch[:count], clip the sums to 0 ... ONE and write them to scratch[at:].

    rows: [any number, WIDTH]
    """
    total = rows[scratch[:count]].sum(axis=0, dtype=np.int64)
    scratch[at : at + WIDTH // 2] = np.clip(total, 0, ONE).astype(np.int16).view(np.int32)


def layer(scratch: NDArray[np.int32], at: int, words: int, head: NDArray[np.int32], weights: int, out: int) -> int:
    """Compute a dense layer: write its LANES units to scratch[out:], and return the first sum before clipping.

    The input units are scratch[at : at + words], where words is a multiple of 4. head[weights:] holds LANES biases and,
    for each word of units, one word of weights for each lane.
    """
    units = scratch[at : at + words].view(np.int16).reshape(words, 1, 2).astype(np.int64)
    start = head[weights : weights + LANES]
    pairs = head[weights + LANES : weights + LANES * (1 + words)].view(np.int16).reshape(words, LANES, 2)
    total = start + (units * pairs).sum(axis=(0, 2))
    scratch[out : out + LANES // 2] = np.clip(total >> SHIFT, 0, ONE).astype(np.int16).view(np.int32)
    return int(total[0])
