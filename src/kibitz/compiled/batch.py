"""Many positions of one game, side by side in the same arrays, for kernels that play many games at once.

A batch is a NamedTuple with the fields `start`, a position, and `rows`: the same arrays with one more dimension, one
row for each game. Arrays that all positions share, such as tables of neighbours, are shared here too.

A game's batch is a class of its own. Its module defines the operations below and calls register_batch().
"""

from __future__ import annotations

from types import ModuleType
from typing import Protocol, TypeAlias, cast

import numpy as np

from kibitz.compiled.arrays import Float32Array, Numba
from kibitz.compiled.position import Position
from kibitz.compiled.rng import RandomState

Batch: TypeAlias = Numba
"""A NamedTuple (start, rows) of a class that a game registered."""


class BatchKernel(Protocol):
    """What a game defines for batches of its positions: a module with these functions, documented below."""

    def observe(self, batch: Batch, pos: Position, player: int, out: Float32Array, /) -> None: ...  # noqa: D102
    def deal(self, batch: Batch, pos: Position, rng: RandomState, /) -> None: ...  # noqa: D102


BATCHES: dict[type, BatchKernel] = {}
"""Type of batch -> the module with its operations."""


def register_batch(kind: type, kernel: ModuleType) -> None:
    """Register a module, whose functions become the operations on batches of this type."""
    BATCHES[kind] = cast(BatchKernel, kernel)


def observe(batch: Batch, pos: Position, player: int, out: Float32Array) -> None:
    """Write a player's observation to out, which is all zeros: the numbers of the game's observation part, flat."""
    BATCHES[type(batch)].observe(batch, pos, player, out)


def deal(batch: Batch, pos: Position, rng: RandomState) -> None:
    """Turn the start of a game into a random one: deal the cards, if there are any."""
    BATCHES[type(batch)].deal(batch, pos, rng)


def row(start: Position, rows: Position, i: int) -> Position:
    """Return position i of a batch. Its arrays are views, so playing on it changes the batch."""
    if isinstance(start, tuple):
        return type(start)(*(row(part, parts, i) for part, parts in zip(start, rows, strict=True)))
    return rows if rows.ndim == start.ndim else rows[i]


def stack(start: Position, again: Position, n: int) -> Position:
    """Return the rows of n equal positions. An array that is the same object in `start` and `again` is shared."""
    if isinstance(start, tuple):
        return type(start)(*(stack(part, other, n) for part, other in zip(start, again, strict=True)))
    return start if start is again else np.repeat(start[None], n, axis=0)


BATCH_OPERATIONS = (observe, deal)
"""The operations that compiled code replaces by those of the batch's module."""
