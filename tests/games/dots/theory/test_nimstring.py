"""Nimstring against its definition: every small position, and what is refused."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from games.dots import naive
from games.dots.boards import graph_of
from kibitz.games.dots.rules.graph import grid
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.nimstring import LOONY, connected_parts, nimber, regions


def agree(strings: naive.Strings, lefts: list[int]) -> Counter[int]:
    """Compare with the definition; return how often each nimber was met."""
    graph, table = graph_of(strings), naive.nimbers(strings)
    seen: Counter[int] = Counter()
    for left in lefts:
        found = nimber(graph, graph.all_strings ^ left)
        assert found == table[left], f"{left:b} of {strings}"
        seen[table[left]] += 1
    return seen


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 2), (1, 3), (2, 2)])
def test_every_position_of_small_boards(rows: int, cols: int) -> None:
    strings = naive.grid_strings(rows, cols)
    assert graph_of(strings).strings == grid(rows, cols).strings
    agree(strings, list(range(1 << len(strings))))


def test_many_positions_of_2x3() -> None:
    strings = naive.grid_strings(2, 3)
    seen = agree(strings, random.Random(1).sample(range(1 << 17), 1500))
    assert all(seen[n] >= 20 for n in (LOONY, 0, 1, 2, 3)), seen


def test_random_graphs() -> None:
    rng = random.Random(2)
    seen: Counter[int] = Counter()
    for _ in range(120):
        coins = rng.randint(1, 8)
        strings = naive.random_strings(rng, coins, rng.randint(coins, 10))
        every = range(1 << len(strings))
        seen += agree(strings, [*rng.sample(every, min(60, len(every))), every[-1]])
    assert all(seen[n] >= 20 for n in (LOONY, 0, 1, 2, 3)), seen


def test_isolated_chains_and_loops() -> None:
    chains = {n: nimber(graph_of(naive.chain(n)), 0) for n in range(1, 8)}
    loops = {n: nimber(graph_of(naive.loop(n)), 0) for n in range(2, 8)}
    assert chains == {n: naive.nimber(naive.chain(n)) for n in chains} == {n: int(n < 3) for n in chains}
    assert loops == {n: naive.nimber(naive.loop(n)) for n in loops} == {n: int(n < 4) for n in loops}


def test_regions_add_by_exclusive_or() -> None:
    # a coin on three strings to the ground is worth 0, one on two 1
    strings: naive.Strings = (
        ("a", None), ("a", None), ("a", None),
        ("b", None), ("b", None),
        ("c", "d"), ("c", None), ("d", None), ("d", None),
    )  # fmt: skip
    graph = graph_of(strings)
    found = regions(graph, 0)
    assert [(region.strings, region.coins) for region in found] == [
        ((0, 1, 2), (0,)),
        ((3, 4), (1,)),
        ((5, 6, 7, 8), (2, 3)),
    ]
    each = [naive.nimber(naive.part(strings, sum(1 << s for s in region.strings))) for region in found]
    assert [region.nimber for region in found] == each
    assert each[:2] == [0, 1]
    assert nimber(graph, 0) == naive.nimber(strings) == each[0] ^ each[1] ^ each[2]
    assert regions(graph, graph.all_strings) == ()
    assert nimber(graph, graph.all_strings) == 0


def test_parts_by_hand() -> None:
    graph = graph_of(naive.chains_and_loops((2, 1), (3,)))
    assert sorted(connected_parts(graph, graph.all_strings)) == [0b111, 0b11000, 0b11100000]
    # A box that must be taken counts for nothing.
    lone: naive.Strings = (("x", None),)
    assert [nimber(graph_of((*lone, *naive.chain(n))), 0) for n in (1, 2, 3)] == [1, 1, 0]
    assert nimber(graph_of(naive.chain(3)[1:]), 0) == LOONY


def test_large_parts_are_refused_and_others_are_not() -> None:
    board = grid(5, 5)
    assert [region.nimber for region in regions(board, 0)] == [None]
    assert nimber(board, 0) is None
    corner = sum(1 << line for line in (board.horizontal(1, 0), board.vertical(0, 1)))
    assert [region.nimber for region in regions(board, corner)] == [1, None]
    assert nimber(board, corner) is None
    # the first row is cut off, and its first box can be taken
    opened = sum(1 << board.horizontal(row, col) for row in (0, 1) for col in range(5)) | 1 << board.vertical(0, 0)
    assert {region.nimber for region in regions(board, opened)} == {LOONY, None}
    assert nimber(board, opened) == LOONY


def test_a_search_ends_when_its_moves_are_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = naive.grid_strings(2, 2)
    graph = graph_of(strings)
    regions.cache_clear()
    monkeypatch.setattr(nimstring, "MAX_EXAMINED_MOVES", 300)
    assert nimber(graph, 0) is None
    regions.cache_clear()
    monkeypatch.setattr(nimstring, "MAX_EXAMINED_MOVES", 30_000)
    assert nimber(graph, 0) == naive.nimber(strings)
    regions.cache_clear()
    monkeypatch.setattr(nimstring, "MAX_OPTIONS", 7)
    assert nimber(graph, 0) is None
    regions.cache_clear()


def test_a_late_position_of_a_large_board_is_answered() -> None:
    rng, board = random.Random(3), grid(5, 5)
    drawn = 0
    for line in rng.sample(range(60), 60):  # draw lines as long as every box keeps two
        if all(end < 0 or (board.masks[end] & ~drawn).bit_count() > 2 for end in board.strings[line]):
            drawn |= 1 << line
    found = regions(board, drawn)
    assert all(region.nimber is not None for region in found)
    assert sum(len(region.coins) for region in found) == 25
