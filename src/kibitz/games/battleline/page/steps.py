"""The moves of Battle Line as places to press, one after the other.

    claim 3 | pass | done      one step, at the place whose key is the move
    deck 0                     draw a Troop; deck 1: a Tactics card
    r8, 3                      play a card at a flag
    SCOUT, discard             play Scout
    DESERTER, o5               play Deserter on a card that lies at a flag
    TRAITOR, o5, 3             take it over; so does Redeploy with an own card
    REDEPLOY, r4, discard      take an own card off the table
    r8, deck 0                 put a card back after Scout

Knows keys of places, not where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kibitz.core.game import Move
from kibitz.games.battleline.page.label import label
from kibitz.games.battleline.rules.cards import FOG, MUD, Card, card_text, is_troop
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
    move_text,
    take_apart,
)
from kibitz.picture import Button, LegalMove

_MAX_CACHED_MOVES = 4_000
"""Far more than the legal moves of a game."""


def steps_of(move: Move) -> tuple[str, ...]:
    """Return the keys of the places to press for a move; of a public one that hides a card, its deck."""
    return (f"deck {move - RETURNED}",) if move >= RETURNED else tuple(_steps(move))


def _steps(move: Move) -> Iterator[str]:
    kind, card, source, target = parts = take_apart(move)
    if kind in (CLAIM, PASS, DONE):
        yield move_text(move)
    elif kind == DRAW:
        yield f"deck {card}"
    elif kind == RETURN:
        yield from (card_text(card), f"deck {int(not is_troop(card))}")
    else:
        yield card_text(parts.played)
        if source >= 0:
            yield card_text(card)
        if kind == USE_SCOUT or target == DISCARD:
            yield "discard"
        elif kind != USE_DESERTER:
            yield str(target + 1)


@lru_cache(_MAX_CACHED_MOVES)
def legal_move(move: Move) -> LegalMove:
    """Return a move with its steps, and in words where the places do not say it."""
    text, steps = move_text(move), steps_of(move)
    words = label(move) if len(steps) == 1 else ""
    return LegalMove(text, words, () if steps == tuple(text.split(" > ")) else steps)


def buttons(moves: Iterable[Move]) -> Iterator[Button]:
    """Yield the moves that are offered as buttons too: those of one step, and Scout."""
    for move in moves:
        if move == USE_SCOUT:
            yield Button("Play Scout", move_text(move))
        elif len(steps_of(move)) == 1:
            yield Button(label(move), move_text(move))


def touched(moves: Iterable[Move]) -> tuple[frozenset[Card], frozenset[str]]:
    """Return what public moves have touched: cards, and keys of flags and decks."""
    cards, keys = set[Card](), set[str]()
    for move in moves:
        if move >= RETURNED:
            keys.add(f"deck {move - RETURNED}")
            continue
        kind, card, _, target = parts = take_apart(move)
        if kind == DRAW:
            keys.add(f"deck {card}")
            continue
        if kind == CLAIM or (kind == PLACE and card in (FOG, MUD)):
            keys.add(f"claim {target + 1}")
        cards.update(each for each in (parts.played, card) if each >= 0)
    return frozenset(cards), frozenset(keys)
