"""What one player sees of a position of Battle Line, compiled: the scene, and the rows of net.py that stand for it."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Ints, aligned, aligned_zeros
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.compiled.vector import LANES, WIDTH
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.proof import complete
from kibitz.games.battleline.players.champion import net
from kibitz.games.battleline.players.champion.net import Net
from kibitz.games.battleline.rules.moves import FLAGS

TO_PLAY, TO_DRAW, WAITS = range(3)
"""The stages of a player: he is to play; has played and is to draw; the other is to play."""

# The scene: what the player sees, apart from the flags, and what was found out about his sides.
ME, STAGE, MY_HAND, UNSEEN, MY_CARDS, THEIR_CARDS, PLAYED_LEAD, MY_LEADER, THEIR_LEADER, USED = range(10)
DECK, TACTICS_DECK = USED + 1, USED + 2
HAND_SCORE = TACTICS_DECK + 1  # [9] the best by the hand alone, and the Troops it takes
HAND_TAKES = HAND_SCORE + FLAGS
BEST_SCORE = HAND_TAKES + FLAGS  # [9] the best by the hand and what is unseen
BEST_TAKES = BEST_SCORE + FLAGS
THEIR_SCORE = BEST_TAKES + FLAGS  # [9]
SCENE = THEIR_SCORE + FLAGS

# The scratch array, in words of 32 bits: row numbers, then units.
MOST_ROWS = 96
SUM_UNITS = MOST_ROWS
UNITS = SUM_UNITS + WIDTH // 2
"""Those of the context, followed by those of the flags."""
FLAG_UNITS = UNITS + WIDTH // 2
FIRST_UNITS = FLAG_UNITS + FLAGS * LANES // 2
SECOND_UNITS = FIRST_UNITS + LANES
VALUE_UNITS = SECOND_UNITS + LANES
KEPT = VALUE_UNITS + LANES // 2
"""Room to keep the units of all flags."""
SCRATCH = KEPT + FLAGS * LANES // 2
_NONE = cast(int, np.int64(-1))


class Mind(NamedTuple):
    """What judging works with."""

    rows: Any
    """int16 [ROWS, WIDTH]; the last row is room for a sum"""
    head: Any
    """int32"""
    scratch: Any
    """int32 [SCRATCH]"""
    scene: Ints
    """[SCENE]"""


def new_mind(net: Net) -> Mind:
    """Return a net with room to work in."""
    scratch, scene = aligned_zeros(SCRATCH, np.int32), cast(Ints, np.zeros(SCENE, np.int64))
    return Mind(aligned(net.rows), aligned(net.head), scratch, scene)


@jit
def look(w: Ints, m: Mind, me: int, stage: int) -> None:
    """Set the scene as a player sees it."""
    s = m.scene
    s[ME], s[STAGE] = me, stage
    s[MY_HAND] = w[at.HAND + me]
    s[UNSEEN] = at.unseen(w) & ~(w[at.HAND + me])
    s[MY_CARDS], s[THEIR_CARDS] = w[at.TACTICS + me], popcount(w[at.TACTICS + 1 - me])
    s[USED] = w[at.PLAYED] | w[at.PLAYED + 1]
    s[PLAYED_LEAD] = popcount(w[at.PLAYED + me]) - popcount(w[at.PLAYED + 1 - me])
    s[MY_LEADER] = 1 if w[at.PLAYED + me] & at.LEADER_BITS else 0
    s[THEIR_LEADER] = 1 if w[at.PLAYED + 1 - me] & at.LEADER_BITS else 0
    s[DECK], s[TACTICS_DECK] = w[at.SIZE], w[at.SIZE + 1]


@jit
def use_tactics(m: Mind, card: int) -> None:
    """Change the scene as by playing a Tactics card, 0 to 9."""
    s = m.scene
    s[MY_CARDS] &= ~(1 << card)
    s[USED] |= 1 << card
    s[PLAYED_LEAD] += 1
    if 1 << card & at.LEADER_BITS:
        s[MY_LEADER] = 1


@jit
def list_context(w: Ints, m: Mind) -> int:
    """Write the rows of the context to scratch, from 0 on; return how many."""
    stay_apart()
    s, out = m.scene, m.scratch
    hand, unseen = s[MY_HAND], s[UNSEEN]
    for v in range(10):
        of_value = at.OF_VALUE[v + 1]
        out[v] = net.HAND_VALUES + 7 * v + popcount(hand & of_value)
        out[10 + v] = net.UNSEEN_VALUES + 7 * v + popcount(unseen & of_value)
    out[20] = net.STAGES + s[STAGE]
    out[21] = net.DECK_SIZE + min((s[DECK] + 5) // 6, 9)
    out[22] = net.TACTICS_SIZE + min(s[TACTICS_DECK], 10)
    out[23] = net.THEIR_TACTICS + min(s[THEIR_CARDS], 4)
    out[24] = net.LEAD + min(max(s[PLAYED_LEAD], -1), 1) + 1
    n = 25
    for c in range(6):
        own = hand >> 10 * c & at.COLOUR
        near, far = own & own >> 1, own & own >> 2
        runs = near & near >> 1
        while near:
            out[n] = net.NEXT + lowest(near)
            near &= near - 1
            n += 1
        while far:
            out[n] = net.ALMOST_NEXT + lowest(far)
            far &= far - 1
            n += 1
        while runs:
            out[n] = net.RUNS + lowest(runs)
            runs &= runs - 1
            n += 1
    n = _list_bits(out, n, s[MY_CARDS], net.MY_TACTICS)
    n = _list_bits(out, n, s[USED], net.GONE)
    if s[MY_LEADER]:
        out[n] = net.LEADERS
        n += 1
    if s[THEIR_LEADER]:
        out[n] = net.LEADERS + 1
        n += 1
    n = _list_bits(out, n, w[at.OWNED + s[ME]], net.MY_FLAGS)
    return _list_bits(out, n, w[at.OWNED + 1 - s[ME]], net.THEIR_FLAGS)


@jit
def _list_bits(out: Any, n: int, bits: int, first: int) -> int:
    while bits:
        out[n] = first + lowest(bits)
        bits &= bits - 1
        n += 1
    return n


@jit
def note_sides(w: Ints, m: Mind) -> None:
    """Note what the sides of all flags can become."""
    s = m.scene
    me = s[ME]
    for f in range(FLAGS):
        facts = w[at.FACTS + f]
        if not at.owner(facts):
            mine, theirs = at.side(w, me, f), at.side(w, 1 - me, f)
            wilds = at.wilds(facts, me)
            s[HAND_SCORE + f], s[HAND_TAKES + f] = best_completion(w, mine, wilds, s[MY_HAND], facts)
            s[BEST_SCORE + f], s[BEST_TAKES + f] = best_completion(w, mine, wilds, s[MY_HAND] | s[UNSEEN], facts)
            s[THEIR_SCORE + f], _ = best_completion(w, theirs, at.wilds(facts, 1 - me), s[UNSEEN], facts)


@jit
def best_completion(w: Ints, troops: int, wilds: int, cards: int, facts: int) -> tuple[int, int]:
    """Return the best that a side can become with some cards, and those it takes; -1 if there are too few."""
    return complete(troops, wilds, cards, facts, w[at.VALUES], w[at.CAVALRY], _NONE)


@jit
def _score_row(score: int) -> int:
    if score < 0:
        return 0
    return 1 + 14 * (score >> 6) + min((score & 63) // 3, 13)


@jit
def list_flag(m: Mind, mine: int, theirs: int, facts: int, by_hand: int, at_best: int, against: int) -> int:
    """Write the rows of a flag with these cards at it to scratch, from 0 on; return how many."""
    stay_apart()
    s, out = m.scene, m.scratch
    me = s[ME]
    my_wilds, their_wilds = at.wilds(facts, me), at.wilds(facts, 1 - me)
    cap = at.cap(facts)
    lack = cap - popcount(mine) - popcount(my_wilds)
    their_lack = cap - popcount(theirs) - popcount(their_wilds)
    out[0], out[1] = net.MY_LACK + max(lack, 0), net.THEIR_LACK + max(their_lack, 0)
    n = _list_side(out, 2, mine, net.MY_VALUES)
    n = _list_side(out, n, theirs, net.THEIR_VALUES)
    if mine:
        colour = 10 * at.COLOUR_OF[lowest(mine)]
        if mine & ~((at.ONE * at.COLOUR) << colour):
            out[n] = net.KINDS + 1
            n += 1
        else:
            out[n] = net.KINDS
            n = _list_bits(out, n + 1, s[MY_HAND] >> colour & at.COLOUR, net.HAND_COLOUR)
            if lack > 0:
                n = _list_bits(out, n, s[UNSEEN] >> colour & at.COLOUR, net.UNSEEN_COLOUR)
    if theirs:
        colour = 10 * at.COLOUR_OF[lowest(theirs)]
        if theirs & ~((at.ONE * at.COLOUR) << colour):
            out[n] = net.KINDS + 3
            n += 1
        else:
            out[n] = net.KINDS + 2
            n += 1
            if their_lack > 0:
                n = _list_bits(out, n, s[UNSEEN] >> colour & at.COLOUR, net.THEIR_COLOUR)
    n = _list_bits(out, n, my_wilds | their_wilds << 4 | facts & 0x300, net.MARKS)
    first = at.first(facts)
    if first:
        out[n] = net.MARKS + (10 if first == me + 1 else 11)
        n += 1
    out[n], out[n + 1] = net.BY_HAND + _score_row(by_hand), net.AT_BEST + _score_row(at_best)
    out[n + 2] = net.AGAINST + _score_row(against)
    n += 3
    if by_hand > against:
        out[n] = net.VERDICTS
        n += 1
    if at_best > against:
        out[n] = net.VERDICTS + 1
        n += 1
    elif their_lack <= 0:
        out[n] = net.VERDICTS + 2
        n += 1
    return n


@jit
def _list_side(out: Any, n: int, troops: int, first: int) -> int:
    """Write a row for each Troop of a side."""
    before = 0
    while troops:
        v = at.VALUE[lowest(troops)] - 1
        troops &= troops - 1
        out[n] = first + 4 * v + (before >> 3 * v & 7)
        before += 1 << 3 * v
        n += 1
    return n


@jit
def completed(facts: int, mine: int, me: int) -> int:
    """Return the facts of a flag at which my side may have become complete just now."""
    missing = at.cap(facts) - popcount(mine) - popcount(at.wilds(facts, me))
    return facts if missing or at.first(facts) else at.with_first(facts, me + 1)
