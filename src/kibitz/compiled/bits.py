"""Bits of a word: how many are set, and which is the lowest. One machine instruction each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def popcount(word: int) -> int:
    """Return how many bits of a 64-bit word are set."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the place of the lowest set bit of a 64-bit word that is not 0."""
    word = int(word)
    return (word & -word).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _ctpop(typing: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _cttz(typing: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), build


@overload(popcount, strict=False, inline="always")  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _popcount(word: Any) -> Callable[[int], int]:
    return lambda word: _ctpop(word)


@overload(lowest, strict=False, inline="always")  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _lowest(word: Any) -> Callable[[int], int]:
    return lambda word: _cttz(word)
