"""The compiled twin of chances.py, operation by operation: what sides may make, the chance of each flag and the game.

Read chances.py first. compute_side computes what one side may make, compute_all_sides does so at all flags, and
flag_chance and game_chance combine the results. All data is in the arrays of packed.py.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import inlined, jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.proof import complete
from kibitz.games.battleline.players.deep_barca import packed
from kibitz.games.battleline.players.deep_barca.packed import PackedScene
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

_SKIRMISH, _BATTALION, _PHALANX, _WEDGE = 64, 128, 192, 256

_VALUE_SETS = [sum(1 << v for v in values) for n in range(5) for values in combinations(range(10), n)]
_SETS_BY_SIZE = cast(Ints, np.array(_VALUE_SETS, np.int64))
"""Sets of up to four values, the smaller ones first; bit 0 stands for value 1."""
_FIRST_OF_SIZE = cast(Ints, np.array([sum(s.bit_count() < n for s in _VALUE_SETS) for n in range(6)], np.int64))
"""[n] where the sets of n values begin."""
_WORTH = cast(Floats, (1.0 + np.asarray(at.WINS) - np.asarray(at.WINS)[::-1]) / 2)
"""[the flags I hold at the end] 1 if they win me the game, 0.5 if both players' flags would win, else 0."""


# What a side may make


class OpenSide(NamedTuple):
    """A side of a flag that lacks two cards or more."""

    makes: int  # offset of its chances by score; until all ways are found, of the chances not to make it
    chance: int  # offset of the chances to get each Troop
    cap: int
    need: int
    wilds: int  # four bits, as in the status of a flag
    own: int  # the set of values of its Troops
    base: int  # the sum of its cards, wild cards at their highest value


@jit
def compute_side(s: PackedScene, side: int, f: int, chance: int) -> None:
    """Compute the chance of each score that one side of a flag may make, and the Troops lacking for it.

    chance: CHANCE or SHARED, the offset of the chances to get each Troop.
    """
    never_inline()
    makes = packed.makes(side, f)
    chance += TROOPS * side
    for score in range(packed.SCORES):
        s.floats[makes + score] = 1.0  # until the end: the chance not to make it
        s.ints[packed.LACKING + score] = 0
    troops, status = s.ints[packed.SIDE + FLAGS * side + f], packed.status(s, f)
    wilds, need = at.wilds(status, side), packed.need(s, side, f)
    if need == 0:
        s.floats[makes + _score(s, troops, wilds, status)] = 0.0
    elif need == 1:
        for card in range(TROOPS):
            if s.floats[chance + card] > 0.0:
                score = _score(s, troops | at.ONE << card, wilds, status)
                s.floats[makes + score] *= 1.0 - s.floats[chance + card]
                s.ints[packed.LACKING + score] |= at.ONE << card
    else:
        open_side = _open_side(s, makes, chance, need, troops, wilds)
        if status & at.FOG_BIT or not _add_formations(s, open_side, troops):
            _add_hosts(s, open_side)
    for score in range(packed.SCORES):
        s.floats[makes + score] = 1.0 - s.floats[makes + score]


@jit
def _score(s: PackedScene, troops: int, wilds: int, status: int) -> int:
    """Return the score of a complete side."""
    score, _ = complete(troops, wilds, at.NO_CARDS, status, s.ints[packed.VALUES], s.ints[packed.CAVALRY], -at.ONE)
    return score


@jit
def _open_side(s: PackedScene, makes: int, chance: int, need: int, troops: int, wilds: int) -> OpenSide:
    own, base = at.NO_CARDS, popcount(wilds & at.LEADER_BITS) * s.ints[packed.VALUES]
    base += s.ints[packed.CAVALRY] if wilds & at.CC_BIT else 0
    base += 3 if wilds & at.SB_BIT else 0
    cap, rest = need + popcount(troops) + popcount(wilds), troops
    while rest:
        value = at.VALUE[lowest(rest)]
        rest &= rest - 1
        own |= at.ONE << (value - 1)
        base += value
    return OpenSide(makes, chance, cap, need, wilds, own, base)


