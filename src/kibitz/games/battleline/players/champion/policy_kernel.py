"""The champion's first opinion of moves, compiled: the chance that the net gives to what comes of each.

A player rates by what he sees himself. Claims are not rated: they are made whenever they can be.
"""

from __future__ import annotations

from kibitz.compiled.arrays import Floats, Ints
from kibitz.compiled.intrinsics import lowest, popcount, stay_apart
from kibitz.compiled.jit import jit
from kibitz.games.battleline.kernel.layout import FACTS, FIRST, FOG_BIT, FULL, MUD_BIT, SIDE, TURN
from kibitz.games.battleline.kernel.moves import card_played, guile_parts
from kibitz.games.battleline.kernel.proof import ONE
from kibitz.games.battleline.players.champion.net_kernel import (
    chance,
    keep_flags,
    restore_flag,
    set_changed_flag,
    set_flags,
    set_side,
)
from kibitz.games.battleline.players.champion.rows_kernel import DECK as DECK_LEFT
from kibitz.games.battleline.players.champion.rows_kernel import (
    MY_CARDS,
    MY_HAND,
    TO_DRAW,
    UNSEEN,
    USED,
    WAITS,
    Mind,
    completed,
    look,
    note_sides,
    use_tactics,
)
from kibitz.games.battleline.players.champion.rows_kernel import TACTICS_DECK as TACTICS_LEFT
from kibitz.games.battleline.rules.cards import FOG, TROOPS
from kibitz.games.battleline.rules.moves import (
    DISCARD,
    DRAW,
    FLAGS,
    PLACE,
    RETURN,
    USE_DESERTER,
    USE_REDEPLOY,
    USE_SCOUT,
)

SCOUTED = 0.02
"""What three cards to choose from add to the chance of the game."""
DRAWS = 5
"""How many unseen cards of a deck are tried to see what a draw is worth."""


@jit
def rate_moves(w: Ints, m: Mind, moves: Ints, n: int, ratings: Floats) -> None:
    """Write the chance of the game after each of n legal moves for the player who makes it."""
    stay_apart()
    me = w[TURN] & 1
    if DRAW <= moves[0] < RETURN:
        for i in range(n):
            ratings[i] = _rate_draw(w, m, me, moves[i] - DRAW)
        return
    returns = RETURN <= moves[0] < USE_DESERTER
    look(w, m, me, WAITS if returns else TO_DRAW)
    note_sides(w, m)
    card, taken = -1, -1
    for i in range(n):
        move = moves[i]
        played = _card_of(move)
        if played != card:
            card, taken = played, -1
            look(w, m, me, WAITS if returns else TO_DRAW)
            if returns:
                _put_back(m, card)
                note_sides(w, m)
            elif card >= TROOPS:
                use_tactics(m, card - TROOPS)
            elif card >= 0:
                m.scene[MY_HAND] &= ~(ONE << card)
            set_flags(w, m)
            keep_flags(m)
        if PLACE <= move < USE_SCOUT:
            f = move - PLACE - FLAGS * card
            _place(w, m, me, card, f)
            ratings[i] = chance(m)
            restore_flag(m, f)
        elif move >= USE_DESERTER:
            taken = _take(w, m, me, move, taken)
            target = _give(w, m, me, move)
            ratings[i] = chance(m)
            if target != DISCARD:
                restore_flag(m, target)
                if target == taken % FLAGS:
                    taken = -1
        else:
            ratings[i] = chance(m) + (SCOUTED if move == USE_SCOUT else 0.0)


@jit
def _put_back(m: Mind, card: int) -> None:
    """Change the scene as by putting a card back."""
    if card < TROOPS:
        m.scene[MY_HAND] &= ~(ONE << card)
        m.scene[UNSEEN] |= ONE << card
        m.scene[DECK_LEFT] += 1
    else:
        m.scene[MY_CARDS] &= ~(1 << (card - TROOPS))
        m.scene[TACTICS_LEFT] += 1


@jit
def _card_of(move: int) -> int:
    """Return the card that a move plays or puts back, -1 if none."""
    return move - RETURN if RETURN <= move < USE_DESERTER else card_played(move)


