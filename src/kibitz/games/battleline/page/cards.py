"""The cards of Battle Line as shapes: faces, backs, badges; and what each Tactics card does, in words.

Colours come from board.css, drawings from board.svg. The key of a card is its text wherever
it lies, so that it slides from the hand to its flag. The key of a back does not reveal the card.
"""

from __future__ import annotations

from functools import lru_cache

from kibitz.games.battleline.rules import cards
from kibitz.games.battleline.rules.cards import Card, Edition
from kibitz.picture import Group, Rect, Shape, Text, Use

KINDS = ("troops", "tactics")
"""Style words of the two decks and their backs."""
_LEADER = ("any colour and value, chosen when the flag is claimed", "1–{values}")
_TACTICS = {
    cards.AL: _LEADER,
    cards.DA: _LEADER,
    cards.CC: ("any colour, with the value {cavalry}", "{cavalry}"),
    cards.SB: ("any colour, with the value 1, 2 or 3", "1–3"),
    cards.FOG: ("at this flag only the sums count", ""),
    cards.MUD: ("at this flag four cards make a formation", ""),
    cards.SCOUT: ("take three cards, then put two back, instead of drawing", ""),
    cards.REDEPLOY: ("move one of your cards to another flag, or discard it", ""),
    cards.DESERTER: ("discard a card of your opponent's", ""),
    cards.TRAITOR: ("move a Troop of your opponent's to your side of a flag", ""),
}
"""What each Tactics card does, and its value in a formation. The fields in braces depend on the edition."""
SMALL = "small"
"""The style word of small cards, which show letters instead of the name."""
_MAX_CACHED_CARDS = 4_000
"""Enough for each card of both editions at every place it can lie, highlighted or not."""
BADGE_SIZE = (44.0, 23.0)
"""Width and height of the badge for Fog or Mud at a flag."""
_LONG_TITLE = 8
"""Words with more letters than this are set in smaller type."""


def card_letters(card: Card) -> str:
    """Return the two letters that stand for a Tactics card where its name would be too small: "AL", "Fo"."""
    text = cards.card_text(card)
    return text if card in cards.MORALE else text[:2].capitalize()


def card_words(card: Card, edition: Edition, note: str = "") -> str:
    """Return a card's name, the effect of a Tactics card, and a note: "Red 8 (your side of flag 3)"."""
    name, note = capitalised(cards.card_name(card)), f" ({note})" if note else ""
    about = "" if cards.is_troop(card) else f": {_TACTICS[card][0].format(cavalry=edition.cavalry)}"
    return f"{name}{about}{note}"


def capitalised(words: str) -> str:
    """Capitalise the first letter of a text."""
    return f"{words[0].upper()}{words[1:]}"


@lru_cache(_MAX_CACHED_CARDS)
def face_up(
    card: Card, edition: Edition, x: float, y: float, scale: float = 1, style: str = "", born: str = ""
) -> Group:
    """Return a card face up, with its upper left corner at (x, y)."""
    kind = cards.COLOUR_NAMES[cards.colour_of(card)] if cards.is_troop(card) else "tactics"
    face = _troop(card) if cards.is_troop(card) else _tactics(card, edition)
    return Group(cards.card_text(card), f"card {kind} {style}".rstrip(), x, y, face, scale, born=born)


_PAPER = Use("", "paper", 0, 0, "battleline-paper")


@lru_cache
def _troop(card: Card) -> tuple[Shape, ...]:
    colour, value = cards.COLOUR_NAMES[cards.colour_of(card)], cards.value_of(card)
    return (
        _PAPER,
        Use("", "", 0, 0, f"battleline-band-{colour}"),
        Text("", "figure", 27 if value == 10 else 22, 24, str(value), 33 if value == 10 else 36),
        Use("", "ring", 44, 75, f"battleline-ring-{colour}"),
        Text("", "name", 44, 112, colour, 14.5),
    )


@lru_cache
def _tactics(card: Card, edition: Edition) -> tuple[Shape, ...]:
    icon, words = f"battleline-{cards.card_text(card).lower()}", cards.card_name(card).split()
    size = 14.0 if max(map(len, words)) > _LONG_TITLE else 15.5
    scale, size = (1.2, 12.5) if len(words) > 1 else (1.8, size)
    value = _TACTICS[card][1].format(values=edition.values, cavalry=edition.cavalry)
    return (
        _PAPER,
        Use("", "", 0, 0, "battleline-band"),
        Use("", "icon", 8, 9.5, icon, 1.2),
        *([Text("", "value", 61, 24, value, 18)] if value else []),
        Text("", "letters short", 44, 24, card_letters(card), 36),
        Use("", "icon ink", 44 - 12 * scale, 45, icon, scale),
        *(Text("", "title", 44, 107 - 13 * len(words) + 13 * i, word, size) for i, word in enumerate(words)),
    )


def face_down(key: str, kind: int, x: float, y: float, scale: float = 1, style: str = "", born: str = "") -> Use:
    """Return the back of a Troop (0) or of a Tactics card (1)."""
    return Use(key, f"back {KINDS[kind]} {style}".rstrip(), x, y, f"battleline-back-{KINDS[kind]}", scale, born=born)


@lru_cache
def badge(card: Card, x: float, y: float, style: str = "", born: str = "") -> Group:
    """Return the badge for Fog or Mud at a flag: its name in a box centred at (x, y)."""
    w, h = BADGE_SIZE
    shapes = (Rect("", "disc", -w / 2, -h / 2, w, h, h / 2), Text("", "word", 0, 0, cards.card_name(card), 19))
    return Group(cards.card_text(card), f"badge {style}".rstrip(), x, y, shapes, born=born)