@jit
def _add(s: PackedScene, makes: int, score: int, chance: float, cards: int) -> bool:
    """Record a way to make a score, and the cards it lacks; return whether it is possible."""
    if chance <= 0.0:
        return False
    s.floats[makes + score] *= 1.0 - chance
    s.ints[packed.LACKING + score] |= cards
    return True


@jit
def _add_formations(s: PackedScene, side: OpenSide, troops: int) -> bool:
    """Add every formation but hosts that the side may make; return whether there is any."""
    found, distinct = False, popcount(side.own) == popcount(troops)
    first, end = at.ONE - 1, s.ints[packed.VALUES] - side.cap + 1  # where runs with all values of the side may start
    if side.own:
        first, end = max(at.HIGHEST[side.own] - side.cap + 1, first), min(end, lowest(side.own) + 1)
    if distinct:
        for value in range(10):
            none = 1.0
            for c in range(6):
                none *= 1.0 - s.floats[side.chance + 10 * c + value]
            s.floats[packed.BY_VALUE + value] = 1.0 - none
        for low in range(first, end):
            found |= _add_run(s, side, _SKIRMISH, low, -1)
    if side.own & (side.own - 1) == 0:
        for value in range(1, s.ints[packed.VALUES] + 1):
            fits = side.own in (0, 1 << (value - 1)) and not (side.wilds & at.SB_BIT and value > 3)
            if fits and not (side.wilds & at.CC_BIT and value != s.ints[packed.CAVALRY]):
                found |= _add_phalanx(s, side, value)
    for c in range(6):
        if troops & ~((at.ONE * at.COLOUR) << 10 * c):
            continue  # the side has a Troop of another colour
        for value in range(10):
            s.floats[packed.BY_VALUE + value] = s.floats[side.chance + 10 * c + value]
        if distinct:
            for low in range(first, end):
                found |= _add_run(s, side, _WEDGE, low, c)
        found |= _add_battalions(s, side, c)
    return found


@jit
def _add_run(s: PackedScene, side: OpenSide, rank: int, low: int, colour: int) -> bool:
    """Add the run that starts at bit `low`, in one colour or any (-1); return whether it is possible.

    All values of the side must lie in the run. Wild cards stand for the values hardest to get.
    """
    run = ((1 << side.cap) - 1) << low
    missing = run & ~side.own
    if side.wilds & at.CC_BIT:
        bit = 1 << (s.ints[packed.CAVALRY] - 1)
        if not missing & bit:
            return False
        missing ^= bit
    if side.wilds & at.SB_BIT:
        if not missing & 7:
            return False
        missing ^= _hardest_value(s, missing & 7)
    for _ in range(popcount(side.wilds & at.LEADER_BITS)):
        missing ^= _hardest_value(s, missing)
    chance, cards = 1.0, at.NO_CARDS
    while missing:
        value = lowest(missing)
        missing &= missing - 1
        chance *= s.floats[packed.BY_VALUE + value]
        cards |= at.OF_VALUE[value + 1] if colour < 0 else at.ONE << (10 * colour + value)
    return _add(s, side.makes, rank + at.SUM[run], chance, cards)


@jit
def _hardest_value(s: PackedScene, values: int) -> int:
    """Return the bit of the value in a set that is hardest to get, the lowest of several equal ones."""
    best = values & -values
    values &= values - 1
    while values:
        if s.floats[packed.BY_VALUE + lowest(values)] < s.floats[packed.BY_VALUE + lowest(best)]:
            best = values & -values
        values &= values - 1
    return best


