"""The champion's net, compiled: estimates the chance to win from what one player sees of a position.

`record_scene` records what the player sees, `list_context_rows` and `list_flag_rows` list the rows of net.py that
encode it, the `set_` functions compute units, and `chance` computes the chance to win from all units. The units of a
flag, or of the context that all flags share, are what the first layers of the net compute from its rows.
`position_chance` does all of this in order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from kibitz.compiled.arrays import Ints, aligned, aligned_zeros
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.layers import LANES, ONE, SHIFT, WIDTH, layer, sum_rows
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.proof import complete
from kibitz.games.battleline.players.champion import net
from kibitz.games.battleline.players.champion.net import Net
from kibitz.games.battleline.rules.moves import FLAGS

TO_PLAY, TO_DRAW, WAITS = range(3)
"""The stages of a player: to play a card; to draw after having played one; to wait for the opponent."""

# The scene: what the player sees, apart from the flags, and the best that both sides of each flag can become.
ME, STAGE, MY_HAND, UNSEEN, MY_CARDS, THEIR_CARDS, PLAYED_LEAD, MY_LEADER, THEIR_LEADER, USED = range(10)
DECK, TACTICS_DECK = USED + 1, USED + 2
HAND_SCORE = TACTICS_DECK + 1  # [9] the best score of my side with my hand alone, then the Troops it takes
HAND_TAKES = HAND_SCORE + FLAGS
BEST_SCORE = HAND_TAKES + FLAGS  # [9] the best score with my hand and the unseen Troops, then the Troops it takes
BEST_TAKES = BEST_SCORE + FLAGS
THEIR_SCORE = BEST_TAKES + FLAGS  # [9] the best score of their side with the unseen Troops
SCENE = THEIR_SCORE + FLAGS

# The scratch array, in words of 32 bits with two units each.
MAX_ROWS = 96  # the first words are row numbers
SUM_UNITS = MAX_ROWS
UNITS = SUM_UNITS + WIDTH // 2  # of the context, followed by those of the flags
FLAG_UNITS = UNITS + WIDTH // 2
FIRST_UNITS = FLAG_UNITS + FLAGS * LANES // 2
SECOND_UNITS = FIRST_UNITS + LANES
VALUE_UNITS = SECOND_UNITS + LANES
KEPT = VALUE_UNITS + LANES // 2  # a copy of the units of all flags
SCRATCH = KEPT + FLAGS * LANES // 2


class Evaluator(NamedTuple):
    """A net and its working arrays."""

    rows: Any  # int16 [ROWS, WIDTH]; the last row is room for a sum
    head: Any  # int32
    scratch: Any  # int32 [SCRATCH]
    scene: Ints  # [SCENE]


def new_evaluator(weights: Net) -> Evaluator:
    """Return a net with its working arrays."""
    scratch, scene = aligned_zeros(SCRATCH, np.int32), cast(Ints, np.zeros(SCENE, np.int64))
    return Evaluator(aligned(weights.rows), aligned(weights.head), scratch, scene)


# The scene


@jit
def record_scene(w: Ints, e: Evaluator, me: int, stage: int) -> None:
    """Record in e.scene what a player sees of a position. stage: TO_PLAY, TO_DRAW or WAITS."""
    s = e.scene
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
def use_tactics(e: Evaluator, card: int) -> None:
    """Update the scene as if the player had played a Tactics card. card: 0 to 9."""
    s = e.scene
    s[MY_CARDS] &= ~(1 << card)
    s[USED] |= 1 << card
    s[PLAYED_LEAD] += 1
    if 1 << card & at.LEADER_BITS:
        s[MY_LEADER] = 1


# Rows


@jit
def list_context_rows(w: Ints, e: Evaluator) -> int:
    """Write the row numbers of the context (hands and decks) to e.scratch[0:]; return how many there are."""
    never_inline()
    s, out = e.scene, e.scratch
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
        near = own & own >> 1
        n = _list_bits(out, n, near, net.NEXT)
        n = _list_bits(out, n, own & own >> 2, net.ALMOST_NEXT)
        n = _list_bits(out, n, near & near >> 1, net.RUNS)
    n = _list_bits(out, n, s[MY_CARDS], net.MY_TACTICS)
    n = _list_bits(out, n, s[USED], net.GONE)
    n = _list_bits(out, n, s[MY_LEADER] | s[THEIR_LEADER] << 1, net.LEADERS)
    n = _list_bits(out, n, w[at.OWNED + s[ME]], net.MY_FLAGS)
    return _list_bits(out, n, w[at.OWNED + 1 - s[ME]], net.THEIR_FLAGS)


@jit
def _list_bits(out: Any, n: int, bits: int, first: int) -> int:
    """Write the row number `first` + i for each bit i of a set to out[n:]; return the next free index."""
    while bits:
        out[n] = first + lowest(bits)
        bits &= bits - 1
        n += 1
    return n


@jit
def record_best_scores(w: Ints, e: Evaluator) -> None:
    """Record in e.scene the best scores that both sides of each unclaimed flag can reach."""
    s = e.scene
    me = s[ME]
    for f in range(FLAGS):
        status = w[at.STATUS + f]
        if not at.owner(status):
            mine, theirs = at.side(w, me, f), at.side(w, 1 - me, f)
            wilds = at.wilds(status, me)
            s[HAND_SCORE + f], s[HAND_TAKES + f] = best_completion(w, mine, wilds, s[MY_HAND], status)
            s[BEST_SCORE + f], s[BEST_TAKES + f] = best_completion(w, mine, wilds, s[MY_HAND] | s[UNSEEN], status)
            s[THEIR_SCORE + f], _ = best_completion(w, theirs, at.wilds(status, 1 - me), s[UNSEEN], status)


@jit
def best_completion(w: Ints, troops: int, wilds: int, cards: int, status: int) -> tuple[int, int]:
    """Return the best score of a side completed with some of these cards, and the cards it takes; -1 if too few."""
    return complete(troops, wilds, cards, status, w[at.VALUES], w[at.CAVALRY], -at.ONE)


@jit
def _score_row(score: int) -> int:
    if score < 0:
        return 0
    return 1 + 14 * (score >> 6) + min((score & 63) // 3, 13)


@jit
def list_flag_rows(e: Evaluator, mine: int, theirs: int, status: int, by_hand: int, at_best: int, against: int) -> int:
    """Write the row numbers of a flag with these sides to e.scratch[0:]; return how many there are.

    by_hand, at_best, against: the best scores of my side with my hand, of my side with all cards, and of their side.
    """
    never_inline()
    s, out = e.scene, e.scratch
    me = s[ME]
    my_wilds, their_wilds = at.wilds(status, me), at.wilds(status, 1 - me)
    lack, their_lack = at.lacking(mine, status, me), at.lacking(theirs, status, 1 - me)
    out[0], out[1] = net.MY_LACK + max(lack, 0), net.THEIR_LACK + max(their_lack, 0)
    n = _list_side(out, 2, mine, net.MY_VALUES)
    n = _list_side(out, n, theirs, net.THEIR_VALUES)
    if mine:
        colour = _colour_of(mine)
        out[n] = net.KINDS + (1 if colour < 0 else 0)
        n += 1
        if colour >= 0:
            n = _list_bits(out, n, s[MY_HAND] >> colour & at.COLOUR, net.HAND_COLOUR)
            if lack > 0:
                n = _list_bits(out, n, s[UNSEEN] >> colour & at.COLOUR, net.UNSEEN_COLOUR)
    if theirs:
        colour = _colour_of(theirs)
        out[n] = net.KINDS + (3 if colour < 0 else 2)
        n += 1
        if colour >= 0 and their_lack > 0:
            n = _list_bits(out, n, s[UNSEEN] >> colour & at.COLOUR, net.THEIR_COLOUR)
    n = _list_bits(out, n, my_wilds | their_wilds << 4 | status & 0x300, net.MARKS)
    first = at.first(status)
    if first:
        out[n] = net.MARKS + (10 if first == me + 1 else 11)
        n += 1
    out[n], out[n + 1] = net.BY_HAND + _score_row(by_hand), net.AT_BEST + _score_row(at_best)
    out[n + 2] = net.AGAINST + _score_row(against)
    verdicts = 1 if by_hand > against else 0
    verdicts |= 2 if at_best > against else (4 if their_lack <= 0 else 0)
    return _list_bits(out, n + 3, verdicts, net.VERDICTS)


@jit
def _colour_of(troops: int) -> int:
    """Return 10 * colour for a side of one colour, or -1 if it has several colours."""
    colour = 10 * at.COLOUR_OF[lowest(troops)]
    return -1 if troops & ~((at.ONE * at.COLOUR) << colour) else colour


@jit
def _list_side(out: Any, n: int, troops: int, first: int) -> int:
    """Write a row number for each Troop of a side to out[n:]; return the next free index."""
    counts = 0  # three bits for each value: the number of its Troops so far
    while troops:
        v = at.VALUE[lowest(troops)] - 1
        troops &= troops - 1
        out[n] = first + 4 * v + (counts >> 3 * v & 7)
        counts += 1 << 3 * v
        n += 1
    return n


@jit
def with_completion(status: int, mine: int, me: int) -> int:
    """Return the status of a flag, updated if my side has just been completed, before the opponent's."""
    return status if at.lacking(mine, status, me) or at.first(status) else at.with_first(status, me + 1)


