"""Strings-and-Coins again, by full search over every set of strings and with no theory at all.

A string is a pair of ends, and None is the ground. Shares no code with kibitz.games.dots. A table holds something
about every set of strings that can be left of a graph: bit i of its index says that string i is left. A graph of 16
strings takes about a second.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TypeAlias

End: TypeAlias = int | str | None
Strings: TypeAlias = tuple[tuple[End, End], ...]

LOONY = -1
"""What nimbers has where the player to move wins whatever is added."""


def cuts(strings: Strings, left: int) -> Iterator[tuple[int, int, int]]:
    """Yield each string that can be cut, how many coins that takes, and what is left then."""
    for string, ends in enumerate(strings):
        if left >> string & 1:
            after = left ^ 1 << string
            held = {end for i, pair in enumerate(strings) if after >> i & 1 for end in pair}
            yield string, sum(end is not None and end not in held for end in ends), after


def _rows(strings: Strings) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield every set of strings from the empty one up, with (taken, left then) of each cut. cuts() but faster."""
    masks = [
        [sum(1 << i for i, pair in enumerate(strings) if end in pair) for end in ends if end is not None]
        for ends in strings
    ]
    bits = [(1 << i, masks[i]) for i in range(len(strings))]
    for left in range(1 << len(strings)):
        row = []
        for bit, ends in bits:
            if left & bit:
                after = left ^ bit
                row.append((sum([not after & mask for mask in ends]), after))
        yield left, row


@cache
def values(strings: Strings) -> list[int]:
    """Return the table of values: coins that the player to move will take, less those of the other."""
    table = [0] * (1 << len(strings))
    for left, row in _rows(strings):
        if row:
            table[left] = max([taken + table[after] if taken else -table[after] for taken, after in row])
    return table


def value(strings: Strings) -> int:
    """Return what the player to move will take, less what the other will."""
    return values(strings)[-1]


def move_values(strings: Strings) -> dict[int, int]:
    """Return the value of each cut for who makes it."""
    table, everything = values(strings), (1 << len(strings)) - 1
    return {s: taken + table[after] if taken else -table[after] for s, taken, after in cuts(strings, everything)}


@cache
def nimbers(strings: Strings) -> list[int]:
    """Return the table of nimbers of Nimstring: who takes a coin moves again, who cannot move loses.

    The nimber of a position is the n for which the player to move loses the sum of the position and a heap of n, and
    LOONY if there is no such n. No nimber is greater than the number of cuts.
    """
    table = [0] * (1 << len(strings))
    for left, row in _rows(strings):
        table[left] = LOONY
        for n in range(len(row) + 1):
            # the sum of `after` and n is lost for who moves in it just if table[after] == n
            if not any((table[after] != n) if taken else (table[after] == n) for taken, after in row):
                table[left] = n  # with a larger heap one wins by making it this large
                break
    return table


def nimber(strings: Strings) -> int:
    """Return the nimber of Nimstring, or LOONY."""
    return nimbers(strings)[-1]


def grid_strings(rows: int, cols: int) -> Strings:
    """Return the lines of a board of boxes: those that go across row by row, then those that go down."""
    across = [((r - 1, c), (r, c)) for r in range(rows + 1) for c in range(cols)]
    down = [((r, c - 1), (r, c)) for r in range(rows) for c in range(cols + 1)]
    names = {(r, c): r * cols + c for r in range(rows) for c in range(cols)}
    return tuple((names.get(a), names.get(b)) for a, b in across + down)


def part(strings: Strings, left: int) -> Strings:
    """Return the strings of a set."""
    return tuple(pair for i, pair in enumerate(strings) if left >> i & 1)


def chain(coins: int, name: str = "") -> Strings:
    """Return coins in a row, between ground and ground."""
    ends: list[End] = [None, *(f"{name}{i}" for i in range(coins)), None]
    return tuple(pairwise(ends))


def loop(coins: int, name: str = "") -> Strings:
    """Return coins in a ring."""
    ends = [f"{name}{i}" for i in range(coins)]
    return tuple(zip(ends, ends[1:] + ends[:1], strict=True))


def chains_and_loops(chains: Sequence[int], loops: Sequence[int] = ()) -> Strings:
    """Return isolated chains and loops of these lengths."""
    parts = [chain(n, f"c{i}.") for i, n in enumerate(chains)] + [loop(n, f"l{i}.") for i, n in enumerate(loops)]
    return tuple(pair for strings in parts for pair in strings)


def random_strings(rng: random.Random, coins: int, strings: int) -> Strings:
    """Return a random graph, every coin with a string; parallel strings, ground strings and parts are common."""
    grounded = rng.choice((0.1, 0.3, 0.6))
    while True:
        found: list[tuple[End, End]] = []
        while len(found) < strings:
            first, second = rng.randrange(coins), rng.randrange(coins)
            if rng.random() < grounded:
                found.append((first, None))
            elif first != second:
                found.append((first, second))
        if len({end for pair in found for end in pair} - {None}) == coins:
            return tuple(found)


def random_position(rng: random.Random, rows: int, cols: int, left: int) -> Strings:
    """Return random lines of a board that are left; the others are drawn."""
    return tuple(rng.sample(grid_strings(rows, cols), left))


# Positions of nothing but rows and rings of coins, of any size: what matters of each part is its shape. A row of n
# coins is ("chain", n) between ground and ground, ("half", n) from a bare end to the ground, ("bare", n) between bare
# ends; a ring is ("loop", n). A bare end is a coin with one string.

Part: TypeAlias = tuple[str, int]


def _cut(part: Part) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """Yield the coins that each cut of a part takes, and what it leaves."""
    kind, n = part
    if kind == "loop":
        yield 0, (("bare", n),)
    first, last = {"chain": (0, n), "half": (1, n), "bare": (1, n - 1), "loop": (1, 0)}[kind]
    for i in range(first, last + 1):  # between coin i and coin i + 1, counted from 1
        pieces = ("half" if kind == "chain" else "bare", i), ("bare" if kind == "bare" else "half", n - i)
        taken = sum(piece == ("bare", 1) for piece in pieces)
        yield taken, tuple(piece for piece in pieces if piece[1] > 0 and piece != ("bare", 1))


@cache
def value_of_parts(parts: tuple[Part, ...]) -> int:
    """Return the value of sorted parts by full search over their shapes."""
    best = None
    for i, chosen in enumerate(parts):
        if i and chosen == parts[i - 1]:
            continue
        for taken, pieces in _cut(chosen):
            after = value_of_parts(tuple(sorted(parts[:i] + parts[i + 1 :] + pieces)))
            worth = taken + after if taken else -after
            best = worth if best is None else max(best, worth)
    return best or 0


def endgame(chains: Sequence[int], loops: Sequence[int] = ()) -> tuple[Part, ...]:
    """Return isolated chains and loops of these lengths as sorted parts."""
    return tuple(sorted([("chain", n) for n in chains] + [("loop", n) for n in loops]))
