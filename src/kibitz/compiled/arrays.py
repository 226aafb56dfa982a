"""Types of arrays: how kernels see them, and how numpy does.

A kernel reads and writes plain numbers. numpy's own types would call every
element np.int64, which is neither how kernels are written nor what they are once
compiled; so kernels take `Ints` and `Floats`, and a comment says the width.
Everything else that works on whole arrays names the dtype.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Index: TypeAlias = int | tuple[int, int] | tuple[int, int, int]


class Ints(Protocol):
    """An array of integers, int64 unless said otherwise, of one to three dimensions."""

    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102  # numpy's own

    def __getitem__(self, i: Index, /) -> int: ...
    def __setitem__(self, i: Index, value: int, /) -> None: ...
    def __len__(self) -> int: ...


class Floats(Protocol):
    """A float64 array of one or two dimensions."""

    def __getitem__(self, i: Index, /) -> float: ...
    def __setitem__(self, i: Index, value: float, /) -> None: ...
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
