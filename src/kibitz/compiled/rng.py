"""The random number generator of kernels: SplitMix64, with the same numbers as kibitz.core.seeds.Stream.

The state is an array of one element, owned by the caller.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.jit import jit

RandomState: TypeAlias = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


def stream(seed: int) -> RandomState:
    """Return a new random state for this seed."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


@jit
def below(state: RandomState, n: int) -> int:
    """Return a random number from 0 to n - 1, for n up to 2**32."""
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _MIX1
    z = (z ^ (z >> _27)) * _MIX2
    z = z ^ (z >> _31)
    return np.int64(((z >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]  # an int once compiled
