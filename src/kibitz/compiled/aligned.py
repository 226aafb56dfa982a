"""Arrays that begin at a cache line, so that a vector as long as a line never lies in two.

numpy's own begin at any multiple of 16 bytes, by luck. That cost the champions of Battle Line and
Ultimate Tic-Tac-Toe up to a sixth of their speed, in some processes and not in others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CACHE_LINE_BYTES = 64


def aligned_zeros(shape: int | tuple[int, ...], dtype: Any) -> Any:
    """Return a new array of zeros that begins at a cache line."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + CACHE_LINE_BYTES, np.uint8)
    skip = -room.ctypes.data % CACHE_LINE_BYTES
    return room[skip : skip + size].view(dtype).reshape(shape)


def aligned(array: Any) -> Any:
    """Return a contiguous copy that begins at a cache line."""
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy
