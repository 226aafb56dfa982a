"""The exact solver, compiled: tests whether the value of a position reaches a goal.

A position is its core (strings as the bits of a word, in which no coin can be taken at once) and the number of
isolated chains and loops of each length. Values are net future boxes for the player to move and do not depend on the
score. Captures are not searched move by move: with N coins to take, t = 2 or 4 of them declinable, and W the value of
the rest for the player who has to move there, the taker gets N - t + |t + W| (and N + W where nothing can be
declined). So every position searched is again one in which nothing can be taken.

`search` is alpha-beta with a null window. The bounds of every position are stored
in a table that threads share without a lock. layout.py describes the workspace.
"""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import ZERO, entry, inlined, jit
from kibitz.games.dots.exact import layout as at
from kibitz.games.dots.exact import runs_kernel as runs

NO_VALUE = -1000  # lower than any value
RUN_KINDS = 4  # kinds of isolated runs, see shortest()
BUCKET_SLOTS = 4  # slots per bucket of the table
MIN_SHARED_CORE = 20  # from this many core strings on, threads avoid positions that others are searching


class SolverArrays(NamedTuple):
    """The arrays that one search thread works on."""

    table: Ints  # bounds of positions, see below; shared by all threads
    busy: Ints  # keys of the positions being searched, indexed by their low bits; shared by all threads
    stop: Ints  # [1] set to 1 to stop all threads
    w: Ints  # the workspace of this thread, see layout.py


@entry
def prove(arrays: SolverArrays, core: int, unsafe: int, left: int, goal: int) -> int:
    """Test whether a position is worth at least the goal: return a lower bound >= goal, or an upper bound < goal.

    unsafe: the strings of coins with two strings left. left: the number of coins left,
    isolated runs included. All numbers are int64. The result is meaningless after a stop.
    """
    arrays.w[at.ROOT_MOVES_DONE] = 0
    return search(arrays, core, unsafe, left, goal, ZERO)


@jit
def hash_next_ply(w: Ints, ply: int, removed: int) -> None:
    """Write the hashes of the next ply: those of this ply without the strings in `removed`."""
    current = at.PLY_HASHES + at.IMAGES * ply
    following = current + at.IMAGES
    for i in range(at.IMAGES):
        w[following + i] = w[current + i]
    while removed:
        string = at.HASHES + at.IMAGES * lowest(removed)
        removed &= removed - 1
        for i in range(at.IMAGES):
            w[following + i] ^= w[string + i]


@jit
def key_of(w: Ints, ply: int) -> tuple[int, int]:
    """Return the hash key of the position on a ply, two words; symmetric positions have the same key."""
    current = at.PLY_HASHES + at.IMAGES * ply
    place, check = w[at.ISOLATED_KEY], w[at.ISOLATED_KEY + 1]
    for i in range(at.IMAGES):
        image = w[current + i]
        place += image
        check += (image & 0xFFFFFFFF) * ((image >> 32) & 0xFFFFFFFF)
    place = (place ^ ((place >> 31) & 0x1FFFFFFFF)) * 0x5851F42D4C957F2D
    check = (check ^ ((check >> 32) & 0xFFFFFFFF)) * 0x2545F4914F6CDD1D
    return place ^ ((place >> 29) & 0x7FFFFFFFF), check ^ ((check >> 29) & 0x7FFFFFFFF)


# A slot of the table is two words, check xor data and data, so that a slot torn between two threads fits no key.
# Data, from the low end: lower bound + 256 (10 bits), upper bound + 256 (10), strings of the core + 1 (8).


@jit
def pack_bounds(lower: int, upper: int, size: int) -> int:
    """Pack the bounds of a position and the size of its core into one word, the data of a slot."""
    return (lower + 256) | (upper + 256) << 10 | (size + 1) << 20


@jit
def lower_of(data: int) -> int:
    """Return the lower bound stored in a data word."""
    return (data & 1023) - 256


@jit
def upper_of(data: int) -> int:
    """Return the upper bound stored in a data word."""
    return ((data >> 10) & 1023) - 256


@jit
def size_of(data: int) -> int:
    """Return the number of core strings plus one, as stored in a data word; 0 for an empty slot."""
    return data >> 20


