"""Compiled operations on runs of coins in the exact solver's workspace: follow, cut, take, isolate, value.

A run is encoded as an integer: 0 for none, 2*length for a chain, 2*length+1 for a
loop. w is a workspace, see layout.py. Assumes that nothing in the core can be taken.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import jit
from kibitz.games.dots.exact import layout as at
from kibitz.games.dots.exact.layout import GROUND

CLOSED = -1  # the end of a run that was taken completely
_MAX_VALUE = 1000  # more than any value


# Strings and coins


@jit
def end(w: Ints, string: int, side: int) -> int:
    """Return the coin at one end of a string, or GROUND; side is 0 or 1."""
    return w[at.ENDS + 2 * string + side]


@jit
def other_end(w: Ints, string: int, coin: int) -> int:
    """Return the end of a string that is not this coin."""
    first = end(w, string, 0)
    return end(w, string, 1) if first == coin else first


@jit
def strings_of(w: Ints, coin: int) -> int:
    """Return the strings of a coin as bits, including those already cut; 0 for GROUND."""
    return w[at.COIN_STRINGS + coin]


@jit
def degree(w: Ints, core: int, coin: int) -> int:
    """Return how many strings a coin has left."""
    return popcount(core & strings_of(w, coin))


@jit
def count_apart(w: Ints, run: int, by: int) -> None:
    """Add `by` (1 or -1) to the number of isolated runs like this one, and update their key; do nothing for 0."""
    if run == 0:
        return
    length = run >> 1
    counts, keys = (at.LOOPS, at.LOOP_KEYS) if run & 1 else (at.CHAINS, at.CHAIN_KEYS)
    w[counts + length] += by
    w[at.ISOLATED_KEY] += by * w[keys + 2 * length]
    w[at.ISOLATED_KEY + 1] += by * w[keys + 2 * length + 1]


# Runs of the core


@jit
def take(w: Ints, core: int, coin: int) -> tuple[int, int, int]:
    """Take a coin that has one string, and all coins along its run; return the core, the number taken, and the end.

    The end is a coin left with two strings or more, GROUND, or CLOSED.
    """
    taken = 0
    while True:
        string = core & strings_of(w, coin)
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
    """Follow a run from a coin with two strings along one of them; return its end, its strings, and the coins passed.

    The end is a joint, GROUND, or, for a loop, the starting coin. The number of coins passed excludes both ends.
    """
    start, strings, passed = coin, 0, 0
    while True:
        strings |= 1 << string
        coin = other_end(w, string, coin)
        if coin in (GROUND, start) or degree(w, core, coin) != 2:
            return coin, strings, passed
        passed += 1
        string = lowest(core & strings_of(w, coin) & ~(1 << string))


@jit
def set_apart(w: Ints, core: int, coin: int) -> tuple[int, int]:
    """Remove the run of a coin with two strings from the core if it is isolated; return the core, and the run or 0."""
    strings = core & strings_of(w, coin)
    last, there, n = walk(w, core, coin, lowest(strings))
    if last == coin:
        return core & ~there, 2 * (n + 1) + 1
    if last != GROUND:
        return core, 0
    last, back, m = walk(w, core, coin, lowest(strings & (strings - 1)))
    if last != GROUND:
        return core, 0
    return core & ~(there | back), 2 * (n + m + 1)


@jit
def set_neighbours_apart(w: Ints, core: int, unsafe: int, first: int, second: int) -> tuple[int, int, int, int]:
    """Update for coins that may now have two strings; return core, unsafe strings, and up to two newly isolated runs.

    first and second are coins, GROUND or CLOSED.
    """
    runs = (0, 0)
    for coin in (first, second):
        if coin != CLOSED and degree(w, core, coin) == 2:
            unsafe |= strings_of(w, coin)
            if w[at.FLAGS] & at.APART:
                core, run = set_apart(w, core, coin)
                runs = (run, runs[0])
    return core, unsafe, runs[0], runs[1]


# Isolated runs


@jit
def shortest(w: Ints, kind: int) -> int:
    """Return the shortest isolated run of a kind, or 0. Kinds: 0 short, 1 long chain, 2 long loop, 3 loop of three."""
    if kind == 0:
        for run in (2, 4, 5):  # chains of one and two, loops of two
            if w[(at.LOOPS if run & 1 else at.CHAINS) + (run >> 1)]:
                return run
        return 0
    counts = at.CHAINS if kind == 1 else at.LOOPS
    for length in range(4 if kind == 2 else 3, at.LENGTHS if kind < 3 else 4):
        if w[counts + length]:
            return 2 * length + (kind > 1)
    return 0


@jit
def endgame(w: Ints) -> int:
    """Return the value of the isolated chains and loops alone, for the player to move.

    See theory/endgames.py: short runs are opened first, shortest first. For long ones, use the controlled value if
    it is 3 or more (an odd loop may turn 2 into 4), else the recursion over the sorted lengths. Loops of
    three have no formula and are ignored.
    """
    n, m, total = 0, 0, 0  # long chains, long loops, the fully controlled value
    for length in range(3, at.LENGTHS):
        for _ in range(w[at.CHAINS + length]):
            w[at.LONG_CHAINS + n] = length
            n += 1
            total += length - 4
        if length > 3:
            for _ in range(w[at.LOOPS + length]):
                w[at.LONG_LOOPS + m] = length
                m += 1
                total += length - 8
    value = 0
    if n or m:
        bonus = 8 if n == 0 else 6 if m and n == w[at.CHAINS + 3] else 4
        value = -(total + bonus if total + bonus >= 3 else _controlled(w, n, m))
    for _ in range(w[at.CHAINS + 2] + w[at.LOOPS + 2]):
        value = -(2 + value)
    for _ in range(w[at.CHAINS + 1]):
        value = -(1 + value)
    return value


@jit
def _controlled(w: Ints, n: int, m: int) -> int:
    """Return the value, for the controller, of the n long chains and m long loops listed in the workspace."""
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            least = 0 if i == n and j == m else _MAX_VALUE
            if i < n:
                least = min(least, w[at.LONG_CHAINS + i] - 2 + abs(w[at.VALUES + j] - 2))
            if j < m:
                least = min(least, w[at.LONG_LOOPS + j] - 4 + abs(w[at.VALUES + j + 1] - 4))
            w[at.VALUES + j] = least
    return w[at.VALUES]


# Moves


@jit
def cut_safely(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int]:
    """Cut a string that gives nothing away; return core, unsafe strings, and up to two newly isolated runs."""
    return set_neighbours_apart(w, core & ~(1 << string), unsafe, end(w, string, 0), end(w, string, 1))


@jit
def opener(w: Ints, core: int, string: int) -> tuple[int, int]:
    """Return the best string to cut to open the run of an unsafe string, and all strings of the run."""
    coin = end(w, string, 0)
    if degree(w, core, coin) != 2:
        coin = end(w, string, 1)
    strings = core & strings_of(w, coin)
    low, high = lowest(strings), lowest(strings & (strings - 1))
    last, there, n = walk(w, core, coin, low)
    if last == coin:
        return string, there
    last, back, m = walk(w, core, coin, high)
    if n + m == 1:  # two boxes: the string between them
        string = low if n == 1 else high
    return string, there | back


@jit
def open_run(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int, int, int]:
    """Cut an unsafe string and take what it gives; return core, unsafe strings, two runs, coins taken, declinable."""
    core &= ~(1 << string)
    first, second = end(w, string, 0), end(w, string, 1)
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
    core, unsafe, run, another = set_neighbours_apart(w, core, unsafe, first, second)
    return core, unsafe, run, another, n + m, declined
