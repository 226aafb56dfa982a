"""Deep Barca's estimates, compiled: the chance to win the game after each play, and after the replies to one.

The twin of scene.PlainEstimator. agent.py has the rules of play.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.jit import entry, inlined, jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.players.deep_barca import chances_kernel as chances
from kibitz.games.battleline.players.deep_barca import packed
from kibitz.games.battleline.players.deep_barca.packed import PackedScene
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS


@entry
def weigh(s: PackedScene, moves: Ints, values: Floats, flags: Floats) -> float:
    """Write the chances to win the game (values) and each flag after each play; return the chance to win now.

    values: [play]. flags: [play, flag], and one more row for the chances now.
    """
    chances.compute_all_sides(s, 1, at.ALL_FLAGS)
    now = _game_chance(s, flags, len(moves), at.ALL_FLAGS)
    for f in range(FLAGS):
        s.ints[packed.WANTED_BEFORE + f] = s.ints[packed.WANTED + f]
    for i in range(len(moves)):
        if _weigh_play(s, moves[i], values, flags, i):
            chances.compute_all_sides(s, 1, at.ALL_FLAGS)
    return now


@inlined
def _weigh_play(s: PackedScene, move: int, values: Floats, flags: Floats, i: int) -> bool:
    """Make a play, write its chances to row i, and undo it; return whether it changed the opponent's formations."""
    card, source, target = _parts(move)
    a, b = max(source, 0), max(target, 0)  # the flags to restore; flag 0 stands for a missing one
    at_a = (s.ints[packed.SIDE + a], s.ints[packed.SIDE + FLAGS + a], s.ints[packed.STATUS + a])
    at_b = (s.ints[packed.SIDE + b], s.ints[packed.SIDE + FLAGS + b], s.ints[packed.STATUS + b])
    troop = card if 0 <= card < TROOPS else 0
    chance = s.floats[packed.CHANCE + troop]
    changes_theirs = _make_play(s, move)
    if changes_theirs:
        chances.compute_all_sides(s, 1, at.ALL_FLAGS)
    changed = 1 << a | 1 << b
    for f in range(FLAGS):  # also those whose wishlist names the card; the others do not miss it
        changed |= (s.ints[packed.WANTED_BEFORE + f] >> troop & 1) << f
    values[i] = _game_chance(s, flags, i, changed)
    s.ints[packed.SIDE + a], s.ints[packed.SIDE + FLAGS + a], s.ints[packed.STATUS + a] = at_a
    s.ints[packed.SIDE + b], s.ints[packed.SIDE + FLAGS + b], s.ints[packed.STATUS + b] = at_b
    s.floats[packed.CHANCE + troop] = chance
    return changes_theirs


@jit
def _game_chance(s: PackedScene, flags: Floats, row: int, changed: int) -> float:
    """Return the chance to win the game, and write that of each flag to flags[row]; compute all their sides first."""
    chances.compute_all_sides(s, 0, changed)
    for f in range(FLAGS):
        s.floats[packed.FLAG + f] = chances.flag_chance(s, f)
        flags[row, f] = s.floats[packed.FLAG + f]
    return chances.game_chance(s)


@entry
def replies(s: PackedScene, move: int, flags: Floats, worst: Floats) -> None:
    """Write to worst[Troop] my lowest chance to win the game after a play, if the opponent replies with that Troop.

    flags: scratch, [1, flag]. The play is not undone.
    """
    _make_play(s, move)
    chances.compute_all_sides(s, 1, at.ALL_FLAGS)
    _game_chance(s, flags, 0, at.ALL_FLAGS)
    for card in range(TROOPS):
        worst[card] = 1.0
        if s.floats[packed.CHANCE + TROOPS + card] > 0.0:
            chance = s.floats[packed.SHARED + TROOPS + card]
            s.floats[packed.SHARED + TROOPS + card] = 0.0
            for f in range(FLAGS):
                if not at.owner(packed.status(s, f)) and packed.need(s, 1, f) > 0:
                    worst[card] = min(worst[card], _chance_after_reply(s, card, f, flags))
            s.floats[packed.SHARED + TROOPS + card] = chance


@inlined
def _chance_after_reply(s: PackedScene, card: int, f: int, flags: Floats) -> float:
    """Return my chance to win the game if the opponent adds a Troop to a flag. flags: [0, flag] the chances before."""
    status = packed.status(s, f)
    s.ints[packed.SIDE + FLAGS + f] |= at.ONE << card
    if packed.need(s, 1, f) == 0 and not at.first(status):
        s.ints[packed.STATUS + f] = at.with_first(status, 2)
    chances.compute_side(s, 1, f, packed.SHARED)
    s.floats[packed.FLAG + f] = chances.flag_chance(s, f)
    game_chance = chances.game_chance(s)
    s.ints[packed.SIDE + FLAGS + f] ^= at.ONE << card
    s.ints[packed.STATUS + f] = status
    s.floats[packed.FLAG + f] = flags[0, f]
    return game_chance


# Plays on a packed scene


@jit
def _parts(move: int) -> tuple[int, int, int]:
    """Return the card of a move, the flag it leaves and the flag it goes to; -1 for each of these that is missing."""
    if move >= numbers.USE_DESERTER:
        card, source, target = at.guile_parts(move)
        return card, source, -1 if target == numbers.DISCARD else target
    if move >= numbers.RETURN:
        return move - numbers.RETURN, -1, -1
    if numbers.PLACE <= move < numbers.USE_SCOUT:
        return (move - numbers.PLACE) // FLAGS, -1, (move - numbers.PLACE) % FLAGS
    return -1, -1, -1


@jit
def _make_play(s: PackedScene, move: int) -> bool:
    """Make a play of mine; return whether it can change which formations the opponent's sides can become.

    It can if it takes a card from one of their sides, or if it is Fog or Mud.
    """
    card, source, target = _parts(move)
    if 0 <= card < TROOPS and source < 0:
        s.floats[packed.CHANCE + card] = 0.0
    # Deserter and Traitor, numbered below USE_REDEPLOY, take a card of the opponent; Redeploy takes one of mine.
    takes_theirs = source >= 0 and move < numbers.USE_REDEPLOY
    if source >= 0:
        _remove_card(s, 1 if takes_theirs else 0, card, source)
    if target >= 0:
        s.ints[packed.STATUS + target] = _put_card(s, card, target)
    return takes_theirs or card in (FOG, MUD)


@jit
def _put_card(s: PackedScene, card: int, f: int) -> int:
    """Put a card of mine at a flag; return the new status of the flag."""
    status = packed.status(s, f)
    if card == FOG:
        return status | at.FOG_BIT
    if card == MUD:
        return at.with_first(status | at.MUD_BIT, 0)
    if card < TROOPS:
        s.ints[packed.SIDE + f] |= at.ONE << card
    else:
        status |= at.wild_bit(0, card)
    if at.lacking(s.ints[packed.SIDE + f], status, 0) == 0 and not at.first(status):
        status = at.with_first(status, 1)
    return status


@jit
def _remove_card(s: PackedScene, side: int, card: int, f: int) -> None:
    """Remove a card from a side of a flag, and update which side was completed first."""
    status = packed.status(s, f)
    if card < TROOPS:
        s.ints[packed.SIDE + FLAGS * side + f] &= ~(at.ONE << card)
    else:
        status &= ~at.wild_bit(side, card)
    if at.first(status) == side + 1:
        status = at.with_first(status, 2 - side if packed.need(s, 1 - side, f) == 0 else 0)
    s.ints[packed.STATUS + f] = status
