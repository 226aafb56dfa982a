"""The compiled twin of chances.py: what the sides of all flags may become, and the chance to win each flag.

Works on words.py's sets of bits, seen from one player: "mine" and "theirs", 0 and 1.
A score is 64*rank + sum, as in proof_kernel.py.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import inlined, jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.proof import complete
from kibitz.games.battleline.rules.cards import TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

SCORES = 320
_SKIRMISH, _BATTALION, _PHALANX, _WEDGE = 64, 128, 192, 256
OUTCOMES = 1 << FLAGS

_SETS = [sum(1 << v for v in values) for n in range(5) for values in combinations(range(10), n)]
_FROM = cast(Ints, np.array([sum(1 for s in _SETS if s.bit_count() < n) for n in range(6)], np.int64))
"""[n] where the sets of n values begin."""
_OF_SIZE = cast(Ints, np.array(_SETS, np.int64))
"""Sets of up to four values, by their number."""


class Sight(NamedTuple):
    """What is looked at, and the place to work in: two arrays, for each one more takes long to compile."""

    ints: Ints
    """my Troops at each flag, theirs, the facts of the flags as words.py has them, me being player 0; then see below"""
    floats: Floats
    """see below"""


FACTS_AT = 2 * FLAGS
SETTINGS = FACTS_AT + FLAGS
FORMATIONS, ALL_SUPERIOR, NESTED, WISHES, JOINT, VALUES, CAVALRY = range(SETTINGS, SETTINGS + 7)
"""The settings: those of chances.Reading, and the cards of the edition."""
WANTED = CAVALRY + 1
"""+ flag: my cards that the best formations there lack."""
KEPT = WANTED + FLAGS
"""+ flag: the same before a play."""
LACKING = KEPT + FLAGS
"""+ score: the cards that formations of that score lack, of the side looked at last."""
INTS = LACKING + SCORES

CHANCE = 0
"""+ 60*side + Troop: how likely that side gets it; 0 for those that are face up."""
SHARED = CHANCE + 2 * TROOPS
"""The same, mine divided among the flags that want the card."""
FLAG = SHARED + 2 * TROOPS
"""+ flag: the chance to win it."""
CONFLICT, DECK_LEFT = FLAG + FLAGS, FLAG + FLAGS + 1
BY_VALUE = DECK_LEFT + 1
"""+ value - 1: the chance of a card of that value, for the runs looked at last."""
SUMS = BY_VALUE + 10
_ROOM = 64
"""+ 64*cards + sum: how likely so many cards have that sum."""
OUTCOME = SUMS + 5 * _ROOM
"""+ set of flags: how likely I win just these."""
MAKES = OUTCOME + OUTCOMES
"""+ 320*(9*side + flag) + score: how likely the side makes a formation of that score."""
FLOATS = MAKES + 2 * FLAGS * SCORES


def new_sight() -> Sight:
    """Return a sight of nothing."""
    return Sight(cast(Ints, np.zeros(INTS, np.int64)), cast(Floats, np.zeros(FLOATS, np.float64)))


@jit
def need_of(s: Sight, side: int, f: int) -> int:
    """Return how many cards a side lacks."""
    facts = s.ints[FACTS_AT + f]
    there = popcount(s.ints[FLAGS * side + f]) + popcount(at.wilds(facts, side))
    return at.cap(facts) - there


@jit
def look_at(s: Sight, side: int, f: int, chance: int) -> None:
    """Fill makes for one side of a flag, and lacking. chance: CHANCE or SHARED."""
    stay_apart()
    row = FLAGS * side + f
    makes = MAKES + SCORES * row
    chance += TROOPS * side
    for score in range(SCORES):
        s.floats[makes + score] = 1.0  # until the end: the chance to miss it
        s.ints[LACKING + score] = 0
    troops, facts = s.ints[row], s.ints[FACTS_AT + f]
    wilds = at.wilds(facts, side)
    need = need_of(s, side, f)
    if need == 0:
        score, _ = complete(troops, wilds, at.ONE - 1, facts, s.ints[VALUES], s.ints[CAVALRY], -at.ONE)
        s.floats[makes + score] = 0.0
    elif need == 1:
        for card in range(TROOPS):
            if s.floats[chance + card] > 0.0:
                score, _ = complete(
                    troops | at.ONE << card, wilds, at.ONE - 1, facts, s.ints[VALUES], s.ints[CAVALRY], -at.ONE
                )
                s.floats[makes + score] *= 1.0 - s.floats[chance + card]
                s.ints[LACKING + score] |= at.ONE << card
    elif facts & at.FOG_BIT or not _formations(s, makes, need, troops, wilds, chance):
        _hosts(s, makes, need, troops, wilds, chance)
    for score in range(SCORES):
        s.floats[makes + score] = 1.0 - s.floats[makes + score]


@jit
def _formations(s: Sight, makes: int, need: int, troops: int, wilds: int, chance: int) -> bool:
    """Fill in what a side that lacks two cards or more may make, hosts left out; return whether there is anything."""
    own, base, colour, one_colour, distinct = 0, _wild_sum(s, wilds), -1, True, True
    rest = troops
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        bit = 1 << (at.VALUE[card] - 1)
        distinct = distinct and not own & bit
        own |= bit
        base += at.VALUE[card]
        one_colour = one_colour and colour in (-1, at.COLOUR_OF[card])
        colour = at.COLOUR_OF[card]
    cap = need + popcount(troops) + popcount(wilds)
    found = False
    if distinct:
        for value in range(10):
            missed = 1.0
            for c in range(6):
                missed *= 1.0 - s.floats[chance + 10 * c + value]
            s.floats[BY_VALUE + value] = 1.0 - missed
        for low in range(s.ints[VALUES] - cap + 1):
            found |= _run(s, makes, _SKIRMISH, own, low, cap, wilds, -1)
    if own & (own - 1) == 0:
        for value in range(1, s.ints[VALUES] + 1):
            fits = own in (0, 1 << (value - 1)) and not (wilds & at.SB_BIT and value > 3)
            if fits and not (wilds & at.CC_BIT and value != s.ints[CAVALRY]):
                found |= _phalanx(s, makes, need, cap, value, chance)
    if one_colour:
        for c in range(6) if colour < 0 else range(colour, colour + 1):
            for value in range(10):
                s.floats[BY_VALUE + value] = s.floats[chance + 10 * c + value]
            if distinct:
                for low in range(s.ints[VALUES] - cap + 1):
                    found |= _run(s, makes, _WEDGE, own, low, cap, wilds, c)
            found |= _battalions(s, makes, need, own, base, cap, wilds, c)
    return found


@jit
def _wild_sum(s: Sight, wilds: int) -> int:
    """Return the most that wild cards count."""
    total = popcount(wilds & at.LEADER_BITS) * s.ints[VALUES]
    total += s.ints[CAVALRY] if wilds & at.CC_BIT else 0
    return total + (3 if wilds & at.SB_BIT else 0)


@jit
def _add(s: Sight, makes: int, score: int, chance: float, cards: int) -> bool:
    """Note one more way to make a score."""
    if chance <= 0.0:
        return False
    s.floats[makes + score] *= 1.0 - chance
    s.ints[LACKING + score] |= cards
    return True


@jit
def _run(s: Sight, makes: int, rank: int, own: int, low: int, cap: int, wilds: int, colour: int) -> bool:
    """Note the run from bit `low` on, in one colour or any (-1). Wild cards stand for what is hardest to get."""
    run = ((1 << cap) - 1) << low
    if own & ~run:
        return False
    missing = run & ~own
    if wilds & at.CC_BIT:
        bit = 1 << (s.ints[CAVALRY] - 1)
        if not missing & bit:
            return False
        missing ^= bit
    if wilds & at.SB_BIT:
        if not missing & 7:
            return False
        missing ^= _hardest(s, missing & 7)
    for _ in range(popcount(wilds & at.LEADER_BITS)):
        missing ^= _hardest(s, missing)
    chance, cards = 1.0, at.ONE - 1
    rest = missing
    while rest:
        value = lowest(rest)
        rest &= rest - 1
        chance *= s.floats[BY_VALUE + value]
        cards |= at.OF_VALUE[value + 1] if colour < 0 else at.ONE << (10 * colour + value)
    return _add(s, makes, rank + at.SUM[run], chance, cards)


@jit
def _hardest(s: Sight, values: int) -> int:
    """Return the bit of the value with the least chance, the lowest of several."""
    best = values & -values
    values &= values - 1
    while values:
        if s.floats[BY_VALUE + lowest(values)] < s.floats[BY_VALUE + lowest(best)]:
            best = values & -values
        values &= values - 1
    return best


@jit
def _phalanx(s: Sight, makes: int, need: int, cap: int, value: int, chance: int) -> bool:
    """Note a phalanx: at least `need` of the cards of a value."""
    s.floats[SUMS + _ROOM * 0 + 0] = 1.0
    for n in range(1, need):
        s.floats[SUMS + _ROOM * n + 0] = 0.0
    there = 0
    for c in range(6):
        p = s.floats[chance + 10 * c + value - 1]
        there += p > 0.0
        for n in range(need - 1, 0, -1):
            s.floats[SUMS + _ROOM * n + 0] = (
                s.floats[SUMS + _ROOM * n + 0] * (1.0 - p) + s.floats[SUMS + _ROOM * (n - 1) + 0] * p
            )
        s.floats[SUMS + _ROOM * 0 + 0] *= 1.0 - p
    if there < need:
        return False
    missed = 0.0
    for n in range(need):
        missed += s.floats[SUMS + _ROOM * n + 0]
    return _add(s, makes, _PHALANX + cap * value, 1.0 - missed, at.OF_VALUE[value])


@jit
def _battalions(s: Sight, makes: int, need: int, own: int, base: int, cap: int, wilds: int, colour: int) -> bool:
    """Note the battalions of a colour, one for each set of values that completes one and is no wedge."""
    found = False
    for i in range(_FROM[need], _FROM[need + 1]):
        values = _OF_SIZE[i]
        all_values = values | own
        if wilds == 0 and all_values == ((1 << cap) - 1) * (all_values & -all_values):
            continue
        chance, rest = 1.0, values
        while rest:
            chance *= s.floats[BY_VALUE + lowest(rest)]
            rest &= rest - 1
        found |= _add(s, makes, _BATTALION + base + at.SUM[values], chance, (at.ONE * values) << 10 * colour)
    return found


@jit
def _hosts(s: Sight, makes: int, need: int, troops: int, wilds: int, chance: int) -> None:
    """Note the sums that the highest cards of any colour make: how likely each is the best."""
    base = _wild_sum(s, wilds)
    while troops:
        base += at.VALUE[lowest(troops)]
        troops &= troops - 1
    for n in range(need + 1):
        for total in range(41):
            s.floats[SUMS + _ROOM * n + total] = 0.0
    s.floats[SUMS + _ROOM * 0 + 0] = 1.0
    cards = at.ONE - 1
    for value in range(s.ints[VALUES], 0, -1):
        for c in range(6):
            p = s.floats[chance + 10 * c + value - 1]
            if p > 0.0:
                cards |= at.ONE << (10 * c + value - 1)
                for n in range(need - 1, -1, -1):
                    for total in range(n * value, 10 * n + 1):
                        if s.floats[SUMS + _ROOM * n + total] > 0.0:
                            s.floats[SUMS + _ROOM * (n + 1) + total + value] += s.floats[SUMS + _ROOM * n + total] * p
                            s.floats[SUMS + _ROOM * n + total] *= 1.0 - p
    for total in range(41):
        _add(s, makes, base + total, s.floats[SUMS + _ROOM * need + total], cards)


@inlined
def _want(s: Sight, f: int) -> None:
    """Note the cards that my best formations at a flag lack. A side without cards wants none yet."""
    s.ints[WANTED + f] = 0
    cap = at.cap(s.ints[FACTS_AT + f])
    if at.owner(s.ints[FACTS_AT + f]) or need_of(s, 0, f) in (0, cap):
        return
    look_at(s, 0, f, CHANCE)
    n = 0
    for score in range(SCORES - 1, -1, -1):
        if s.floats[MAKES + SCORES * f + score] > 0.0:
            s.ints[WANTED + f] |= s.ints[LACKING + score]
            n += 1
            if n == s.ints[WISHES]:
                break


@jit
def survey(s: Sight, side: int, changed: int) -> None:
    """Look at all flags of a side, each card of mine shared among those that want it.

    changed: the flags, as bits, whose wishlists must be made anew; those of the others are kept.
    """
    stay_apart()
    if side == 0:
        for f in range(FLAGS):
            if changed >> f & 1:
                _want(s, f)
            else:
                s.ints[WANTED + f] = s.ints[KEPT + f]
    for card in range(TROOPS):
        n = 0
        if side == 0:
            for f in range(FLAGS):
                n += s.ints[WANTED + f] >> card & 1
        part = 1.0 - s.floats[CONFLICT] * (1.0 - 1.0 / max(n, 1))
        s.floats[SHARED + TROOPS * side + card] = s.floats[CHANCE + TROOPS * side + card] * part
    for f in range(FLAGS):
        if not at.owner(s.ints[FACTS_AT + f]):
            look_at(s, side, f, SHARED)


@jit
def flag_chance(s: Sight, f: int) -> float:
    """Return the chance that I win a flag."""
    facts = s.ints[FACTS_AT + f]
    owner = at.owner(facts)
    if owner:
        return 1.0 if owner == 1 else 0.0
    cap = at.cap(facts)
    mine, theirs = need_of(s, 0, f), need_of(s, 1, f)
    if mine == cap and theirs == cap:
        return 0.5
    tie = 0.5
    if mine == 0 and theirs == 0:
        tie = 1.0 if at.first(facts) == 1 else 0.0
    elif mine != theirs:
        tie = 1.0 if mine < theirs else 0.0
    n = s.ints[FORMATIONS]
    most = SCORES if s.ints[ALL_SUPERIOR] else n
    many = many_formations(s, f, n, most, tie)
    if mine == cap:
        return 0.5 * (many + many_formations(s, f, at.ONE, most, tie))
    if theirs == cap:
        return 0.5 * (many + many_formations(s, f, n, at.ONE, tie))
    return many


@jit
def many_formations(s: Sight, f: int, mine: int, theirs: int, tie: float) -> float:
    """Return the chance to win by one of my best formations against their best, so many of each.

    tie: the part of an equal score that is mine.
    """
    stay_apart()
    lost, safe, above = 1.0, 1.0, 1.0  # the chance of no win; that none of theirs above is made; nor of mine
    best = 0.0
    for score in range(SCORES - 1, -1, -1):
        made = s.floats[MAKES + SCORES * f + score]
        their = s.floats[MAKES + SCORES * (FLAGS + f) + score] if theirs > 0 else 0.0
        if made > 0.0:
            win = made * safe * (1.0 - their * (1.0 - tie))
            lost *= 1.0 - win
            best += above * win
            above *= 1.0 - made
            mine -= 1
            if mine == 0:
                break
        if their > 0.0:
            safe *= 1.0 - their
            theirs -= 1
    return best if s.ints[NESTED] else 1.0 - lost
