"""The moves of Battle Line in words, as the page lists and reads them."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import card_name

DECK_CARDS = ("Troop", "Tactics card")
"""What a card of each deck is called."""
_SINGLE = {numbers.USE_SCOUT: "Scout", numbers.PASS: "Pass", numbers.DONE: "No more claims"}


def label(move: Move) -> str:
    """Return a move, or a public one, in words: "Red 8 to flag 3"."""
    if move >= numbers.RETURNED:
        return f"Put back a {DECK_CARDS[move - numbers.RETURNED]}"
    kind, card, source, target = numbers.take_apart(move)
    if kind in _SINGLE:
        return _SINGLE[kind]
    if kind == numbers.CLAIM:
        return f"Claim flag {target + 1}"
    if kind == numbers.DRAW:
        return f"Draw a {DECK_CARDS[card]}"
    name = card_name(card)
    if kind == numbers.RETURN:
        return f"Put back {name}"
    if kind == numbers.PLACE:
        return f"{name[0].upper()}{name[1:]} to flag {target + 1}"
    if kind == numbers.USE_DESERTER:
        return f"Deserter: {name} leaves flag {source + 1}"
    where = "is discarded" if target == numbers.DISCARD else f"goes to flag {target + 1}"
    return f"{'Traitor' if kind == numbers.USE_TRAITOR else 'Redeploy'}: {name} of flag {source + 1} {where}"
