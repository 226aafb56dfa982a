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
def count_isolated(w: Ints, run: int, by: int) -> None:
    """Add `by` (1 or -1) to the number of isolated runs like this one, and update their key; do nothing for run 0."""
    if run == 0:
        return
    length = run >> 1
    counts, keys = (at.LOOPS, at.LOOP_KEYS) if run & 1 else (at.CHAINS, at.CHAIN_KEYS)
    w[counts + length] += by
    w[at.ISOLATED_KEY] += by * w[keys + 2 * length]
    w[at.ISOLATED_KEY + 1] += by * w[keys + 2 * length + 1]


# Runs of the core


@jit
def take_run(w: Ints, core: int, coin: int) -> tuple[int, int, int]:
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
def follow_run(w: Ints, core: int, coin: int, string: int) -> tuple[int, int, int]:
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
def isolate_run(w: Ints, core: int, coin: int) -> tuple[int, int]:
    """Remove the run of a coin with two strings from the core if it is isolated; return the core and the run, or 0."""
    strings = core & strings_of(w, coin)
    run_end, strings_ahead, coins_ahead = follow_run(w, core, coin, lowest(strings))
    if run_end == coin:
        return core & ~strings_ahead, 2 * (coins_ahead + 1) + 1
    if run_end != GROUND:
        return core, 0
    run_end, strings_behind, coins_behind = follow_run(w, core, coin, lowest(strings & (strings - 1)))
    if run_end != GROUND:
        return core, 0
    return core & ~(strings_ahead | strings_behind), 2 * (coins_ahead + coins_behind + 1)


@jit
def isolate_neighbours(w: Ints, core: int, unsafe: int, first: int, second: int) -> tuple[int, int, int, int]:
    """Update the core after a cut; return core, unsafe strings, and up to two newly isolated runs.

    first and second: the coins at the cut, which may now have two strings; GROUND or CLOSED for none.
    """
    runs = (0, 0)
    for coin in (first, second):
        if coin != CLOSED and degree(w, core, coin) == 2:
            unsafe |= strings_of(w, coin)
            if w[at.FLAGS] & at.ISOLATE:
                core, run = isolate_run(w, core, coin)
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
    for length in range(4 if kind == 2 else 3, at.LENGTH_LIMIT if kind < 3 else 4):  # only 3 for kind 3
        if w[counts + length]:
            return 2 * length + (kind > 1)
    return 0


@jit
def endgame_value(w: Ints) -> int:
    """Return the value of the isolated chains and loops alone, for the player to move.

    See theory/endgames.py: short runs are opened first, shortest first. The value of long ones is the controlled
    value if that is 3 or more (an odd loop may turn 2 into 4), else found by the recursion over the sorted lengths.
    Loops of three have no formula and are ignored.
    """
    n_chains, n_loops, controlled = 0, 0, 0  # long chains, long loops, the fully controlled value
    for length in range(3, at.LENGTH_LIMIT):
        for _ in range(w[at.CHAINS + length]):
            w[at.LONG_CHAINS + n_chains] = length
            n_chains += 1
            controlled += length - 4
        if length > 3:
            for _ in range(w[at.LOOPS + length]):
                w[at.LONG_LOOPS + n_loops] = length
                n_loops += 1
                controlled += length - 8
    value = 0
    if n_chains or n_loops:
        bonus = 8 if n_chains == 0 else 6 if n_loops and n_chains == w[at.CHAINS + 3] else 4
        value = -(controlled + bonus if controlled + bonus >= 3 else _controller_value(w, n_chains, n_loops))
    for _ in range(w[at.CHAINS + 2] + w[at.LOOPS + 2]):
        value = -(2 + value)
    for _ in range(w[at.CHAINS + 1]):
        value = -(1 + value)
    return value


@jit
def _controller_value(w: Ints, n_chains: int, n_loops: int) -> int:
    """Return the value of the long chains and loops listed in the workspace, for the controller."""
    for i in range(n_chains, -1, -1):
        for j in range(n_loops, -1, -1):
            lowest_value = 0 if i == n_chains and j == n_loops else _MAX_VALUE
            if i < n_chains:
                lowest_value = min(lowest_value, w[at.LONG_CHAINS + i] - 2 + abs(w[at.ENDGAME_VALUES + j] - 2))
            if j < n_loops:
                lowest_value = min(lowest_value, w[at.LONG_LOOPS + j] - 4 + abs(w[at.ENDGAME_VALUES + j + 1] - 4))
            w[at.ENDGAME_VALUES + j] = lowest_value
    return w[at.ENDGAME_VALUES]


# Moves


@jit
def cut_safely(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int]:
    """Cut a string that gives no coin away; return core, unsafe strings, and up to two newly isolated runs."""
    return isolate_neighbours(w, core & ~(1 << string), unsafe, end(w, string, 0), end(w, string, 1))


@jit
def best_opener(w: Ints, core: int, string: int) -> tuple[int, int]:
    """Return the best string to cut to open the run of an unsafe string, and all strings of the run."""
    coin = end(w, string, 0)
    if degree(w, core, coin) != 2:
        coin = end(w, string, 1)
    strings = core & strings_of(w, coin)
    low, high = lowest(strings), lowest(strings & (strings - 1))
    run_end, strings_ahead, coins_ahead = follow_run(w, core, coin, low)
    if run_end == coin:
        return string, strings_ahead
    run_end, strings_behind, coins_behind = follow_run(w, core, coin, high)
    if coins_ahead + coins_behind == 1:  # two boxes: the string between them
        string = low if coins_ahead == 1 else high
    return string, strings_ahead | strings_behind


@jit
def open_run(w: Ints, core: int, unsafe: int, string: int) -> tuple[int, int, int, int, int, int]:
    """Cut an unsafe string, take the coins given; return core, unsafe, two isolated runs, coins taken, declinable."""
    core &= ~(1 << string)
    first, second = end(w, string, 0), end(w, string, 1)
    taken_first, taken_second = 0, 0
    if degree(w, core, first) == 1:
        core, taken_first, first = take_run(w, core, first)
    if degree(w, core, second) == 1:
        core, taken_second, second = take_run(w, core, second)
    declined = 0
    if CLOSED in (first, second):
        declined = 4 if taken_first + taken_second >= 4 else 0
    elif taken_first >= 2 or taken_second >= 2:
        declined = 2
    core, unsafe, first_run, second_run = isolate_neighbours(w, core, unsafe, first, second)
    return core, unsafe, first_run, second_run, taken_first + taken_second, declined
