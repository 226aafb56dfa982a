"""The moves of Battle Line in words, as the page lists and reads them."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.battleline.rules.cards import card_name
from kibitz.games.battleline.rules.moves import (
    CLAIM,
    DISCARD,
    DONE,
    DRAW,
    PASS,
    PLACE,
    RETURN,
    RETURNED,
    USE_DESERTER,
    USE_SCOUT,
    USE_TRAITOR,
    take_apart,
)

DECK_CARDS = ("Troop", "Tactics card")
"""What a card of each deck is called."""
_SINGLE = {USE_SCOUT: "Scout", PASS: "Pass", DONE: "No more claims"}


def label(move: Move) -> str:
    """Return a move, or a public one, in words: "Red 8 to flag 3"."""
    if move >= RETURNED:
        return f"Put back a {DECK_CARDS[move - RETURNED]}"
    kind, card, source, target = take_apart(move)
    if kind in _SINGLE:
        return _SINGLE[kind]
    if kind == CLAIM:
        return f"Claim flag {target + 1}"
    if kind == DRAW:
        return f"Draw a {DECK_CARDS[card]}"
    name = card_name(card)
    if kind == RETURN:
        return f"Put back {name}"
    if kind == PLACE:
        return f"{name[0].upper()}{name[1:]} to flag {target + 1}"
    if kind == USE_DESERTER:
        return f"Deserter: {name} leaves flag {source + 1}"
    where = "is discarded" if target == DISCARD else f"goes to flag {target + 1}"
    return f"{'Traitor' if kind == USE_TRAITOR else 'Redeploy'}: {name} of flag {source + 1} {where}"
