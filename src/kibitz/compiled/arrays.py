"""Arrays for kernels: their types, and arrays aligned to cache lines.

numpy's own types would make every element an np.int64, which is neither how kernels are written nor what they work with
once compiled. Code that works on whole arrays names the dtype instead: Int64Array and its kin.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.core.parts import Ints as Ints  # defined with Kernel, which needs it

Numba: TypeAlias = Any
"""An object of numba or llvmlite, whose types mypy does not read (see pyproject.toml)."""


class Floats(Protocol):
    """A float64 array of one or two dimensions."""

    def __getitem__(self, i: int | tuple[int, int], /) -> float: ...
    def __setitem__(self, i: int | tuple[int, int], value: float, /) -> None: ...
    def __len__(self) -> int: ...


Int64Array: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
Int16Array: TypeAlias = NDArray[np.int16]
Int8Array: TypeAlias = NDArray[np.int8]
Uint64Array: TypeAlias = NDArray[np.uint64]
Uint32Array: TypeAlias = NDArray[np.uint32]
Uint16Array: TypeAlias = NDArray[np.uint16]
Uint8Array: TypeAlias = NDArray[np.uint8]
BoolArray: TypeAlias = NDArray[np.bool_]
Float64Array: TypeAlias = NDArray[np.float64]
Float32Array: TypeAlias = NDArray[np.float32]
AnyArray: TypeAlias = NDArray[Any]
"""An array whose dtype depends on something else, such as the name of a column."""


CACHE_LINE_BYTES = 64
D = TypeVar("D", bound=np.generic)


def aligned_zeros(shape: int | tuple[int, ...], dtype: type[D] | np.dtype[D]) -> NDArray[D]:
    """Return a new array of zeros that starts at a cache line, so that no vector as long as a line straddles two.

    numpy aligns arrays to 16 bytes only. Reading a net's vectors across two lines cost up to a sixth of its speed, in
    some processes and not in others.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(size + CACHE_LINE_BYTES, np.uint8)
    skip = -buffer.ctypes.data % CACHE_LINE_BYTES
    return buffer[skip : skip + size].view(dtype).reshape(shape)


def aligned(array: NDArray[D]) -> NDArray[D]:
    """Return a contiguous copy of an array that starts at a cache line."""
    copy = aligned_zeros(array.shape, array.dtype)
    copy[...] = array
    return copy
