"""Moves of Battle Line taken apart, compiled: the twin of moves.take_apart, as far as kernels need it."""

from __future__ import annotations

from kibitz.compiled.jit import jit
from kibitz.games.battleline.rules.cards import DESERTER, REDEPLOY, SCOUT, TRAITOR
from kibitz.games.battleline.rules.moves import (
    DISCARD,
    FLAGS,
    PLACE,
    USE_DESERTER,
    USE_REDEPLOY,
    USE_SCOUT,
    USE_TRAITOR,
)


@jit
def card_played(move: int) -> int:
    """Return the card that leaves the hand by a move, -1 if none does or it is put back."""
    if PLACE <= move < USE_SCOUT:
        return (move - PLACE) // FLAGS
    if move == USE_SCOUT:
        return SCOUT
    if move < USE_DESERTER:
        return -1
    return DESERTER if move < USE_TRAITOR else (TRAITOR if move < USE_REDEPLOY else REDEPLOY)


@jit
def guile_parts(move: int) -> tuple[int, int, int]:
    """Return what Deserter, Traitor or Redeploy moves: the card, from which flag, to which or DISCARD."""
    if move < USE_TRAITOR:
        rest, target = move - USE_DESERTER, DISCARD
    elif move < USE_REDEPLOY:
        rest = (move - USE_TRAITOR) // FLAGS
        target = move - USE_TRAITOR - FLAGS * rest
    else:
        rest = (move - USE_REDEPLOY) // (FLAGS + 1)
        target = move - USE_REDEPLOY - (FLAGS + 1) * rest
    card = rest // FLAGS
    return card, rest - FLAGS * card, target
