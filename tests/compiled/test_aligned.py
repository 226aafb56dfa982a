"""Arrays that begin at a cache line: zeros, copies, and arrays cached_array on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.compiled.aligned import CACHE_LINE_BYTES, aligned, aligned_zeros
from kibitz.compiled.array_cache import cached_array

TIMES = 20
"""How often each is made: arrays of numpy's own begin at a cache line one time in four."""


def begins_at_a_line(array: Any) -> bool:
    return bool(array.ctypes.data % CACHE_LINE_BYTES == 0)


@pytest.mark.parametrize("shape", [1, 7, 1000, 100_000, (3, 5), (400, 128), ()])
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float64])
def test_zeros_are_as_those_of_numpy_but_begin_at_a_line(shape: int | tuple[int, ...], dtype: Any) -> None:
    expected, found = np.zeros(shape, dtype), [aligned_zeros(shape, dtype) for _ in range(TIMES)]
    for array in found:
        assert begins_at_a_line(array)
        assert type(array) is np.ndarray
        assert (array.shape, array.dtype) == (expected.shape, expected.dtype)
        assert not array.any()
        assert array.flags.c_contiguous
        assert array.flags.writeable
    found[0][...] = 1
    assert not any(array.any() for array in found[1:])


def test_a_copy_has_the_same_numbers_and_can_be_written_to() -> None:
    numbers = np.arange(35, dtype=np.int16).reshape(5, 7)
    numbers.flags.writeable = False
    for array in (numbers, numbers.T, numbers[1:, ::2]):
        copy = aligned(array)
        assert begins_at_a_line(copy)
        assert copy.flags.c_contiguous
        assert copy.dtype == array.dtype
        assert copy.tolist() == array.tolist()
        copy[0, 0] = 99
    assert numbers[0, 0] == 0


def test_kept_arrays_begin_at_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path))
    for digest in map(str, range(TIMES)):
        for _ in ("made", "loaded"):
            assert begins_at_a_line(cached_array("rows", digest, lambda: np.zeros((3, 100), np.int16)))
