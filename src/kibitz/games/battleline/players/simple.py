"""The greedy agents of Battle Line, reflex and heuristic: they rate each move by rule of thumb, without a search."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.agent import Agent, Budget, Choice, Counted, MoveValue, Watch
from kibitz.core.game import Move
from kibitz.games.battleline.players.prospects import IN_HAND, MINE, THEIRS, Chances, chances_of, side_value, win_chance
from kibitz.games.battleline.rules import BattleLine
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import Card, is_troop
from kibitz.games.battleline.rules.formations import unseen_troops
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView

POINTS = Counted("point", "points")
"""The unit of the values: points of a rule of thumb, not of the game."""
TACTICS_PRICE = 0.3
"""How much more than a Troop a Tactics card must gain to be played, in flags."""
SCOUT_WORTH = 0.02


class Heuristic(Agent[BattleLine, BattleLineView]):
    """Claims all it can; plays the card that most raises its chances over all flags, Tactics only for a large gain."""

    tactics = True

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move of the highest worth; ties are broken at random."""
        self.check(view)
        judge = _MoveWorth(view, self.tactics)
        worth = {move: judge.of(move) for move in view.legal_moves()}
        best = max(worth.values())
        move = self.rng.choice([move for move, value in worth.items() if value == best])
        values = tuple(MoveValue(m, value, exact=False) for m, value in worth.items())
        return Choice(move, value=best, unit=POINTS, moves=values, nodes=len(worth))


class Reflex(Heuristic):
    """Claims all it can; plays Troops for its own best formation and ignores the opponent's side and Tactics."""

    tactics = False


class _MoveWorth:
    """Rates the moves of one view, in flags. both: whether to consider the opponent's side and Tactics."""

    def __init__(self, view: BattleLineView, both: bool) -> None:
        self.view, self.both = view, both
        unseen = unseen_troops(view.face_up, view.game.cards)
        self.my = chances_of(view.hand, unseen, IN_HAND, MINE)
        self.their = chances_of((), unseen.difference(view.hand), 0.0, THEIRS)
        self.now = [self.chance(flag, self.my) for flag in view.flags]
        self.lost: dict[Card, dict[int, float]] = {}

    def chance(self, flag: Flag, my: Chances) -> float:
        """Return the estimated chance to win a flag. my: the player's chance to get each Troop."""
        if flag.owner != NOBODY:
            return float(flag.owner == self.view.player)
        me, where = self.view.player, (flag.fog, flag.cap, self.view.game.cards)
        theirs = flag.sides[1 - me] if self.both else ()
        return win_chance(side_value(flag.sides[me], my, *where), side_value(theirs, self.their, *where))

    def of(self, move: Move) -> float:
        """Return the worth of a legal move, in flags."""
        kind, card, _, _ = parts = numbers.take_apart(move)
        if kind == numbers.CLAIM:
            return 10.0
        if kind in (numbers.PASS, numbers.DONE):
            return 0.0
        if kind == numbers.DRAW:
            return self._draw(card)
        if kind == numbers.RETURN:
            return -self._keep(card)
        played = parts.played
        price = 0.0 if is_troop(played) else TACTICS_PRICE if self.both else 1.0
        if kind == numbers.USE_SCOUT:
            return SCOUT_WORTH - price / 10
        my = self._without(played)
        after = dict(self._after(*parts))
        gain = sum(self.chance(flag, my) - self.now[i] for i, flag in after.items())
        return gain - price - sum(loss for i, loss in self._losses(played).items() if i not in after)

    def _without(self, card: Card) -> list[float]:
        """Return the player's chance to get each Troop once a card of the hand is played."""
        return [0.0 if troop == card else chance for troop, chance in enumerate(self.my)]

    def _losses(self, card: Card) -> dict[int, float]:
        """Return by how much the chance to win each flag falls without a Troop of the hand."""
        if not (self.both and is_troop(card)):
            return {}
        if card not in self.lost:
            me, my = self.view.player, self._without(card)
            opened = {i: flag for i, flag in enumerate(self.view.flags) if flag.has_room_for(me) and flag.sides[me]}
            self.lost[card] = {i: self.now[i] - self.chance(flag, my) for i, flag in opened.items()}
        return self.lost[card]

    def _draw(self, deck: int) -> float:
        """Return 1 for the deck to draw from, else 0: Tactics if the hand has none and one could be played."""
        view = self.view
        wanted = self.both and not view.held[view.player][1] and view.may_play_tactics(view.player)
        return float(deck == wanted)

    def _keep(self, card: Card) -> float:
        """Return how much a card of the hand is worth keeping, in flags."""
        return sum(self._losses(card).values()) if is_troop(card) else TACTICS_PRICE

    def _after(self, kind: int, card: Card, source: int, target: int) -> Iterator[tuple[int, Flag]]:
        """Yield the number and the new state of each flag that a play changes."""
        me, flags = self.view.player, list(self.view.flags)
        if source >= 0:
            flags[source] = flags[source].without_card(me if kind == numbers.USE_REDEPLOY else 1 - me, card)
        if 0 <= target < FLAGS:
            flags[target] = flags[target].with_card(me, card)
        yield from ((i, flags[i]) for i in sorted({source, target} - {-1, numbers.DISCARD}))
