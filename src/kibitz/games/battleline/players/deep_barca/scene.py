"""The table as Deep Barca judges it: flags from one player's side, the chance of each Troop, and plays tried on it.

Player 0 is the one who judges, player 1 the opponent. Contains nothing that is hidden from player 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from kibitz.core.game import Move, Player
from kibitz.games.battleline.players.deep_barca import chances
from kibitz.games.battleline.rules import BattleLine, cards
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import Card
from kibitz.games.battleline.rules.formations import unseen_troops
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, prove_flag
from kibitz.games.battleline.rules.view import BattleLineView

ME, THEM = 0, 1
NOISE = 1e-9
"""Differences up to this size are rounding errors."""


@dataclass(frozen=True)
class Scene:
    """The table as player 0 sees it."""

    game: BattleLine
    flags: tuple[Flag, ...]
    chance: tuple[tuple[float, ...], tuple[float, ...]]
    """[side][Troop] the chance that the side gets the Troop; 0 if it is face up."""
    unseen: frozenset[Card]
    """The Troops that are not face up."""
    deck_left: float
    """The fraction of the Troop deck that is left."""

    def owned(self, side: Player) -> tuple[int, ...]:
        """Return the flags that a side has claimed."""
        return tuple(f for f, flag in enumerate(self.flags) if flag.owner == side)

    def claimable(self, side: Player) -> tuple[int, ...]:
        """Return the unclaimed flags that a side could claim by proof."""
        return tuple(f for f, flag in enumerate(self.flags) if flag.owner == NOBODY and self.can_claim(side, f))

    def can_claim(self, side: Player, f: int) -> bool:
        """Return whether a side could claim a flag."""
        return prove_flag(self.flags[f], side, self.unseen, self.game).claim

    def side(self, side: Player, f: int) -> chances.Side:
        """Return one side of a flag."""
        flag = self.flags[f]
        return chances.Side(flag.sides[side], flag.fog, flag.mud, self.game.cards)


def scene_of(view: BattleLineView, their_part: float) -> Scene:
    """Return the scene of a view, with the chances of section 3.4 of the paper.

    The player has the cards of the hand for certain, is expected to draw half of the deck, and leaves the rest of the
    unseen cards to the opponent. Cards put back on the deck count like unknown ones. their_part: see chances.Reading.
    """
    me = view.player
    flags = tuple(_renumbered(flag, me) for flag in view.flags)
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
    deck_at_start = len(view.game.cards.troops) - 2 * view.game.hand_size
    unseen = unseen_troops(view.face_up, view.game.cards)
    return Scene(view.game, flags, (tuple(my), tuple(their)), unseen, deck / deck_at_start)


def _renumbered(flag: Flag, me: Player) -> Flag:
    """Return a flag with its players renumbered so that `me` is player 0."""
    if me == ME:
        return flag
    turned = {NOBODY: NOBODY, 0: 1, 1: 0}
    return replace(flag, sides=flag.sides[::-1], owner=turned[flag.owner], first=turned[flag.first])


def scene_after(scene: Scene, move: Move, side: Player = ME) -> Scene:
    """Return the scene after a side plays a card or puts one back. Other moves leave it as it is."""
    kind, card, source, target = numbers.take_apart(move)
    flags = list(scene.flags)
    if source >= 0:
        flags[source] = flags[source].without_card(side if kind == numbers.USE_REDEPLOY else 1 - side, card)
    if kind != numbers.CLAIM and 0 <= target < FLAGS:
        flags[target] = flags[target].with_card(side, card)
    if kind not in (numbers.PLACE, numbers.RETURN) or not cards.is_troop(card):
        return replace(scene, flags=tuple(flags))
    my, their = (tuple(0.0 if c == card else p for c, p in enumerate(row)) for row in scene.chance)
    unseen = scene.unseen - {card} if kind == numbers.PLACE else scene.unseen
    return replace(scene, flags=tuple(flags), chance=(my, their), unseen=unseen)


def plays_of(card: Card, scene: Scene) -> Iterator[Move]:
    """Yield the ways to play a Tactics card other than Scout, ignoring the limits on Tactics."""
    free = [f for f, flag in enumerate(scene.flags) if flag.has_room_for(ME)]
    unclaimed = [(f, flag) for f, flag in enumerate(scene.flags) if flag.owner == NOBODY]
    if card in cards.MORALE:
        yield from (numbers.place(card, f) for f in free)
    elif card in cards.ENVIRONMENT:
        yield from (numbers.place(card, f) for f, _ in unclaimed)
    elif card == cards.REDEPLOY:
        places = (*free, numbers.DISCARD)
        yield from (
            numbers.redeploy(c, f, to) for f, flag in unclaimed for c in flag.sides[ME] for to in places if to != f
        )
    else:
        taken = [(c, f) for f, flag in unclaimed for c in flag.sides[THEM]]
        if card == cards.DESERTER:
            yield from (numbers.deserter(c, f) for c, f in taken)
        else:
            yield from (numbers.traitor(c, f, to) for c, f in taken if cards.is_troop(c) for to in free)


class WeighedPlays(NamedTuple):
    """The estimated chances to win, now and after each of several plays."""

    now: float
    """The chance to win the game now."""
    flags_now: Sequence[float]
    values: Sequence[float]
    """The chance to win the game after each play."""
    flags: Sequence[Sequence[float]]
    """[play][flag] the chance to win the flag after the play."""


class Estimator(Protocol):
    """Estimates chances to win: PlainEstimator, or its compiled twin in packing.py."""

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> WeighedPlays:
        """Return the chances to win, now and after each of these plays."""

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """Return, for each Troop, my lowest chance to win the game after the play if the opponent replies with it.

        Only the chance of the reply's flag is computed again. 1 for Troops that the opponent cannot have or place.
        """


class PlainEstimator:
    """Estimates chances to win, in plain Python."""

    def __init__(self, reading: chances.Reading) -> None:
        self.reading = reading

    def weigh(self, scene: Scene, moves: Sequence[Move]) -> WeighedPlays:
        """Return the chances to win, now and after each of these plays."""
        theirs = self._formations(scene, THEM)
        flags_now = self._flag_chances(scene, theirs)
        values, flags = list[float](), list[list[float]]()
        for move in moves:
            tried = scene_after(scene, move)
            same = all(scene.side(THEM, f) == tried.side(THEM, f) for f in range(FLAGS))
            flags.append(self._flag_chances(tried, theirs if same else self._formations(tried, THEM)))
            values.append(self._game_chance(tried, flags[-1]))
        return WeighedPlays(self._game_chance(scene, flags_now), flags_now, values, flags)

    def replies(self, scene: Scene, move: Move) -> Sequence[float]:
        """Return, for each Troop, my lowest chance to win the game if the opponent replies to the play with it."""
        tried = scene_after(scene, move)
        mine = self._formations(tried, ME)
        flags = self._flag_chances(tried, self._formations(tried, THEM))
        worst = [1.0] * cards.TROOPS
        for card in range(cards.TROOPS):
            if tried.chance[THEM][card] > 0:
                for f, flag in enumerate(tried.flags):
                    if flag.has_room_for(THEM):
                        replied = scene_after(tried, numbers.place(card, f), THEM)
                        theirs = chances.formations_of(replied.side(THEM, f), replied.chance[THEM])
                        chance = self._flag_chance(replied, f, mine[f], theirs)
                        value = self._game_chance(tried, [*flags[:f], chance, *flags[f + 1 :]])
                        worst[card] = min(worst[card], value)
        return worst

    def _troop_chances(self, scene: Scene, side: Player) -> Sequence[float]:
        """Return a side's chance to get each Troop; mine are shared among the flags that want the Troop."""
        reading, chance = self.reading, scene.chance[side]
        if side == THEM:
            return chance
        wishes = [
            chances.wishlist(scene.side(side, f), chance, reading.wishes) if flag.owner == NOBODY else frozenset[Card]()
            for f, flag in enumerate(scene.flags)
        ]
        return chances.shared_chances(chance, wishes, reading.conflict)

    def _formations(self, scene: Scene, side: Player) -> list[list[chances.Formation]]:
        """Return the formations that a side may make at each flag."""
        chance = self._troop_chances(scene, side)
        return [
            chances.formations_of(scene.side(side, f), chance) if flag.owner == NOBODY else []
            for f, flag in enumerate(scene.flags)
        ]

    def _flag_chances(self, scene: Scene, theirs: Sequence[list[chances.Formation]]) -> list[float]:
        """Return the chance to win each flag. theirs: the formations that the opponent may make at each."""
        mine = self._formations(scene, ME)
        return [self._flag_chance(scene, f, mine[f], theirs[f]) for f in range(FLAGS)]

    def _flag_chance(
        self, scene: Scene, f: int, mine: list[chances.Formation], theirs: list[chances.Formation]
    ) -> float:
        flag = scene.flags[f]
        if flag.owner != NOBODY:
            return float(flag.owner == ME)
        return chances.flag_chance(scene.side(ME, f), scene.side(THEM, f), mine, theirs, flag.first == ME, self.reading)

    def _game_chance(self, scene: Scene, flags: Sequence[float]) -> float:
        return chances.game_chance(flags, scene.deck_left, self.reading.joint)


def first_best(items: Sequence[int], worth: Callable[[int], float]) -> int:
    """Return the item with the greatest worth, the first one if several differ only by rounding."""
    best = items[0]
    for item in items:
        if worth(item) > worth(best) + NOISE:
            best = item
    return best
