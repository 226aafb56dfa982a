"""The compiled twin of formations.py: the best completion of a side, and whether a claim is proved.

Works on words.py's sets of bits. A verdict is kept as the cards of the counter-example:
it holds as long as none of them is seen and nothing changes at the flag, so most
claims cost one comparison. A proof holds until the flag changes, for cards that
are face up stay so.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel.layout import (
    CAVALRY,
    CC_BIT,
    COLOUR,
    COLOUR_OF,
    FACTS,
    FIRST,
    FOG_BIT,
    FULL,
    HIGHEST,
    LEADER_BITS,
    MUD_BIT,
    OF_VALUE,
    OPTIONS,
    SB_BIT,
    SCORE,
    SEEN,
    SIDE,
    SUM,
    TOP,
    UNFILLABLE,
    VALUE,
    VALUES,
)
from kibitz.games.battleline.rules.moves import FLAGS

ONE = cast(int, np.int64(1))
PROVED: Any = np.uint64(1 << 63)
UNKNOWN: Any = np.uint64(0)
_HOST, _SKIRMISH, _BATTALION, _PHALANX, _WEDGE = 0, 64, 128, 192, 256
ALL_TROOPS = cast(int, np.int64((1 << 60) - 1))
_NONE = cast(int, np.int64(-1))


@jit
def all_troops(values: int) -> int:
    """Return the set of Troops with values up to a highest one."""
    troops = ALL_TROOPS
    for value in range(values + 1, 11):
        troops &= ~OF_VALUE[value]
    return troops


@jit
def _any_colour(troops: int) -> int:
    """Return the values among a set of Troops, bit 0 standing for value 1."""
    return (troops | troops >> 10 | troops >> 20 | troops >> 30 | troops >> 40 | troops >> 50) & COLOUR


@jit
def _fill_run(own: int, pool: int, wilds: int, low: int, cap: int, cavalry: int) -> int:
    """Return the values that must be added for the run from bit `low` on, or -1 if it cannot be made.

    own, pool: values there and available, as bits. Wild cards take what no Troop can fill first.
    """
    run = ((1 << cap) - 1) << low
    if own & ~run:
        return -1
    missing = run & ~own
    if wilds & CC_BIT:
        bit = 1 << (cavalry - 1)
        if not missing & bit:
            return -1
        missing ^= bit
    if wilds & SB_BIT:
        low_ones = missing & 7
        if not low_ones:
            return -1
        if low_ones & ~pool:
            low_ones &= ~pool
        missing ^= low_ones & -low_ones
    for _ in range(popcount(wilds & LEADER_BITS)):
        rest = missing & ~pool
        if not rest:
            rest = missing
        missing ^= rest & -rest
    return -1 if missing & ~pool else missing


@jit
def _best_run(own: int, pool: int, wilds: int, cap: int, values: int, cavalry: int) -> int:
    """Return the highest run that can be made: its lowest bit shifted by 16, and the values to add; or -1."""
    if wilds == 0:
        both = own | pool
        starts = both & both >> 1 & both >> 2
        if cap == 4:
            starts &= both >> 3
        if own:
            high = HIGHEST[own]
            first = max(high - cap + 1, 0)
            starts &= ((2 << lowest(own)) - 1) & ~((1 << first) - 1)
        if not starts:
            return -1
        low = HIGHEST[starts]
        return low << 16 | ((((1 << cap) - 1) << low) & ~own)
    for low in range(values - cap, -1, -1):
        missing = _fill_run(own, pool, wilds, low, cap, cavalry)
        if missing >= 0:
            return low << 16 | missing
    return -1


@jit
def _lowest_bits(troops: int, n: int) -> int:
    """Return the n lowest of a set of Troops."""
    rest = troops
    for _ in range(n):
        rest &= rest - 1
    return troops & ~rest


@jit
def _one_of_each(values: int, unseen: int) -> int:
    """Return one unseen Troop of each of these values, the lowest colour."""
    found = ONE - 1
    while values:
        of_value = unseen & OF_VALUE[lowest(values) + 1]
        found |= of_value & -of_value
        values &= values - 1
    return found


@jit
def _wedge(own: int, colour: int, unseen: int, wilds: int, cap: int, values: int, cavalry: int) -> tuple[int, int]:
    """Return the best wedge of a colour, or of any if colour is -1, as complete does."""
    best, added = _NONE, ONE - 1
    first, last = (0, 6) if colour < 0 else (colour, colour + 1)
    for c in range(first, last):
        found = _best_run(own, unseen >> 10 * c & COLOUR, wilds, cap, values, cavalry)
        if found >= 0 and found >> 16 > best:
            best, added = found >> 16, (ONE * (found & 0xFFFF)) << 10 * c
    if best < 0:
        return _NONE, added
    return _WEDGE + cap * best + cap * (cap + 1) // 2, added


@jit
def _phalanx(
    values_there: int, unseen: int, wilds: int, need: int, cap: int, highest: int, cavalry: int
) -> tuple[int, int]:
    """Return the best phalanx. values_there: at most one bit."""
    low, high = 1, highest
    if values_there:
        low = high = lowest(values_there) + 1
    if wilds & CC_BIT:
        low, high = max(low, cavalry), min(high, cavalry)
    if wilds & SB_BIT:
        high = min(high, 3)
    for value in range(high, low - 1, -1):
        pool = unseen & OF_VALUE[value]
        if popcount(pool) >= need:
            return _PHALANX + cap * value, _lowest_bits(pool, need)
    return _NONE, ONE - 1


@jit
def _battalion(colour: int, unseen: int, need: int, base: int) -> tuple[int, int]:
    """Return the best battalion of a colour, or of any if colour is -1. base: the sum without what is added."""
    best, added = _NONE, ONE - 1
    first, last = (0, 6) if colour < 0 else (colour, colour + 1)
    for c in range(first, last):
        pool = unseen >> 10 * c & COLOUR
        if popcount(pool) >= need:
            top = TOP[need, pool]
            if SUM[top] > best:
                best, added = SUM[top], (ONE * top) << 10 * c
    if best < 0:
        return _NONE, added
    return _BATTALION + base + best, added


@jit
def _host(unseen: int, need: int, base: int, highest: int) -> tuple[int, int]:
    """Return the best host: the highest unseen Troops added."""
    added = ONE - 1
    value = highest
    while need > 0:
        pool = unseen & OF_VALUE[value]
        n = min(popcount(pool), need)
        added |= _lowest_bits(pool, n)
        base += n * value
        need -= n
        value -= 1
    return _HOST + base, added


@jit
def complete(troops: int, wilds: int, unseen: int, flag: int, values: int, cavalry: int, floor: int) -> tuple[int, int]:
    """Return the best completion of a side that scores more than floor: (64*rank + sum, the Troops to add).

    (-1, 0) if there is none. wilds: four bits, AL DA CC SB. flag: the facts of the flag, of which Fog and Mud count.
    A floor of -1 asks for the best of all.
    """
    stay_apart()
    cap = 4 if flag & MUD_BIT else 3
    need = cap - popcount(troops) - popcount(wilds)
    if need > popcount(unseen):
        return _NONE, ONE - 1
    base, there, colours, n = 0, 0, 0, 0
    rest = troops
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        base += VALUE[card]
        there |= 1 << (VALUE[card] - 1)
        colours |= 1 << COLOUR_OF[card]
        n += 1
    if wilds:
        base += popcount(wilds & LEADER_BITS) * values
        base += cavalry if wilds & CC_BIT else 0
        base += 3 if wilds & SB_BIT else 0
    score, added = _NONE, ONE - 1
    if not flag & FOG_BIT:
        colour = -1 if n == 0 else lowest(colours)
        one_colour = colours & (colours - 1) == 0
        if one_colour:
            score, added = _wedge(there, colour, unseen, wilds, cap, values, cavalry)
        if score < 0 and floor < _WEDGE and there & (there - 1) == 0:
            score, added = _phalanx(there, unseen, wilds, need, cap, values, cavalry)
        if score < 0 and floor < _PHALANX and one_colour:
            score, added = _battalion(colour, unseen, need, base)
        if score < 0 and floor < _BATTALION and popcount(there) == n:
            found = _best_run(there, _any_colour(unseen), wilds, cap, values, cavalry)
            if found >= 0:
                score = _SKIRMISH + cap * (found >> 16) + cap * (cap + 1) // 2
                added = _one_of_each(found & 0xFFFF, unseen)
    if score < 0 and floor < _SKIRMISH:
        score, added = _host(unseen, need, base, values)
    if score <= floor:
        return _NONE, ONE - 1
    return score, added


@jit
def side_score(w: Ints, player: int, f: int) -> int:
    """Return the score of a complete side."""
    facts = w[FACTS + f]
    score, _ = complete(
        w[SIDE + FLAGS * player + f], facts >> 4 * player & 15, ONE - 1, facts, w[VALUES], w[CAVALRY], _NONE
    )
    return score


@jit
def best_reply(w: Ints, player: int, f: int, floor: int) -> tuple[int, int]:
    """Return how a player could best complete his side of a flag with Troops not face up, as complete does."""
    facts = w[FACTS + f]
    unseen = all_troops(w[VALUES]) & ~w[SEEN]
    return complete(w[SIDE + FLAGS * player + f], facts >> 4 * player & 15, unseen, facts, w[VALUES], w[CAVALRY], floor)


@jit
def prove(w: Ints, verdicts: Any, player: int, f: int) -> bool:
    """Return whether a player can claim an unclaimed flag. verdicts: [9*player + flag], kept as said above."""
    bit = 1 << f
    if not w[FULL + player] & bit:
        return False
    mine = w[SCORE + FLAGS * player + f]
    if w[FULL + 1 - player] & bit:
        theirs = w[SCORE + FLAGS * (1 - player) + f]
        return mine > theirs or (mine == theirs and w[FACTS + f] >> FIRST & 3 == player + 1)
    at = FLAGS * player + f
    verdict = verdicts[at]
    if verdict == PROVED:
        return True
    if verdict != UNKNOWN and not np.int64(verdict) & w[SEEN]:
        return False
    if not w[OPTIONS] & UNFILLABLE and _cannot_complete(w, 1 - player, f):
        return False
    _, counter = best_reply(w, 1 - player, f, mine)
    verdicts[at] = np.uint64(counter) if counter else PROVED
    return counter == 0


@jit
def _cannot_complete(w: Ints, player: int, f: int) -> bool:
    """Return whether too few Troops are unseen for a side to be completed."""
    facts = w[FACTS + f]
    there = popcount(w[SIDE + FLAGS * player + f]) + popcount(facts >> 4 * player & 15)
    return (4 if facts & MUD_BIT else 3) - there > popcount(all_troops(w[VALUES]) & ~w[SEEN])
