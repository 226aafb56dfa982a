"""The champion's policy, compiled: rates a move by the net's estimate of the chance to win after it.

Only what the player sees counts. Claims are not rated: the champion makes them as soon as it can.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, never_inline, popcount
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.players.champion import net_kernel as net
from kibitz.games.battleline.players.champion.net_kernel import Evaluator
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, TROOPS
from kibitz.games.battleline.rules.moves import FLAGS

SCOUT_BONUS = 0.02
"""How much the choice of cards with Scout is assumed to add to the chance to win."""
MAX_DRAWS_TRIED = 5
"""Maximum number of unseen cards that are tried to estimate the value of a draw."""


@jit
def rate_moves(w: Ints, e: Evaluator, moves: Ints, n: int, ratings: Floats) -> None:
    """Write to ratings the chance to win after each of n legal moves, for the player to move."""
    never_inline()
    me = at.mover(w)
    if numbers.DRAW <= moves[0] < numbers.RETURN:
        for i in range(n):
            ratings[i] = _rate_draw(w, e, me, moves[i] - numbers.DRAW)
        return
    returns = numbers.RETURN <= moves[0] < numbers.USE_DESERTER
    net.record_scene(w, e, me, net.WAITS if returns else net.TO_DRAW)
    net.record_best_scores(w, e)
    card, taken = -1, -1
    for i in range(n):
        move = moves[i]
        played = _card_of(move)
        if played != card:
            card, taken = played, -1
            net.record_scene(w, e, me, net.WAITS if returns else net.TO_DRAW)
            if returns:
                _put_back(e, card)
                net.record_best_scores(w, e)
            elif card >= TROOPS:
                net.use_tactics(e, card - TROOPS)
            elif card >= 0:
                e.scene[net.MY_HAND] &= ~(at.ONE << card)
            net.set_flags(w, e)
            net.save_flags(e)
        if numbers.PLACE <= move < numbers.USE_SCOUT:
            f = move - numbers.PLACE - FLAGS * card
            _set_flag_with(w, e, me, card, f)
            ratings[i] = net.chance(e)
            net.restore_flag(e, f)
        elif move >= numbers.USE_DESERTER:
            taken = _set_source_flag(w, e, me, move, taken)
            target = _set_target_flag(w, e, me, move)
            ratings[i] = net.chance(e)
            if target != numbers.DISCARD:
                net.restore_flag(e, target)
                if target == taken % FLAGS:
                    taken = -1
        else:
            ratings[i] = net.chance(e) + (SCOUT_BONUS if move == numbers.USE_SCOUT else 0.0)


@jit
def _put_back(e: Evaluator, card: int) -> None:
    """Update the scene as if a card from the hand had been put back on its deck."""
    if card < TROOPS:
        e.scene[net.MY_HAND] &= ~(at.ONE << card)
        e.scene[net.UNSEEN] |= at.ONE << card
        e.scene[net.DECK] += 1
    else:
        e.scene[net.MY_CARDS] &= ~(1 << (card - TROOPS))
        e.scene[net.TACTICS_DECK] += 1


@jit
def _card_of(move: int) -> int:
    """Return the card that a move plays or puts back, or -1 if there is none."""
    return move - numbers.RETURN if numbers.RETURN <= move < numbers.USE_DESERTER else at.card_played(move)


@jit
def _set_flag_with(w: Ints, e: Evaluator, me: int, card: int, f: int) -> None:
    """Compute the net's units for a flag as if the player had played a Troop, morale or environment card there."""
    status, mine, theirs = w[at.STATUS + f], at.side(w, me, f), at.side(w, 1 - me, f)
    if card < TROOPS:
        net.set_side(w, e, f, mine | at.ONE << card)
        return
    if card < FOG:
        status |= at.wild_bit(me, card)
    elif card == FOG:
        status |= at.FOG_BIT
    else:  # in Mud a side needs four cards, so that no side is complete any more
        status = at.with_first(status, 0) | at.MUD_BIT
    net.set_changed_flag(w, e, f, mine, theirs, net.with_completion(status, mine, me) if card < FOG else status)


@jit
def _set_source_flag(w: Ints, e: Evaluator, me: int, move: int, previous: int) -> int:
    """Compute the net's units for the flag that Deserter, Traitor or Redeploy takes a card from.

    Return FLAGS * card + flag. previous: the last result, if that flag's units are still without its card; else -1.
    """
    card, f, _ = at.guile_parts(move)
    taken = FLAGS * card + f
    if previous == taken:
        return taken
    if previous >= 0:
        net.restore_flag(e, previous % FLAGS)
    mine, theirs, status = _sides_without(w, me, move, card, f)
    net.set_changed_flag(w, e, f, mine, theirs, status)
    return taken


@jit
def _sides_without(w: Ints, me: int, move: int, card: int, f: int) -> tuple[int, int, int]:
    """Return my side, their side and the status of a flag after a guile move takes a card from it."""
    victim = me if move >= numbers.USE_REDEPLOY else 1 - me
    status, mine, theirs = w[at.STATUS + f], at.side(w, me, f), at.side(w, 1 - me, f)
    if card >= TROOPS:
        status &= ~(at.wild_bit(victim, card))
    elif victim == me:
        mine &= ~(at.ONE << card)
    else:
        theirs &= ~(at.ONE << card)
    # first is player + 1, or 0: the victim's side is no longer full, so the other one counts as first if it is
    if at.first(status) == victim + 1:
        status = at.with_first(status, 2 - victim if w[at.FULL + 1 - victim] >> f & 1 else 0)
    return mine, theirs, status


@jit
def _set_target_flag(w: Ints, e: Evaluator, me: int, move: int) -> int:
    """Compute the net's units for the flag that Traitor or Redeploy moves a card to; return it, or DISCARD."""
    card, source, f = at.guile_parts(move)
    if f == numbers.DISCARD:
        return f
    status, mine, theirs = w[at.STATUS + f], at.side(w, me, f), at.side(w, 1 - me, f)
    if f == source:
        mine, theirs, status = _sides_without(w, me, move, card, f)
    if card >= TROOPS:
        status |= at.wild_bit(me, card)
    else:
        mine |= at.ONE << card
    net.set_changed_flag(w, e, f, mine, theirs, net.with_completion(status, mine, me))
    return f


@jit
def _rate_draw(w: Ints, e: Evaluator, me: int, deck: int) -> float:
    """Return the mean chance to win over a sample of the cards that may be on top of a deck."""
    net.record_scene(w, e, me, net.WAITS)
    unseen = e.scene[net.UNSEEN] if deck == 0 else 1023 & ~(e.scene[net.MY_CARDS] | e.scene[net.USED])
    count = popcount(unseen)
    if count == 0:
        return 0.0
    tries, total, i, tried = min(MAX_DRAWS_TRIED, count), 0.0, 0, 0
    while unseen:
        card = lowest(unseen)
        unseen &= unseen - 1
        if i * tries // count != (i + 1) * tries // count:  # true for `tries` of the cards, evenly spaced
            net.record_scene(w, e, me, net.WAITS)
            if deck == 0:
                e.scene[net.MY_HAND] |= at.ONE << card
                e.scene[net.UNSEEN] &= ~(at.ONE << card)
                e.scene[net.DECK] -= 1
            else:
                e.scene[net.MY_CARDS] |= 1 << card
                e.scene[net.TACTICS_DECK] -= 1
            net.record_best_scores(w, e)
            net.set_flags(w, e)
            total += net.chance(e)
            tried += 1
        i += 1
    return total / tried
