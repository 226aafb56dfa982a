"""What compiled code runs in place of the plain functions of intrinsics.py, position.py and batch.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from kibitz.compiled import batch, position
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


# Operations on positions and batches


def _dispatch(operation: Callable[..., object], kernels: Mapping[type, object]) -> None:
    """Make compiled code call the function of the same name in the module that belongs to the first argument's type."""

    def pick(subject: Numba, *rest: Numba) -> Numba:
        kernel = kernels.get(getattr(subject, "instance_class", type(None)))
        return getattr(kernel, operation.__name__) if kernel else None

    overload(operation, strict=False, jit_options={**OPTIONS, "forceinline": True})(pick)


for _on_position in position.OPERATIONS:
    _dispatch(_on_position, position.KERNELS)
for _on_batch in batch.BATCH_OPERATIONS:
    _dispatch(_on_batch, batch.BATCHES)


@instruction
def _row(typing: Numba, start: Numba, rows: Numba, i: Numba) -> Numba:
    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        def take(kind: Numba, source: Numba, value: Numba) -> Numba:
            """Return row i of the arrays in a value of type `source`, as a value of type `kind`."""
            if isinstance(kind, types.BaseTuple):
                parts = [builder.extract_value(value, part) for part in range(len(kind.types))]
                return context.make_tuple(builder, kind, map(take, kind.types, source.types, parts))
            if kind.ndim == source.ndim:
                return value
            array, view = (
                context.make_array(source)(context, builder, value),
                context.make_array(kind)(context, builder),
            )
            shape, strides = cgutils.unpack_tuple(builder, array.shape), cgutils.unpack_tuple(builder, array.strides)
            data = cgutils.pointer_add(builder, array.data, builder.mul(args[2], strides[0]))
            populate_array(view, data, shape[1:], strides[1:], array.itemsize, array.meminfo, array.parent)
            return view._getvalue()

        return take(start, rows, args[1])

    return start(start, rows, types.int64), build


@compiled_body(batch.row)
def _row_compiled(start: Numba, rows: Numba, i: Numba) -> Callable[..., Numba]:
    return lambda start, rows, i: _row(start, rows, i)
