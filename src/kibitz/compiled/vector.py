"""Small neural nets in whole numbers: sums of rows and dense layers, many numbers at a time.

numba turns neither loop below into vector instructions that keep their sums in
registers, so both are written out as vectors here; the loop over rows ran five
times as fast for it. The vectors are of LLVM's general kind, not one machine's.

A unit is a whole number from 0 to ONE, which stands for 1.0. Units lie in an
int32 array two by two, 16 bits each, the first one low: words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

ONE, SHIFT = 256, 8
"""The largest unit, which stands for 1.0; weights have the same scale, and SHIFT takes one scale out again."""
WIDTH = 128
"""How many units a sum of rows has."""
LANES = 16
"""How many units a layer has."""

_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)


def sum_rows(rows: Any, scratch: Any, count: int, at: int) -> None:
    """Add the rows named by the first `count` words of scratch, cut to units, and put them in scratch from `at` on.

    rows: int16 [any, WIDTH]; scratch: int32.
    """
    total = rows[scratch[:count]].sum(axis=0, dtype=np.int64)
    scratch[at : at + WIDTH // 2] = np.clip(total, 0, ONE).astype(np.int16).view(np.int32)


def layer(scratch: Any, at: int, words: int, head: Any, weights: int, out: int) -> int:
    """Put a layer's units in scratch from `out` on; return what the first one was before it was cut to a unit.

    scratch, head: int32. The units that go in are `words` words of scratch from
    `at` on, a multiple of 4; head holds, from `weights` on, LANES numbers to
    start from and for each word of units one word of weights for each lane.
    """
    units = scratch[at : at + words].view(np.int16).reshape(words, 1, 2).astype(np.int64)
    start = head[weights : weights + LANES]
    pairs = head[weights + LANES : weights + LANES * (1 + words)].view(np.int16).reshape(words, LANES, 2)
    total = start + (units * pairs).sum(axis=(0, 2))
    scratch[out : out + LANES // 2] = np.clip(total >> SHIFT, 0, ONE).astype(np.int16).view(np.int32)
    return int(total[0])


def _data(context: Any, builder: Any, signature: Any, args: Any, i: int, element: Any) -> Any:
    """Return a pointer to the data of an array argument, as elements of another type."""
    array = context.make_array(signature.args[i])(context, builder, args[i])
    return builder.bitcast(array.data, element.as_pointer())


def _cut(builder: Any, vector: Any, kind: Any) -> Any:
    """Return a vector with every number cut to 0 ... ONE."""
    low, high = ir.Constant(kind, None), ir.Constant(kind, [ONE] * kind.count)
    vector = builder.select(builder.icmp_signed(">", vector, low), vector, low)
    return builder.select(builder.icmp_signed("<", vector, high), vector, high)


def _loop(builder: Any, count: Any, step: int, starts: list[Any], body: Callable[[Any, list[Any]], list[Any]]) -> Any:
    """Build a loop from 0 to count, which is more than 0, over values that stay in registers; return the last ones."""
    before = builder.block
    block, after = builder.append_basic_block("loop"), builder.append_basic_block("after")
    builder.branch(block)
    builder.position_at_end(block)
    i = builder.phi(_I64)
    i.add_incoming(ir.Constant(_I64, 0), before)
    held = [builder.phi(start.type) for start in starts]
    for phi, start in zip(held, starts, strict=True):
        phi.add_incoming(start, before)
    fresh = body(i, held)
    following = builder.add(i, ir.Constant(_I64, step))
    i.add_incoming(following, block)
    for phi, value in zip(held, fresh, strict=True):
        phi.add_incoming(value, block)
    builder.cbranch(builder.icmp_signed("<", following, count), block, after)
    builder.position_at_end(after)
    return fresh


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _sum_rows(typing: Any, rows: Any, scratch: Any, count: Any, at: Any) -> Any:
    kind = ir.VectorType(_I16, 32)
    parts = WIDTH // kind.count

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table = _data(context, builder, signature, args, 0, kind)
        words = _data(context, builder, signature, args, 1, _I32)

        def add(k: Any, sums: list[Any]) -> list[Any]:
            row = builder.sext(builder.load(builder.gep(words, [k])), _I64)
            first = builder.gep(table, [builder.mul(row, ir.Constant(_I64, parts))])
            return [
                builder.add(total, builder.load(builder.gep(first, [ir.Constant(_I64, part)]), align=2))
                for part, total in enumerate(sums)
            ]

        sums = _loop(builder, args[2], 1, [ir.Constant(kind, None)] * parts, add)
        into = builder.bitcast(builder.gep(words, [args[3]]), kind.as_pointer())
        for part, total in enumerate(sums):
            builder.store(_cut(builder, total, kind), builder.gep(into, [ir.Constant(_I64, part)]), align=4)
        return context.get_dummy_value()

    return types.void(rows, scratch, types.int64, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _layer(typing: Any, scratch: Any, at: Any, words: Any, head: Any, weights: Any, out: Any) -> Any:
    lanes, pairs = ir.VectorType(_I32, LANES), ir.VectorType(_I16, 2 * LANES)
    wide, chains = ir.VectorType(_I32, 2 * LANES), 4

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, at, words, _, weights, out = args
        units = builder.gep(_data(context, builder, signature, args, 0, _I32), [at])
        start = builder.gep(_data(context, builder, signature, args, 3, _I32), [weights])
        first = builder.bitcast(builder.gep(start, [ir.Constant(_I64, LANES)]), pairs.as_pointer())

        def take(vector: Any, places: list[int]) -> Any:
            which = ir.Constant(ir.VectorType(_I32, len(places)), places)
            return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), which)

        def product(k: Any) -> Any:
            """Both units of a word times their weights, added: what a machine may do in one instruction."""
            word = builder.load(builder.gep(units, [k]))
            alone = builder.insert_element(ir.Constant(lanes, ir.Undefined), word, ir.Constant(_I32, 0))
            everywhere = builder.bitcast(take(alone, [0] * LANES), pairs)
            weight = builder.load(builder.gep(first, [k]), align=4)
            both = builder.mul(builder.sext(everywhere, wide), builder.sext(weight, wide))
            return builder.add(take(both, [2 * i for i in range(LANES)]), take(both, [2 * i + 1 for i in range(LANES)]))

        def add(k: Any, sums: list[Any]) -> list[Any]:
            return [builder.add(total, product(builder.add(k, ir.Constant(_I64, i)))) for i, total in enumerate(sums)]

        begin = builder.load(builder.bitcast(start, lanes.as_pointer()), align=4)
        sums = _loop(builder, words, chains, [begin, *[ir.Constant(lanes, None)] * (chains - 1)], add)
        total = sums[0]
        for part in sums[1:]:
            total = builder.add(total, part)
        units_out = _cut(builder, builder.ashr(total, ir.Constant(lanes, [SHIFT] * LANES)), lanes)
        narrow = ir.VectorType(_I16, LANES)
        into = builder.gep(_data(context, builder, signature, args, 0, _I32), [out])
        builder.store(builder.trunc(units_out, narrow), builder.bitcast(into, narrow.as_pointer()), align=4)
        return builder.sext(builder.extract_element(total, ir.Constant(_I32, 0)), _I64)

    number = types.int64
    return number(scratch, number, number, head, number, number), build


@overload(sum_rows, strict=False, inline="always")  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _sum_rows_compiled(rows: Any, scratch: Any, count: Any, at: Any) -> Callable[..., None]:
    return lambda rows, scratch, count, at: _sum_rows(rows, scratch, count, at)


@overload(layer, strict=False, inline="always")  # type: ignore[untyped-decorator]  # numba's types are passed over, see pyproject
def _layer_compiled(scratch: Any, at: Any, words: Any, head: Any, weights: Any, out: Any) -> Callable[..., int]:
    return lambda scratch, at, words, head, weights, out: _layer(scratch, at, words, head, weights, out)
