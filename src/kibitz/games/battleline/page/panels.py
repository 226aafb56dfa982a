"""What the page of Battle Line shows of a view without a search: the tab "Cards", and the overlay of chances.

The tab shows where every Troop is as far as the viewer knows, and which complete sides can claim their flag. The
overlay shows the chance of every flag by rule of thumb, and the cards that would help.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz import picture as draw
from kibitz.core.game import Player
from kibitz.games.battleline.page import layout as at
from kibitz.games.battleline.page.cards import SMALL, capitalised, card_words, face_up
from kibitz.games.battleline.page.picture import BY_VALUE, PLAYER_STYLES
from kibitz.games.battleline.page.words import card_list_words, list_words, name_of, tactics_words
from kibitz.games.battleline.players.deep_barca.chances import game_chance
from kibitz.games.battleline.players.prospects import PLACES, Outs, Prospects, whereabouts
from kibitz.games.battleline.rules import stages
from kibitz.games.battleline.rules.cards import COLOUR_NAMES, Card, card_name, card_text, colour_of, value_of
from kibitz.games.battleline.rules.drawing import lower_player
from kibitz.games.battleline.rules.formations import Proof
from kibitz.games.battleline.rules.open_cards import NOBODY
from kibitz.games.battleline.rules.view import BattleLineView, PublicView
from kibitz.picture import Note, Overlay, Panel, Picture, Place, Shape

_WHERE = {
    "board": "on the board",
    "discard": "discarded",
    "mine": "in your hand",
    "theirs": "in your opponent's hand",
    "deck": "on top of the deck",
    "unseen": "unseen",
}
assert tuple(_WHERE) == PLACES
_SIGNS: dict[str, Shape] = {
    "discard": draw.Path("", "sign", 0, 0, "M-5-5L5 5M5-5L-5 5"),
    "mine": draw.Circle("", "sign", 0, 0, 5),
    "theirs": draw.Text("", "sign", 0, 0, "!", 20),
    "deck": draw.Path("", "sign", 0, 0, "M-6-4H6L0 6Z"),
}
"""What a cell shows instead of the card's value."""
_WIDTH, _HEAD, _CELL_W, _CELL_H = 400.0, 26.0, 36.0, 32.0
_CARD_SCALE, _CARD_PITCH = 0.5, 50.0
_BAR_Y, _BAR_W, _BAR_H = 281.0, 70.0, 15.0
MAX_NAMED_CARDS = 6
"""Maximum number of helpful cards that a fact names."""
_NO_CLAIMS = (
    "Nobody has a complete side at an open flag. The analysis shows the chance of every flag and the cards that would "
    "help there."
)


def panels(view: PublicView) -> tuple[Panel, ...]:
    """Return the tab "Cards": a table of the Troops, the claims, and the Tactics played."""
    claims = tuple(_claims(view)) or (Note(text=_NO_CLAIMS),)
    me = lower_player(view)
    tactics = " ".join(tactics_words(view, player) for player in (me, 1 - me)) if view.game.tactics else ""
    more = (Note("Tactics"), Note(text=tactics)) if tactics else ()
    return (Panel("Cards", (Note(picture=_card_table(view)), Note("Claims"), *claims, *more)),)


# Where the Troops are


def _card_table(view: PublicView) -> Picture:
    """Return a table of the Troops: a row for each colour, a column for each value, and a legend below."""
    place_of = whereabouts(view)
    shapes = [draw.Group(card_text(card), *_cell(card, place)) for card, place in place_of.items()]
    places = [_cell_place(card, place) for card, place in place_of.items()]
    shown = [place for place in PLACES if place in place_of.values()]
    legend = [draw.Group(place, "", *_legend_entry(i, place)) for i, place in enumerate(shown)]
    height = _HEAD + len(COLOUR_NAMES) * _CELL_H + 12 + (len(shown) + 1) // 2 * 28
    ground: list[Shape] = [
        draw.Text("", "caption", _HEAD + _CELL_W * (value - 0.5), _HEAD / 2, str(value), 15)
        for value in range(1, view.game.cards.values + 1)
    ]
    for i, colour in enumerate(COLOUR_NAMES):
        ground.append(draw.Use("", f"suit {colour}", _HEAD / 2 - 2, _row_y(i), f"battleline-{colour}", 9))
    label = f"Where the Troops are: {sum(place == 'unseen' for place in place_of.values())} are unseen"
    return Picture((0, 0, _WIDTH, height), tuple(ground), (*shapes, *legend), tuple(places), label=label)


def _row_y(row: int) -> float:
    return _HEAD + _CELL_H * (row + 0.5)


def _cell(card: Card, place: str) -> tuple[str, float, float, tuple[Shape, ...]]:
    """Return the style, the middle (x, y) and the shapes of a card's cell."""
    style = f"cell {place} {COLOUR_NAMES[colour_of(card)]}"
    x = _HEAD + _CELL_W * (value_of(card) - 0.5)
    return style, x, _row_y(colour_of(card)), _cell_shapes(place, str(value_of(card)))


def _cell_shapes(place: str, value: str) -> tuple[Shape, ...]:
    w, h = _CELL_W - 4, _CELL_H - 4
    return (
        draw.Rect("", "box", -w / 2, -h / 2, w, h, 4),
        _SIGNS.get(place) or draw.Text("", "figure", 0, 0, value, 18),
    )