@jit
def _place(w: Ints, m: Mind, me: int, card: int, f: int) -> None:
    """Work out the units of a flag with a card added."""
    facts, mine, theirs = w[FACTS + f], w[SIDE + FLAGS * me + f], w[SIDE + FLAGS * (1 - me) + f]
    if card < TROOPS:
        set_side(w, m, f, mine | ONE << card)
        return
    if card < FOG:
        facts |= 1 << (4 * me + card - TROOPS)
    elif card == FOG:
        facts |= FOG_BIT
    else:
        facts = facts & ~(3 << FIRST) | MUD_BIT
    set_changed_flag(w, m, f, mine, theirs, completed(facts, mine, me) if card < FOG else facts)


@jit
def _take(w: Ints, m: Mind, me: int, move: int, before: int) -> int:
    """Work out the units of the flag that Deserter, Traitor or Redeploy takes a card from; return both as one number.

    before: what was returned last, if its flag is still without its card; else -1.
    """
    card, f, _ = guile_parts(move)
    this = FLAGS * card + f
    if before == this:
        return this
    if before >= 0:
        restore_flag(m, before % FLAGS)
    mine, theirs, facts = _sides_without(w, me, move, card, f)
    set_changed_flag(w, m, f, mine, theirs, facts)
    return this


@jit
def _sides_without(w: Ints, me: int, move: int, card: int, f: int) -> tuple[int, int, int]:
    """Return my side, their side and the facts of a flag that a card was taken from."""
    victim = me if move >= USE_REDEPLOY else 1 - me
    facts, mine, theirs = w[FACTS + f], w[SIDE + FLAGS * me + f], w[SIDE + FLAGS * (1 - me) + f]
    if card >= TROOPS:
        facts &= ~(1 << (4 * victim + card - TROOPS))
    elif victim == me:
        mine &= ~(ONE << card)
    else:
        theirs &= ~(ONE << card)
    if facts >> FIRST & 3 == victim + 1:
        facts &= ~(3 << FIRST)
        if w[FULL + 1 - victim] >> f & 1:
            facts |= (2 - victim) << FIRST
    return mine, theirs, facts


@jit
def _give(w: Ints, m: Mind, me: int, move: int) -> int:
    """Work out the units of the flag that Traitor or Redeploy moves a card to; return it, or DISCARD."""
    card, source, f = guile_parts(move)
    if f == DISCARD:
        return f
    facts, mine, theirs = w[FACTS + f], w[SIDE + FLAGS * me + f], w[SIDE + FLAGS * (1 - me) + f]
    if f == source:
        mine, theirs, facts = _sides_without(w, me, move, card, f)
    if card >= TROOPS:
        facts |= 1 << (4 * me + card - TROOPS)
    else:
        mine |= ONE << card
    set_changed_flag(w, m, f, mine, theirs, completed(facts, mine, me))
    return f


@jit
def _rate_draw(w: Ints, m: Mind, me: int, deck: int) -> float:
    """Return the mean chance over some of the cards that may be on top of a deck."""
    look(w, m, me, WAITS)
    unseen = m.scene[UNSEEN] if deck == 0 else 1023 & ~(m.scene[MY_CARDS] | m.scene[USED])
    count = popcount(unseen)
    if count == 0:
        return 0.0
    tries, total, at, tried = min(DRAWS, count), 0.0, 0, 0
    while unseen:
        card = lowest(unseen)
        unseen &= unseen - 1
        if at * tries // count != (at + 1) * tries // count:
            look(w, m, me, WAITS)
            if deck == 0:
                m.scene[MY_HAND] |= ONE << card
                m.scene[UNSEEN] &= ~(ONE << card)
                m.scene[DECK_LEFT] -= 1
            else:
                m.scene[MY_CARDS] |= 1 << card
                m.scene[TACTICS_LEFT] -= 1
            note_sides(w, m)
            set_flags(w, m)
            total += chance(m)
            tried += 1
        at += 1
    return total / tried
