"""Types for kernels: arrays whose elements are plain numbers, and numba's own objects.

numpy's own types would make every element an np.int64, which is neither how
kernels are written nor what they work with once compiled.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

Index: TypeAlias = int | tuple[int, int]

Numba: TypeAlias = Any
"""An object of numba or llvmlite, whose types mypy does not read (see pyproject.toml)."""


class Ints(Protocol):
    """An int64 array of one or two dimensions."""

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
