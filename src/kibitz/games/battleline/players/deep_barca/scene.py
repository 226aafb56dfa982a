"""The table as Deep Barca judges it: flags from one player's side, the chance of each Troop, and plays tried on it.

Sides, owners and first completions are turned so that 0 is the player himself and 1
the opponent. Holds nothing that the player may not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from kibitz.core.game import Move, Player
from kibitz.games.battleline.players.deep_barca import chances
from kibitz.games.battleline.rules import BattleLine, cards
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import Card, Edition
from kibitz.games.battleline.rules.formations import prove
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView

ME, THEM = 0, 1
NOISE = 1e-9
"""Differences that are only rounding."""


@dataclass(frozen=True)
class Scene:
    """A table to judge."""

    game: BattleLine
    flags: tuple[Flag, ...]
    chance: tuple[tuple[float, ...], tuple[float, ...]]
    """[side][Troop] how likely that side gets it; 0 for those that are face up."""
    unseen: frozenset[Card]
    """The Troops that are not face up."""
    deck_left: float
    """The part of the Troop deck that is left."""

    @property
    def edition(self) -> Edition:
        """Return what the edition says of the cards."""
        return self.game.cards

    def owned(self, side: Player) -> tuple[int, ...]:
        """Return the flags that a side has claimed."""
        return tuple(f for f, flag in enumerate(self.flags) if flag.owner == side)

    def provable(self, side: Player) -> tuple[int, ...]:
        """Return the unclaimed flags that a side can prove to be its own."""
        return tuple(f for f, flag in enumerate(self.flags) if flag.owner == NOBODY and self.proves(side, f))

    def proves(self, side: Player, f: int) -> bool:
        """Return whether a side could claim a flag."""
        flag = self.flags[f]
        if not flag.is_complete(side):
            return False
        mine, theirs = flag.sides[side], flag.sides[1 - side]
        first, unfillable = flag.first == side, self.game.unfillable
        return prove(mine, theirs, self.unseen, flag.fog, flag.mud, first, self.edition, unfillable).claim

    def side(self, side: Player, f: int) -> chances.Side:
        """Return one side of a flag."""
        flag = self.flags[f]
        return chances.Side(flag.sides[side], flag.fog, flag.mud, self.edition)


def scene_of(view: BattleLineView, their_part: float) -> Scene:
    """Return the table of a view with the chances of section 3.4 of the paper.

    A card of the own hand is sure. Of the other unseen ones the player draws half of the deck; the rest comes to the
    opponent. Cards known by Scout: those in the other hand are his; those on the deck come to either.
    """
    me = view.player
    flags = tuple(_turned(flag, me) for flag in view.flags)
    deck = view.sizes[0]
    unknown = deck + view.held[1 - me][0]
    mine = deck / 2 / unknown if unknown else 0.0
    my, their = [0.0] * cards.TROOPS, [0.0] * cards.TROOPS
    for card in (*view.unknown[0], *view.top[0]):
        my[card], their[card] = mine, (1.0 - mine) * their_part
    for card in filter(cards.is_troop, view.known):
        their[card] = their_part
    for card in filter(cards.is_troop, view.hand):
        my[card] = 1.0
    edition = view.game.cards
    at_start = len(edition.troops) - 2 * view.game.hand_size
    unseen = frozenset(edition.troops) - view.face_up
    return Scene(view.game, flags, (tuple(my), tuple(their)), unseen, deck / at_start)


def _turned(flag: Flag, me: Player) -> Flag:
    """Return a flag with the player as number 0."""
    if me == ME:
        return flag
    turned = {NOBODY: NOBODY, 0: 1, 1: 0}
    return replace(flag, sides=flag.sides[::-1], owner=turned[flag.owner], first=turned[flag.first])


def after(scene: Scene, move: Move, side: Player = ME) -> Scene:
    """Return the scene after a play, or after a card was put back. Other moves change nothing."""
    kind, card, source, target = numbers.take_apart(move)
    flags = list(scene.flags)
    if kind in (numbers.USE_DESERTER, numbers.USE_TRAITOR, numbers.USE_REDEPLOY):
        flags[source] = _taken(flags[source], side if kind == numbers.USE_REDEPLOY else 1 - side, card)
    if kind in (numbers.PLACE, numbers.USE_TRAITOR, numbers.USE_REDEPLOY) and target != numbers.DISCARD:
        flags[target] = _put(flags[target], side, card)
    if kind not in (numbers.PLACE, numbers.RETURN) or not cards.is_troop(card):
        return replace(scene, flags=tuple(flags))
    my, their = (tuple(0.0 if c == card else p for c, p in enumerate(row)) for row in scene.chance)
    unseen = scene.unseen - {card} if kind == numbers.PLACE else scene.unseen
    return replace(scene, flags=tuple(flags), chance=(my, their), unseen=unseen)


def _put(flag: Flag, side: Player, card: Card) -> Flag:
    if card == cards.FOG:
        return replace(flag, fog=True)
    if card == cards.MUD:
        return replace(flag, mud=True, first=NOBODY)
    flag = flag.with_side(side, (*flag.sides[side], card))
    return replace(flag, first=side) if flag.is_complete(side) and flag.first == NOBODY else flag


def _taken(flag: Flag, side: Player, card: Card) -> Flag:
    flag = flag.with_side(side, (c for c in flag.sides[side] if c != card))
    if flag.first == side:
        return replace(flag, first=1 - side if flag.is_complete(1 - side) else NOBODY)
    return flag


def plays_of(card: Card, scene: Scene) -> Iterator[Move]:
    """Yield the ways to play a Tactics card other than Scout, limits on Tactics apart."""
    free = [f for f, flag in enumerate(scene.flags) if flag.takes(ME)]
    unclaimed = [f for f, flag in enumerate(scene.flags) if flag.owner == NOBODY]
    if card in cards.MORALE:
        yield from (numbers.place(card, f) for f in free)
    elif card in cards.ENVIRONMENT:
        yield from (numbers.place(card, f) for f in unclaimed)
    elif card == cards.REDEPLOY:
        for f in unclaimed:
            for c in scene.flags[f].sides[ME]:
                yield from (numbers.redeploy(c, f, to) for to in (*free, numbers.DISCARD) if to != f)
    else:
        for f in unclaimed:
            for c in scene.flags[f].sides[THEM]:
                if card == cards.DESERTER:
                    yield numbers.deserter(c, f)
                elif card == cards.TRAITOR and cards.is_troop(c):
                    yield from (numbers.traitor(c, f, to) for to in free)


class Weighed(NamedTuple):
    """What an estimate says of a scene and of plays on it."""

    now: float
    """The chance to win the game as it stands."""
    flags_now: Sequence[float]
    values: Sequence[float]
    """The chance to win the game after each play."""
    flags: Sequence[Sequence[float]]
    """[play][flag] the chance to win each flag after it."""


class Estimates(Protocol):
    """Who says how likely a scene is won: PlainEstimates, or its compiled twin."""

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> Weighed:
        """Return the chances as they are and after each of the plays."""

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """Return, for each Troop, my least chance to win the game after the play if the opponent adds it to a flag.

        Only the flag that he plays at is judged anew. 1 for Troops that he cannot have or place.
        """


class PlainEstimates:
    """Judges in plain Python."""

    def __init__(self, reading: chances.Reading) -> None:
        self.reading = reading

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> Weighed:
        """See Estimates."""
        theirs = self._side(scene, THEM)
        flags_now = self._flags(scene, theirs)
        values, flags = list[float](), list[list[float]]()
        for move in moves:
            tried = after(scene, move)
            same = all(a.sides[THEM] == b.sides[THEM] and a.fog == b.fog and a.mud == b.mud
                       for a, b in zip(scene.flags, tried.flags, strict=True))  # fmt: skip
            flags.append(self._flags(tried, theirs if same else self._side(tried, THEM)))
            values.append(self._game(tried, flags[-1]))
        return Weighed(self._game(scene, flags_now), flags_now, values, flags)

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """See Estimates."""
        tried = after(scene, move)
        mine, theirs = self._side(tried, ME), self._side(tried, THEM)
        chance = self._shared(tried, THEM)
        flags = self._flags(tried, theirs)
        worst = [1.0] * cards.TROOPS
        for card in range(cards.TROOPS):
            if tried.chance[THEM][card] > 0:
                for f, flag in enumerate(tried.flags):
                    if flag.takes(THEM):
                        worst[card] = min(worst[card], self._reply(tried, card, f, mine, chance, flags))
        return worst

    def _reply(
        self, scene: Scene, card: Card, f: int, mine: Sequence[list[chances.Formation]], chance: list[float],
        flags: Sequence[float],
    ) -> float:  # fmt: skip
        """Return the chance to win once the opponent has put a card at a flag."""
        there = after(scene, numbers.place(card, f), THEM)
        kept, chance[card] = chance[card], 0.0
        found = chances.formations_of(there.side(THEM, f), chance)
        chance[card] = kept
        won = self._flag(there, f, mine[f], found)
        return self._game(scene, [won if i == f else p for i, p in enumerate(flags)])

    def _shared(self, scene: Scene, side: Player) -> list[float]:
        """Return the chances of a side's cards, the own ones shared among the flags that want them."""
        reading, chance = self.reading, scene.chance[side]
        if side == THEM:
            return list(chance)
        wishes = [
            chances.wishlist(scene.side(side, f), chance, reading.wishes) if flag.owner == NOBODY else frozenset[Card]()
            for f, flag in enumerate(scene.flags)
        ]
        return chances.shared(chance, wishes, reading.conflict)

    def _side(self, scene: Scene, side: Player) -> list[list[chances.Formation]]:
        """Return what a side may make at each flag."""
        chance = self._shared(scene, side)
        return [
            chances.formations_of(scene.side(side, f), chance) if flag.owner == NOBODY else []
            for f, flag in enumerate(scene.flags)
        ]

    def _flags(self, scene: Scene, theirs: Sequence[list[chances.Formation]]) -> list[float]:
        """Return the chance to win each flag."""
        mine = self._side(scene, ME)
        return [self._flag(scene, f, mine[f], theirs[f]) for f in range(FLAGS)]

    def _flag(self, scene: Scene, f: int, mine: list[chances.Formation], theirs: list[chances.Formation]) -> float:
        flag = scene.flags[f]
        if flag.owner != NOBODY:
            return float(flag.owner == ME)
        return chances.flag_chance(scene.side(ME, f), scene.side(THEM, f), mine, theirs, flag.first == ME, self.reading)

    def _game(self, scene: Scene, flags: Sequence[float]) -> float:
        return chances.game_chance(flags, scene.deck_left, self.reading.joint)


def first_best(places: Sequence[int], worth: Sequence[float]) -> int:
    """Return the place of greatest worth, the first of those that differ by rounding only."""
    best, most = places[0], worth[0]
    for at, value in zip(places, worth, strict=True):
        if value > most + NOISE:
            best, most = at, value
    return best
