"""The chance events of Battle Line, one card at a time: the cards a deal or a draw may turn up, and the next state.

The order of unseen cards does not matter until one of them is turned up. So a BattleLineState
may hold them in any order, and the card that chance picks is moved to the top of its deck.
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


def deal_outcomes(game: BattleLine, dealt: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards that may be dealt next, ascending; none once both hands are full. dealt: the cards so far."""
    if len(dealt) == 2 * game.hand_size:
        return ()
    return tuple(card for card in game.cards.troops if card not in dealt)


def deal(game: BattleLine, dealt: tuple[Card, ...]) -> BattleLineState:
    """Return the position after the deal. dealt: the first player's hand, then the second's."""
    rest = tuple(card for card in game.cards.troops if card not in dealt)
    return game.deal(dealt + rest, TACTICS if game.tactics else ())


def move_outcomes(state: BattleLineState, move: Move) -> tuple[Card, ...]:
    """Return the cards that a draw may turn up at random, ascending.

    Empty if the move is not a draw, or if the top card of the deck was put back after Scout and so is not random.
    """
    if not DRAW <= move < RETURN:
        return ()
    deck = state.decks[move - DRAW]
    return () if {*state.known[0], *state.known[1]}.intersection(deck) else tuple(sorted(deck))


def play_with_outcome(state: BattleLineState, move: Move, card: Card) -> BattleLineState:
    """Return the position after a draw that turns up `card`. Raise IllegalMove if the move is not legal."""
    decks = list(state.decks)
    decks[move - DRAW] = (card, *(other for other in decks[move - DRAW] if other != card))
    return replace(state, decks=(decks[0], decks[1])).play(move)


def private_outcomes(before: BattleLineState, after: BattleLineState) -> tuple[Card, ...]:
    """Return the cards that one move added to the mover's hand. before, after: the positions around that move."""
    me = before.to_move
    return tuple(card for card in after.hands[me] if card not in before.hands[me])
