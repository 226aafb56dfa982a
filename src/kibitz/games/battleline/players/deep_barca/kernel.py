"""Deep Barca's estimates, compiled: the chance to win the game after each play. deep_barca.py has the rules of play."""

from __future__ import annotations

from typing import cast

import numpy as np

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import popcount, stay_apart
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel.moves import guile_parts
from kibitz.games.battleline.players.deep_barca import chances_kernel as sight
from kibitz.games.battleline.players.deep_barca.chances_kernel import Sight
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

_WORTH = cast(
    Floats,
    np.array(
        [(1 + int(at.WINS[mask]) - int(at.WINS[511 ^ mask])) / 2 for mask in range(sight.OUTCOMES)],
        np.float64,
    ),
)
"""[flags that are mine at the end] 1 if they win the game, 0.5 if the others win it too, else 0."""


@entry
def weigh(s: Sight, moves: Ints, values: Floats, flags: Floats) -> float:
    """Fill in the chance to win the game and each flag after each of the plays; return the chance as it stands.

    flags: [play, flag], in the row after the last play as it stands.
    """
    sight.survey(s, 1, at.ALL_FLAGS)
    now = _judge(s, flags, len(moves), at.ALL_FLAGS)
    for f in range(FLAGS):
        s.ints[sight.KEPT + f] = s.ints[sight.WANTED + f]
    for i in range(len(moves)):
        if _weigh(s, moves[i], values, flags, i):
            sight.survey(s, 1, at.ALL_FLAGS)
    return now


@entry
def replies(s: Sight, move: int, flags: Floats, worst: Floats) -> None:
    """Fill in the least chance to win the game for each Troop that the opponent may add to a flag after a play.

    flags: [1, flag]. The play stays made.
    """
    _make(s, move)
    sight.survey(s, 1, at.ALL_FLAGS)
    _judge(s, flags, 0, at.ALL_FLAGS)
    for card in range(TROOPS):
        worst[card] = 1.0
        if s.floats[sight.CHANCE + TROOPS + card] > 0.0:
            chance = s.floats[sight.SHARED + TROOPS + card]
            s.floats[sight.SHARED + TROOPS + card] = 0.0
            for f in range(FLAGS):
                if not at.owner(s.ints[sight.FACTS_AT + f]) and sight.need_of(s, 1, f) > 0:
                    worst[card] = min(worst[card], _reply(s, card, f, flags))
            s.floats[sight.SHARED + TROOPS + card] = chance


@inlined
def _reply(s: Sight, card: int, f: int, flags: Floats) -> float:
    """Return the chance to win once the opponent has put a card at a flag."""
    facts = s.ints[sight.FACTS_AT + f]
    s.ints[FLAGS + f] |= at.ONE << card
    if sight.need_of(s, 1, f) == 0 and not at.first(facts):
        s.ints[sight.FACTS_AT + f] = at.with_first(facts, 2)
    sight.look_at(s, 1, f, sight.SHARED)
    s.floats[sight.FLAG + f] = sight.flag_chance(s, f)
    found = game_chance(s)
    s.ints[FLAGS + f] ^= at.ONE << card
    s.ints[sight.FACTS_AT + f] = facts
    s.floats[sight.FLAG + f] = flags[0, f]
    return found


@jit
def _judge(s: Sight, flags: Floats, row: int, changed: int) -> float:
    """Return the chance to win the game, and note that of each flag. Their side must have been surveyed."""
    sight.survey(s, 0, changed)
    for f in range(FLAGS):
        s.floats[sight.FLAG + f] = sight.flag_chance(s, f)
        flags[row, f] = s.floats[sight.FLAG + f]
    return game_chance(s)