def _cell_place(card: Card, place: str) -> Place:
    _, x, y, _ = _cell(card, place)
    return Place(card_text(card), x, y, _CELL_W, _CELL_H, f"{capitalised(card_name(card))}: {_WHERE[place]}")


def _legend_entry(i: int, place: str) -> tuple[float, float, tuple[Shape, ...]]:
    """Return the position (x, y) and the shapes of entry i of the legend, which has two entries in a row."""
    column, row = i % 2, i // 2
    y = _HEAD + len(COLOUR_NAMES) * _CELL_H + 26 + 28 * row
    sample = draw.Group("", f"cell {place} blue", 0, 0, _cell_shapes(place, "5"), 0.8)
    return 20 + 200 * column, y, (sample, draw.Text("", "words", 22, 0, _WHERE[place], 16))


# Which sides can claim


def _claims(view: PublicView) -> Iterator[Note]:
    me = lower_player(view)
    for number, flag in enumerate(view.flags):
        for player in (me, 1 - me):
            if flag.owner == NOBODY and flag.is_complete(player):
                is_second = player != me and flag.is_complete(me)
                yield _claim_note(view, "" if is_second else f"Flag {number + 1}", player, view.proof(number, player))


def _claim_note(view: PublicView, title: str, player: Player, proof: Proof) -> Note:
    """Return a note on whether a player can claim a flag, with the proof or the counter-example. title: the flag."""
    name = name_of(view, player)
    verdict = f"{capitalised(name)} {'can' if proof.claim else 'cannot'} claim it with {proof.mine}."
    tone = "" if not proof.claim else "good" if player == lower_player(view) else "bad"
    if not proof.cards:
        return Note(title, proof.why, tone, lead=verdict)
    row_title = "Best for the other side" if proof.claim else "Would beat it"
    return Note(title, proof.why, tone, _card_row(view, row_title, proof.cards), verdict)


def _card_row(view: PublicView, title: str, cards: tuple[Card, ...]) -> Picture:
    """Return a picture of a few cards side by side, with a title on the left."""
    edition, shapes, places = view.game.cards, list[Shape](), list[Place]()
    left = _WIDTH - _CARD_PITCH * len(cards)
    for i, card in enumerate(cards):
        x = left + i * _CARD_PITCH
        shapes.append(face_up(card, edition, x, 2, _CARD_SCALE, SMALL))
        label = card_words(card, edition)
        places.append(Place(card_text(card), x + 22, 33, _CARD_SCALE * at.CARD_W, _CARD_SCALE * at.CARD_H, label))
    ground = (draw.Text("", "words", 0, 33, title, 17),)
    return Picture((0, 0, _WIDTH, 68), ground, tuple(shapes), tuple(places), label=f"{title}: {card_list_words(cards)}")


# The overlay


def overlay(view: PublicView) -> Overlay:
    """Return the lower player's chances as bars at the flags, and as facts with the cards that would help."""
    if view.result != stages.IN_PROGRESS:
        return Overlay()
    prospects, me = Prospects(view), lower_player(view)
    chances = prospects.flag_chances(me)
    flags = [number for number, flag in enumerate(view.flags) if flag.owner == NOBODY]
    name, bars = name_of(view, me), tuple(shape for number in flags for shape in _bar(number, chances[number], me))
    facts = [draw.Fact("Game", f"{game_chance(chances):.0%} for {name}, by rule of thumb from the flags")]
    for number in flags:
        facts.append(draw.Fact(f"Flag {number + 1}", _flag_words(chances[number], prospects.outs(number, me))))
    sample = tuple(_two_colours(-12, -6, 24, 12, 0.6, me))
    legend = (draw.LegendEntry(sample, f"Chance that {name} will win the flag"),)
    views = {BY_VALUE: Overlay(over=bars)} if isinstance(view, BattleLineView) else {}
    return Overlay(over=bars, facts=tuple(facts), legend=legend, views=views)


def _bar(number: int, chance: float, me: int) -> list[Shape]:
    """Return the chance to win a flag as a bar in both players' colours, the lower player's on the left."""
    x = at.column_middle(number)
    bar = _two_colours(x - _BAR_W / 2, _BAR_Y, _BAR_W, _BAR_H, chance, me)
    return [*bar, draw.Text("", "chance", x, _BAR_Y + _BAR_H / 2, f"{chance:.0%}", 13)]


def _two_colours(x: float, y: float, w: float, h: float, chance: float, me: int) -> list[Shape]:
    bar: list[Shape] = [draw.Rect("", f"bar {PLAYER_STYLES[1 - me]}", x, y, w, h, 3)]
    if chance > 0:
        bar.append(draw.Rect("", f"bar {PLAYER_STYLES[me]}", x, y, w * chance, h, 3))
    return [*bar, draw.Rect("", "rim", x, y, w, h, 3)]


def _flag_words(chance: float, outs: Outs) -> str:
    wins = [f"{_first_names(outs.wins)} would prove the claim"] if outs.wins else []
    helps = [f"{_first_names(outs.helps)} would help"] if outs.helps else []
    return "; ".join([f"{chance:.0%}", *wins, *helps])


def _first_names(cards: Sequence[Card]) -> str:
    """Return the names of the first MAX_NAMED_CARDS cards and the number of the others, as a list in words."""
    more = len(cards) - MAX_NAMED_CARDS
    return list_words([*map(card_name, cards[:MAX_NAMED_CARDS]), *([f"{more} more"] if more > 0 else [])])
