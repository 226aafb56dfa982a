"""Deep Barca's estimates, compiled: the chance to win the game after each play, and after the replies to one.

The twin of scene.PlainEstimates. agent.py has the rules of play.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.players.deep_barca import chances_kernel as chances
from kibitz.games.battleline.players.deep_barca import sight
from kibitz.games.battleline.players.deep_barca.sight import Sight
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS


@entry
def weigh(s: Sight, moves: Ints, values: Floats, flags: Floats) -> float:
    """Write the chances to win the game (values) and each flag after each play; return the chance to win now.

    values: [play]. flags: [play, flag], and one more row for the chances now.
    """
    chances.survey(s, 1, at.ALL_FLAGS)
    now = _judge(s, flags, len(moves), at.ALL_FLAGS)
    for f in range(FLAGS):
        s.ints[sight.WANTED_BEFORE + f] = s.ints[sight.WANTED + f]
    for i in range(len(moves)):
        if _weigh(s, moves[i], values, flags, i):
            chances.survey(s, 1, at.ALL_FLAGS)
    return now


@inlined
def _weigh(s: Sight, move: int, values: Floats, flags: Floats, i: int) -> bool:
    """Make play number i, write its chances, and undo it; return whether it changed what the opponent may make."""
    card, source, target = _parts(move)
    a, b = max(source, 0), max(target, 0)
    at_a = (s.ints[sight.SIDE + a], s.ints[sight.SIDE + FLAGS + a], s.ints[sight.STATUS + a])
    at_b = (s.ints[sight.SIDE + b], s.ints[sight.SIDE + FLAGS + b], s.ints[sight.STATUS + b])
    troop = card if 0 <= card < TROOPS else 0
    chance = s.floats[sight.CHANCE + troop]
    theirs = _make(s, move)
    if theirs:
        chances.survey(s, 1, at.ALL_FLAGS)
    changed = 1 << a | 1 << b
    for f in range(FLAGS):  # other wishlists do not name the card, so that losing it does not change them
        changed |= (s.ints[sight.WANTED_BEFORE + f] >> troop & 1) << f
    values[i] = _judge(s, flags, i, changed)
    s.ints[sight.SIDE + a], s.ints[sight.SIDE + FLAGS + a], s.ints[sight.STATUS + a] = at_a
    s.ints[sight.SIDE + b], s.ints[sight.SIDE + FLAGS + b], s.ints[sight.STATUS + b] = at_b
    s.floats[sight.CHANCE + troop] = chance
    return theirs


@jit
def _judge(s: Sight, flags: Floats, row: int, changed: int) -> float:
    """Return the chance to win the game; write that of each flag to flags[row]. Survey their side first."""
    chances.survey(s, 0, changed)
    for f in range(FLAGS):
        s.floats[sight.FLAG + f] = chances.flag_chance(s, f)
        flags[row, f] = s.floats[sight.FLAG + f]
    return chances.game_chance(s)


@entry
def replies(s: Sight, move: int, flags: Floats, worst: Floats) -> None:
    """Write, for each Troop that the opponent may reply with, my lowest chance to win the game after a play.

    flags: [1, flag], scratch. worst: [Troop]. The play is not undone.
    """
    _make(s, move)
    chances.survey(s, 1, at.ALL_FLAGS)
    _judge(s, flags, 0, at.ALL_FLAGS)
    for card in range(TROOPS):
        worst[card] = 1.0
        if s.floats[sight.CHANCE + TROOPS + card] > 0.0:
            chance = s.floats[sight.SHARED + TROOPS + card]
            s.floats[sight.SHARED + TROOPS + card] = 0.0
            for f in range(FLAGS):
                if not at.owner(sight.status(s, f)) and sight.need(s, 1, f) > 0:
                    worst[card] = min(worst[card], _reply(s, card, f, flags))
            s.floats[sight.SHARED + TROOPS + card] = chance


@inlined
def _reply(s: Sight, card: int, f: int, flags: Floats) -> float:
    """Return my chance to win the game if the opponent adds a card to a flag."""
    status = sight.status(s, f)
    s.ints[sight.SIDE + FLAGS + f] |= at.ONE << card
    if sight.need(s, 1, f) == 0 and not at.first(status):
        s.ints[sight.STATUS + f] = at.with_first(status, 2)
    chances.look_at(s, 1, f, sight.SHARED)
    s.floats[sight.FLAG + f] = chances.flag_chance(s, f)
    found = chances.game_chance(s)
    s.ints[sight.SIDE + FLAGS + f] ^= at.ONE << card
    s.ints[sight.STATUS + f] = status
    s.floats[sight.FLAG + f] = flags[0, f]
    return found


# Plays on a sight


@jit
def _parts(move: int) -> tuple[int, int, int]:
    """Return the card of a move, the flag it comes from and the flag it goes to; -1 for any that is missing."""
    if move >= numbers.USE_DESERTER:
        card, source, target = at.guile_parts(move)
        return card, source, -1 if target == numbers.DISCARD else target
    if move >= numbers.RETURN:
        return move - numbers.RETURN, -1, -1
    if numbers.PLACE <= move < numbers.USE_SCOUT:
        return (move - numbers.PLACE) // FLAGS, -1, (move - numbers.PLACE) % FLAGS
    return -1, -1, -1


@jit
def _make(s: Sight, move: int) -> bool:
    """Make a play of mine; return whether it changes what the opponent may make."""
    card, source, target = _parts(move)
    if 0 <= card < TROOPS and source < 0:
        s.floats[sight.CHANCE + card] = 0.0
    theirs = source >= 0 and move < numbers.USE_REDEPLOY
    if source >= 0:
        _remove_card(s, 1 if theirs else 0, card, source)
    if target >= 0:
        s.ints[sight.STATUS + target] = _put(s, card, target)
    return theirs or card in (FOG, MUD)


@jit
def _put(s: Sight, card: int, f: int) -> int:
    """Put a card of mine at a flag; return the new status of the flag."""
    status = sight.status(s, f)
    if card == FOG:
        return status | at.FOG_BIT
    if card == MUD:
        return at.with_first(status | at.MUD_BIT, 0)
    if card < TROOPS:
        s.ints[sight.SIDE + f] |= at.ONE << card
    else:
        status |= at.wild_bit(0, card)
    if at.lacking(s.ints[sight.SIDE + f], status, 0) == 0 and not at.first(status):
        status = at.with_first(status, 1)
    return status


@jit
def _remove_card(s: Sight, side: int, card: int, f: int) -> None:
    """Remove a card from a side of a flag, and update which side was completed first."""
    status = sight.status(s, f)
    if card < TROOPS:
        s.ints[sight.SIDE + FLAGS * side + f] &= ~(at.ONE << card)
    else:
        status &= ~at.wild_bit(side, card)
    if at.first(status) == side + 1:
        status = at.with_first(status, 2 - side if sight.need(s, 1 - side, f) == 0 else 0)
    s.ints[sight.STATUS + f] = status
