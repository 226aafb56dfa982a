"""The chance events of Battle Line, one card at a time: which cards a deal or a draw may turn up, and what follows.

The order of cards that nobody has seen does not matter until one of them is turned up. So a
BattleLineState may have them in any order, and the card that chance picks is moved to the top.
"""

from __future__ import annotations

from dataclasses import replace

from kibitz.core.game import Move
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import CARDS, TACTICS, Card, card_text
from kibitz.games.battleline.rules.moves import DRAW, RETURN

OUTCOMES = CARDS
"""Outcomes are card numbers."""
outcome_text = card_text


def to_deal(game: BattleLine, dealt: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards that may be dealt after these, ascending; none if both hands are full."""
    if len(dealt) == 2 * game.hand_size:
        return ()
    return tuple(card for card in game.cards.troops if card not in dealt)


def deal(game: BattleLine, dealt: tuple[Card, ...]) -> BattleLineState:
    """Return the position after a deal of these cards, the first player's first."""
    rest = tuple(card for card in game.cards.troops if card not in dealt)
    return game.deal(dealt + rest, TACTICS if game.tactics else ())


def to_turn_up(state: BattleLineState, move: Move) -> tuple[Card, ...]:
    """Return the cards that a move may turn up by chance, ascending.

    None if the move is not a draw, or draws a card that was put back after Scout.
    """
    if not DRAW <= move < RETURN:
        return ()
    deck = state.decks[move - DRAW]
    return () if {*state.known[0], *state.known[1]}.intersection(deck) else tuple(sorted(deck))


def turn_up(state: BattleLineState, move: Move, card: Card) -> BattleLineState:
    """Return the position after a draw that turns up this card. Raise IllegalMove if the move is not legal."""
    decks = list(state.decks)
    decks[move - DRAW] = (card, *(other for other in decks[move - DRAW] if other != card))
    return replace(state, decks=(decks[0], decks[1])).play(move)


def drawn(before: BattleLineState, after: BattleLineState) -> tuple[Card, ...]:
    """Return the cards that came into the mover's hand between two positions, one move apart."""
    me = before.to_move
    return tuple(card for card in after.hands[me] if card not in before.hands[me])
