"""Chance in Battle Line, one card at a time: which cards the deal and a draw may turn up, and what follows.

The order of the cards that nobody has seen decides nothing before one of them is
turned up. So a BattleLineState has them in any order, and the card that chance picks is
taken to the top.
"""

from __future__ import annotations

from dataclasses import replace

from kibitz.core.game import Game, Move, State
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import CARDS, TACTICS, Card, card_text
from kibitz.games.battleline.rules.moves import DRAW, RETURN

OUTCOMES = CARDS
"""Outcomes are numbers of cards."""


def outcome_text(card: Card) -> str:
    """Return the text of an outcome."""
    return card_text(card)


def to_deal(game: Game, dealt: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards that may be dealt after these, ascending; none when both hands are full."""
    assert isinstance(game, BattleLine)
    if len(dealt) == 2 * game.hand_size:
        return ()
    return tuple(card for card in game.cards.troops if card not in dealt)


def deal(game: Game, dealt: tuple[Card, ...]) -> BattleLineState:
    """Return the position after a deal of these cards, the first player's first."""
    assert isinstance(game, BattleLine)
    rest = tuple(card for card in game.cards.troops if card not in dealt)
    return game.deal(dealt + rest, TACTICS if game.tactics else ())


def to_turn_up(state: State, move: Move) -> tuple[Card, ...]:
    """Return the cards of which a move turns up one by chance, ascending; none if it is no draw, or Scout put one back
    that is drawn now.
    """
    assert isinstance(state, BattleLineState)
    if not DRAW <= move < RETURN:
        return ()
    deck = state.decks[move - DRAW]
    return () if {*state.known[0], *state.known[1]}.intersection(deck) else tuple(sorted(deck))


def turn_up(state: State, move: Move, card: Card) -> BattleLineState:
    """Return the position after a draw that turns up this card. Raises IllegalMove."""
    assert isinstance(state, BattleLineState)
    decks = list(state.decks)
    decks[move - DRAW] = (card, *(other for other in decks[move - DRAW] if other != card))
    return replace(state, decks=(decks[0], decks[1])).play(move)


def drawn(before: State, after: State) -> tuple[Card, ...]:
    """Return the cards that came into the mover's hand between two positions, one move apart."""
    assert isinstance(before, BattleLineState)
    assert isinstance(after, BattleLineState)
    me = before.to_move
    return tuple(card for card in after.hands[me] if card not in before.hands[me])
