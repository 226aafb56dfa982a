"""What Battle Line says of a position without searching: the chance of every flag, and the cards that would help."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.games.battleline.page import layout as at
from kibitz.games.battleline.page.picture import BY_VALUE
from kibitz.games.battleline.page.words import listed, name_of
from kibitz.games.battleline.players.deep_barca.chances import game_chance
from kibitz.games.battleline.players.prospects import Outs, Prospects
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import Card, card_name
from kibitz.games.battleline.rules.drawing import below
from kibitz.games.battleline.rules.open_cards import NOBODY
from kibitz.games.battleline.rules.view import BattleLineView, PublicView
from kibitz.picture import Fact, LegendEntry, Overlay, Rect, Shape, Text

_BAR_Y, _BAR_W, _BAR_H = 281.0, 70.0, 15.0
_SIDES = ("first", "second")
MAX_NAMED_CARDS = 6
"""At most this many of the cards that would help are named in a fact."""


def overlay(view: PublicView) -> Overlay:
    """Return the chances of the player below as bars at the flags, and as facts with the cards that would help."""
    if view.result != stages.IN_PROGRESS:
        return Overlay()
    found, me = Prospects(view), below(view)
    chances = found.flags(me)
    flags = [number for number, flag in enumerate(view.flags) if flag.owner == NOBODY]
    name, bars = name_of(view, me), tuple(shape for number in flags for shape in _bar(number, chances[number], me))
    return Overlay(
        over=bars,
        facts=(
            Fact("Game", f"{game_chance(chances):.0%} for {name}, by rule of thumb from the flags"),
            *(Fact(f"Flag {number + 1}", _flag_words(chances[number], found.outs(number, me))) for number in flags),
        ),
        legend=(LegendEntry(tuple(_two_colours(-12, -6, 24, 12, 0.6, me)), f"Chance that {name} will win the flag"),),
        views={BY_VALUE: Overlay(over=bars)} if isinstance(view, BattleLineView) else {},
    )


def _bar(number: int, chance: float, me: int) -> list[Shape]:
    """Return the chance of a flag as a bar in both colours, that of the player below at the left."""
    x = at.column_middle(number)
    bar = _two_colours(x - _BAR_W / 2, _BAR_Y, _BAR_W, _BAR_H, chance, me)
    return [*bar, Text("", "chance", x, _BAR_Y + _BAR_H / 2, f"{chance:.0%}", 13)]


def _two_colours(x: float, y: float, w: float, h: float, chance: float, me: int) -> list[Shape]:
    bar: list[Shape] = [Rect("", f"bar {_SIDES[1 - me]}", x, y, w, h, 3)]
    if chance > 0:
        bar.append(Rect("", f"bar {_SIDES[me]}", x, y, w * chance, h, 3))
    return [*bar, Rect("", "rim", x, y, w, h, 3)]


def _flag_words(chance: float, outs: Outs) -> str:
    words = [f"{chance:.0%}"]
    if outs.wins:
        words.append(f"{_some(outs.wins)} would prove the claim")
    if outs.helps:
        words.append(f"{_some(outs.helps)} would help")
    return "; ".join(words)


def _some(cards: Sequence[Card]) -> str:
    """Return the first of some cards by name, and the number of the others."""
    more = len(cards) - MAX_NAMED_CARDS
    return listed([*map(card_name, cards[:MAX_NAMED_CARDS]), *([f"{more} more"] if more > 0 else [])])
