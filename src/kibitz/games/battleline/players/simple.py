"""The greedy agents of Battle Line, reflex and heuristic: they rate each move by rule of thumb, without a search."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.agent import Agent, Budget, Choice, Counted, MoveValue, Watch
from kibitz.core.game import Move
from kibitz.games.battleline.players import prospects
from kibitz.games.battleline.rules import BattleLine
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import Card, is_troop
from kibitz.games.battleline.rules.formations import unseen_troops
from kibitz.games.battleline.rules.moves import FLAGS
from kibitz.games.battleline.rules.open_cards import NOBODY, Flag
from kibitz.games.battleline.rules.view import BattleLineView

POINTS = Counted("point", "points")
"""The unit of the values: points of a rule of thumb, not of the game."""
CLAIM_WORTH = 10.0
"""More than any play can gain, so that claims come first. This worth and those below are in flags."""
TACTICS_PRICE = 0.3
"""How much more than a Troop a Tactics card must gain to be played."""
SCOUT_WORTH = 0.02


class Heuristic(Agent[BattleLine, BattleLineView]):
    """Claims all it can; plays the card that most raises its chances over all flags, Tactics only for a large gain."""

    thorough = True

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move of the highest worth; ties are broken at random."""
        self.check(view)
        rater = _MoveRater(view, self.thorough)
        worth = {move: rater.worth(move) for move in view.legal_moves()}
        best = max(worth.values())
        move = self.rng.choice([move for move, value in worth.items() if value == best])
        values = tuple(MoveValue(m, value, exact=False) for m, value in worth.items())
        return Choice(move, value=best, unit=POINTS, moves=values, nodes=len(worth))


class Reflex(Heuristic):
    """Claims all it can; plays Troops for its own best formation and ignores the opponent's side and Tactics."""

    thorough = False


class _MoveRater:
    """Rates the moves of one view, in flags. thorough: whether to consider the opponent's sides and Tactics."""

    def __init__(self, view: BattleLineView, thorough: bool) -> None:
        self.view, self.thorough = view, thorough
        unseen = unseen_troops(view.face_up, view.game.cards)
        self.my_chances = prospects.troop_chances(view.hand, unseen, prospects.HAND_CHANCE, prospects.MY_CHANCE)
        self.their_chances = prospects.troop_chances((), unseen.difference(view.hand), 0.0, prospects.THEIR_CHANCE)
        self.now = [self.flag_chance(flag, self.my_chances) for flag in view.flags]
        self.losses: dict[Card, dict[int, float]] = {}

    def flag_chance(self, flag: Flag, my_chances: prospects.Chances) -> float:
        """Return the estimated chance to win a flag. my_chances: the player's chance to get each Troop."""
        if flag.owner != NOBODY:
            return float(flag.owner == self.view.player)
        me, where = self.view.player, (flag.fog, flag.cap, self.view.game.cards)
        their_side = flag.sides[1 - me] if self.thorough else ()
        mine = prospects.side_value(flag.sides[me], my_chances, *where)
        return prospects.win_chance(mine, prospects.side_value(their_side, self.their_chances, *where))

    def worth(self, move: Move) -> float:
        """Return the worth of a legal move, in flags."""
        kind, card, _, _ = parts = numbers.take_apart(move)
        if kind == numbers.CLAIM:
            return CLAIM_WORTH
        if kind in (numbers.PASS, numbers.DONE):
            return 0.0
        if kind == numbers.DRAW:
            return float(card == self._deck_to_draw())
        if kind == numbers.RETURN:
            return -self._worth_in_hand(card)
        played = parts.played
        price = 0.0 if is_troop(played) else TACTICS_PRICE if self.thorough else 1.0
        if kind == numbers.USE_SCOUT:
            return SCOUT_WORTH - price / 10
        my_chances = self._chances_without(played)
        changed = dict(self._changed_flags(*parts))
        gain = sum(self.flag_chance(flag, my_chances) - self.now[i] for i, flag in changed.items())
        return gain - price - sum(loss for i, loss in self._losses_without(played).items() if i not in changed)

    def _chances_without(self, card: Card) -> list[float]:
        """Return the player's chance to get each Troop once a card of the hand is played."""
        return [0.0 if troop == card else chance for troop, chance in enumerate(self.my_chances)]

    def _losses_without(self, card: Card) -> dict[int, float]:
        """Return by how much the chance to win each flag falls without a Troop of the hand."""
        if not (self.thorough and is_troop(card)):
            return {}
        if card not in self.losses:
            me, my_chances = self.view.player, self._chances_without(card)
            begun = {i: flag for i, flag in enumerate(self.view.flags) if flag.has_room_for(me) and flag.sides[me]}
            self.losses[card] = {i: self.now[i] - self.flag_chance(flag, my_chances) for i, flag in begun.items()}
        return self.losses[card]

    def _deck_to_draw(self) -> int:
        """Return the deck to draw from: 1 (Tactics) if the hand has no Tactics and one could be played, else 0."""
        view = self.view
        return int(self.thorough and not view.held[view.player][1] and view.may_play_tactics(view.player))

    def _worth_in_hand(self, card: Card) -> float:
        """Return how much a card of the hand is worth keeping, in flags."""
        return sum(self._losses_without(card).values()) if is_troop(card) else TACTICS_PRICE

    def _changed_flags(self, kind: int, card: Card, source: int, target: int) -> Iterator[tuple[int, Flag]]:
        """Yield the number and the new state of each flag that a play changes. Arguments: the parts of the move."""
        me, flags = self.view.player, list(self.view.flags)
        if source >= 0:
            flags[source] = flags[source].without_card(me if kind == numbers.USE_REDEPLOY else 1 - me, card)
        if 0 <= target < FLAGS:
            flags[target] = flags[target].with_card(me, card)
        yield from ((i, flags[i]) for i in sorted({source, target} - {-1, numbers.DISCARD}))
