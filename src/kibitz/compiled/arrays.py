"""Types for kernels: arrays whose elements are plain numbers, and numba's own objects.

numpy's own types would make every element an np.int64, which is neither how
kernels are written nor what they work with once compiled.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from kibitz.core.parts import Ints as Ints  # defined with Kernel, which needs it

Numba: TypeAlias = Any
"""An object of numba or llvmlite, whose types mypy does not read (see pyproject.toml)."""


class Floats(Protocol):
    """A float64 array of one or two dimensions."""

    def __getitem__(self, i: int | tuple[int, int], /) -> float: ...
    def __setitem__(self, i: int | tuple[int, int], value: float, /) -> None: ...
    def __len__(self) -> int: ...
