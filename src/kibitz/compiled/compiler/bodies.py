"""What compiled code runs in place of the plain functions of intrinsics.py and position.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from kibitz.compiled import position
from kibitz.compiled.arrays import Numba
from kibitz.compiled.compiler.kernels import OPTIONS
from kibitz.compiled.intrinsics import lowest, never_inline, popcount

F = TypeVar("F", bound=Callable[..., object])


def instruction(build: Callable[..., Numba]) -> Numba:
    """Make a function that builds LLVM code callable from compiled code."""
    return intrinsic(build)


def compiled_body(plain: Callable[..., object]) -> Callable[[F], F]:
    """Decorate a function that returns what compiled code runs in place of a plain Python function."""
    decorator: Callable[[F], F] = overload(plain, strict=False, inline="always")
    return decorator


# Machine instructions


@instruction
def _mark(typing: Numba) -> Numba:
    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        if "alwaysinline" not in builder.function.attributes:  # set when numba compiles _never_inlined on its own
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), build


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


@compiled_body(never_inline)
def _never_inlined() -> Callable[[], None]:
    return lambda: _mark()


@compiled_body(popcount)
def _popcount(word: Numba) -> Callable[[int], int]:
    return lambda word: _ctpop(word)


@compiled_body(lowest)
def _lowest(word: Numba) -> Callable[[int], int]:
    return lambda word: _cttz(word)


# Operations on positions


def _dispatch(operation: Callable[..., object]) -> None:
    """Make compiled code call the function of the same name in the position's kernel."""

    def pick(pos: Numba, *rest: Numba) -> Numba:
        kernel = position.KERNELS.get(getattr(pos, "instance_class", type(None)))
        return getattr(kernel, operation.__name__) if kernel else None

    overload(operation, strict=False, jit_options={**OPTIONS, "forceinline": True})(pick)


for _operation in position.OPERATIONS:
    _dispatch(_operation)
