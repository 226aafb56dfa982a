"""Deep Barca's estimates, compiled: the chance to win the game after each play. deep_barca.py has the rules of play."""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import popcount, stay_apart
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.battleline.kernel.layout import ALL_FLAGS, FIRST, FOG_BIT, HAS_THREE, MUD_BIT, OWNER
from kibitz.games.battleline.kernel.moves import guile_parts
from kibitz.games.battleline.kernel.proof import ONE
from kibitz.games.battleline.players.deep_barca.chances_kernel import (
    CHANCE,
    DECK_LEFT,
    FACTS_AT,
    FLAG,
    JOINT,
    KEPT,
    OUTCOME,
    OUTCOMES,
    SHARED,
    WANTED,
    Sight,
    flag_chance,
    look_at,
    need_of,
    survey,
)
from kibitz.games.battleline.rules.cards import FOG, MUD, TROOPS
from kibitz.games.battleline.rules.moves import DISCARD, FLAGS, PLACE, RETURN, USE_DESERTER, USE_REDEPLOY, USE_SCOUT

_WORTH = cast(
    Floats,
    np.array([(1 + int(HAS_THREE[mask]) - int(HAS_THREE[511 ^ mask])) / 2 for mask in range(OUTCOMES)], np.float64),
)
"""[flags that are mine at the end] 1 if they win the game, 0.5 if the others win it too, else 0."""


@entry
def weigh(s: Sight, moves: Ints, values: Floats, flags: Floats) -> float:
    """Fill in the chance to win the game and each flag after each of the plays; return the chance as it stands.

    flags: [play, flag], in the row after the last play as it stands.
    """
    survey(s, 1, ALL_FLAGS)
    now = _judge(s, flags, len(moves), ALL_FLAGS)
    for f in range(FLAGS):
        s.ints[KEPT + f] = s.ints[WANTED + f]
    for i in range(len(moves)):
        if _weigh(s, moves[i], values, flags, i):
            survey(s, 1, ALL_FLAGS)
    return now


@entry
def replies(s: Sight, move: int, flags: Floats, worst: Floats) -> None:
    """Fill in the least chance to win the game for each Troop that the opponent may add to a flag after a play.

    flags: [1, flag]. The play stays made.
    """
    _make(s, move)
    survey(s, 1, ALL_FLAGS)
    _judge(s, flags, 0, ALL_FLAGS)
    for card in range(TROOPS):
        worst[card] = 1.0
        if s.floats[CHANCE + TROOPS + card] > 0.0:
            chance = s.floats[SHARED + TROOPS + card]
            s.floats[SHARED + TROOPS + card] = 0.0
            for f in range(FLAGS):
                if not s.ints[FACTS_AT + f] >> OWNER & 3 and need_of(s, 1, f) > 0:
                    worst[card] = min(worst[card], _reply(s, card, f, flags))
            s.floats[SHARED + TROOPS + card] = chance


@inlined
def _reply(s: Sight, card: int, f: int, flags: Floats) -> float:
    """Return the chance to win once the opponent has put a card at a flag."""
    facts = s.ints[FACTS_AT + f]
    s.ints[FLAGS + f] |= ONE << card
    if need_of(s, 1, f) == 0 and not facts >> FIRST & 3:
        s.ints[FACTS_AT + f] |= 2 << FIRST
    look_at(s, 1, f, SHARED)
    s.floats[FLAG + f] = flag_chance(s, f)
    found = game_chance(s)
    s.ints[FLAGS + f] ^= ONE << card
    s.ints[FACTS_AT + f] = facts
    s.floats[FLAG + f] = flags[0, f]
    return found


@jit
def _judge(s: Sight, flags: Floats, row: int, changed: int) -> float:
    """Return the chance to win the game, and note that of each flag. Their side must have been surveyed."""
    survey(s, 0, changed)
    for f in range(FLAGS):
        s.floats[FLAG + f] = flag_chance(s, f)
        flags[row, f] = s.floats[FLAG + f]
    return game_chance(s)


@jit
def _make(s: Sight, move: int) -> bool:
    """Make a play, return whether it changes what they may make."""
    card, source, target = _parts(move)
    if 0 <= card < TROOPS and source < 0:
        s.floats[CHANCE + card] = 0.0
    theirs = source >= 0 and move < USE_REDEPLOY
    if source >= 0:
        _take(s, 1 if theirs else 0, card, source)
    if target >= 0:
        _put(s, card, target)
    return theirs or card in (FOG, MUD)


