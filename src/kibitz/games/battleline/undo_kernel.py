"""Taking back moves on a compiled position of Battle Line, with the token that play_kernel.play returned."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import jit
from kibitz.games.battleline.cards import SCOUT, TROOPS
from kibitz.games.battleline.moves import (
    DRAW,
    FLAGS,
    PLACE,
    RETURN,
    USE_DESERTER,
    USE_REDEPLOY,
    USE_SCOUT,
)
from kibitz.games.battleline.moves_kernel import card_played, guile_parts
from kibitz.games.battleline.play_kernel import refresh
from kibitz.games.battleline.proof_kernel import ONE, UNKNOWN
from kibitz.games.battleline.table import GOING_ON
from kibitz.games.battleline.words import (
    DECK,
    DISCARD_TROOPS,
    FACT_BITS,
    FACTS,
    HAND,
    KNOWN,
    KNOWN_TACTICS,
    LEFT,
    OWNED,
    PASSES,
    PLAYED,
    RESULT,
    SEEN,
    SIDE,
    SIZE,
    STAGE,
    TACTICS,
    TACTICS_DECK,
    TOKEN_CARD,
    TOKEN_FACTS,
    TOKEN_FACTS_2,
    TOKEN_KNOWN,
    TOKEN_LEFT,
    TOKEN_PASSES,
    TOKEN_TURN,
    TURN,
)

_FACT_MASK = (1 << FACT_BITS) - 1


def undo(pos: Any, move: int, token: int) -> None:
    """Take a move back."""
    w: Ints = pos.words
    verdicts = pos.verdicts
    w[TURN] -= token >> TOKEN_TURN & 1
    w[STAGE], w[LEFT], w[PASSES] = token & 7, token >> TOKEN_LEFT & 3, token >> TOKEN_PASSES & 3
    w[RESULT] = GOING_ON
    me = w[TURN] & 1
    knew = token >> TOKEN_KNOWN & 3
    facts = token >> TOKEN_FACTS & _FACT_MASK
    for i in range(len(verdicts)):
        verdicts[i] = UNKNOWN
    if move < PLACE:
        w[OWNED + me] ^= 1 << move
        w[FACTS + move] = facts
    elif move < USE_SCOUT:
        card = (move - PLACE) // FLAGS
        f = move - PLACE - FLAGS * card
        w[FACTS + f] = facts
        if card < TROOPS:
            w[SIDE + FLAGS * me + f] ^= ONE << card
            w[SEEN] ^= ONE << card
        _into_hand(w, me, card, knew)
        refresh(w, verdicts, f)
    elif move == USE_SCOUT:
        _into_hand(w, me, SCOUT, knew)
    elif move < DRAW:
        return
    elif move < RETURN:
        _undraw(w, me, token >> TOKEN_CARD & 127, knew)
    elif move < USE_DESERTER:
        _unreturn(w, me, move - RETURN)
    else:
        _unguile(w, verdicts, me, move, token)


@jit
def _into_hand(w: Ints, me: int, card: int, knew: int) -> None:
    """Give a played card back to the hand it came from, and to memory who knew it."""
    if card < TROOPS:
        w[HAND + me] |= ONE << card
        w[KNOWN] |= (ONE * (knew & 1)) << card
        w[KNOWN + 1] |= (ONE * (knew >> 1)) << card
    else:
        bit = 1 << (card - TROOPS)
        w[TACTICS + me] |= bit
        w[PLAYED + me] ^= bit
        w[KNOWN_TACTICS] |= bit * (knew & 1)
        w[KNOWN_TACTICS + 1] |= bit * (knew >> 1)


@jit
def _undraw(w: Ints, me: int, card: int, knew: int) -> None:
    """Put a drawn card back on top of its deck."""
    mine = knew >> me & 1
    if card < TROOPS:
        w[DECK + w[SIZE]] = card
        w[SIZE] += 1
        w[HAND + me] ^= ONE << card
        w[KNOWN + me] |= (ONE * mine) << card
    else:
        w[TACTICS_DECK + w[SIZE + 1]] = card
        w[SIZE + 1] += 1
        w[TACTICS + me] ^= 1 << (card - TROOPS)
        w[KNOWN_TACTICS + me] |= mine << (card - TROOPS)


@jit
def _unreturn(w: Ints, me: int, card: int) -> None:
    """Take a card that was put back into the hand again."""
    if card < TROOPS:
        w[SIZE] -= 1
        w[DECK + w[SIZE]] = -1
        w[HAND + me] |= ONE << card
        w[KNOWN + me] ^= ONE << card
    else:
        w[SIZE + 1] -= 1
        w[TACTICS_DECK + w[SIZE + 1]] = -1
        w[TACTICS + me] |= 1 << (card - TROOPS)
        w[KNOWN_TACTICS + me] ^= 1 << (card - TROOPS)


@jit
def _unguile(w: Ints, verdicts: Any, me: int, move: int, token: int) -> None:
    """Undo Deserter, Traitor or Redeploy."""
    card, source, target = guile_parts(move)
    victim = me if move >= USE_REDEPLOY else 1 - me
    if target < FLAGS:
        if card < TROOPS:
            w[SIDE + FLAGS * me + target] ^= ONE << card
        w[FACTS + target] = token >> TOKEN_FACTS & _FACT_MASK
    elif card < TROOPS:
        w[DISCARD_TROOPS] ^= ONE << card
    if card < TROOPS:
        w[SIDE + FLAGS * victim + source] ^= ONE << card
    w[FACTS + source] = token >> TOKEN_FACTS_2 & _FACT_MASK
    refresh(w, verdicts, source)
    if target < FLAGS:
        refresh(w, verdicts, target)
    _into_hand(w, me, card_played(move), token >> TOKEN_KNOWN & 3)
