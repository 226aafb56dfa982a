"""The cards of Battle Line: their numbers, texts and names, and how the editions differ.

A Troop has the number 10*colour + value - 1; the colours are r o y g b p. The ten
Tactics follow:

    60 AL  61 DA  62 CC  63 SB     morale: wild cards in a formation
    64 FOG 65 MUD                  environment: lie beside a flag
    66 SCOUT 67 REDEPLOY 68 DESERTER 69 TRAITOR   guile: discarded after use

Knows nothing of flags, hands or turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from kibitz.core.errors import BadText

Card: TypeAlias = int

COLOURS = "roygbp"
COLOUR_NAMES = ("red", "orange", "yellow", "green", "blue", "purple")
MAX_VALUE = 10
"""The highest value of a Troop; an edition may use fewer."""
TROOPS = 60
AL, DA, CC, SB, FOG, MUD, SCOUT, REDEPLOY, DESERTER, TRAITOR = range(TROOPS, TROOPS + 10)
CARDS = TRAITOR + 1
LEADERS = (AL, DA)
MORALE = (AL, DA, CC, SB)
ENVIRONMENT = (FOG, MUD)
GUILE = (SCOUT, REDEPLOY, DESERTER, TRAITOR)
TACTICS = tuple(range(TROOPS, CARDS))

_TACTICS_TEXTS = ("AL", "DA", "CC", "SB", "FOG", "MUD", "SCOUT", "REDEPLOY", "DESERTER", "TRAITOR")
TACTICS_NAMES = (
    "Alexander", "Darius", "Companion Cavalry", "Shield Bearers", "Fog", "Mud",
    "Scout", "Redeploy", "Deserter", "Traitor",
)  # fmt: skip
_TEXTS = tuple(f"{colour}{value}" for colour in COLOURS for value in range(1, 11)) + _TACTICS_TEXTS
_CARD_OF_TEXT = {
    **{text.lower(): card for card, text in enumerate(_TEXTS)},
    **{name.lower(): TROOPS + i for i, name in enumerate(TACTICS_NAMES)},
    **{f"{name} {value}": 10 * c + value - 1 for c, name in enumerate(COLOUR_NAMES) for value in range(1, 11)},
}


@dataclass(frozen=True)
class Edition:
    """The differences between the printed games that share these rules."""

    values: int
    """The highest value: each colour has a Troop of each value from 1 to this."""
    cavalry: int
    """The value of Companion Cavalry."""
    hand: int
    """Cards in a hand without Tactics."""
    hand_with_tactics: int
    claims_at: Literal["end"] | None = None
    """When in a turn flags are claimed; None if an option of the game decides that."""

    @cached_property
    def troops(self) -> tuple[Card, ...]:
        """Return the Troops of this edition, ascending."""
        return tuple(card for card in range(TROOPS) if value_of(card) <= self.values)

    def values_of(self, card: Card) -> tuple[int, ...]:
        """Return the values that a card may have in a formation, ascending: only wild cards have several."""
        if card < TROOPS:
            return (value_of(card),)
        if card in LEADERS:
            return tuple(range(1, self.values + 1))
        return (self.cavalry,) if card == CC else (1, 2, 3)


BATTLE_LINE = Edition(values=10, cavalry=8, hand=7, hand_with_tactics=7)
SCHOTTEN_TOTTEN = Edition(values=9, cavalry=7, hand=6, hand_with_tactics=7, claims_at="end")
EDITIONS = {"battle-line": BATTLE_LINE, "schotten-totten": SCHOTTEN_TOTTEN}


def colour_of(card: Card) -> int:
    """Return the colour of a Troop, an index into COLOURS."""
    return card // 10


def value_of(card: Card) -> int:
    """Return the value of a Troop."""
    return card % 10 + 1


def is_troop(card: Card) -> bool:
    """Return whether a card is a Troop."""
    return card < TROOPS


def card_text(card: Card) -> str:
    """Return the short text of a card: r8, AL, FOG."""
    return _TEXTS[card]


def card_name(card: Card) -> str:
    """Return the name of a card: "red 8", "Companion Cavalry"."""
    return f"{COLOUR_NAMES[colour_of(card)]} {value_of(card)}" if is_troop(card) else TACTICS_NAMES[card - TROOPS]


def parse_card(text: str) -> Card:
    """Parse a card's text or name, in upper or lower case. Raise BadText if there is no such card."""
    card = _CARD_OF_TEXT.get(" ".join(text.lower().split()))
    if card is None:
        raise BadText(
            f"{text.strip()!r} is not a card: Troops are r1 to p10 (colours {' '.join(COLOURS)}), "
            f"Tactics {' '.join(_TACTICS_TEXTS)}."
        )
    return card


def cards_text(cards: Iterable[Card], separator: str = " ") -> str:
    """Return the short texts of cards, joined by a separator."""
    return separator.join(map(card_text, cards))


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards separated by spaces or commas. Raise BadText if one is unknown or named twice."""
    # join names of two words, so that they are not split below
    joined = re.sub(r"(companion|shield)\s+(cavalry|bearers)", r"\1_\2", text, flags=re.IGNORECASE)
    cards = tuple(parse_card(word.replace("_", " ")) for word in re.split(r"[\s,]+", joined.strip()) if word)
    check_distinct(cards)
    return cards


def check_distinct(cards: Iterable[Card], where: str = "") -> None:
    """Raise BadText if a card occurs twice. where: words for the message, such as " in the position"."""
    seen = set[Card]()
    for card in cards:
        if card in seen:
            raise BadText(f"{card_text(card)} is named twice{where}: there is only one {card_name(card)}.")
        seen.add(card)