# Units


@jit
def set_context(w: Ints, e: Evaluator) -> None:
    """Compute the units of the context, and the sum of its rows that is added at every flag."""
    never_inline()
    n, table, out = list_context_rows(w, e), e.rows, e.scratch
    for j in range(WIDTH):
        table[net.SUM_ROW, j] = 0
    for i in range(n):
        row = net.BASE + out[i]
        for j in range(WIDTH):
            table[net.SUM_ROW, j] += table[row, j]
        out[i] += net.HEAD
    sum_rows(table, out, n, UNITS)


@jit
def set_flag(
    e: Evaluator, f: int, mine: int, theirs: int, status: int, by_hand: int, at_best: int, against: int
) -> None:
    """Compute the units of a flag with these sides and best scores. Call after set_context."""
    n = list_flag_rows(e, mine, theirs, status, by_hand, at_best, against)
    e.scratch[n] = net.SUM_ROW
    sum_rows(e.rows, e.scratch, n + 1, SUM_UNITS)
    layer(e.scratch, SUM_UNITS, net.ENCODER // 2, e.head, net.LAYERS[0], FLAG_UNITS + LANES // 2 * f)


@jit
def set_side(w: Ints, e: Evaluator, f: int, mine: int) -> None:
    """Compute the units of a flag where only my side or my hand may have changed. Call after record_best_scores."""
    never_inline()
    s = e.scene
    me, status = s[ME], w[at.STATUS + f]
    wilds, hand = at.wilds(status, me), s[MY_HAND]
    there = at.side(w, me, f)
    by_hand, at_best = s[HAND_SCORE + f], s[BEST_SCORE + f]
    # a recorded score still holds if all cards it takes are in the hand, on the side or unseen
    if mine & ~there & ~s[HAND_TAKES + f] or s[HAND_TAKES + f] & ~(hand | mine) or by_hand < 0:
        by_hand, _ = best_completion(w, mine, wilds, hand, status)
    if mine & ~there & ~s[BEST_TAKES + f] or s[BEST_TAKES + f] & ~(hand | s[UNSEEN] | mine) or at_best < 0:
        at_best, _ = best_completion(w, mine, wilds, hand | s[UNSEEN], status)
    status = with_completion(status, mine, me)
    set_flag(e, f, mine, at.side(w, 1 - me, f), status, by_hand, at_best, s[THEIR_SCORE + f])


@jit
def set_changed_flag(w: Ints, e: Evaluator, f: int, mine: int, theirs: int, status: int) -> None:
    """Compute the units of a flag that may have changed in any way."""
    never_inline()
    s = e.scene
    me = s[ME]
    by_hand, _ = best_completion(w, mine, at.wilds(status, me), s[MY_HAND], status)
    at_best, _ = best_completion(w, mine, at.wilds(status, me), s[MY_HAND] | s[UNSEEN], status)
    against, _ = best_completion(w, theirs, at.wilds(status, 1 - me), s[UNSEEN], status)
    set_flag(e, f, mine, theirs, status, by_hand, at_best, against)


@jit
def set_flags(w: Ints, e: Evaluator) -> None:
    """Compute the units of the context and of all flags as they are. Call after record_scene and record_best_scores."""
    never_inline()
    set_context(w, e)
    me, empty_units = e.scene[ME], -1  # where the units of the first empty flag are; others are copied from it
    for f in range(FLAGS):
        units = FLAG_UNITS + LANES // 2 * f
        status, mine, theirs = w[at.STATUS + f], at.side(w, me, f), at.side(w, 1 - me, f)
        if at.owner(status):
            for i in range(LANES // 2):
                e.scratch[units + i] = 0
        elif empty_units >= 0 and mine == 0 and theirs == 0 and status == 0:
            for i in range(LANES // 2):
                e.scratch[units + i] = e.scratch[empty_units + i]
        else:
            set_side(w, e, f, mine)
            if mine == 0 and theirs == 0 and status == 0:
                empty_units = units


@jit
def save_flags(e: Evaluator) -> None:
    """Save a copy of the units of all flags."""
    for i in range(FLAGS * LANES // 2):
        e.scratch[KEPT + i] = e.scratch[FLAG_UNITS + i]


@jit
def restore_flag(e: Evaluator, f: int) -> None:
    """Restore the units of a flag from the copy made by save_flags."""
    for i in range(LANES // 2 * f, LANES // 2 * (f + 1)):
        e.scratch[FLAG_UNITS + i] = e.scratch[KEPT + i]


@jit
def log_odds(e: Evaluator) -> int:
    """Return the log-odds of winning the game, computed from the units of context and flags; 256 stands for 1."""
    u, head = e.scratch, e.head
    layer(u, UNITS, net.FIRST // 2, head, net.LAYERS[1], FIRST_UNITS)
    layer(u, UNITS, net.FIRST // 2, head, net.LAYERS[2], FIRST_UNITS + LANES // 2)
    layer(u, FIRST_UNITS, net.SECOND // 2, head, net.LAYERS[3], SECOND_UNITS)
    layer(u, FIRST_UNITS, net.SECOND // 2, head, net.LAYERS[4], SECOND_UNITS + LANES // 2)
    return layer(u, SECOND_UNITS, net.SECOND // 2, head, net.LAYERS[5], VALUE_UNITS) >> SHIFT


@jit
def chance(e: Evaluator) -> float:
    """Return the chance to win the game, computed from the units of context and flags."""
    return 1.0 / (1.0 + math.exp(-log_odds(e) / ONE))


@jit
def position_chance(w: Ints, e: Evaluator, me: int, stage: int) -> float:
    """Return a player's estimated chance to win an unfinished game, from what that player sees."""
    record_scene(w, e, me, stage)
    record_best_scores(w, e)
    set_flags(w, e)
    return chance(e)
