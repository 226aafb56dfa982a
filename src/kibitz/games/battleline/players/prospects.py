"""Chances at the flags of Battle Line by rule of thumb, and the cards that help.

The expected points of a side are the points of its best formation times the chance to complete it. These are
estimates without a search; only proved claims are certain. Uses only what the viewer knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kibitz.core.game import Player
from kibitz.games.battleline.rules.cards import COLOURS, LEADERS, TROOPS, Card, Edition, colour_of, is_troop, value_of
from kibitz.games.battleline.rules.formations import unseen_troops
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, prove_flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

RANK_POINTS = (0.0, 35.0, 50.0, 75.0, 100.0)
"""Points for each rank, host to wedge; the sum of the cards is added."""
SPREAD = 14.0
"""With this lead in points, the odds of winning a flag are e to 1."""
MEAN_VALUE = 5.5
"""Assumed value of an unknown card."""

MIN_HELP = 0.05
"""A card helps if it raises the chance to win a flag by at least this much."""
HAND_CHANCE = 0.95
"""The chance that a card in the hand can be used at a given flag: another flag may need it."""
MY_CHANCE, THEIR_CHANCE = 0.4, 0.5
"""The chance that the player or the opponent gets a card that is not face up; the opponent may already hold it."""

Chances = Sequence[float]
"""[Troop]: the probability that a player gets it."""


def win_chance(mine: float, theirs: float) -> float:
    """Estimate the chance to win a flag from the expected points of both sides."""
    return 1 / (1 + math.exp((theirs - mine) / SPREAD))


def side_value(side: Sequence[Card], chance: Chances, fog: bool, cap: int, edition: Edition) -> float:
    """Return the expected points of a side: the maximum of chance times points over the formations it may become.

    chance: the player's chance to get each Troop. cap: the number of cards in a complete side.
    """
    troops = [card for card in side if is_troop(card)]
    wilds = [card for card in side if not is_troop(card)]
    need = cap - len(side)
    base = sum(map(value_of, troops)) + sum(max(edition.values_of(wild)) for wild in wilds)
    points = [base + MEAN_VALUE * need]
    if not fog:
        colours, values = {colour_of(card) for card in troops}, {value_of(card) for card in troops}
        wild_values = [set(edition.values_of(wild)) for wild in wilds if wild not in LEADERS]
        for low in range(1, edition.values - cap + 2):
            run = set(range(low, low + cap))
            if len(values) == len(troops) and values <= run and all((run - values) & fits for fits in wild_values):
                points += _run_points(run, values, len(wilds), colours, chance)
        points += _phalanx_points(values, wilds, need, cap, chance, edition)
        if len(colours) <= 1:
            points += _battalion_points(colours, need, base, chance)
    return max(points)


def _run_points(run: set[int], values: set[int], wilds: int, colours: set[int], chance: Chances) -> Iterable[float]:
    """Yield the expected points of each wedge, and of the skirmish, on a run of values.

    values, wilds, colours: the values of the side's Troops, the number of its wild cards and the colours of its Troops.
    Wild cards replace the cards hardest to get, which are sorted first.
    """
    total, all_colours = sum(run), range(len(COLOURS))
    for colour in all_colours:
        if colours <= {colour}:
            chances = sorted(chance[10 * colour + value - 1] for value in run - values)
            yield math.prod(chances[wilds:]) * (RANK_POINTS[4] + total)
    any_colour = sorted(1 - math.prod(1 - chance[10 * c + value - 1] for c in all_colours) for value in run - values)
    yield math.prod(any_colour[wilds:]) * (RANK_POINTS[1] + total)


def _phalanx_points(
    values: set[int], wilds: Sequence[Card], need: int, cap: int, chance: Chances, edition: Edition
) -> Iterable[float]:
    for value in values or range(1, edition.values + 1):
        if len(values) <= 1 and all(value in edition.values_of(wild) for wild in wilds):
            chances = [chance[10 * colour + value - 1] for colour in range(len(COLOURS))]
            yield chance_of_at_least(need, chances) * (RANK_POINTS[3] + cap * value)


def _battalion_points(colours: set[int], need: int, base: float, chance: Chances) -> Iterable[float]:
    for colour in colours or range(len(COLOURS)):
        chances = chance[10 * colour : 10 * colour + 10]
        yield chance_of_at_least(need, chances) * (RANK_POINTS[2] + base + MEAN_VALUE * need)


def chance_of_at_least(need: int, chances: Sequence[float]) -> float:
    """Return the probability that at least `need` of several independent events happen."""
    if need <= 0:
        return 1.0
    exactly = [1.0] + [0.0] * (need - 1)  # [n] the probability of exactly n events so far
    for chance in chances:
        for n in range(need - 1, 0, -1):
            exactly[n] = exactly[n] * (1.0 - chance) + exactly[n - 1] * chance
        exactly[0] *= 1.0 - chance
    return 1.0 - sum(exactly)


def troop_chances(hand: Iterable[Card], unseen: Iterable[Card], in_hand: float, elsewhere: float) -> list[float]:
    """Return the chance to get each Troop: in_hand for one in the hand, elsewhere for an unseen one, otherwise 0."""
    chance = [0.0] * TROOPS
    for card in unseen:
        chance[card] = elsewhere
    for card in hand:
        if is_troop(card):
            chance[card] = in_hand
    return chance


@dataclass(frozen=True)
class Outs:
    """The Troops that would help a player at a flag."""

    wins: tuple[Card, ...]
    """Those that complete the side and prove the claim."""
    helps: tuple[Card, ...]
    """Those that raise the chance to win the flag by MIN_HELP or more, the best first."""


class Prospects:
    """Both players' chances to win the flags, as one viewer sees them."""

    def __init__(self, view: PublicView) -> None:
        self.view = view
        self.unseen = unseen_troops(view.face_up, view.game.cards)
        self.chances: tuple[Chances, Chances] = (self._chances(0), self._chances(1))
        self._values: dict[tuple[Player, tuple[Card, ...], bool, int], float] = {}

    def _chances(self, player: Player) -> list[float]:
        """Return the chance that a player gets each Troop."""
        view = self.view
        if not isinstance(view, BattleLineView):
            return troop_chances((), self.unseen, 0.0, (MY_CHANCE + THEIR_CHANCE) / 2)
        if player == view.player:
            return troop_chances(view.hand, self.unseen.difference(view.known), HAND_CHANCE, MY_CHANCE)
        return troop_chances(view.known, self.unseen.difference(view.hand, *view.top), HAND_CHANCE, THEIR_CHANCE)

    def flag_chance(self, number: int, player: Player) -> float:
        """Return the chance that a player wins a flag: an estimate, unless the flag is claimed or can be claimed."""
        flag = self.view.flags[number]
        if flag.owner != NOBODY:
            return float(flag.owner == player)
        for each in (0, 1):
            if flag.is_complete(each) and self.view.proof(number, each).claim:
                return float(each == player)
        return win_chance(self._side_value(flag, player), self._side_value(flag, 1 - player))

    def flag_chances(self, player: Player) -> tuple[float, ...]:
        """Return a player's chance to win each flag."""
        return tuple(self.flag_chance(number, player) for number in range(FLAGS))

    def _side_value(self, flag: Flag, player: Player) -> float:
        """Return the expected points of a side. Cached, since many sides are equal, above all empty ones."""
        key = (player, flag.sides[player], flag.fog, flag.cap)
        if key not in self._values:
            _, side, fog, cap = key
            self._values[key] = side_value(side, self.chances[player], fog, cap, self.view.game.cards)
        return self._values[key]

    def outs(self, number: int, player: Player) -> Outs:
        """Return the Troops, among those the player may hold or draw, that would help at a flag."""
        flag = self.view.flags[number]
        if not flag.has_room_for(player):
            return Outs((), ())
        available = [card for card in sorted(self.unseen) if self.chances[player][card] > 0]
        one_missing = len(flag.sides[player]) == flag.cap - 1
        wins = tuple(card for card in available if one_missing and self._wins_with(flag, player, card))
        theirs, now = self._side_value(flag, 1 - player), self.flag_chance(number, player)
        gains = dict[Card, float]()
        for card in available:
            if card not in wins:
                gains[card] = win_chance(self._side_value(flag.with_card(player, card), player), theirs) - now
        helps = sorted((card for card, gain in gains.items() if gain >= MIN_HELP), key=lambda card: -gains[card])
        return Outs(wins, tuple(helps))

    def _wins_with(self, flag: Flag, player: Player, card: Card) -> bool:
        """Return whether a player could claim a flag after adding this card to it."""
        return prove_flag(flag.with_card(player, card), player, self.unseen.difference({card}), self.view.game).claim


PLACES = ("board", "discard", "mine", "theirs", "deck", "unseen")
"""Where a Troop is to the viewer. theirs: known to be in the opponent's hand; deck: put back by the viewer."""


def whereabouts(view: PublicView) -> dict[Card, str]:
    """Return where each Troop is as far as the viewer knows, one of PLACES."""
    place_of = dict.fromkeys(view.game.cards.troops, "unseen")
    on_board = [card for flag in view.flags for side in flag.sides for card in side]
    seen: list[tuple[str, Sequence[Card]]] = [("board", on_board), ("discard", view.discards)]
    if isinstance(view, BattleLineView):
        seen += [("mine", view.hand), ("theirs", view.known), ("deck", (*view.top[0], *view.top[1]))]
    place_of.update({card: place for place, cards in seen for card in cards if is_troop(card)})
    return place_of
