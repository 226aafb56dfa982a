"""Runs of coins in the workspace of the exact solver, compiled: followed, cut, taken, set apart, valued.

A run is described as a word: 0 for none, 2*length for a chain, 2*length+1 for a
loop. Where everything lies: words.py. Assumes that the core is one in
which nothing can be taken.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import jit
from kibitz.games.dots.exact.words import (
    APART,
    CHAIN_KEYS,
    CHAINS,
    COIN_STRINGS,
    ENDS,
    FLAGS,
    GROUND,
    ISOLATED_KEY,
    LENGTHS,
    LOOP_KEYS,
    LOOPS,
    SCRATCH,
)  # fmt: skip

CLOSED = -1
"""Where a run ends of which nothing is left."""
_MUCH = 1000
"""More than any value."""


@jit
def other_end(w: Ints, string: int, coin: int) -> int:
    """Return the end of a string that is not this coin."""
    first = w[ENDS + 2 * string]
    return w[ENDS + 2 * string + 1] if first == coin else first


@jit
def degree(w: Ints, core: int, coin: int) -> int:
    """Return how many strings a coin has left."""
    return popcount(core & w[COIN_STRINGS + coin])


@jit
def take(w: Ints, core: int, coin: int) -> tuple[int, int, int]:
    """Take a coin with one string, and on along the run; return the core, how many, and the coin where it ended.

    That is a coin which keeps two strings or more, GROUND, or CLOSED.
    """
    taken = 0
    while True:
        string = core & w[COIN_STRINGS + coin]
        core &= ~string
        taken += 1
        coin = other_end(w, lowest(string), coin)
        if coin == GROUND:
            return core, taken, coin
        left = degree(w, core, coin)
        if left == 0:
            return core, taken + 1, CLOSED
        if left > 1:
            return core, taken, coin


@jit
def walk(w: Ints, core: int, coin: int, string: int) -> tuple[int, int, int]:
    """Follow a run from a coin of two strings over one of them; return its end, strings and coins passed.

    The end is a joint, GROUND, or the coin itself: a loop.
    """
    start, strings, passed = coin, 0, 0
    while True:
        strings |= 1 << string
        coin = other_end(w, string, coin)
        if coin in (GROUND, start) or degree(w, core, coin) != 2:
            return coin, strings, passed
        passed += 1
        string = lowest(core & w[COIN_STRINGS + coin] & ~(1 << string))


@jit
def set_apart(w: Ints, core: int, coin: int) -> tuple[int, int]:
    """Take the run of a coin of two strings out of the core if it is isolated; return the core and the run or 0."""
    strings = core & w[COIN_STRINGS + coin]
    end, there, n = walk(w, core, coin, lowest(strings))
    if end == coin:
        return core & ~there, 2 * (n + 1) + 1
    if end != GROUND:
        return core, 0
    end, back, m = walk(w, core, coin, lowest(strings & (strings - 1)))
    if end != GROUND:
        return core, 0
    return core & ~(there | back), 2 * (n + m + 1)


@jit
def count_apart(w: Ints, run: int, by: int) -> None:
    """Add an isolated run, or take one away; do nothing for 0."""
    if run == 0:
        return
    length = run >> 1
    counts, keys = (LOOPS, LOOP_KEYS) if run & 1 else (CHAINS, CHAIN_KEYS)
    w[counts + length] += by
    w[ISOLATED_KEY] += by * w[keys + 2 * length]
    w[ISOLATED_KEY + 1] += by * w[keys + 2 * length + 1]


@jit
def shortest(w: Ints, kind: int) -> int:
    """Return the isolated run to open of a kind: 0 short, 1 long chain, 2 long loop, 3 loop of three; 0 if none."""
    if kind == 0:
        for run in (2, 4, 5):  # chains of one and two, loops of two
            if w[(LOOPS if run & 1 else CHAINS) + (run >> 1)]:
                return run
        return 0
    counts = CHAINS if kind == 1 else LOOPS
    for length in range(4 if kind == 2 else 3, LENGTHS if kind < 3 else 4):
        if w[counts + length]:
            return 2 * length + (kind > 1)
    return 0


@jit
def endgame(w: Ints) -> int:
    """Return the value of the isolated chains and loops alone, for the player to move. Loops of three have no formula.

    See theory.py: the short ones are opened first, shortest first; then the
    controlled value where it is 3 or more (of 2 an odd loop may make 4), else
    the recursion over the sorted lengths.
    """
    chains, loops, total = 0, 0, 0
    for length in range(3, LENGTHS):
        for _ in range(w[CHAINS + length]):
            w[SCRATCH + chains] = length
            chains += 1
            total += length - 4
        if length > 3:
            for _ in range(w[LOOPS + length]):
                w[SCRATCH + LENGTHS + loops] = length
                loops += 1
                total += length - 8
    value = 0
    if chains or loops:
        bonus = 8 if chains == 0 else 6 if loops and chains == w[CHAINS + 3] else 4
        value = -(total + bonus if total + bonus >= 3 else _controlled(w, chains, loops))
    for _ in range(w[CHAINS + 2] + w[LOOPS + 2]):
        value = -(2 + value)
    for _ in range(w[CHAINS + 1]):
        value = -(1 + value)
    return value


@jit
def _controlled(w: Ints, chains: int, loops: int) -> int:
    """Return what the player in control gets of the long chains and loops listed in the scratch, both ascending."""
    row = SCRATCH + 2 * LENGTHS
    for i in range(chains, -1, -1):
        for j in range(loops, -1, -1):
            least = 0 if i == chains and j == loops else _MUCH
            if i < chains:
                least = min(least, w[SCRATCH + i] - 2 + abs(w[row + j] - 2))
            if j < loops:
                least = min(least, w[SCRATCH + LENGTHS + j] - 4 + abs(w[row + j + 1] - 4))
            w[row + j] = least
    return w[row]


@jit
def cut_safely(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int]:
    """Cut a string that gives nothing away; return core, unsafe strings, and up to two runs now isolated."""
    core &= ~(1 << string)
    runs = (0, 0)
    for i in range(2):
        coin = w[ENDS + 2 * string + i]
        if degree(w, core, coin) == 2:
            unsafe |= w[COIN_STRINGS + coin]
            if w[FLAGS] & APART:
                core, run = set_apart(w, core, coin)
                runs = (run, runs[0])
    return core, unsafe, runs[0], runs[1]


@jit
def opener(w: Ints, core: int, string: int) -> tuple[int, int]:
    """Return the string by which to open the run of an unsafe string, and all strings of the run."""
    coin = w[ENDS + 2 * string]
    if degree(w, core, coin) != 2:
        coin = w[ENDS + 2 * string + 1]
    strings = core & w[COIN_STRINGS + coin]
    one, two = lowest(strings), lowest(strings & (strings - 1))
    end, there, n = walk(w, core, coin, one)
    if end == coin:
        return string, there
    end, back, m = walk(w, core, coin, two)
    if n + m == 1:  # two boxes: the string between them
        string = one if n == 1 else two
    return string, there | back


@jit
def open_run(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int, int, int]:
    """Cut an unsafe string and take what it gives; return core, unsafe strings, two runs, coins taken, declinable."""
    core &= ~(1 << string)
    first, second = w[ENDS + 2 * string], w[ENDS + 2 * string + 1]
    n, m = 0, 0
    if degree(w, core, first) == 1:
        core, n, first = take(w, core, first)
    if degree(w, core, second) == 1:
        core, m, second = take(w, core, second)
    declined = 0
    if CLOSED in (first, second):
        declined = 4 if n + m >= 4 else 0
    elif n >= 2 or m >= 2:
        declined = 2
    runs = (0, 0)
    for coin in (first, second):
        if coin != CLOSED and degree(w, core, coin) == 2:
            unsafe |= w[COIN_STRINGS + coin]
            if w[FLAGS] & APART:
                core, run = set_apart(w, core, coin)
                runs = (run, runs[0])
    return core, unsafe, runs[0], runs[1], n + m, declined
