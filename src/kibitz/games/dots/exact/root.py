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
Numbers: TypeAlias = dict[int, int]  # string or coin of the graph -> its number in the workspace


@dataclass(frozen=True)
class SolverRoot:
    """A position in which nothing can be taken, ready to be searched."""

    workspace: Workspace  # to be copied for each thread
    core: int  # the strings outside isolated chains and loops, as bits
    unsafe: int  # the strings of the core at coins with two strings left, as bits
    left: int  # coins that are not taken, including those of isolated runs
    strings: tuple[String, ...]  # the string of each bit of the core


def centre_out(graph: Graph, string: String) -> int:
    """Return a sort key: the distance from the centre of a grid, or minus the distance from the ground of a graph."""
    if not graph.is_grid:
        return -min(_depths(graph)[coin] for coin in graph.strings[string] if coin != GROUND)
    kind, row, col = graph.coordinates(string)
    down = 2 * row - graph.rows + (kind == "v")
    right = 2 * col - graph.cols + (kind == "h")
    return down * down + right * right


@lru_cache(maxsize=16)
def _depths(graph: Graph) -> tuple[int, ...]:
    """Return the distance of each coin from the ground, in strings."""
    depths = [1 if any(GROUND in graph.strings[s] for s in strings) else 99 for strings in graph.strings_of]
    for _ in graph.coins:  # in each pass distances spread by one string; 99 means not reached
        for first, second in graph.strings:
            if second != GROUND:
                depths[first] = min(depths[first], depths[second] + 1)
                depths[second] = min(depths[second], depths[first] + 1)
    return tuple(depths)


def set_up(
    graph: Graph, undrawn: int, flags: int, symmetric: bool = True, order: MoveOrder = centre_out
) -> SolverRoot | None:
    """Set up the search of a position in which no coin can be taken; return None if its core is too large."""
    degrees = degrees_of(graph, undrawn)
    workspace = np.zeros(at.WORKSPACE_LENGTH, np.int64)
    core_strings, isolated = undrawn, []
    if flags & at.ISOLATE:
        isolated = [run for run in find_runs(graph, undrawn) if run.kind != "string"]
        core_strings &= ~sum(1 << string for run in isolated for string in run.strings)
    if core_strings.bit_count() > at.MAX_CORE_STRINGS:
        return None
    ordered = sorted(bits(core_strings), key=lambda string: (order(graph, string), string))
    bit_of = {string: i for i, string in enumerate(ordered)}
    coins = {coin for string in bit_of for coin in graph.strings[string] if coin != GROUND}
    coin_numbers = {coin: i for i, coin in enumerate(sorted(coins))} | {GROUND: at.GROUND}
    _write_graph(workspace, graph, bit_of, coin_numbers)
    _write_hashes(workspace, graph, bit_of, bool(flags & at.CORNERS), symmetric)
    for run in isolated:
        counts, keys = (at.LOOPS, at.LOOP_KEYS) if run.kind == "loop" else (at.CHAINS, at.CHAIN_KEYS)
        workspace[counts + run.length] += 1
        workspace[at.ISOLATED_KEY : at.ISOLATED_KEY + 2] += workspace[keys + 2 * run.length : keys + 2 * run.length + 2]
    workspace[at.FLAGS] = flags
    at_links = {string for coin in coins if degrees[coin] == 2 for string in bits(graph.masks[coin] & undrawn)}
    unsafe, left = sum(1 << bit_of[string] for string in at_links), sum(map(bool, degrees))
    return SolverRoot(workspace, (1 << len(bit_of)) - 1, unsafe, left, tuple(ordered))


def _write_graph(workspace: Workspace, graph: Graph, bit_of: Numbers, coin_numbers: Numbers) -> None:
    """Write the ends of the strings, the strings of the coins, and the pairs of strings with the same ends."""
    for string, i in bit_of.items():
        for side, coin in enumerate(graph.strings[string]):
            workspace[at.ENDS + 2 * i + side] = coin_numbers[coin]
            if coin != GROUND:
                workspace[at.COIN_STRINGS + coin_numbers[coin]] |= 1 << i
    pairs = 0
    for twins in _group_by_ends(graph, bit_of):
        for i, j in pairwise(sorted(bit_of[string] for string in twins)):
            workspace[at.TWINS + 1 + 2 * pairs : at.TWINS + 3 + 2 * pairs] = (1 << i | 1 << j, 1 << j)
            pairs += 1
    workspace[at.TWINS] = pairs


def _group_by_ends(graph: Graph, strings: Iterable[String]) -> list[list[String]]:
    """Return the strings in groups that have the same ends, each group in ascending order."""
    groups: dict[frozenset[Coin], list[String]] = {}
    for string in sorted(strings):
        groups.setdefault(frozenset(graph.strings[string]), []).append(string)
    return list(groups.values())


def _write_hashes(workspace: Workspace, graph: Graph, bit_of: Numbers, corners: bool, symmetric: bool) -> None:
    """Write the hashes of the strings, of the whole core, and of chains and loops by their lengths.

    Only the number of strings left between the same ends matters, not which of them. So with
    corners, the last of these to be tried gets the hash of the last by number.
    """
    symmetries = graph.symmetries() if symmetric else graph.symmetries()[:1]
    random = _random_words(len(graph.strings))
    groups = {string: group for group in _group_by_ends(graph, range(len(graph.strings))) for string in group}
    for twins in _group_by_ends(graph, bit_of):
        for rank, string in enumerate(sorted(twins, key=lambda s: -bit_of[s])):
            for i in range(IMAGES):
                image = symmetries[i % len(symmetries)]
                source = sorted(image[s] for s in groups[string])[-1 - rank] if corners else image[string]
                workspace[at.HASHES + IMAGES * bit_of[string] + i] = random[i // len(symmetries)][source]
    for i in range(IMAGES):
        hashes = workspace[at.HASHES + i : at.HASHES + IMAGES * len(bit_of) : IMAGES]
        workspace[at.PLY_HASHES + i] = np.bitwise_xor.reduce(hashes)
    workspace[at.CHAIN_KEYS : at.CHAIN_KEYS + 4 * at.LENGTH_LIMIT] = random[IMAGES]  # LOOP_KEYS follow CHAIN_KEYS


@lru_cache(maxsize=16)
def _random_words(strings: int) -> tuple[Workspace, ...]:
    """Return arrays of random words for hashing: a word per string for each image, then those of chains and loops."""
    stream = Stream(strings)
    rows = [[stream.next() for _ in range(strings)] for _ in range(IMAGES)]
    rows.append([stream.next() for _ in range(4 * at.LENGTH_LIMIT)])
    return tuple(np.array(row, np.uint64).view(np.int64) for row in rows)
