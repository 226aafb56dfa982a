"""Sums of rows and dense layers: the vectors against their plain bodies, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kibitz.compiled.jit import entry
from kibitz.compiled.layers import LANES, ONE, SHIFT, WIDTH, layer, sum_rows

ROW_LIMIT, WEIGHT_LIMIT, START_LIMIT = 32767 // 12, 32767, 1 << 30
"""What rows, weights and starts may be, so that no sum of twelve rows or of WIDTH units and a start overflows."""
GUARD = -123456789
"""What lies around the places that may be written to."""


@entry
def summed(rows: Any, scratch: Any, count: int, at: int) -> None:
    """Run the compiled sum_rows."""
    sum_rows(rows, scratch, count, at)


@entry
def layered(scratch: Any, at: int, words: int, head: Any, weights: int, out: int) -> int:
    """Run the compiled layer."""
    return layer(scratch, at, words, head, weights, out)


def units_of(words: Any) -> list[int]:
    return [int(unit) for unit in words.view(np.int16)]


def packed(units: Any) -> Any:
    """Return units as words."""
    return np.asarray(units, np.int16).view(np.int32)


def both_sums(rows: Any, numbers: list[int], at: int) -> Any:
    """Return the scratch array that the compiled and the plain sum leave behind, once they agree."""
    found = []
    for run in (summed, sum_rows):
        scratch = np.full(at + WIDTH // 2 + 8, GUARD, np.int32)
        scratch[: len(numbers)] = numbers
        run(rows, scratch, len(numbers), at)
        found.append(scratch)
    assert found[0].tolist() == found[1].tolist()
    assert found[0][: len(numbers)].tolist() == numbers
    assert set(found[0][len(numbers) : at].tolist()) <= {GUARD}
    assert set(found[0][at + WIDTH // 2 :].tolist()) == {GUARD}
    return found[0]


@pytest.mark.modes
@pytest.mark.parametrize("at", [12, 13, 16, 31])
def test_sums_of_rows_are_the_plain_ones(at: int) -> None:
    rng = np.random.default_rng(at)
    for limit in (3, ONE // 4, ROW_LIMIT):
        rows = rng.integers(-limit, limit, (50, WIDTH), np.int16, endpoint=True)
        for count in range(1, 13):
            both_sums(rows, rng.integers(0, 50, count).tolist(), at)


def test_sums_are_cut_to_units() -> None:
    rows = np.zeros((4, WIDTH), np.int16)
    rows[1], rows[2], rows[3] = ROW_LIMIT, -ROW_LIMIT, 100
    for numbers, unit in (([0], 0), ([1] * 12, ONE), ([2] * 12, 0), ([1, 2, 3], 100), ([3, 3], 200), ([3, 3, 3], ONE)):
        scratch = both_sums(rows, numbers, 16)
        assert units_of(scratch[16 : 16 + WIDTH // 2]) == [unit] * WIDTH


def test_rows_may_be_read_only_and_the_last_one_counts() -> None:
    rows = np.arange(300 * WIDTH).reshape(300, WIDTH).astype(np.int16) % 50
    rows.flags.writeable = False
    scratch = both_sums(rows, [299, 0, 299], 12)
    assert units_of(scratch[12 : 12 + WIDTH // 2]) == (2 * rows[299] + rows[0]).tolist()


def both_layers(units: Any, weights: Any, starts: Any, at: int = 0, place: int = 0) -> tuple[int, list[int]]:
    """Return the first sum and the units of a layer, once the compiled and the plain one agree.

    at: where the units lie in scratch; place: where the weights lie in head.
    """
    words = len(units) // 2
    pairs = np.asarray(weights, np.int16).reshape(words, 2, LANES).transpose(0, 2, 1)
    head = np.full(place + LANES * (1 + words) + 5, GUARD, np.int32)
    head[place : place + LANES] = starts
    head[place + LANES : place + LANES * (1 + words)] = np.ascontiguousarray(pairs).reshape(-1).view(np.int32)
    out = at + words + 3
    answers = []
    for run in (layered, layer):
        scratch = np.full(out + LANES // 2 + 4, GUARD, np.int32)
        scratch[at : at + words] = packed(units)
        before = scratch.copy()
        first = run(scratch, at, words, head, place, out)
        written = scratch[out : out + LANES // 2].copy()
        scratch[out : out + LANES // 2] = GUARD
        assert scratch.tolist() == before.tolist()
        answers.append((first, units_of(written)))
    assert answers[0] == answers[1]
    return answers[0]


@pytest.mark.modes
@pytest.mark.parametrize("words", [8, 16, 64])
@pytest.mark.parametrize(("at", "place"), [(0, 0), (3, 5), (16, 1040)])
def test_layers_are_the_plain_ones(words: int, at: int, place: int) -> None:
    rng = np.random.default_rng([words, at])
    inside = 0
    for limit, start in ((40, 1 << 16), (ONE, 1 << 18), (WEIGHT_LIMIT, START_LIMIT)):
        for _ in range(5):
            units = rng.integers(0, ONE, 2 * words, endpoint=True)
            weights = rng.integers(-limit, limit, (2 * words, LANES), endpoint=True)
            starts = rng.integers(-start, start, LANES, endpoint=True)
            first, found = both_layers(units, weights, starts, at, place)
            total = starts + units @ weights
            assert first == total[0]
            assert found == np.clip(total >> SHIFT, 0, ONE).tolist()
            inside += sum(0 < unit < ONE for unit in found)
    assert inside > 0


@pytest.mark.parametrize("words", [8, 16, 64])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_sums_do_not_overflow(words: int, sign: int) -> None:
    first, found = both_layers(
        np.full(2 * words, ONE), np.full((2 * words, LANES), sign * WEIGHT_LIMIT), np.full(LANES, sign * START_LIMIT)
    )
    assert first == sign * (START_LIMIT + 2 * words * ONE * WEIGHT_LIMIT)
    assert abs(first) < 1 << 31
    assert found == [ONE if sign > 0 else 0] * LANES


def test_every_unit_meets_its_own_weight() -> None:
    """One unit at a time, so that no two could be swapped."""
    weights = np.arange(16 * LANES).reshape(16, LANES) - 100
    for i in range(16):
        first, found = both_layers(ONE * np.eye(16, dtype=np.int64)[i], weights, np.zeros(LANES))
        assert first == ONE * weights[i, 0]
        assert found == np.clip(weights[i], 0, ONE).tolist()


def test_sums_are_rounded_down() -> None:
    starts = np.array([-1, 0, 1, ONE - 1, ONE, ONE + 1, 2 * ONE - 1, 2 * ONE, -ONE, *[0] * 7])
    first, found = both_layers(np.zeros(16), np.zeros((16, LANES)), starts)
    assert first == -1
    assert found == [0, 0, 0, 0, 1, 1, 1, 2, 0, *[0] * 7]
