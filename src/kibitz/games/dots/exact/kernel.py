"""The exact solver, compiled: tests whether a position is worth at least so many boxes.

Knows the core of a position (a word of strings, no coin of which can be taken
at once) and, apart from it, how many isolated chains and loops of each length
there are. Values are net future boxes for the player to move and do not depend
on the score. What a move gives away is not searched move by move: with N coins
to be taken, of which t = 2 or 4 can be declined, and W the value of the rest
for whoever has to move there, the taker gets N - t + |t + W| (and N + W where
nothing can be declined). So every position searched is again one in which
nothing can be taken.

`search` tests whether a value reaches a goal, as alpha-beta with an empty
window. Bounds of every position are kept in a table that threads share without
a lock. Where everything lies: words.py.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import ZERO, entry, inlined, jit
from kibitz.games.dots.exact.runs_kernel import count_apart, cut_safely, endgame, open_run, opener, shortest
from kibitz.games.dots.exact.words import (
    APART,
    CORNERS,
    DONE,
    FLAGS,
    FORMULA,
    HASHES,
    IMAGES,
    ISOLATED_KEY,
    LIMIT,
    LOOPS,
    NODES,
    OPENERS,
    PARITY,
    TABLE,
    THREADS,
    TRAIL,
    TWINS,
)  # fmt: skip

NOTHING = -1000
"""Less than any value."""
KINDS = 4
"""Kinds of isolated runs, see shortest()."""
WAYS = 4
"""Slots of a bucket of the table."""
SPLIT_FROM = 20
"""Strings of the smallest core in which threads keep out of each other's way."""


@entry
def prove(table: Ints, busy: Ints, stop: Ints, w: Ints, core: int, unsafe: int, left: int, goal: int) -> int:
    """Return r: the value is at least r if r >= goal, and at most r if not. Means nothing after a stop.

    unsafe are the strings of coins that have two, left is the number of all
    coins. core, unsafe, left and goal are int64.
    """
    w[DONE] = 0
    return search(table, busy, stop, w, core, unsafe, left, goal, ZERO)


@jit
def descend(w: Ints, ply: int, gone: int) -> None:
    """Make the hashes of the next ply: those of this one without some strings."""
    here = TRAIL + IMAGES * ply
    there = here + IMAGES
    for i in range(IMAGES):
        w[there + i] = w[here + i]
    while gone:
        string = HASHES + IMAGES * lowest(gone)
        gone &= gone - 1
        for i in range(IMAGES):
            w[there + i] ^= w[string + i]


@jit
def key_of(w: Ints, ply: int) -> tuple[int, int]:
    """Return two words that tell positions apart, the same for all images of one under the board's symmetries."""
    here = TRAIL + IMAGES * ply
    place, check = w[ISOLATED_KEY], w[ISOLATED_KEY + 1]
    for i in range(IMAGES):
        image = w[here + i]
        place += image
        check += (image & 0xFFFFFFFF) * ((image >> 32) & 0xFFFFFFFF)
    place = (place ^ ((place >> 31) & 0x1FFFFFFFF)) * 0x5851F42D4C957F2D
    check = (check ^ ((check >> 32) & 0xFFFFFFFF)) * 0x2545F4914F6CDD1D
    return place ^ ((place >> 29) & 0x7FFFFFFFF), check ^ ((check >> 29) & 0x7FFFFFFFF)


# A slot of the table is two words, check xor data and data, so that a slot torn between two threads fits no key.
# Data, from the low end: lower bound + 256 (10 bits), upper bound + 256 (10), strings of the core + 1 (8).


