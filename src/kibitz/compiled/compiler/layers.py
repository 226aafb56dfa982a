"""What compiled code runs in place of the plain functions of compiled/layers.py: the same sums as LLVM vectors."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba import types

from kibitz.compiled.arrays import Numba
from kibitz.compiled.compiler.bodies import compiled_body, instruction
from kibitz.compiled.layers import LANES, ONE, SHIFT, WIDTH, layer, sum_rows

_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)


def _data(context: Numba, builder: Numba, signature: Numba, args: Numba, i: int, element: Numba) -> Numba:
    """Return a pointer to the data of array argument i, as elements of a given type."""
    array = context.make_array(signature.args[i])(context, builder, args[i])
    return builder.bitcast(array.data, element.as_pointer())


def _clip(builder: Numba, vector: Numba, kind: Numba) -> Numba:
    """Return a vector with every number clipped to 0 ... ONE."""
    low, high = ir.Constant(kind, None), ir.Constant(kind, [ONE] * kind.count)
    vector = builder.select(builder.icmp_signed(">", vector, low), vector, low)
    return builder.select(builder.icmp_signed("<", vector, high), vector, high)


def _loop(
    builder: Numba, count: Numba, step: int, starts: list[Numba], body: Callable[[Numba, list[Numba]], list[Numba]]
) -> Numba:
    """Build a loop from 0 to count, run at least once, that updates values in registers; return the final values."""
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


@instruction
def _sum_rows(typing: Numba, rows: Numba, scratch: Numba, count: Numba, at: Numba) -> Numba:
    kind = ir.VectorType(_I16, 32)
    parts = WIDTH // kind.count

    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        table = _data(context, builder, signature, args, 0, kind)
        words = _data(context, builder, signature, args, 1, _I32)

        def add(k: Numba, sums: list[Numba]) -> list[Numba]:
            row = builder.sext(builder.load(builder.gep(words, [k])), _I64)
            first = builder.gep(table, [builder.mul(row, ir.Constant(_I64, parts))])
            return [
                builder.add(total, builder.load(builder.gep(first, [ir.Constant(_I64, part)]), align=2))
                for part, total in enumerate(sums)
            ]

        sums = _loop(builder, args[2], 1, [ir.Constant(kind, None)] * parts, add)
        into = builder.bitcast(builder.gep(words, [args[3]]), kind.as_pointer())
        for part, total in enumerate(sums):
            builder.store(_clip(builder, total, kind), builder.gep(into, [ir.Constant(_I64, part)]), align=4)
        return context.get_dummy_value()

    return types.void(rows, scratch, types.int64, types.int64), build


@instruction
def _layer(typing: Numba, scratch: Numba, at: Numba, words: Numba, head: Numba, weights: Numba, out: Numba) -> Numba:
    lanes, pairs = ir.VectorType(_I32, LANES), ir.VectorType(_I16, 2 * LANES)
    wide, chains = ir.VectorType(_I32, 2 * LANES), 4

    def build(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        _, at, words, _, weights, out = args
        units = builder.gep(_data(context, builder, signature, args, 0, _I32), [at])
        start = builder.gep(_data(context, builder, signature, args, 3, _I32), [weights])
        first = builder.bitcast(builder.gep(start, [ir.Constant(_I64, LANES)]), pairs.as_pointer())

        def pick(vector: Numba, places: list[int]) -> Numba:
            selection = ir.Constant(ir.VectorType(_I32, len(places)), places)
            return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), selection)

        def product(k: Numba) -> Numba:
            """Multiply both units of a word by their weights and add them: a single instruction on some machines."""
            word = builder.load(builder.gep(units, [k]))
            alone = builder.insert_element(ir.Constant(lanes, ir.Undefined), word, ir.Constant(_I32, 0))
            everywhere = builder.bitcast(pick(alone, [0] * LANES), pairs)
            weight = builder.load(builder.gep(first, [k]), align=4)
            both = builder.mul(builder.sext(everywhere, wide), builder.sext(weight, wide))
            return builder.add(pick(both, [2 * i for i in range(LANES)]), pick(both, [2 * i + 1 for i in range(LANES)]))

        def add(k: Numba, sums: list[Numba]) -> list[Numba]:
            return [builder.add(total, product(builder.add(k, ir.Constant(_I64, i)))) for i, total in enumerate(sums)]

        begin = builder.load(builder.bitcast(start, lanes.as_pointer()), align=4)
        sums = _loop(builder, words, chains, [begin, *[ir.Constant(lanes, None)] * (chains - 1)], add)
        total = sums[0]
        for part in sums[1:]:
            total = builder.add(total, part)
        units_out = _clip(builder, builder.ashr(total, ir.Constant(lanes, [SHIFT] * LANES)), lanes)
        narrow = ir.VectorType(_I16, LANES)
        into = builder.gep(_data(context, builder, signature, args, 0, _I32), [out])
        builder.store(builder.trunc(units_out, narrow), builder.bitcast(into, narrow.as_pointer()), align=4)
        return builder.sext(builder.extract_element(total, ir.Constant(_I32, 0)), _I64)

    number = types.int64
    return number(scratch, number, number, head, number, number), build


@compiled_body(sum_rows)
def _sum_rows_compiled(rows: Numba, scratch: Numba, count: Numba, at: Numba) -> Callable[..., None]:
    return lambda rows, scratch, count, at: _sum_rows(rows, scratch, count, at)


@compiled_body(layer)
def _layer_compiled(
    scratch: Numba, at: Numba, words: Numba, head: Numba, weights: Numba, out: Numba
) -> Callable[..., int]:
    return lambda scratch, at, words, head, weights, out: _layer(scratch, at, words, head, weights, out)