@jit
def bucket_of(table: Ints, place: int) -> int:
    """Return the index of the first slot of a position's bucket."""
    return (place & (len(table) // (2 * BUCKET_SLOTS) - 1)) * 2 * BUCKET_SLOTS


@jit
def probe(table: Ints, place: int, check: int) -> int:
    """Look up a position; return its data word, or 0 if it is not stored."""
    bucket = bucket_of(table, place)
    for slot in range(bucket, bucket + 2 * BUCKET_SLOTS, 2):
        data = table[slot + 1]
        if data and table[slot] ^ data == check:
            return data
    return 0


@jit
def store(table: Ints, place: int, check: int, lower: int, upper: int, size: int) -> None:
    """Store the bounds of a position, replacing its old entry or the one with the smallest core in its bucket."""
    bucket = bucket_of(table, place)
    replaced, smallest = bucket, 1 << 20
    for slot in range(bucket, bucket + 2 * BUCKET_SLOTS, 2):
        data = table[slot + 1]
        if data and table[slot] ^ data == check:
            replaced = slot
            break
        if size_of(data) < smallest:
            replaced, smallest = slot, size_of(data)
    data = pack_bounds(lower, upper, size)
    table[replaced] = check ^ data
    table[replaced + 1] = data


@jit
def without_twins(w: Ints, core: int) -> int:
    """Return the strings of a core, keeping only the first of several with the same ends."""
    chosen = core
    for i in range(w[at.TWINS]):
        both, later = w[at.TWINS + 1 + 2 * i], w[at.TWINS + 2 + 2 * i]
        if core & both == both:
            chosen &= ~later
    return chosen


@jit
def search(arrays: SolverArrays, core: int, unsafe: int, left: int, goal: int, ply: int) -> int:
    """Return a lower bound of the value that is >= goal, or an upper bound < goal; meaningless after a stop."""
    w = arrays.w
    flags = w[at.FLAGS]
    if flags & at.PARITY:  # every value has the parity of the coins left: raise a goal of the other parity by 1
        goal += (goal ^ left) & 1
    if goal <= -left:
        return -left
    if goal > left:
        return left
    w[at.NODES] += 1
    if w[at.NODES] > w[at.NODE_LIMIT]:
        arrays.stop[0] = 1
        return left
    if core == 0 and flags & at.FORMULA and w[at.LOOPS + 3] == 0:  # loops of 3 have no formula
        return runs.endgame_value(w)
    lower, upper = -left, left
    place, check = key_of(w, ply)
    if flags & at.TABLE:
        data = probe(arrays.table, place, check)
        if data:
            lower, upper = lower_of(data), upper_of(data)
            if lower >= goal:
                return lower
            if upper < goal:
                return upper
    best = try_moves(arrays, core, unsafe, left, goal, ply)
    if flags & at.TABLE and not arrays.stop[0]:
        if best >= goal:
            lower = best
        else:
            upper = best
        store(arrays.table, place, check, lower, upper, popcount(core))
    return best


@inlined
def try_moves(arrays: SolverArrays, core: int, unsafe: int, left: int, goal: int, ply: int) -> int:
    """Try the safe moves, then the opening of isolated runs, then the other moves; return a bound as `search` does."""
    w, busy = arrays.w, arrays.busy
    flags = w[at.FLAGS]
    tried = without_twins(w, core) if flags & at.CORNERS else core
    safe, risky, deferred = tried & ~unsafe, tried & unsafe, 0
    kind = 0 if flags & at.ISOLATE else RUN_KINDS
    shared = w[at.THREADS] > 1 and popcount(core) >= MIN_SHARED_CORE
    best = NO_VALUE
    while best < goal:
        first_run, second_run, opened, taken, declined, string = 0, 0, 0, 0, 0, 0
        after, after_unsafe = core, unsafe
        is_first_try = safe != 0
        if safe or deferred:
            string = lowest(safe if is_first_try else deferred)
            safe, deferred = (safe & (safe - 1), deferred) if is_first_try else (safe, deferred & (deferred - 1))
            after, after_unsafe, first_run, second_run = runs.cut_safely(w, core, unsafe, string)
        elif kind < RUN_KINDS:
            opened, declined = runs.shortest(w, kind), 2 * kind if kind < 3 else 0  # 2 of a long chain, 4 of a loop
            taken = opened >> 1
            kind += 1
            if opened == 0:
                continue
        elif risky:
            string = lowest(risky)
            risky &= risky - 1
            if flags & at.OPENERS:
                string, strings = runs.best_opener(w, core, string)
                risky &= ~strings
            after, after_unsafe, first_run, second_run, taken, declined = runs.open_run(w, core, unsafe, string)
        else:
            break
        runs.count_isolated(w, first_run, 1)
        runs.count_isolated(w, second_run, 1)
        runs.count_isolated(w, opened, -1)
        hash_next_ply(w, ply, core & ~after)
        busy_slot = -1
        if shared and taken == 0:
            child, _ = key_of(w, ply + 1)
            busy_slot = child & (len(busy) - 1)
            if is_first_try and best > NO_VALUE and busy[busy_slot] == child:
                deferred |= 1 << string  # another thread is searching this position: try others first
            else:
                busy[busy_slot] = child
        if not deferred >> string & 1:
            best = max(best, bound_after_move(arrays, after, after_unsafe, left - taken, goal, ply, taken, declined))
            if busy_slot >= 0:
                busy[busy_slot] = 0
        runs.count_isolated(w, first_run, -1)
        runs.count_isolated(w, second_run, -1)
        runs.count_isolated(w, opened, 1)
        if arrays.stop[0]:
            return left
        if ply == 0:
            w[at.ROOT_MOVES_DONE] += 1
    return best if best > NO_VALUE else ZERO


@inlined
def bound_after_move(
    arrays: SolverArrays, core: int, unsafe: int, left: int, goal: int, ply: int, taken: int, declined: int
) -> int:
    """Return a bound, as `search` does, of a move after which the opponent takes coins, some of them declinable.

    The opponent gets taken + W, or taken - declined + |declined + W| if some can be
    declined, with W the value of the core after the move. The goal is reached if that is at most -goal.
    """
    ceiling = 1 - goal - taken  # W must stay below this
    if declined == 0:
        return -taken - search(arrays, core, unsafe, left, ceiling, ply + 1)
    floor = -ceiling - 2 * declined  # and above this
    if floor >= ceiling:
        return declined - taken - (left & 1 if arrays.w[at.FLAGS] & at.PARITY else 0)
    low = search(arrays, core, unsafe, left, floor + 1, ply + 1)
    if low <= floor:
        return low + 2 * declined - taken
    if low >= ceiling:
        return -taken - low
    high = search(arrays, core, unsafe, left, ceiling, ply + 1)
    if high >= ceiling:
        return -taken - high
    return declined - taken - max(abs(declined + low), abs(declined + high))
