"""Keeping a function of a kernel apart: called, not copied to where it is called.

The compiler copies functions into their callers, and their callers into theirs; a
large one is then compiled over and over. stay_apart() as its first statement ends
that, for the price of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def stay_apart() -> None:
    """Keep the function that calls this apart. Does nothing where nothing is compiled."""


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _mark(typing: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if "alwaysinline" not in builder.function.attributes:  # as the one below is, where numba compiles it by itself
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), build


@overload(stay_apart, strict=False, inline="always")  # type: ignore[untyped-decorator]  # as above
def _stay_apart() -> Callable[[], None]:
    return lambda: _mark()


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
