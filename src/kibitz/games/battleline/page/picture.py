"""The table of Battle Line as a picture: nine flags on felt, the viewer's hand below, the opponent's cards above.

Painted from a view alone; both hands are face up only if the complete state of a finished
game is given. Shapes are listed from bottom to top, and keys do not depend on the side
from which the table is seen:

    r8, FOG         a card, wherever it lies        claim 3    a flag, pressed to claim it
    3               a column, pressed to play       deck 0     Troops; deck 1: Tactics
    theirs 0 2      the third unknown Troop of the opponent; own 1 0: for a spectator, the first
                    Tactics card of the lower player
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from kibitz.core.game import Move, Player
from kibitz.games.battleline.page import layout as at
from kibitz.games.battleline.page import words
from kibitz.games.battleline.page.cards import BADGE_SIZE, SMALL, badge, card_words, face_down, face_up
from kibitz.games.battleline.page.steps import buttons, legal_move, steps_of, touched_by
from kibitz.games.battleline.rules import BattleLineState, stages
from kibitz.games.battleline.rules.cards import FOG, MUD, Card, card_text, colour_of, is_troop, value_of
from kibitz.games.battleline.rules.drawing import lower_player
from kibitz.games.battleline.rules.moves import CLAIM, DONE, PASS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView
from kibitz.picture import Circle, Group, Path, Picture, Place, Rect, Shape, Text, Use

BY_VALUE = "Sort hand by value"
"""The label of the view in which the hand is sorted by value; by default it is sorted by colour."""
_Order: TypeAlias = Callable[[Card], tuple[int, int]]
"""A sort key for the cards of a hand."""
PLAYER_STYLES = ("first", "second")
"""The style word of each player."""
_SIGNS = ("battleline-cross", "battleline-nought")
_CLOTH = "M-21 0H21V44L0 54L-21 44Z"
_RIBBON_H = 19.0
_PILL_W = 64.0
_MARK_ROOM = 30.0
"""A mark needs this much free height on the felt; otherwise it lies on the lowest card."""


def paint(
    view: PublicView, last: Sequence[Move] = (), whole: BattleLineState | None = None, below: Player | None = None
) -> Picture:
    """Return the picture of a view.

    last: the public moves to highlight. whole: the state of a finished game, to show both hands face up. below: the
    player whose side a spectator sees below the flags; None for the first.
    """
    painter = _Painter(view, last, whole, lower_player(view) if below is None else below)
    picture = painter.paint(_by_colour)
    if not isinstance(view, BattleLineView):
        return picture
    return replace(picture, views={BY_VALUE: painter.paint(_by_value)})


def _by_colour(card: Card) -> tuple[int, int]:
    return (0, card)


def _by_value(card: Card) -> tuple[int, int]:
    return (value_of(card), colour_of(card)) if is_troop(card) else (99, card)


class _Painter:
    """Paints the table as one viewer sees it."""

    def __init__(self, view: PublicView, last: Sequence[Move], whole: BattleLineState | None, me: Player) -> None:
        self.view, self.edition, self.me = view, view.game.cards, me
        self.moves = view.legal_moves()
        self.last_cards, self.last_keys = touched_by(last)
        hands = whole.hands if whole is not None else None
        self.hand = hands[self.me] if hands else view.hand if isinstance(view, BattleLineView) else None
        self.theirs = hands[1 - self.me] if hands else view.known if isinstance(view, BattleLineView) else ()
        self.shapes: list[Shape] = []
        self.places: list[Place] = []

    def paint(self, order: _Order) -> Picture:
        """Return the picture with the hand sorted by this key."""
        if not self.shapes:
            self._paint_table()
        shapes, places = self._hand(order)
        return Picture(
            frame=at.FRAME,
            ground=_ground(1 + self.view.game.tactics),
            shapes=(*self.shapes, *shapes),
            places=(*self.places, *places),
            moves=tuple(map(legal_move, self.moves)),
            buttons=tuple(buttons(self.moves)),
            label=words.table_words(self.view, self.me),
            prompt=words.prompt(self.view),
        )

    def _paint_table(self) -> None:
        for number, flag in enumerate(self.view.flags):
            self._column(number, flag)
        for number, flag in enumerate(self.view.flags):
            for player in (1 - self.me, self.me):
                self._side(number, flag, player)
        for number, flag in enumerate(self.view.flags):
            self._flag(number, flag)
        self._discards()
        for deck in range(1 + self.view.game.tactics):
            self._deck(deck)
        self._their_hand()
        self._pass_or_done()

    def _style(self, key: str) -> str:
        return "last" if key in self.last_keys else ""

    def _card(self, card: Card, x: float, y: float, scale: float, style: str = "", born: str = "") -> Group:
        if card in self.last_cards:
            style = f"{style} last".lstrip()
        return face_up(card, self.edition, round(x, 2), round(y, 2), scale, style, born)

    def _origin(self, player: Player) -> str:
        """Return the key of the hand that a player's card slides in from; empty if the viewer saw it there."""
        if player != self.me:
            return "their hand"
        return "" if self.hand is not None else "own hand"

    def _played_by(self, card: Card) -> Player:
        return next((player for player in (0, 1) if card in self.view.played[player]), self.me)

    # The felt

    def _column(self, number: int, flag: Flag) -> None:
        key, x = str(number + 1), at.column_x(number)
        style = "slots" if flag.owner == NOBODY else "slots claimed"
        if flag.fog:  # below the slots, so that the haze does not dim slots that can be pressed
            self.shapes.append(Rect(f"haze {key}", "haze fill", x - 4, 8, at.SIDE_W + 8, at.FELT_H - 16, 8))
        for each, top in zip((f"slots {key}", key), at.SIDE_TOPS, strict=True):
            self.shapes.append(Use(each, style, x, top, f"battleline-slots-{flag.cap}"))
        lying = at.PILES[flag.cap].bottom(len(flag.sides[self.me]))
        free = at.SIDE_H - lying
        mark = at.SIDE_TOPS[1] + (lying + free / 2 if free > _MARK_ROOM else at.SIDE_H - _MARK_ROOM / 2)
        top, bottom = at.FLAG_Y - 6, at.SIDE_TOPS[1] + at.SIDE_H
        middle = at.column_middle(number)
        label = words.flag_words(self.view, number, self.me)
        w, h, walk = at.SIDE_W + 6, bottom - top, (middle, at.SIDE_TOPS[1] + at.SIDE_H / 2)
        mark_at = (middle, round(mark, 1))
        self.places.append(Place(key, middle, (top + bottom) / 2, w, h, label, walk=walk, mark=mark_at))

    def _side(self, number: int, flag: Flag, player: Player) -> None:
        pile, cards = at.PILES[flag.cap], flag.sides[player]
        x, top = at.column_x(number), at.SIDE_TOPS[player == self.me]
        where = f"{words.possessive(self.view, player)} side of flag {number + 1}"
        prompt = "choose a flag, or the discard pile" if player == self.me else "choose a flag"
        for i, card in enumerate(cards):
            y = top + i * pile.step
            self.shapes.append(self._card(card, x + pile.dx, y, pile.scale, born=self._origin(player)))
            h = pile.h if i == len(cards) - 1 else pile.step
            label = card_words(card, self.edition, where)
            self.places.append(Place(card_text(card), x + at.SIDE_W / 2, y + h / 2, pile.w, h, label, prompt=prompt))
        if flag.owner not in (NOBODY, player):
            self.shapes.append(Rect(f"veil {number + 1}", "veil fill", x - 2, top - 2, at.SIDE_W + 4, at.SIDE_H + 5, 8))
        self._score_ribbon(number, flag, player, x + pile.dx, top + pile.bottom(flag.cap))

    def _score_ribbon(self, number: int, flag: Flag, player: Player, x: float, bottom: float) -> None:
        """Show the score of a complete side at the lower edge of its last card, in a short form on narrow screens."""
        score = words.side_score(flag, player, self.edition)
        if score is None:
            return
        scale = at.PILES[flag.cap].w / at.SIDE_W
        shapes: tuple[Shape, ...] = (
            Use("", "ribbon long", 0, 0, "battleline-ribbon"),
            Text("", "worth long", 39, 9.5, str(score), 13),
            Use("", "ribbon short", 0, 0, "battleline-tall-ribbon"),
            Text("", "worth short", 39, 4, score.short, 27),
        )
        if words.was_completed_first(flag, player):
            shapes += (Circle("", "earlier", 71, -12, 9), Text("", "earlier", 71, -12, "1", 13))
        self.shapes.append(Group(f"worth {number + 1} {player}", "", x, bottom - _RIBBON_H * scale, shapes, scale))

    def _flag(self, number: int, flag: Flag) -> None:
        key, x = f"claim {number + 1}", at.column_middle(number)
        shift = 0.0 if flag.owner == NOBODY else at.FLAG_SHIFT if flag.owner == self.me else -at.FLAG_SHIFT
        cloth: list[Shape] = [Path("", "cloth", 0, 0, _CLOTH)]
        label, style = f"Flag {number + 1}", f"flag {self._style(key)}".rstrip()
        if flag.owner == NOBODY:
            cloth.append(Text("", "number", 0, 24, str(number + 1), 27))
        else:
            cloth += [Text("", "number", 0, 20, str(number + 1), 25), Use("", "sign", 0, 40, _SIGNS[flag.owner])]
            style = f"{style} {PLAYER_STYLES[flag.owner]}"
            label += f", claimed by {words.name_of(self.view, flag.owner)}"
        self.shapes.append(Group(key, style, x, at.FLAG_Y + shift, tuple(cloth)))
        mark = (x + at.CLAIM_MARK_DX, at.CLAIM_MARK_Y)
        self.places.append(Place(key, x, at.FLAG_Y + at.FLAG_H / 2 + shift, 60, 60, label, mark=mark))
        y = at.BADGE_YS[shift < 0]
        for card, is_here, dx in ((FOG, flag.fog, 22 * flag.mud), (MUD, flag.mud, -22 * flag.fog)):
            if is_here:
                style = "last" if card in self.last_cards else ""
                self.shapes.append(badge(card, x + dx, y, style, self._origin(self._played_by(card))))
                self.places.append(Place(card_text(card), x + dx, y, *BADGE_SIZE, card_words(card, self.edition)))
        if CLAIM + number in self.moves:
            self.shapes.append(Group(f"pill {number + 1}", "drop", x, at.FLAG_Y + 49, _pill("Claim")))

    # Above the felt

    def _discards(self) -> None:
        cards = self.view.discards
        pitch = at.discard_pitch(len(cards))
        for i, card in enumerate(cards):
            x, born = at.DISCARD_X + i * pitch, self._origin(self._played_by(card))
            self.shapes.append(self._card(card, x, at.STRIP_Y, at.STRIP_SCALE, SMALL, born))
        w = at.STRIP_SCALE * at.CARD_W + max(len(cards) - 1, 0) * pitch
        label = f"Discard pile: {words.card_list_words(cards, 'empty')}"
        self.places.append(Place("discard", at.DISCARD_X + w / 2, at.STRIP_Y + at.STRIP_H / 2, w, at.STRIP_H, label))

    def _deck(self, deck: int) -> None:
        key, left, x = f"deck {deck}", self.view.sizes[deck], at.deck_x(deck, 1 + self.view.game.tactics)
        if left:
            backs = tuple(face_down("", deck, -d, -d) for d in (4, 2, 0)[-left:])
            style = f"deck {self._style(key)}".rstrip()
            self.shapes.append(Group(key, style, x, at.STRIP_Y, backs, at.STRIP_SCALE))
        top = self.view.top[deck] if isinstance(self.view, BattleLineView) else ()
        for i, card in reversed(list(enumerate(top))):
            self.shapes.append(self._card(card, x - 20 * i, at.STRIP_Y, at.STRIP_SCALE, f"{SMALL} known"))
        text_x, w = x + at.DECK_TEXT_DX, at.STRIP_SCALE * at.CARD_W
        self.shapes.append(Text(f"left {deck}", "count", text_x, at.STRIP_Y + 24, str(left), 24))
        label, wide, middle = words.deck_words(self.view, deck), at.DECK_TEXT_DX + 20, at.STRIP_Y + at.STRIP_H / 2
        self.places.append(Place(key, x + wide / 2, middle, wide, at.STRIP_H, label, mark=(x + w / 2, middle)))

    def _their_hand(self) -> None:
        """Show the opponent's hand: known cards face up, the others as backs."""
        player = 1 - self.me
        held = self.view.held[player]
        y, middle = at.STRIP_Y, at.STRIP_Y + at.STRIP_H / 2
        w = max(at.their_card_x(sum(held)) + 4, 40)
        self.places.append(Place("their hand", w / 2, middle, w, at.STRIP_H, words.hand_words(self.view, player)))
        where = f"in {words.possessive(self.view, player)} hand"
        style = f"{SMALL} known" if len(self.theirs) < sum(held) else SMALL
        for i, card in enumerate(self.theirs):
            x = at.their_card_x(i)
            self.shapes.append(self._card(card, x, y, at.STRIP_SCALE, style, born=_deck_of(card)))
            label = card_words(card, self.edition, where)
            self.places.append(Place(card_text(card), x + 22, middle, 40, at.STRIP_H, label))
        locked = self._is_locked(player)
        place = len(self.theirs)
        for kind in (0, 1):
            for i in range(held[kind] - sum(is_troop(card) == (kind == 0) for card in self.theirs)):
                key, style, x = f"theirs {kind} {i}", "locked" if kind and locked else "", at.their_card_x(place)
                self.shapes.append(face_down(key, kind, x, y, at.STRIP_SCALE, style, f"deck {kind}"))
                place += 1
        if locked and held[1]:
            self.shapes.append(Use("their lock", "lock", at.their_card_x(place) - 18, middle, "battleline-lock", 1.1))

    def _is_locked(self, player: Player) -> bool:
        """Return whether a player holds Tactics but may not play any before the opponent does."""
        return self.view.held[player][1] > 0 and words.must_wait(self.view, player)

    def _pass_or_done(self) -> None:
        """Show the button for Pass or Done if that move is legal."""
        x, y, w, h = at.BUTTON
        for move, caption in ((PASS, "Pass"), (DONE, "Done")):
            if move in self.moves:
                key = caption.lower()
                self.shapes.append(Group(key, "drop", x, y, _pill(caption), w / _PILL_W))
                self.places.append(Place(key, x, y, w, h, "Pass" if move == PASS else "No more claims"))

    # Below the felt

    def _hand_xs(self, cards: int) -> Iterator[float]:
        """Yield the left edge of each card of a hand, leaving room for the cards still to be drawn."""
        return at.hand_xs(cards, min(self.view.game.hand_size, cards + sum(self.view.sizes)))

    def _hand(self, order: _Order) -> tuple[list[Shape], list[Place]]:
        """Return the shapes and places of the lower player's hand: face up, or backs for a spectator."""
        shapes, places = list[Shape](), list[Place]()
        y, middle = at.HAND_Y, at.HAND_Y + at.CARD_H / 2
        if self.hand is None:
            held = self.view.held[self.me]
            kinds = [(kind, i) for kind in (0, 1) for i in range(held[kind])]
            for x, (kind, i) in zip(self._hand_xs(len(kinds)), kinds, strict=True):
                shapes.append(face_down(f"own {kind} {i}", kind, x, y, born=f"deck {kind}"))
            label = words.hand_words(self.view, self.me)
            return shapes, [Place("own hand", at.FELT_W / 2, middle, 700, at.CARD_H, label)]
        playable = {steps_of(move)[0] for move in self.moves} if self.view.stage == stages.PLAY and self.moves else None
        locked = self._is_locked(self.me)
        xs = dict(zip(sorted(self.hand, key=order), self._hand_xs(len(self.hand)), strict=True))
        for card in self.hand:  # not in sorted order, so that shapes have the same order in all views
            key, x = card_text(card), xs[card]
            is_playable = playable is None or key in playable
            shapes.append(self._card(card, x, y, 1, "held" if is_playable else "held idle", born=_deck_of(card)))
            if locked and not is_troop(card):
                shapes.append(Use(f"lock {key}", "lock", x + 75, y + 58, "battleline-lock"))
            label = words.hand_card_words(card, self.edition, is_playable, locked)
            prompt, mark = words.card_prompt(self.view, card), (x + 44, y + at.HAND_MARK_DY)
            places.append(Place(key, x + 44, middle, 94, at.CARD_H, label, prompt=prompt, mark=mark))
        return shapes, places