@inlined
def _weigh(s: Sight, move: int, values: Floats, flags: Floats, i: int) -> bool:
    """Make a play, judge, and take it back; return whether it changed what they may make."""
    card, source, target = _parts(move)
    a, b = max(source, 0), max(target, 0)
    kept = (s.ints[a], s.ints[FLAGS + a], s.ints[FACTS_AT + a])
    kept_too = (s.ints[b], s.ints[FLAGS + b], s.ints[FACTS_AT + b])
    troop = card if 0 <= card < TROOPS else 0
    chance = s.floats[CHANCE + troop]
    theirs = _make(s, move)
    if theirs:
        survey(s, 1, ALL_FLAGS)
    changed = 1 << a | 1 << b
    for f in range(FLAGS):  # a wishlist without the card stays what it is when the card is gone
        changed |= (s.ints[KEPT + f] >> troop & 1) << f
    values[i] = _judge(s, flags, i, changed)
    s.ints[a], s.ints[FLAGS + a], s.ints[FACTS_AT + a] = kept
    s.ints[b], s.ints[FLAGS + b], s.ints[FACTS_AT + b] = kept_too
    s.floats[CHANCE + troop] = chance
    return theirs


@jit
def _parts(move: int) -> tuple[int, int, int]:
    """Return the card that is put, taken or put back, the flag that it comes from and that it goes to, or -1."""
    if move >= USE_DESERTER:
        card, source, target = guile_parts(move)
        return card, source, -1 if target == DISCARD else target
    if move >= RETURN:
        return move - RETURN, -1, -1
    if PLACE <= move < USE_SCOUT:
        return (move - PLACE) // FLAGS, -1, (move - PLACE) % FLAGS
    return -1, -1, -1


@jit
def _put(s: Sight, card: int, f: int) -> None:
    """Put a card of mine at a flag."""
    if card == FOG:
        s.ints[FACTS_AT + f] |= FOG_BIT
    elif card == MUD:
        s.ints[FACTS_AT + f] = (s.ints[FACTS_AT + f] | MUD_BIT) & ~(3 << FIRST)
    else:
        if card < TROOPS:
            s.ints[f] |= ONE << card
        else:
            s.ints[FACTS_AT + f] |= ONE << (card - TROOPS)
        if need_of(s, 0, f) == 0 and not s.ints[FACTS_AT + f] >> FIRST & 3:
            s.ints[FACTS_AT + f] |= 1 << FIRST


@jit
def _take(s: Sight, side: int, card: int, f: int) -> None:
    """Take a card from a side; if it was completed first, the other one may be now."""
    if card < TROOPS:
        s.ints[FLAGS * side + f] &= ~(ONE << card)
    else:
        s.ints[FACTS_AT + f] &= ~(ONE << (card - TROOPS + 4 * side))
    if s.ints[FACTS_AT + f] >> FIRST & 3 == side + 1:
        s.ints[FACTS_AT + f] &= ~(3 << FIRST)
        if need_of(s, 1 - side, f) == 0:
            s.ints[FACTS_AT + f] |= (2 - side) << FIRST


@jit
def game_chance(s: Sight) -> float:
    """Return the chance to win the game from the chances to win each flag."""
    stay_apart()
    s.floats[OUTCOME + 0] = 1.0
    size = 1
    for f in range(FLAGS):
        p = s.floats[FLAG + f]
        for mask in range(size):
            s.floats[OUTCOME + size + mask] = s.floats[OUTCOME + mask] * p
            s.floats[OUTCOME + mask] *= 1.0 - p
        size *= 2
    if s.ints[JOINT]:
        total = 0.0
        for mask in range(OUTCOMES):
            total += s.floats[OUTCOME + mask] * _WORTH[mask]
        return total
    five, three = 0.0, 0.0
    for mask in range(OUTCOMES):
        if popcount(mask) >= 5:
            five += s.floats[OUTCOME + mask]
        if mask & mask >> 1 & mask >> 2:
            three += s.floats[OUTCOME + mask]
    weight = min(s.floats[DECK_LEFT], 1.0)
    return weight * five + (1.0 - weight) * three
