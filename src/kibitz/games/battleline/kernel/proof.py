"""The compiled twin of formations.py: the best completion of a side, and whether a claim is proved.

Works on the bit sets of layout.py. The verdict on a failed claim is cached as the cards of the
counter-example: it holds as long as none of them is face up and nothing changes at the flag, so
most claims cost one comparison. A proof holds until the flag changes, since cards that are
face up stay so.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.rules.moves import FLAGS

PROVED, UNKNOWN = cast(int, np.uint64(1 << 63)), cast(int, np.uint64(0))
"""Verdicts other than the Troops of a counter-example: the claim holds, or it has not been examined."""
_HOST, _SKIRMISH, _BATTALION, _PHALANX, _WEDGE = 0, 64, 128, 192, 256
_IMPOSSIBLE = cast(int, np.int64(-1))


@jit
def _values_of(troops: int) -> int:
    """Return the set of values that occur in a set of Troops; bit 0 stands for value 1."""
    return (troops | troops >> 10 | troops >> 20 | troops >> 30 | troops >> 40 | troops >> 50) & at.COLOUR


@jit
def _fill_run(own: int, pool: int, wilds: int, low: int, cap: int, cavalry: int) -> int:
    """Return the set of values to add for the run that starts at bit `low`, or -1 if it cannot be made.

    own, pool: the sets of values on the side and available. Wild cards first take values that no Troop can fill.
    """
    run = ((1 << cap) - 1) << low
    if own & ~run:
        return -1
    missing = run & ~own
    if wilds & at.CC_BIT:
        bit = 1 << (cavalry - 1)
        if not missing & bit:
            return -1
        missing ^= bit
    if wilds & at.SB_BIT:
        fitting = missing & 7  # Shield Bearers are a 1, 2 or 3
        if not fitting:
            return -1
        if fitting & ~pool:
            fitting &= ~pool
        missing ^= fitting & -fitting
    for _ in range(popcount(wilds & at.LEADER_BITS)):
        rest = missing & ~pool
        if not rest:
            rest = missing
        missing ^= rest & -rest
    return -1 if missing & ~pool else missing


@jit
def _best_run(own: int, pool: int, wilds: int, cap: int, values: int, cavalry: int) -> int:
    """Return the highest run that can be made, as (index of its lowest bit) << 16 | (values to add), or -1 if none."""
    if wilds == 0:
        both = own | pool
        starts = both & both >> 1 & both >> 2  # the lowest bits of runs of three
        if cap == 4:
            starts &= both >> 3
        if own:  # keep only runs that include all values of the side
            first = max(at.HIGHEST[own] - cap + 1, 0)
            starts &= ((2 << lowest(own)) - 1) & ~((1 << first) - 1)
        if not starts:
            return -1
        low = at.HIGHEST[starts]
        return low << 16 | ((((1 << cap) - 1) << low) & ~own)
    for low in range(values - cap, -1, -1):
        missing = _fill_run(own, pool, wilds, low, cap, cavalry)
        if missing >= 0:
            return low << 16 | missing
    return -1


@jit
def _lowest_bits(troops: int, n: int) -> int:
    """Return the n lowest bits of a set of Troops."""
    rest = troops
    for _ in range(n):
        rest &= rest - 1
    return troops & ~rest


@jit
def _one_of_each(values: int, unseen: int) -> int:
    """Return the set of one unseen Troop for each of these values, in the lowest colour available."""
    found = at.NO_CARDS
    while values:
        of_value = unseen & at.OF_VALUE[lowest(values) + 1]
        found |= of_value & -of_value
        values &= values - 1
    return found


@jit
def _wedge(own: int, colour: int, unseen: int, wilds: int, cap: int, values: int, cavalry: int) -> tuple[int, int]:
    """Return the best wedge in a colour (-1: any): its score and the Troops to add, or -1 and none."""
    best, added = _IMPOSSIBLE, at.NO_CARDS
    first, last = (0, 6) if colour < 0 else (colour, colour + 1)
    for c in range(first, last):
        found = _best_run(own, unseen >> 10 * c & at.COLOUR, wilds, cap, values, cavalry)
        if found >= 0 and found >> 16 > best:
            best, added = found >> 16, (at.ONE * (found & 0xFFFF)) << 10 * c
    if best < 0:
        return _IMPOSSIBLE, added
    return _WEDGE + cap * best + cap * (cap + 1) // 2, added  # rank plus the sum of the values


@jit
def _phalanx(own: int, unseen: int, wilds: int, need: int, cap: int, highest: int, cavalry: int) -> tuple[int, int]:
    """Return the best phalanx: its score and the Troops to add, or -1 and none.

    own: the set of values on the side, at most one. need: how many cards the side lacks. cap: how many a complete side
    has. highest, cavalry: the highest value of a Troop, and the value of Companion Cavalry.
    """
    low, high = 1, highest
    if own:
        low = high = lowest(own) + 1
    if wilds & at.CC_BIT:
        low, high = max(low, cavalry), min(high, cavalry)
    if wilds & at.SB_BIT:
        high = min(high, 3)  # Shield Bearers are a 1, 2 or 3
    for value in range(high, low - 1, -1):
        pool = unseen & at.OF_VALUE[value]
        if popcount(pool) >= need:
            return _PHALANX + cap * value, _lowest_bits(pool, need)
    return _IMPOSSIBLE, at.NO_CARDS


@jit
def _battalion(colour: int, unseen: int, need: int, base: int) -> tuple[int, int]:
    """Return the best battalion in a colour (-1: any): its score and the Troops to add, or -1 and none.

    need: how many cards the side lacks. base: the sum of those it has.
    """
    best, added = _IMPOSSIBLE, at.NO_CARDS
    first, last = (0, 6) if colour < 0 else (colour, colour + 1)
    for c in range(first, last):
        pool = unseen >> 10 * c & at.COLOUR
        if popcount(pool) >= need:
            top = at.TOP[need, pool]
            if at.SUM[top] > best:
                best, added = at.SUM[top], (at.ONE * top) << 10 * c
    if best < 0:
        return _IMPOSSIBLE, added
    return _BATTALION + base + best, added


@jit
def _host(unseen: int, need: int, base: int, highest: int) -> tuple[int, int]:
    """Return the best host: its score, and the Troops to add, which are the highest unseen ones."""
    added = at.NO_CARDS
    value = highest
    while need > 0:
        pool = unseen & at.OF_VALUE[value]
        n = min(popcount(pool), need)
        added |= _lowest_bits(pool, n)
        base += n * value
        need -= n
        value -= 1
    return _HOST + base, added


@jit
def complete(troops: int, wilds: int, pool: int, status: int, values: int, cavalry: int, floor: int) -> tuple[int, int]:
    """Return the best completion of a side that scores more than floor: (64*rank + sum, the Troops to add).

    Return (-1, 0) if no completion does; with a floor of -1 every one counts. wilds: four bits, AL DA CC SB. pool: the
    Troops that may be added. status: that of the flag, for Fog and Mud.
    """
    never_inline()
    cap = at.cap(status)
    need = cap - popcount(troops) - popcount(wilds)
    if need > popcount(pool):
        return _IMPOSSIBLE, at.NO_CARDS
    base, own, colours, n = 0, 0, 0, 0
    rest = troops
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        base += at.VALUE[card]
        own |= 1 << (at.VALUE[card] - 1)
        colours |= 1 << at.COLOUR_OF[card]
        n += 1
    if wilds:
        base += popcount(wilds & at.LEADER_BITS) * values
        base += cavalry if wilds & at.CC_BIT else 0
        base += 3 if wilds & at.SB_BIT else 0
    score, added = _IMPOSSIBLE, at.NO_CARDS
    if not status & at.FOG_BIT:
        colour = -1 if n == 0 else lowest(colours)
        one_colour = colours & (colours - 1) == 0
        if one_colour:
            score, added = _wedge(own, colour, pool, wilds, cap, values, cavalry)
        if score < 0 and floor < _WEDGE and own & (own - 1) == 0:
            score, added = _phalanx(own, pool, wilds, need, cap, values, cavalry)
        if score < 0 and floor < _PHALANX and one_colour:
            score, added = _battalion(colour, pool, need, base)
        if score < 0 and floor < _BATTALION and popcount(own) == n:
            found = _best_run(own, _values_of(pool), wilds, cap, values, cavalry)
            if found >= 0:
                score = _SKIRMISH + cap * (found >> 16) + cap * (cap + 1) // 2
                added = _one_of_each(found & 0xFFFF, pool)
    if score < 0 and floor < _SKIRMISH:
        score, added = _host(pool, need, base, values)
    if score <= floor:
        return _IMPOSSIBLE, at.NO_CARDS
    return score, added


@jit
def side_score(w: Ints, player: int, f: int) -> int:
    """Return the score of a complete side of a flag, 64*rank + sum."""
    status, troops = w[at.STATUS + f], at.side(w, player, f)
    score, _ = complete(troops, at.wilds(status, player), at.NO_CARDS, status, w[at.VALUES], w[at.CAVALRY], _IMPOSSIBLE)
    return score


@jit
def best_with_unseen(w: Ints, player: int, f: int, floor: int) -> tuple[int, int]:
    """Return the best completion of a player's side of a flag with unseen Troops; floor and result as in complete()."""
    status, troops = w[at.STATUS + f], at.side(w, player, f)
    return complete(troops, at.wilds(status, player), at.unseen(w), status, w[at.VALUES], w[at.CAVALRY], floor)


@jit
def prove(w: Ints, verdicts: Ints, player: int, f: int) -> bool:
    """Return whether a player can claim an unclaimed flag. verdicts: the cached results, [9*player + flag]."""
    flag, them = 1 << f, 1 - player
    if not w[at.FULL + player] & flag:
        return False
    mine = w[at.SCORE + FLAGS * player + f]
    if w[at.FULL + them] & flag:
        theirs = w[at.SCORE + FLAGS * them + f]
        return mine > theirs or (mine == theirs and at.first(w[at.STATUS + f]) == player + 1)
    i = FLAGS * player + f
    verdict = verdicts[i]
    if verdict == PROVED:
        return True
    if verdict != UNKNOWN and not np.int64(verdict) & w[at.SEEN]:
        return False
    if not w[at.OPTIONS] & at.UNFILLABLE:
        missing = at.lacking(at.side(w, them, f), w[at.STATUS + f], them)
        if missing > popcount(at.unseen(w)):
            return False
    _, counter_example = best_with_unseen(w, them, f, mine)
    if counter_example:
        verdicts[i] = counter_example
        return False
    verdicts[i] = PROVED
    return True
