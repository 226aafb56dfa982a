"""The moves of Battle Line on the page: in words, and as places to press one after the other.

    claim 3 | pass | done      one step, at the place whose key is the move
    deck 0                     draw a Troop; deck 1: a Tactics card
    r8, 3                      play a card at a flag
    SCOUT, discard             play Scout
    DESERTER, o5               play Deserter on a card that lies at a flag
    TRAITOR, o5, 3             move an opponent's card to flag 3; REDEPLOY, r4, 3: move one's own
    REDEPLOY, r4, discard      discard one's own card
    r8, deck 0                 put a card back after Scout

Knows the keys of places, not their coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kibitz.core.game import Move
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import FOG, MUD, Card, card_name, card_text, is_troop
from kibitz.picture import Button, LegalMove

_MAX_CACHED_MOVES = 4_000
"""Far more than the number of different legal moves in a game."""
DECK_CARDS = ("Troop", "Tactics card")
"""What a card of each deck is called."""
_SINGLE = {numbers.USE_SCOUT: "Scout", numbers.PASS: "Pass", numbers.DONE: "No more claims"}


def label(move: Move) -> str:
    """Return a move in words: "Red 8 to flag 3". The move may be a public one that hides a card."""
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


def steps_of(move: Move) -> tuple[str, ...]:
    """Return the keys of the places to press for a move; for a public move that hides a card, only its deck."""
    return (f"deck {move - numbers.RETURNED}",) if move >= numbers.RETURNED else tuple(_steps(move))


def _steps(move: Move) -> Iterator[str]:
    kind, card, source, target = parts = numbers.take_apart(move)
    if kind in (numbers.CLAIM, numbers.PASS, numbers.DONE):
        yield numbers.move_text(move)
    elif kind == numbers.DRAW:
        yield f"deck {card}"
    elif kind == numbers.RETURN:
        yield from (card_text(card), f"deck {int(not is_troop(card))}")
    else:
        yield card_text(parts.played)
        if source >= 0:
            yield card_text(card)
        if kind == numbers.USE_SCOUT or target == numbers.DISCARD:
            yield "discard"
        elif kind != numbers.USE_DESERTER:
            yield str(target + 1)


@lru_cache(_MAX_CACHED_MOVES)
def legal_move(move: Move) -> LegalMove:
    """Return a move with its steps, left out if its text implies them, and with words if it has only one step."""
    text, steps = numbers.move_text(move), steps_of(move)
    implied_steps = tuple(text.split(" > "))
    words = label(move) if len(steps) == 1 else ""
    return LegalMove(text, words, () if steps == implied_steps else steps)


def buttons(moves: Iterable[Move]) -> Iterator[Button]:
    """Yield buttons for the moves of one step, and for Scout."""
    for move in moves:
        if move == numbers.USE_SCOUT:
            yield Button("Play Scout", numbers.move_text(move))
        elif len(steps_of(move)) == 1:
            yield Button(label(move), numbers.move_text(move))


def touched_by(moves: Iterable[Move]) -> tuple[frozenset[Card], frozenset[str]]:
    """Return the cards that public moves have played or moved, and the keys of the flags and decks they changed."""
    cards, keys = set[Card](), set[str]()
    for move in moves:
        if move >= numbers.RETURNED:
            keys.add(f"deck {move - numbers.RETURNED}")
            continue
        kind, card, _, target = parts = numbers.take_apart(move)
        if kind == numbers.DRAW:
            keys.add(f"deck {card}")
            continue
        if kind == numbers.CLAIM or (kind == numbers.PLACE and card in (FOG, MUD)):
            keys.add(f"claim {target + 1}")
        cards.update(moved for moved in (parts.played, card) if moved >= 0)
    return frozenset(cards), frozenset(keys)
