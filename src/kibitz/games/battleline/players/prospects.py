"""The prospects of the flags of Battle Line in a view: chances by rule of thumb, and the cards that help.

The chances are those of outlook.py, without look-ahead; only claims are certain.
Uses only what the viewer knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.core.game import Player
from kibitz.games.battleline.players.outlook import SPREAD, Chances, chances_of, promise
from kibitz.games.battleline.players.simple import IN_HAND, MINE, THEIRS
from kibitz.games.battleline.rules.cards import Card, is_troop
from kibitz.games.battleline.rules.formations import unseen_troops
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag, prove_flag
from kibitz.games.battleline.rules.view import BattleLineView, PublicView

MIN_HELP = 0.05
"""How much a card must raise the chance to win a flag to count as a help."""


@dataclass(frozen=True)
class Outs:
    """The Troops that would help a player at a flag."""

    wins: tuple[Card, ...]
    """Those that complete the side and prove the claim."""
    helps: tuple[Card, ...]
    """Those that raise the chance to win the flag by MIN_HELP or more, the best first."""


class Prospects:
    """The chances of both players to win the flags, in one view."""

    def __init__(self, view: PublicView) -> None:
        self.view = view
        self.unseen = unseen_troops(view.face_up, view.game.cards)
        self.chances: tuple[Chances, Chances] = (self._chances(0), self._chances(1))
        self._promises: dict[tuple[Player, tuple[Card, ...], bool, int], float] = {}

    def _chances(self, player: Player) -> list[float]:
        """Return the chance that a player gets each Troop."""
        view = self.view
        if not isinstance(view, BattleLineView):
            return chances_of((), self.unseen, 0.0, (MINE + THEIRS) / 2)
        if player == view.player:
            return chances_of(view.hand, self.unseen.difference(view.known), IN_HAND, MINE)
        return chances_of(view.known, self.unseen.difference(view.hand, *view.top), IN_HAND, THEIRS)

    def flag(self, number: int, player: Player) -> float:
        """Return the chance that a player wins a flag (from 0): an estimate unless it is or can be claimed."""
        flag = self.view.flags[number]
        if flag.owner != NOBODY:
            return float(flag.owner == player)
        for each in (0, 1):
            if flag.is_complete(each) and self.view.proof(number, each).claim:
                return float(each == player)
        return self._chance(self._promise(flag, player), self._promise(flag, 1 - player))

    def flags(self, player: Player) -> tuple[float, ...]:
        """Return the chance of a player to win each flag."""
        return tuple(self.flag(number, player) for number in range(FLAGS))

    def _promise(self, flag: Flag, player: Player) -> float:
        """Return the promise of a side, cached: many sides are equal, above all the empty ones."""
        key = (player, flag.sides[player], flag.fog, flag.cap)
        if key not in self._promises:
            _, side, fog, cap = key
            self._promises[key] = promise(side, self.chances[player], fog, cap, self.view.game.cards)
        return self._promises[key]

    def _chance(self, mine: float, theirs: float) -> float:
        return 1 / (1 + math.exp((theirs - mine) / SPREAD))

    def outs(self, number: int, player: Player) -> Outs:
        """Return the Troops that would help a player at a flag, of those that the player may hold or draw."""
        flag = self.view.flags[number]
        if not flag.takes(player):
            return Outs((), ())
        wanted = [card for card in sorted(self.unseen) if self.chances[player][card] > 0]
        last = len(flag.sides[player]) == flag.cap - 1
        sure = tuple(card for card in wanted if last and self._proves(flag, player, card))
        theirs, before = self._promise(flag, 1 - player), self.flag(number, player)
        gains = dict[Card, float]()
        for card in wanted:
            if card not in sure:
                more = flag.with_side(player, (*flag.sides[player], card))
                gains[card] = self._chance(self._promise(more, player), theirs) - before
        helps = sorted((card for card, gain in gains.items() if gain >= MIN_HELP), key=lambda card: -gains[card])
        return Outs(sure, tuple(helps))

    def _proves(self, flag: Flag, player: Player, card: Card) -> bool:
        """Return whether a card completes a side so that the flag can be claimed."""
        then = flag.with_side(player, (*flag.sides[player], card))
        return prove_flag(then, player, self.unseen.difference({card}), self.view.game).claim


PLACES = ("board", "discard", "mine", "theirs", "deck", "unseen")
"""Where a Troop is for a viewer. theirs: known to be in the opponent's hand; deck: put back there by the viewer."""


def whereabouts(view: PublicView) -> dict[Card, str]:
    """Return where each Troop is as far as the viewer knows, one of PLACES."""
    found = dict.fromkeys(view.game.cards.troops, "unseen")
    places: list[tuple[str, Sequence[Card]]] = [("board", [c for f in view.flags for side in f.sides for c in side])]
    places.append(("discard", view.discards))
    if isinstance(view, BattleLineView):
        places += [("mine", view.hand), ("theirs", view.known), ("deck", (*view.top[0], *view.top[1]))]
    found.update({card: place for place, cards in places for card in cards if is_troop(card)})
    return found
