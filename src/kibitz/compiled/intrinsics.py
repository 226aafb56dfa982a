"""Machine instructions for kernels: bit counts, and a mark that keeps a function from being inlined.

The compiler copies functions into their callers, and these into theirs, so a large function is compiled many times
over. Call stay_apart() as its first statement to prevent that, at the price of a function call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from kibitz.compiled.arrays import Numba

F = TypeVar("F", bound=Callable[..., object])


def instruction(build: Callable[..., Numba]) -> Numba:
    """Make a function that builds LLVM code callable from compiled code."""
    return intrinsic(build)


def compiled_body(plain: Callable[..., object]) -> Callable[[F], F]:
    """Decorate a function that returns what compiled code runs in place of a plain Python function."""
    decorator: Callable[[F], F] = overload(plain, strict=False, inline="always")
    return decorator


def stay_apart() -> None:
    """Keep the calling function from being inlined. Do nothing in plain Python."""


@instruction
def _mark(typing: Numba) -> Numba:
    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        if "alwaysinline" not in builder.function.attributes:  # set when numba compiles _stay_apart on its own
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), build


@compiled_body(stay_apart)
def _stay_apart() -> Callable[[], None]:
    return lambda: _mark()


def popcount(word: int) -> int:
    """Return the number of set bits of a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a 64-bit word, which must not be 0."""
    word = int(word)
    return (word & -word).bit_length() - 1


@instruction
def _ctpop(typing: Numba, word: Numba) -> Numba:
    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.ctpop(args[0])

    return types.int64(types.int64), build


@instruction
def _cttz(typing: Numba, word: Numba) -> Numba:
    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), build


@compiled_body(popcount)
def _popcount(word: Numba) -> Callable[[int], int]:
    return lambda word: _ctpop(word)


@compiled_body(lowest)
def _lowest(word: Numba) -> Callable[[int], int]:
    return lambda word: _cttz(word)