@jit
def _make(s: Sight, move: int) -> bool:
    """Make a play, return whether it changes what they may make."""
    card, source, target = _parts(move)
    if 0 <= card < TROOPS and source < 0:
        s.floats[sight.CHANCE + card] = 0.0
    theirs = source >= 0 and move < numbers.USE_REDEPLOY
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
    kept = (s.ints[a], s.ints[FLAGS + a], s.ints[sight.FACTS_AT + a])
    kept_too = (s.ints[b], s.ints[FLAGS + b], s.ints[sight.FACTS_AT + b])
    troop = card if 0 <= card < TROOPS else 0
    chance = s.floats[sight.CHANCE + troop]
    theirs = _make(s, move)
    if theirs:
        sight.survey(s, 1, at.ALL_FLAGS)
    changed = 1 << a | 1 << b
    for f in range(FLAGS):  # a wishlist without the card stays what it is when the card is gone
        changed |= (s.ints[sight.KEPT + f] >> troop & 1) << f
    values[i] = _judge(s, flags, i, changed)
    s.ints[a], s.ints[FLAGS + a], s.ints[sight.FACTS_AT + a] = kept
    s.ints[b], s.ints[FLAGS + b], s.ints[sight.FACTS_AT + b] = kept_too
    s.floats[sight.CHANCE + troop] = chance
    return theirs


@jit
def _parts(move: int) -> tuple[int, int, int]:
    """Return the card that is put, taken or put back, the flag that it comes from and that it goes to, or -1."""
    if move >= numbers.USE_DESERTER:
        card, source, target = guile_parts(move)
        return card, source, -1 if target == numbers.DISCARD else target
    if move >= numbers.RETURN:
        return move - numbers.RETURN, -1, -1
    if numbers.PLACE <= move < numbers.USE_SCOUT:
        return (move - numbers.PLACE) // FLAGS, -1, (move - numbers.PLACE) % FLAGS
    return -1, -1, -1


@jit
def _put(s: Sight, card: int, f: int) -> None:
    """Put a card of mine at a flag."""
    if card == FOG:
        s.ints[sight.FACTS_AT + f] |= at.FOG_BIT
    elif card == MUD:
        s.ints[sight.FACTS_AT + f] = at.with_first(s.ints[sight.FACTS_AT + f] | at.MUD_BIT, 0)
    else:
        if card < TROOPS:
            s.ints[f] |= at.ONE << card
        else:
            s.ints[sight.FACTS_AT + f] |= at.ONE << (card - TROOPS)
        if sight.need_of(s, 0, f) == 0 and not at.first(s.ints[sight.FACTS_AT + f]):
            s.ints[sight.FACTS_AT + f] = at.with_first(s.ints[sight.FACTS_AT + f], 1)


@jit
def _take(s: Sight, side: int, card: int, f: int) -> None:
    """Take a card from a side; if it was completed first, the other one may be now."""
    if card < TROOPS:
        s.ints[FLAGS * side + f] &= ~(at.ONE << card)
    else:
        s.ints[sight.FACTS_AT + f] &= ~(at.ONE << (card - TROOPS + 4 * side))
    if at.first(s.ints[sight.FACTS_AT + f]) == side + 1:
        then = 2 - side if sight.need_of(s, 1 - side, f) == 0 else 0
        s.ints[sight.FACTS_AT + f] = at.with_first(s.ints[sight.FACTS_AT + f], then)


@jit
def game_chance(s: Sight) -> float:
    """Return the chance to win the game from the chances to win each flag."""
    stay_apart()
    s.floats[sight.OUTCOME + 0] = 1.0
    size = 1
    for f in range(FLAGS):
        p = s.floats[sight.FLAG + f]
        for mask in range(size):
            s.floats[sight.OUTCOME + size + mask] = s.floats[sight.OUTCOME + mask] * p
            s.floats[sight.OUTCOME + mask] *= 1.0 - p
        size *= 2
    if s.ints[sight.JOINT]:
        total = 0.0
        for mask in range(sight.OUTCOMES):
            total += s.floats[sight.OUTCOME + mask] * _WORTH[mask]
        return total
    five, three = 0.0, 0.0
    for mask in range(sight.OUTCOMES):
        if popcount(mask) >= 5:
            five += s.floats[sight.OUTCOME + mask]
        if mask & mask >> 1 & mask >> 2:
            three += s.floats[sight.OUTCOME + mask]
    weight = min(s.floats[sight.DECK_LEFT], 1.0)
    return weight * five + (1.0 - weight) * three
