"""Types for kernels: arrays whose elements are plain numbers, and numba's own objects; and for arrays of numpy.

numpy's own types would make every element an np.int64, which is neither how kernels are written nor what they work with
once compiled. Code that works on whole arrays names the dtype instead: Int64Array and its kin.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

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
Uint32Array: TypeAlias = NDArray[np.uint32]
Uint16Array: TypeAlias = NDArray[np.uint16]
Uint8Array: TypeAlias = NDArray[np.uint8]
BoolArray: TypeAlias = NDArray[np.bool_]
Float64Array: TypeAlias = NDArray[np.float64]
Float32Array: TypeAlias = NDArray[np.float32]
AnyArray: TypeAlias = NDArray[Any]
"""An array whose dtype depends on something else, such as the name of a column."""
