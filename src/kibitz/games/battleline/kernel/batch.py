"""Many games of Battle Line side by side; observe() is the compiled twin of observation.py, deal() that of start()."""

from __future__ import annotations

import sys
from typing import NamedTuple

from kibitz.compiled.arrays import Float32Array, Ints
from kibitz.compiled.batch import register_batch
from kibitz.compiled.intrinsics import lowest, popcount
from kibitz.compiled.jit import jit
from kibitz.compiled.rng import RandomState, below
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.observation import MAX_HAND
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import CARDS, ENVIRONMENT, TACTICS, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

_DISCARDED, _TOP, _KNOWN, _EXPOSED, _PLAYED, _PLANES = 19, 20, 22, 23, 24, 26
"""The planes of observation.py, and their number."""
_NOT_DISCARDED = sum(1 << card - TROOPS for card in ENVIRONMENT)
_STAGES = len(stages.NAMES)


class BattleLineBatch(NamedTuple):
    """Positions side by side, see compiled/batch.py."""

    start: BattleLinePosition
    rows: BattleLinePosition


def observe(batch: BattleLineBatch, pos: BattleLinePosition, player: int, out: Float32Array) -> None:
    """Write what a player knows: planes of cards, planes of flags, single numbers."""
    _observe_cards(pos.words, player, out)
    _observe_flags(pos.words, player, out)
    _observe_rest(pos.words, player, out)


@jit
def _observe_cards(w: Ints, me: int, out: Float32Array) -> None:
    other = 1 - me
    _mark(out, 0, w[at.HAND + me], w[at.TACTICS + me])
    on_sides = at.NO_CARDS
    for f in range(FLAGS):
        mine, theirs = at.wilds(w[at.STATUS + f], me), at.wilds(w[at.STATUS + f], other)
        _mark(out, 1 + f, at.side(w, me, f), mine)
        _mark(out, 1 + FLAGS + f, at.side(w, other, f), theirs)
        on_sides |= mine | theirs
    played = w[at.PLAYED] | w[at.PLAYED + 1]
    _mark(out, _DISCARDED, w[at.DISCARD_TROOPS], played & ~on_sides & ~_NOT_DISCARDED)
    for deck in range(2):
        _mark_top(w, me, deck, out)
    _mark(out, _KNOWN, w[at.HAND + other] & w[at.KNOWN + me], w[at.TACTICS + other] & w[at.KNOWN_TACTICS + me])
    _mark(out, _EXPOSED, w[at.HAND + me] & w[at.KNOWN + other], w[at.TACTICS + me] & w[at.KNOWN_TACTICS + other])
    _mark(out, _PLAYED, at.NO_CARDS, w[at.PLAYED + me])
    _mark(out, _PLAYED + 1, at.NO_CARDS, w[at.PLAYED + other])


@jit
def _mark(out: Float32Array, plane: int, troops: int, tactics: int) -> None:
    """Set the numbers of some cards in a plane to 1."""
    start = CARDS * plane
    while troops:
        out[start + lowest(troops)] = 1
        troops &= troops - 1
    while tactics:
        out[start + TROOPS + lowest(tactics)] = 1
        tactics &= tactics - 1


@jit
def _mark_top(w: Ints, me: int, deck: int, out: Float32Array) -> None:
    """Mark the first and second card of a deck, from the top, that the player put back."""
    found, place, bottom = 0, at.top_place(w, deck), at.DECK + TROOPS * deck
    lying = w[at.KNOWN + 2 * deck + me] & ~w[at.HAND + 2 * deck + 1 - me]
    while lying and found < 2 and place > bottom:
        place -= 1
        bit = at.bit(w[place])
        if lying & bit:
            out[CARDS * (_TOP + found) + w[place]] = 1
            lying ^= bit
            found += 1


@jit
def _observe_flags(w: Ints, me: int, out: Float32Array) -> None:
    start = CARDS * _PLANES
    for f in range(FLAGS):
        status = w[at.STATUS + f]
        out[start + f] = 1 if status & at.FOG_BIT else 0
        out[start + FLAGS + f] = 1 if status & at.MUD_BIT else 0
        for side in range(2):
            number = 1 + (me if side == 0 else 1 - me)
            out[start + FLAGS * (2 + side) + f] = 1 if at.owner(status) == number else 0
            out[start + FLAGS * (4 + side) + f] = 1 if at.first(status) == number else 0


@jit
def _observe_rest(w: Ints, me: int, out: Float32Array) -> None:
    i = CARDS * _PLANES + 6 * FLAGS
    out[i] = 1 if at.mover(w) == me else 0
    out[i + 1 + w[at.STAGE]] = 1
    i += 1 + _STAGES
    out[i] = w[at.LEFT] / 3
    out[i + 1] = w[at.PASSES] / 2
    for kind in range(2):
        out[i + 2 + kind] = popcount(w[at.HAND + 2 * kind + me]) / MAX_HAND
        out[i + 4 + kind] = popcount(w[at.HAND + 2 * kind + 1 - me]) / MAX_HAND
        out[i + 6 + kind] = w[at.SIZE + kind] / (TROOPS if kind == 0 else len(TACTICS))
        known = w[at.KNOWN + 2 * kind] | w[at.KNOWN + 2 * kind + 1]
        hands = w[at.HAND + 2 * kind] | w[at.HAND + 2 * kind + 1]
        out[i + 8 + kind] = popcount(known & ~hands) / 2


def deal(batch: BattleLineBatch, pos: BattleLinePosition, rng: RandomState) -> None:
    """Shuffle both decks with the hands in them, and deal the hands again."""
    _deal(pos.words, rng)


@jit
def _deal(w: Ints, rng: RandomState) -> None:
    for player in range(2):
        hand = w[at.HAND + player]
        while hand:
            w[at.top_place(w, 0)] = lowest(hand)
            w[at.SIZE] += 1
            hand &= hand - 1
        w[at.HAND + player] = 0
    for deck in range(2):
        first = at.DECK + TROOPS * deck
        for i in range(w[at.SIZE + deck] - 1, 0, -1):
            j = below(rng, i + 1)
            w[first + i], w[first + j] = w[first + j], w[first + i]
    for i in range(2 * w[at.HAND_SIZE]):
        w[at.SIZE] -= 1
        place = at.top_place(w, 0)
        w[at.HAND + (0 if i < w[at.HAND_SIZE] else 1)] |= at.bit(w[place])
        w[place] = -1


register_batch(BattleLineBatch, sys.modules[__name__])
