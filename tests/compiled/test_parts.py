"""The parts kernels are made of, each against plain Python."""

from __future__ import annotations

import random
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.compiled import intrinsics as bits
from kibitz.compiled import objects, rng
from kibitz.compiled import transposition as table
from kibitz.compiled.compiler import kernels
from kibitz.compiled.jit import IS_PLAIN, entry, jit
from kibitz.core.seeds import Stream


@entry
def count_and_lowest(words: Any, out: Any) -> None:
    """Fill out with popcount and lowest of each word."""
    for i in range(len(words)):
        out[i, 0] = bits.popcount(words[i])
        out[i, 1] = bits.lowest(words[i])


@entry
def draw(state: Any, n: int, out: Any) -> None:
    """Fill out with numbers below n."""
    for i in range(len(out)):
        out[i] = rng.below(state, n)


@entry
def put_and_get(t: table.TranspositionTable, key: Any, data: Any) -> int:
    """Store an entry and look it up again."""
    table.store(t, key, data)
    return table.probe(t, key)


look_up: Any = entry(table.probe)


@pytest.mark.modes
def test_bits() -> None:
    values = [1, 2, 3, 12, 1 << 62, -1, -(1 << 63), *(random.Random(1).getrandbits(63) | 1 << 9 for _ in range(50))]
    out = np.zeros((len(values), 2), np.int64)
    count_and_lowest(np.array(values, np.int64), out)
    for value, (count, low) in zip(values, out.tolist(), strict=True):
        word = value & 0xFFFFFFFFFFFFFFFF
        assert count == bin(word).count("1") == bits.popcount(value)
        assert low == (word & -word).bit_length() - 1 == bits.lowest(value)


@pytest.mark.modes
@pytest.mark.parametrize("n", [1, 2, 9, 81, 1 << 32])
def test_the_compiled_stream_is_the_plain_one(n: int) -> None:
    for seed in (0, 1, (1 << 64) - 1):
        out = np.zeros(200, np.int64)
        draw(rng.stream(seed), n, out)
        plain = Stream(seed)
        assert out.tolist() == [plain.below(n) for _ in range(200)]
        assert out.min() >= 0
        assert out.max() < n


@given(
    st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-1, 65534), st.integers(0, 255), st.booleans(),
    st.integers(1, 3), st.integers(-(1 << 63), (1 << 63) - 1),
)  # fmt: skip
def test_table_entries_are_read_back(value: int, move: int, depth: int, solved: bool, bound: int, key: int) -> None:
    data = table.entry_of(value, move, depth, int(solved), bound)
    parts = (table.value_of, table.move_of, table.depth_of, table.solved_of, table.bound_of)
    assert [part(data) for part in parts] == [value, move, depth, solved, bound]
    assert put_and_get(table.new_table(4), np.int64(key), np.int64(data)) == data


@pytest.mark.modes
def test_the_table_keeps_the_deepest_and_the_latest() -> None:
    t = table.new_table(4)
    deep, first, second = (table.entry_of(value, 1, depth, 0, 3) for value, depth in ((1, 9), (2, 3), (3, 2)))
    for key, data in ((16, deep), (32, first), (48, second)):  # all three fall into the same bucket
        put_and_get(t, np.int64(key), np.int64(data))
    assert look_up(t, np.int64(16)) == deep
    assert look_up(t, np.int64(32)) == table.NO_ENTRY
    assert look_up(t, np.int64(48)) == second


def test_a_torn_slot_fits_no_key() -> None:
    t = table.new_table(4)
    put_and_get(t, np.int64(16), np.int64(table.entry_of(5, 1, 2, 0, 3)))
    t.data[0] += 1 << 30
    assert look_up(t, np.int64(16)) == table.NO_ENTRY


@jit
def squared(n: int) -> int:
    """Be a part of a kernel."""
    return n * n


@entry
def sum_of_squares(numbers: Any) -> int:
    """Be a kernel with a part."""
    total = 0
    for n in numbers:
        total += squared(n)
    return total


@pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
def test_a_part_is_optimised_inside_the_whole_and_is_plain_to_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path))  # what is kept would not be compiled
    numbers = np.arange(10)
    assert sum_of_squares(numbers) == sum(n * n for n in range(10))
    overloads = kernels.dispatcher_of(cast(FunctionType, squared)).overloads
    (compiled,) = overloads.values()
    assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0  # no machine code of its own
    assert squared(numbers[3]) == 9
    assert len(overloads) == 1


def test_functions_of_other_libraries_are_left_alone() -> None:
    inner = numba.njit(lambda n: n + 1)
    outer = numba.njit(lambda n: inner(n) * 2)
    assert outer(3) == 8
    assert inner(3) == 4


@jit
def cubed(n: int) -> int:
    """Be a part of another kernel."""
    return n * n * n


@entry
def sum_of_cubes(numbers: Any) -> int:
    """Be a kernel of one test alone: numba remembers in which way a part was compiled."""
    total = 0
    for n in numbers:
        total += cubed(n)
    return total


@pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
def test_another_numba_compiles_in_its_own_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its internals may change; then nothing is kept."""
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(kernels._KNOWN, object, ("something that it lacks",))
    assert sum_of_cubes(np.arange(10)) == sum(n**3 for n in range(10))
    assert not list(tmp_path.rglob("*.o"))


@entry
def last_of(numbers: Any) -> int:
    """Be a kernel of one test alone."""
    return numbers[-1]  # type: ignore[no-any-return]  # an array of integers


@pytest.mark.skipif(IS_PLAIN, reason="nothing is compiled")
def test_a_system_that_cannot_load_objects_runs_them_as_numba_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(objects, "LoadedKernel", lambda *_: int("not loaded"))
    assert last_of(np.arange(10)) == 9
    assert not list(tmp_path.rglob("*.o"))