@jit
def probe(table: Ints, place: int, check: int) -> int:
    """Return the data of a position, or 0."""
    bucket = (place & (len(table) // (2 * WAYS) - 1)) * 2 * WAYS
    for slot in range(bucket, bucket + 2 * WAYS, 2):
        data = table[slot + 1]
        if data and table[slot] ^ data == check:
            return data
    return 0


@jit
def store(table: Ints, place: int, check: int, lower: int, upper: int, size: int) -> None:
    """Remember the bounds of a position, in place of the one with the smallest core of its bucket."""
    bucket = (place & (len(table) // (2 * WAYS) - 1)) * 2 * WAYS
    worst, smallest = bucket, 1 << 20
    for slot in range(bucket, bucket + 2 * WAYS, 2):
        data = table[slot + 1]
        if data and table[slot] ^ data == check:
            worst = slot
            break
        if data >> 20 < smallest:
            worst, smallest = slot, data >> 20
    data = (lower + 256) | (upper + 256) << 10 | (size + 1) << 20
    table[worst] = check ^ data
    table[worst + 1] = data


@jit
def lower_of(data: int) -> int:
    """Return the lower bound of an entry."""
    return (data & 1023) - 256


@jit
def upper_of(data: int) -> int:
    """Return the upper bound of an entry."""
    return ((data >> 10) & 1023) - 256


@jit
def without_twins(w: Ints, core: int) -> int:
    """Return the strings of a core, of those with the same ends only the first."""
    found = core
    for i in range(w[TWINS]):
        both, later = w[TWINS + 1 + 2 * i], w[TWINS + 2 + 2 * i]
        if core & both == both:
            found &= ~later
    return found


@jit
def search(table: Ints, busy: Ints, stop: Ints, w: Ints, core: int, unsafe: int, left: int, goal: int, ply: int) -> int:
    """Return r: the value is at least r if r >= goal, and at most r if not. Means nothing after a stop."""
    flags = w[FLAGS]
    if flags & PARITY:
        goal += (goal ^ left) & 1
    if goal <= -left:
        return -left
    if goal > left:
        return left
    w[NODES] += 1
    if w[NODES] > w[LIMIT]:
        stop[0] = 1
        return left
    if core == 0 and flags & FORMULA and w[LOOPS + 3] == 0:
        return endgame(w)
    lower, upper = -left, left
    place, check = key_of(w, ply)
    if flags & TABLE:
        data = probe(table, place, check)
        if data:
            lower, upper = lower_of(data), upper_of(data)
            if lower >= goal:
                return lower
            if upper < goal:
                return upper
    best = try_moves(table, busy, stop, w, core, unsafe, left, goal, ply)
    if flags & TABLE and not stop[0]:
        if best >= goal:
            lower = best
        else:
            upper = best
        store(table, place, check, lower, upper, popcount(core))
    return best


@inlined
def try_moves(
    table: Ints, busy: Ints, stop: Ints, w: Ints, core: int, unsafe: int, left: int, goal: int, ply: int
) -> int:
    """Return what search returns, from the moves alone: the safe ones first, isolated runs, then the others."""
    flags = w[FLAGS]
    tried = without_twins(w, core) if flags & CORNERS else core
    safe, risky, deferred = tried & ~unsafe, tried & unsafe, 0
    kind = 0 if flags & APART else KINDS
    shared = w[THREADS] > 1 and popcount(core) >= SPLIT_FROM
    best = NOTHING
    while best < goal:
        run, another, opened, taken, declined, string = 0, 0, 0, 0, 0, 0
        after, after_unsafe = core, unsafe
        eager = safe != 0
        if safe or deferred:
            string = lowest(safe if eager else deferred)
            safe, deferred = (safe & (safe - 1), deferred) if eager else (safe, deferred & (deferred - 1))
            after, after_unsafe, run, another = cut_safely(w, core, unsafe, string)
        elif kind < KINDS:
            opened, declined = shortest(w, kind), 2 * kind if kind < 3 else 0
            taken = opened >> 1
            kind += 1
            if opened == 0:
                continue
        elif risky:
            string = lowest(risky)
            risky &= risky - 1
            if flags & OPENERS:
                string, strings = opener(w, core, string)
                risky &= ~strings
            after, after_unsafe, run, another, taken, declined = open_run(w, core, unsafe, string)
        else:
            break
        count_apart(w, run, 1)
        count_apart(w, another, 1)
        count_apart(w, opened, -1)
        descend(w, ply, core & ~after)
        seat = -1
        if shared and taken == 0:
            theirs, _ = key_of(w, ply + 1)
            seat = theirs & (len(busy) - 1)
            if eager and best > NOTHING and busy[seat] == theirs:  # another thread is at it: the others first
                deferred |= 1 << string
            else:
                busy[seat] = theirs
        if not deferred >> string & 1:
            value = answer(table, busy, stop, w, after, after_unsafe, left - taken, goal, ply, taken, declined)
            best = max(best, value)
            if seat >= 0:
                busy[seat] = 0
        count_apart(w, run, -1)
        count_apart(w, another, -1)
        count_apart(w, opened, 1)
        if stop[0]:
            return left
        if ply == 0:
            w[DONE] += 1
    return best if best > NOTHING else ZERO


@inlined
def answer(
    table: Ints,
    busy: Ints,
    stop: Ints,
    w: Ints,
    core: int,
    unsafe: int,
    left: int,
    goal: int,
    ply: int,
    taken: int,
    declined: int,
) -> int:
    """Return what search returns, of a move after which so many coins can be taken and declined and this core is left.

    The opponent gets taken + W, or taken - declined + |declined + W| where he
    can decline, with W the value of the core; the goal is to hold him to -goal.
    """
    short = 1 - goal - taken  # W must not reach this
    if declined == 0:
        return -taken - search(table, busy, stop, w, core, unsafe, left, short, ply + 1)
    far = -short - 2 * declined  # and must not fall to this
    if far >= short:
        return declined - taken - (left & 1 if w[FLAGS] & PARITY else 0)
    low = search(table, busy, stop, w, core, unsafe, left, far + 1, ply + 1)
    if low <= far:
        return low + 2 * declined - taken
    if low >= short:
        return -taken - low
    high = search(table, busy, stop, w, core, unsafe, left, short, ply + 1)
    if high >= short:
        return -taken - high
    return declined - taken - max(abs(declined + low), abs(declined + high))
