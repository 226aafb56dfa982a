"""Set up the workspace of the exact solver for a position.

The strings that are left become bits, numbered in the order in which they will be tried: from the centre of the board
outwards. The hash of a string depends on the graph alone, so that one table serves all positions of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.core.seeds import Stream
from kibitz.games.dots.exact import layout as at
from kibitz.games.dots.exact.layout import IMAGES
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String
from kibitz.games.dots.theory.runs import bits, degrees_of, find_runs

MoveOrder: TypeAlias = Callable[[Graph, String], int]  # a sort key of strings: the lowest are tried first
Workspace: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class SolverRoot:
    """A position in which nothing can be taken, ready to be searched."""

    words: Workspace  # the workspace, to be copied for each thread
    core: int
    unsafe: int
    left: int  # coins that are not taken
    strings: tuple[String, ...]  # the string of each bit of the core


def centre_out(graph: Graph, string: String) -> int:
    """Return a sort key: the distance from a grid's centre; in other graphs the negated distance from the ground."""
    if not graph.is_grid:
        return -min(_depths(graph)[coin] for coin in graph.strings[string] if coin != GROUND)
    kind, row, col = graph.coordinates(string)
    down = 2 * row - graph.rows + (kind == "v")
    right = 2 * col - graph.cols + (kind == "h")
    return down * down + right * right


@lru_cache(maxsize=16)
def _depths(graph: Graph) -> tuple[int, ...]:
    """Return the least number of strings between each coin and the ground."""
    depths = [1 if any(GROUND in graph.strings[s] for s in strings) else 99 for strings in graph.strings_of]
    for _ in graph.coins:
        for first, second in graph.strings:
            if second != GROUND:
                depths[first] = min(depths[first], depths[second] + 1)
                depths[second] = min(depths[second], depths[first] + 1)
    return tuple(depths)


def set_up(
    graph: Graph, undrawn: int, flags: int, symmetric: bool = True, order: MoveOrder = centre_out
) -> SolverRoot | None:
    """Prepare the search of a position in which no coin can be taken; return None if its core is too large."""
    degrees = degrees_of(graph, undrawn)
    words = np.zeros(at.WORDS, np.int64)
    core_strings, isolated = undrawn, []
    if flags & at.APART:
        isolated = [run for run in find_runs(graph, undrawn) if run.kind != "string"]
        core_strings &= ~sum(1 << string for run in isolated for string in run.strings)
    if core_strings.bit_count() > at.MAX_CORE_STRINGS:
        return None
    numbers = {string: i for i, string in enumerate(sorted(bits(core_strings), key=lambda s: (order(graph, s), s)))}
    coins = {coin for string in numbers for coin in graph.strings[string] if coin != GROUND}
    places = {coin: i for i, coin in enumerate(sorted(coins))} | {GROUND: at.GROUND}
    _put_graph(words, graph, numbers, places)
    _put_hashes(words, graph, numbers, bool(flags & at.CORNERS), symmetric)
    for run in isolated:
        counts, keys = (at.LOOPS, at.LOOP_KEYS) if run.kind == "loop" else (at.CHAINS, at.CHAIN_KEYS)
        words[counts + run.length] += 1
        words[at.ISOLATED_KEY : at.ISOLATED_KEY + 2] += words[keys + 2 * run.length : keys + 2 * run.length + 2]
    words[at.FLAGS] = flags
    unsafe = sum({1 << numbers[s] for coin in coins if degrees[coin] == 2 for s in bits(graph.masks[coin] & undrawn)})
    return SolverRoot(words, (1 << len(numbers)) - 1, unsafe, sum(degree > 0 for degree in degrees), tuple(numbers))


def _put_graph(words: Workspace, graph: Graph, numbers: dict[String, int], places: dict[Coin, int]) -> None:
    """Write the ends of the strings, the strings of the coins, and the pairs of strings with the same ends."""
    for string, i in numbers.items():
        for side, coin in enumerate(graph.strings[string]):
            words[at.ENDS + 2 * i + side] = places[coin]
            if coin != GROUND:
                words[at.COIN_STRINGS + places[coin]] |= 1 << i
    pairs = 0
    for alike in _alike(graph, numbers):
        for i, j in pairwise(sorted(numbers[string] for string in alike)):
            words[at.TWINS + 1 + 2 * pairs : at.TWINS + 3 + 2 * pairs] = (1 << i | 1 << j, 1 << j)
            pairs += 1
    words[at.TWINS] = pairs


def _alike(graph: Graph, strings: Iterable[String]) -> list[list[String]]:
    """Return the strings in groups with the same ends, each group ascending."""
    groups: dict[frozenset[Coin], list[String]] = {}
    for string in sorted(strings):
        groups.setdefault(frozenset(graph.strings[string]), []).append(string)
    return list(groups.values())


def _put_hashes(words: Workspace, graph: Graph, numbers: dict[String, int], corners: bool, symmetric: bool) -> None:
    """Write the hashes of the strings, of the whole core, and of chains and loops by their lengths.

    Strings with the same ends are interchangeable: only how many are left matters. So the
    last of them to be tried gets the hash of the last by number.
    """
    symmetries = graph.symmetries() if symmetric else graph.symmetries()[:1]
    random = _random_words(len(graph.strings))
    groups = {string: group for group in _alike(graph, range(len(graph.strings))) for string in group}
    for alike in _alike(graph, numbers):
        for rank, string in enumerate(sorted(alike, key=lambda s: -numbers[s])):
            for i in range(IMAGES):
                image = symmetries[i % len(symmetries)]
                name = sorted(image[s] for s in groups[string])[-1 - rank] if corners else image[string]
                words[at.HASHES + IMAGES * numbers[string] + i] = random[i // len(symmetries)][name]
    for i in range(IMAGES):
        words[at.TRAIL + i] = np.bitwise_xor.reduce(words[at.HASHES + i : at.HASHES + IMAGES * len(numbers) : IMAGES])
    words[at.CHAIN_KEYS : at.CHAIN_KEYS + 4 * at.LENGTHS] = random[IMAGES]  # the loops' keys follow the chains'


@lru_cache(maxsize=16)
def _random_words(strings: int) -> tuple[Workspace, ...]:
    """Return arrays of random words: for each image, a word per string; last, the words for chains and loops."""
    stream = Stream(strings)
    rows = [[stream.next() for _ in range(strings)] for _ in range(IMAGES)]
    rows.append([stream.next() for _ in range(4 * at.LENGTHS)])
    return tuple(np.array(row, np.uint64).view(np.int64) for row in rows)