@lru_cache
def _pill(caption: str) -> tuple[Shape, ...]:
    return (Use("", "pill-ground", 0, 0, "battleline-pill"), Text("", "pill-words", 0, 0, caption, 15))


def _deck_of(card: Card) -> str:
    return f"deck {int(not is_troop(card))}"


@lru_cache
def _ground(decks: int) -> tuple[Shape, ...]:
    """Return the shapes that never change: the felt, and the places of the decks and of the discard pile."""
    w, h, middle = at.STRIP_SCALE * at.CARD_W, at.STRIP_H, at.DISCARD_X + at.STRIP_SCALE * at.CARD_W / 2
    ground: list[Shape] = [
        Rect("", "felt", 0, 0, at.FELT_W, at.FELT_H, 8),
        Rect("", "weave", 0, 0, at.FELT_W, at.FELT_H, 8),
        Rect("", "row", 0, at.FLAG_ROW_Y, at.FELT_W, at.FLAG_ROW_H),
        Rect("", "empty", at.DISCARD_X, at.STRIP_Y, w, h, 5),
        Text("", "caption long", middle, at.STRIP_Y + h / 2, "discard", 12),
    ]
    for deck in range(decks):
        x = at.deck_x(deck, decks)
        ground.append(Rect("", "empty", x, at.STRIP_Y, w, h, 5))
        ground.append(Text("", "caption", x + at.DECK_TEXT_DX, at.STRIP_Y + 47, words.DECK_NAMES[deck], 13))
    return tuple(ground)