@jit
def _add_phalanx(s: PackedScene, side: OpenSide, value: int) -> bool:
    """Add the phalanx of a value; return whether it is possible."""
    s.floats[packed.EXACTLY] = 1.0
    for n in range(1, side.need):
        s.floats[packed.EXACTLY + n] = 0.0
    available = 0
    for c in range(6):
        p = s.floats[side.chance + 10 * c + value - 1]
        available += p > 0.0
        for n in range(packed.EXACTLY + side.need - 1, packed.EXACTLY, -1):
            s.floats[n] = s.floats[n] * (1.0 - p) + s.floats[n - 1] * p
        s.floats[packed.EXACTLY] *= 1.0 - p
    if available < side.need:
        return False
    too_few = 0.0
    for n in range(side.need):
        too_few += s.floats[packed.EXACTLY + n]
    return _add(s, side.makes, _PHALANX + side.cap * value, 1.0 - too_few, at.OF_VALUE[value])


@jit
def _add_battalions(s: PackedScene, side: OpenSide, colour: int) -> bool:
    """Add the battalions of a colour, one for each set of values that makes no wedge; return whether there is any."""
    found = False
    for i in range(_FIRST_OF_SIZE[side.need], _FIRST_OF_SIZE[side.need + 1]):
        values = _SETS_BY_SIZE[i]
        all_values = values | side.own
        if side.wilds == 0 and all_values == ((1 << side.cap) - 1) * (all_values & -all_values):
            continue  # consecutive values: a wedge
        chance, rest = 1.0, values
        while rest:
            chance *= s.floats[packed.BY_VALUE + lowest(rest)]
            rest &= rest - 1
        score = _BATTALION + side.base + at.SUM[values]
        found |= _add(s, side.makes, score, chance, (at.ONE * values) << 10 * colour)
    return found


@jit
def _add_hosts(s: PackedScene, side: OpenSide) -> None:
    """Add the hosts: for each sum, the chance that it is the highest the side can make with cards of any colour."""
    max_sum = 10 * side.need
    for n in range(side.need + 1):
        for total in range(max_sum + 1):
            s.floats[packed.sums(n) + total] = 0.0
    s.floats[packed.sums(0)] = 1.0
    cards = at.NO_CARDS
    for value in range(s.ints[packed.VALUES], 0, -1):
        for c in range(6):
            p = s.floats[side.chance + 10 * c + value - 1]
            if p > 0.0:
                cards |= at.ONE << (10 * c + value - 1)
                for n in range(side.need - 1, -1, -1):
                    for total in range(n * value, 10 * n + 1):
                        likely = s.floats[packed.sums(n) + total]
                        if likely > 0.0:
                            s.floats[packed.sums(n + 1) + total + value] += likely * p
                            s.floats[packed.sums(n) + total] *= 1.0 - p
    for total in range(max_sum + 1):
        _add(s, side.makes, side.base + total, s.floats[packed.sums(side.need) + total], cards)


# All sides of a player


@jit
def compute_all_sides(s: PackedScene, side: int, changed: int) -> None:
    """Compute the chance of each score that a player may make, at every flag. side: 0 for me, 1 for the opponent.

    Each card of mine is shared among the flags that want it. changed: the set of flags whose wishlists must be rebuilt.
    """
    never_inline()
    if side == 0:
        for f in range(FLAGS):
            if changed >> f & 1:
                _build_wishlist(s, f)
            else:
                s.ints[packed.WANTED + f] = s.ints[packed.WANTED_BEFORE + f]
    for card in range(TROOPS):
        n = 0
        if side == 0:
            for f in range(FLAGS):
                n += s.ints[packed.WANTED + f] >> card & 1
        part = 1.0 - s.floats[packed.CONFLICT] * (1.0 - 1.0 / max(n, 1))
        s.floats[packed.SHARED + TROOPS * side + card] = s.floats[packed.CHANCE + TROOPS * side + card] * part
    for f in range(FLAGS):
        if not at.owner(packed.status(s, f)):
            compute_side(s, side, f, packed.SHARED)


