"""Where things lie on the table of Battle Line, in the units of the picture: a card in the hand is 88 by 124.

    strip    the opponent's hand, the discard pile and the decks, above the felt
    felt     802 by 500: the opponent's sides, the row of flags, the lower player's sides
    hand     the lower player's hand, under the felt

Knows coordinates only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kibitz.picture import Frame

CARD_W, CARD_H = 88.0, 124.0
FELT_W, FELT_H = 802.0, 500.0
FLAG_ROW_Y, FLAG_ROW_H = 204.0, 92.0
SIDE_W, SIDE_H = 78.0, 190.0
SIDE_TOPS = (14.0, 296.0)
"""The y of the upper edges of the sides above and below the flags."""
FLAG_Y, FLAG_H = 223.0, 54.0
FLAG_SHIFT = 15.0
"""How far a claimed flag moves towards its owner."""
BADGE_YS = (215.0, 275.0)
"""The y of the middle of the Fog and Mud badges: at the upper edge of a flag, or below one that moved up."""
CLAIM_MARK_DX, CLAIM_MARK_Y = 43.5, 233.0
"""Where a claim is marked: between two flags, so that the number and the word "Claim" stay readable."""
STRIP_Y, STRIP_SCALE = -71.0, 0.5
STRIP_H = STRIP_SCALE * CARD_H
HAND_Y = 514.0
HAND_MARK_DY = 68.0
"""Distance from the top of a card in the hand to the middle of its mark, so that value and name stay readable."""
FRAME: Frame = (-2, -75, FELT_W + 4, 717)

DISCARD_X, DISCARD_W = 388.0, 168.0
BUTTON = (556.0, -40.0, 84.0, 34.0)
"""Middle (x, y), width and height of the button for Pass or Done."""
_HAND_PITCH, _THEIR_PITCH, _MAX_DISCARD_PITCH = 98.0, 40.0, 46.0
_DECK_XS = (616.0, 714.0)
DECK_TEXT_DX = 67.0
"""Distance from the left edge of a deck to the middle of the text beside it."""
_FIRST_COLUMN, _COLUMN_PITCH = 14.0, 87.0
_SHOWN = 40 / SIDE_W
"""The visible part of a covered card, in card widths."""


@dataclass(frozen=True, slots=True)
class Pile:
    """How the cards of a side overlap."""

    scale: float
    dx: float
    """Distance from the left edge of the column to the left edge of the cards."""
    step: float
    """Distance from the top of one card to the top of the next."""

    @property
    def w(self) -> float:
        """Width of a card."""
        return self.scale * CARD_W

    @property
    def h(self) -> float:
        """Height of a card."""
        return self.scale * CARD_H

    def bottom(self, cards: int) -> float:
        """Return the distance from the top of a side to the lower edge of its pile. cards: their number."""
        return (cards - 1) * self.step + self.h if cards else 0.0


def _pile(cap: int) -> Pile:
    """Return the pile that fits this many cards into a side; with Mud, all cards are smaller."""
    # all cards but the last are covered, except for the part _SHOWN
    w = min(SIDE_W, SIDE_H / ((cap - 1) * _SHOWN + CARD_H / CARD_W))
    return Pile(w / CARD_W, (SIDE_W - w) / 2, _SHOWN * w)


PILES = {cap: _pile(cap) for cap in (3, 4)}


def column_x(flag: int) -> float:
    """Return the left edge of a flag's column."""
    return _FIRST_COLUMN + _COLUMN_PITCH * flag


def column_middle(flag: int) -> float:
    """Return the middle of a flag's column."""
    return column_x(flag) + SIDE_W / 2


def hand_xs(cards: int, places: int) -> Iterator[float]:
    """Yield the left edge of each card in the hand below the felt, a centred row of at least `places` places."""
    places = max(cards, places)
    pitch = min(_HAND_PITCH, (FELT_W - CARD_W) / max(places - 1, 1))
    left = (FELT_W - CARD_W - (places - 1) * pitch) / 2
    return (left + i * pitch for i in range(cards))


def their_card_x(place: int) -> float:
    """Return the left edge of a card in the opponent's hand, above the felt. place: counted from the left."""
    return place * _THEIR_PITCH


def discard_pitch(cards: int) -> float:
    """Return the distance between cards of the discard pile, which overlap if there are many."""
    return min(DISCARD_W / max(cards - 1, 1), _MAX_DISCARD_PITCH)


def deck_x(deck: int, decks: int) -> float:
    """Return the left edge of a deck; a single deck lies at the right. decks: the number of decks in play."""
    return _DECK_XS[deck - decks]
