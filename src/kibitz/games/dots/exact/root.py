"""From a position to the workspace of the exact solver.

The strings that are left become bits, numbered in the order in which they will
be tried: from the centre of the board outwards. The hash of a string depends on
the graph alone, so that one table serves all positions of a game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from kibitz.core.seeds import Stream
from kibitz.games.dots.exact.words import (
    APART,
    CHAIN_KEYS,
    CHAINS,
    COIN_STRINGS,
    CORNERS,
    ENDS,
    FLAGS,
    GROUND,
    HASHES,
    IMAGES,
    ISOLATED_KEY,
    LENGTHS,
    LOOP_KEYS,
    LOOPS,
    MOST,
    SIZE,
    TRAIL,
    TWINS,
)  # fmt: skip
from kibitz.games.dots.rules.graph import GROUND as NO_COIN
from kibitz.games.dots.rules.graph import Coin, Graph, String
from kibitz.games.dots.theory.runs import bits, degrees_of, find_runs

Order: TypeAlias = Callable[[Graph, String], Any]
"""What to sort strings by: the first are tried first."""


@dataclass(frozen=True)
class Root:
    """A position in which nothing can be taken, ready to be searched."""

    words: Any
    """the workspace, to be copied for each thread"""
    core: int
    unsafe: int
    left: int
    """coins that are not taken"""
    strings: tuple[String, ...]
    """the string of each bit of the core"""


def centre_out(graph: Graph, string: String) -> Any:
    """Sort by the distance from the centre of a grid; in other graphs by the strings between here and the ground."""
    if not graph.is_grid:
        return -min(_depths(graph)[coin] for coin in graph.strings[string] if coin != NO_COIN)
    kind, row, col = graph.line(string)
    down = 2 * row - graph.rows + (kind == "v")
    right = 2 * col - graph.cols + (kind == "h")
    return down * down + right * right


@lru_cache(maxsize=16)
def _depths(graph: Graph) -> tuple[int, ...]:
    """Return how many strings lie between each coin and the ground, at least."""
    depths = [1 if any(NO_COIN in graph.strings[s] for s in strings) else 99 for strings in graph.strings_of]
    for _ in graph.coins:
        for first, second in graph.strings:
            if second != NO_COIN:
                depths[first] = min(depths[first], depths[second] + 1)
                depths[second] = min(depths[second], depths[first] + 1)
    return tuple(depths)


def set_up(graph: Graph, undrawn: int, flags: int, symmetric: bool = True, order: Order = centre_out) -> Root | None:
    """Return the root for the strings that are left, no coin of which can be taken; None if the core is too large."""
    degrees = degrees_of(graph, undrawn)
    words = np.zeros(SIZE, np.int64)
    core_strings, isolated = undrawn, []
    if flags & APART:
        isolated = [run for run in find_runs(graph, undrawn, degrees, ()) if run.kind != "string"]
        core_strings &= ~sum(1 << string for run in isolated for string in run.strings)
    if core_strings.bit_count() > MOST:
        return None
    numbers = {string: i for i, string in enumerate(sorted(bits(core_strings), key=lambda s: (order(graph, s), s)))}
    coins = {coin for string in numbers for coin in graph.strings[string] if coin != NO_COIN}
    places = {coin: i for i, coin in enumerate(sorted(coins))} | {NO_COIN: GROUND}
    _put_graph(words, graph, numbers, places)
    _put_hashes(words, graph, numbers, bool(flags & CORNERS), symmetric)
    for run in isolated:
        counts, keys = (LOOPS, LOOP_KEYS) if run.kind == "loop" else (CHAINS, CHAIN_KEYS)
        words[counts + run.length] += 1
        words[ISOLATED_KEY : ISOLATED_KEY + 2] += words[keys + 2 * run.length : keys + 2 * run.length + 2]
    words[FLAGS] = flags
    unsafe = sum({1 << numbers[s] for coin in coins if degrees[coin] == 2 for s in bits(graph.masks[coin] & undrawn)})
    return Root(words, (1 << len(numbers)) - 1, unsafe, sum(degree > 0 for degree in degrees), tuple(numbers))


def _put_graph(words: Any, graph: Graph, numbers: dict[String, int], places: dict[Coin, int]) -> None:
    """Write the ends of the strings, the strings of the coins, and the pairs of strings with the same ends."""
    for string, i in numbers.items():
        for side, coin in enumerate(graph.strings[string]):
            words[ENDS + 2 * i + side] = places[coin]
            if coin != NO_COIN:
                words[COIN_STRINGS + places[coin]] |= 1 << i
    pairs = 0
    for alike in _alike(graph, numbers):
        bits = sorted(numbers[string] for string in alike)
        for i, j in pairwise(bits):
            words[TWINS + 1 + 2 * pairs : TWINS + 3 + 2 * pairs] = (1 << i | 1 << j, 1 << j)
            pairs += 1
    words[TWINS] = pairs


def _alike(graph: Graph, strings: Any) -> list[list[String]]:
    """Return the strings in groups with the same ends, each group ascending."""
    groups: dict[frozenset[Coin], list[String]] = {}
    for string in sorted(strings):
        groups.setdefault(frozenset(graph.strings[string]), []).append(string)
    return list(groups.values())


def _put_hashes(words: Any, graph: Graph, numbers: dict[String, int], corners: bool, symmetric: bool) -> None:
    """Write the hashes of the strings, of the whole core, and of chains and loops by their lengths.

    Strings with the same ends are told apart only by how many of them are left:
    the last that is tried has the hash of the last by number.
    """
    symmetries = graph.symmetries() if symmetric else graph.symmetries()[:1]
    random = _random_words(len(graph.strings))
    groups = {string: group for group in _alike(graph, range(len(graph.strings))) for string in group}
    for alike in _alike(graph, numbers):
        for rank, string in enumerate(sorted(alike, key=lambda s: -numbers[s])):
            for i in range(IMAGES):
                image = symmetries[i % len(symmetries)]
                name = sorted(image[s] for s in groups[string])[-1 - rank] if corners else image[string]
                words[HASHES + IMAGES * numbers[string] + i] = random[i // len(symmetries)][name]
    for i in range(IMAGES):
        words[TRAIL + i] = np.bitwise_xor.reduce(words[HASHES + i : HASHES + IMAGES * len(numbers) : IMAGES])
    words[CHAIN_KEYS : CHAIN_KEYS + 4 * LENGTHS] = random[IMAGES][: 4 * LENGTHS]  # the loops' keys lie behind


@lru_cache(maxsize=16)
def _random_words(strings: int) -> tuple[Any, ...]:
    """Return random words: for each image one for each string, then some more."""
    stream = Stream(strings)
    rows = [[stream.next() for _ in range(strings)] for _ in range(IMAGES)]
    rows.append([stream.next() for _ in range(4 * LENGTHS)])
    return tuple(np.array(row, np.uint64).view(np.int64) for row in rows)