@inlined
def _build_wishlist(s: PackedScene, f: int) -> None:
    """Record the wishlist of a flag: the cards that my best formations there lack; none while my side is empty."""
    s.ints[packed.WANTED + f] = 0
    status = packed.status(s, f)
    if at.owner(status) or packed.need(s, 0, f) in (0, at.cap(status)):
        return
    compute_side(s, 0, f, packed.CHANCE)
    n = 0
    for score in range(packed.SCORES - 1, -1, -1):
        if s.floats[packed.makes(0, f) + score] > 0.0:
            s.ints[packed.WANTED + f] |= s.ints[packed.LACKING + score]
            n += 1
            if n == s.ints[packed.WISHES]:
                break


# Flags and the game


@jit
def flag_chance(s: PackedScene, f: int) -> float:
    """Return the chance that I win a flag. Call compute_all_sides for both players first."""
    status = packed.status(s, f)
    owner = at.owner(status)
    if owner:
        return 1.0 if owner == 1 else 0.0
    cap = at.cap(status)
    mine, theirs = packed.need(s, 0, f), packed.need(s, 1, f)
    if mine == cap and theirs == cap:
        return 0.5
    tie = 0.5
    if mine == 0 and theirs == 0:
        tie = 1.0 if at.first(status) == 1 else 0.0
    elif mine != theirs:
        tie = 1.0 if mine < theirs else 0.0
    n = s.ints[packed.FORMATIONS]
    their_n = packed.SCORES if s.ints[packed.ALL_SUPERIOR] else n
    many = _multiple_formation_chance(s, f, n, their_n, tie)
    if mine == cap:
        return 0.5 * (many + _multiple_formation_chance(s, f, at.ONE, their_n, tie))
    if theirs == cap:
        return 0.5 * (many + _multiple_formation_chance(s, f, n, at.ONE, tie))
    return many


@jit
def _multiple_formation_chance(s: PackedScene, f: int, mine: int, theirs: int, tie: float) -> float:
    """Return the chance that one of my best formations at a flag wins against their best.

    mine, theirs: how many of each to consider. tie: the fraction of equal scores that I win.
    """
    never_inline()
    # the chance of no win; that they make nothing better than this score; that I make nothing better
    no_win, unbeaten, none_better = 1.0, 1.0, 1.0
    best_wins = 0.0
    for score in range(packed.SCORES - 1, -1, -1):
        made = s.floats[packed.makes(0, f) + score]
        their = s.floats[packed.makes(1, f) + score] if theirs > 0 else 0.0
        if made > 0.0:
            win = made * unbeaten * (1.0 - their * (1.0 - tie))
            no_win *= 1.0 - win
            best_wins += none_better * win
            none_better *= 1.0 - made
            mine -= 1
            if mine == 0:
                break
        if their > 0.0:
            unbeaten *= 1.0 - their
            theirs -= 1
    return best_wins if s.ints[packed.NESTED] else 1.0 - no_win


@jit
def game_chance(s: PackedScene) -> float:
    """Return the chance to win the game from the chances to win each flag."""
    never_inline()
    s.floats[packed.OUTCOME] = 1.0
    size = 1
    for f in range(FLAGS):
        p = s.floats[packed.FLAG + f]
        for mask in range(size):
            s.floats[packed.OUTCOME + size + mask] = s.floats[packed.OUTCOME + mask] * p
            s.floats[packed.OUTCOME + mask] *= 1.0 - p
        size *= 2
    if s.ints[packed.JOINT]:
        total = 0.0
        for mask in range(packed.OUTCOMES):
            total += s.floats[packed.OUTCOME + mask] * _WORTH[mask]
        return total
    five, three = 0.0, 0.0
    for mask in range(packed.OUTCOMES):
        if popcount(mask) >= 5:
            five += s.floats[packed.OUTCOME + mask]
        if mask & mask >> 1 & mask >> 2:
            three += s.floats[packed.OUTCOME + mask]
    weight = min(s.floats[packed.DECK_LEFT], 1.0)
    return weight * five + (1.0 - weight) * three
