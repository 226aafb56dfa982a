"""The parts of a move of Battle Line, compiled: the twin of rules.moves.take_apart, as far as kernels need it."""

from __future__ import annotations

from kibitz.compiled.jit import jit
from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.moves import FLAGS


@jit
def card_played(move: int) -> int:
    """Return the card that leaves the hand by a move; -1 if none does, or if it is put back."""
    if numbers.PLACE <= move < numbers.USE_SCOUT:
        return (move - numbers.PLACE) // FLAGS
    if move == numbers.USE_SCOUT:
        return cards.SCOUT
    if move < numbers.USE_DESERTER:
        return -1
    if move < numbers.USE_TRAITOR:
        return cards.DESERTER
    return cards.TRAITOR if move < numbers.USE_REDEPLOY else cards.REDEPLOY


@jit
def place_parts(move: int) -> tuple[int, int]:
    """Return the card that a move places and the flag."""
    card = (move - numbers.PLACE) // FLAGS
    return card, move - numbers.PLACE - FLAGS * card


@jit
def guile_parts(move: int) -> tuple[int, int, int]:
    """Return what Deserter, Traitor or Redeploy moves: the card, from which flag, to which or DISCARD."""
    if move < numbers.USE_TRAITOR:
        rest, target = move - numbers.USE_DESERTER, numbers.DISCARD
    elif move < numbers.USE_REDEPLOY:
        rest = (move - numbers.USE_TRAITOR) // FLAGS
        target = move - numbers.USE_TRAITOR - FLAGS * rest
    else:
        rest = (move - numbers.USE_REDEPLOY) // (FLAGS + 1)
        target = move - numbers.USE_REDEPLOY - (FLAGS + 1) * rest
    card = rest // FLAGS
    return card, rest - FLAGS * card, target
