"""Arrays cached on disk: made once, loaded by others, made again if damaged; and arrays aligned to cache lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.compiled.array_cache import MAX_VERSIONS, cached_array
from kibitz.compiled.arrays import CACHE_LINE_BYTES, aligned, aligned_zeros

NUMBERS = np.arange(24, dtype=np.int16).reshape(4, 6)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that does not exist yet."""
    folder = tmp_path / "some" / "cache"
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(folder))
    return folder


class Maker:
    """Makes an array and counts how often."""

    def __init__(self, array: Any = NUMBERS) -> None:
        self.array, self.times = array, 0

    def __call__(self) -> Any:
        self.times += 1
        return self.array.copy()


def names(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "tables").iterdir())


def fail() -> Any:
    raise AssertionError("made again")


def same(found: Any, expected: Any = NUMBERS) -> bool:
    return bool(found.dtype == expected.dtype and found.shape == expected.shape and (found == expected).all())


def test_an_array_is_made_once_and_then_loaded(cache: Path) -> None:
    assert same(cached_array("rows", "a1", Maker()))
    assert names(cache) == ["rows-a1.npy"]
    assert same(cached_array("rows", "a1", fail))
    assert same(np.load(cache / "tables" / "rows-a1.npy"))


@pytest.mark.parametrize("make", [Maker(), fail], ids=["made", "loaded"])
def test_it_may_not_be_written_to(cache: Path, make: Callable[[], Any]) -> None:
    if make is fail:
        cached_array("rows", "a1", Maker())
    found = cached_array("rows", "a1", make)
    assert type(found) is np.ndarray  # of one type for numba, whether it was made or loaded
    assert found.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1


def test_arrays_are_stored_contiguously(cache: Path) -> None:
    for make in (Maker(NUMBERS.T), fail):
        found = cached_array("rows", "a1", make)
        assert same(found, NUMBERS.T)
        assert found.flags.c_contiguous


def damage(path: Path, kind: str) -> None:
    whole = path.read_bytes()
    path.write_bytes({"empty": b"", "cut": whole[:-10], "header cut": whole[:40], "foreign": b"not an array"}[kind])


@pytest.mark.parametrize("kind", ["empty", "cut", "header cut", "foreign"])
def test_a_damaged_file_is_made_anew(cache: Path, kind: str) -> None:
    cached_array("rows", "a1", Maker())
    damage(cache / "tables" / "rows-a1.npy", kind)
    maker = Maker()
    assert same(cached_array("rows", "a1", maker))
    assert maker.times == 1
    assert same(cached_array("rows", "a1", fail))
    assert names(cache) == ["rows-a1.npy"]


def test_of_one_name_the_latest_are_kept_and_other_names_left_alone(cache: Path) -> None:
    cached_array("rows", "a1", Maker())
    held = cached_array("rows", "a1", fail)
    cached_array("columns", "a1", Maker(NUMBERS + 1))
    cached_array("rows-of-rows", "a1", Maker(NUMBERS + 2))
    for number in range(2, 2 + MAX_VERSIONS):
        assert same(cached_array("rows", f"b{number}", Maker(NUMBERS + number)), NUMBERS + number)
    left = [f"rows-b{number}.npy" for number in range(2, 2 + MAX_VERSIONS)]
    assert names(cache) == ["columns-a1.npy", *left, "rows-of-rows-a1.npy"]
    assert same(held)  # whoever has it goes on
    assert same(cached_array("rows-of-rows", "a1", fail), NUMBERS + 2)


@pytest.mark.parametrize("place", ["", "below"])
def test_without_a_folder_it_is_made_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KIBITZ_CACHE_DIR", str(tmp_path / "file" / place))
    maker = Maker()
    for _ in range(2):
        found = cached_array("rows", "a1", maker)
        assert same(found)
        assert not found.flags.writeable
    assert maker.times == 2


def test_a_disk_that_is_full_is_no_error_and_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(file: Any, array: Any) -> None:
        file.write(b"a part of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", save)
    assert same(cached_array("rows", "a1", Maker()))
    assert names(cache) == []


def test_an_error_in_the_making_reaches_the_caller_and_keeps_nothing(cache: Path) -> None:
    with pytest.raises(AssertionError, match="made again"):
        cached_array("rows", "a1", fail)
    assert not (cache / "tables").exists()


# Arrays that begin at a cache line

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


def test_kept_arrays_begin_at_a_line(cache: Path) -> None:
    for digest in map(str, range(TIMES)):
        for _ in ("made", "loaded"):
            assert begins_at_a_line(cached_array("rows", digest, lambda: np.zeros((3, 100), np.int16)))
