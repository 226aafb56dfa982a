"""Deep Barca, the probabilistic player of McCulloch, Bladow, Dobrow & Wright (2017), and its rules of play.

It claims all it can. It plays the Troop that gives it the best chance to win the game, discards at a flag that is
about to be lost, and plays and draws Tactics by the rules of section 3.6, or by their worth. chances.py has the
arithmetic; docs/games/battleline/deep-barca.md describes what the paper leaves open and how we decided it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from kibitz.compiled.gear import first_gear
from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.battleline.players.deep_barca import chances
from kibitz.games.battleline.players.deep_barca import scene as scenes
from kibitz.games.battleline.players.deep_barca.scene import ME, NOISE, THEM
from kibitz.games.battleline.rules import BattleLine, stages
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import LEADERS, REDEPLOY, SB, SCOUT, TRAITOR, Card, card_text, is_troop
from kibitz.games.battleline.rules.formations import RANKS
from kibitz.games.battleline.rules.open_cards import NOBODY, win_reason
from kibitz.games.battleline.rules.view import BattleLineView

MIN_TACTICS_GAIN = 0.04
"""By how much a Tactics card must beat the best Troop in win probability, if tactics are played by worth."""
LESS_USEFUL = (SCOUT, REDEPLOY, SB)
"""Tactics cards that seldom save a flag on their own."""
MAX_PLAYS_AHEAD = 4
"""Number of best plays to examine together with their replies, or with a second Tactics card."""
TROOP, TACTICS = 0, 1

Rule = Literal["paper", "worth"]
ReasonedMove: TypeAlias = tuple[Move, str]
"""A move and the reason for it."""


class DeepBarca(Agent[BattleLine, BattleLineView]):
    """The probabilistic player of McCulloch et al. (2017): plays the move with the highest win probability.

    reading: best, or literal, which follows the paper to the letter. formations: how many of its own formations count
    at a flag; the paper has 4. conflicts: whether flags share the cards that several of them want. tactics, draws: by
    the paper's rules or by worth. together: weigh all flags about to be lost, not just one. combine: consider two
    Tactics in a row. ahead: consider the opponent's replies.
    """

    def __init__(
        self,
        game: BattleLine,
        *,
        reading: Literal["best", "literal"] = "best",
        formations: int = 4,
        conflicts: bool = True,
        tactics: Rule = "paper",
        draws: Rule = "paper",
        together: bool | None = None,
        combine: bool = False,
        ahead: bool = False,
    ) -> None:
        if formations < 1:
            raise BadOption(f"deep-barca: formations must be 1 or more, got {formations}.")
        chosen = replace(chances.BEST if reading == "best" else chances.LITERAL, formations=formations)
        self.reading = chosen if conflicts else replace(chosen, conflict=0.0)
        self.tactics, self.draws = tactics, draws
        self.together = reading == "best" if together is None else together
        self.combine, self.ahead = combine, ahead
        self._estimator: scenes.Estimator | None = None
        super().__init__(game)

    def make_estimator(self) -> scenes.Estimator:
        """Return a compiled estimator of the chances to win."""
        from kibitz.games.battleline.players.deep_barca.packing import CompiledEstimator

        return CompiledEstimator(self.reading)

    @property
    def estimator(self) -> scenes.Estimator:
        """Return the estimator of the chances to win, made on first use."""
        if self._estimator is None:
            self._estimator = self.make_estimator()
        return self._estimator

    @first_gear
    def prepare(self) -> None:
        """Compile the estimator by running it once."""
        view = self.game.start(0).view(0)
        scene = scenes.scene_of(view, self.reading.their_part)
        self.estimator.weigh(scene, view.legal_moves()[:1])
        if self.ahead:
            self.estimator.replies(scene, view.legal_moves()[0])

    @property
    def is_light(self) -> bool:
        """Whether a move takes less than about a second in plain Python."""
        return not (self.ahead or self.combine)

    @first_gear
    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move by the agent's rules; of equally good moves, the one with the lowest number."""
        self.check(view)
        began = time.perf_counter()
        choice = _Decision(self, view).choose()
        return replace(choice, seconds=time.perf_counter() - began)


class PlainDeepBarca(DeepBarca):
    """Deep Barca with its arithmetic in plain Python: the same choices, more slowly."""

    def make_estimator(self) -> scenes.Estimator:
        """Return an estimator of the chances to win, in plain Python."""
        return scenes.PlainEstimator(self.reading)


class _Decision:
    """The choice of one move. Legal moves are referred to by their index in `legal`."""

    def __init__(self, agent: DeepBarca, view: BattleLineView) -> None:
        self.agent, self.view, self.me = agent, view, view.player
        self.reading, self.estimator = agent.reading, agent.estimator
        self.scene = scenes.scene_of(view, agent.reading.their_part)
        self.legal = view.legal_moves()
        self.weighed = self.estimator.weigh(self.scene, self.legal)
        self.parts = [numbers.take_apart(move) for move in self.legal]
        self.troops = [i for i, p in enumerate(self.parts) if p.kind == numbers.PLACE and is_troop(p.card)]
        self.tactics = [i for i, p in enumerate(self.parts) if p.played >= 0 and not is_troop(p.played)]

    def choose(self) -> Choice:
        stage = self.view.stage
        if self.legal[0] < numbers.PLACE:
            move, note = self.claim()
        elif stage == stages.PLAY:
            move, note = self.play()
        elif stage in (stages.DRAW, stages.SCOUT):
            move, note = self.draw()
        elif stage == stages.RETURN:
            move, note = self.put_back()
        else:
            move, note = self.legal[0], "Nothing is left to claim."
        pairs = zip(self.legal, self.weighed.values, strict=True)
        values = {m: 1.0 if self._wins_game(m) else min(value, 1.0) for m, value in pairs}
        moves = tuple(MoveValue(m, value, exact=False) for m, value in values.items())
        return Choice(move, value=values[move], unit="probability", moves=moves, nodes=len(moves) + 1, note=note)

    def value(self, i: int) -> float:
        """Return the probability of winning the game after legal move i."""
        return self.weighed.values[i]

    # Claims

    def claim(self) -> ReasonedMove:
        """Choose the claim that wins the game, or else the first."""
        claims = [move for move in self.legal if move < numbers.PLACE]
        move = next(filter(self._wins_game, claims), claims[0])
        return move, f"Flag {move + 1} is proved" + (", and wins the game." if self._wins_game(move) else ".")

    def _wins_game(self, move: Move) -> bool:
        """Return whether a move claims the flag that wins the game."""
        return move < numbers.PLACE and bool(win_reason((*self.view.owned(self.me), move - numbers.CLAIM)))

    # Drawing and putting back

    def draw(self) -> ReasonedMove:
        """Choose the deck to draw from."""
        if len(self.legal) == 1:
            return self.legal[0], "The other deck is empty."
        if self.view.stage == stages.SCOUT and self.view.left < 3:
            return numbers.DRAW + TROOP, "Scout looks for Troops."
        held, theirs = self.view.held[self.me][TACTICS], self.view.held[1 - self.me][TACTICS]
        lead = len(self.view.played[self.me]) - len(self.view.played[1 - self.me])
        if lead + held > (theirs if held else 0):  # even if the opponent plays every Tactics card they hold
            return numbers.DRAW + TROOP, "A Tactics card could not be played."
        if self.agent.draws == "paper":
            return self._draw_by_rule(held, theirs)
        tactics, troop = self._tactics_gain(), self._troop_gain()
        note = f"A Tactics card is worth {100 * tactics:.1f} %, a Troop {100 * troop:.1f} %."
        return numbers.DRAW + (TACTICS if tactics > troop + NOISE else TROOP), note

    def _draw_by_rule(self, held: int, theirs: int) -> ReasonedMove:
        """Choose a deck by the rules of section 3.6: Tactics if only a Tactics card can save a flag."""
        f = next(filter(self._is_threatened, range(numbers.FLAGS)), None)
        if f is None:
            return numbers.DRAW + TROOP, "No flag needs a Tactics card to save it."
        note = f"Only a Tactics card can save flag {f + 1}"
        mine = [card for card in self.view.hand if not is_troop(card)]
        if held == 0 or (held == 1 and (theirs >= 2 or mine[0] in LESS_USEFUL)):
            return numbers.DRAW + TACTICS, f"{note}."
        return numbers.DRAW + TROOP, f"{note}, and the hand has one."

    def _is_threatened(self, f: int) -> bool:
        """Return whether the opponent can claim a flag now, or with one more card."""
        flag = self.scene.flags[f]
        if flag.owner != NOBODY or len(flag.sides[THEM]) < flag.cap - 1:
            return False
        if flag.is_complete(THEM):
            return self.scene.can_claim(THEM, f)
        cards = (card for card, chance in enumerate(self.scene.chance[THEM]) if chance > 0)
        return any(scenes.scene_after(self.scene, numbers.place(card, f), THEM).can_claim(THEM, f) for card in cards)

    def _tactics_gain(self) -> float:
        """Return how much drawing a Tactics card would raise the win probability, averaged over the unknown ones.

        Traitor counts as Deserter, Scout and Redeploy as nothing.
        """
        unknown, gain = self.view.unknown[TACTICS], 0.0
        for card in unknown:
            if card in LEADERS and not self.view.may_play_leader(self.me):
                continue
            like = card - (card == TRAITOR)  # Deserter is the card before Traitor
            plays = [] if card in (SCOUT, REDEPLOY) else list(scenes.plays_of(like, self.scene))
            gain += max([0.0, *(v - self.weighed.now for v in self.estimator.weigh(self.scene, plays).values)])
        return gain / len(unknown) if unknown else 0.0

    def _troop_gain(self) -> float:
        """Return how much drawing a Troop would raise the win probability, averaged over the unknown ones."""
        my, their = self.scene.chance
        unknown, gain = self.view.unknown[TROOP], 0.0
        for card in unknown:
            mine = tuple(1.0 if c == card else p for c, p in enumerate(my))
            theirs = tuple(0.0 if c == card else p for c, p in enumerate(their))
            gain += self.estimator.weigh(replace(self.scene, chance=(mine, theirs)), ()).now - self.weighed.now
        return gain / len(unknown) if unknown else 0.0

    def put_back(self) -> ReasonedMove:
        """Put back a Tactics card that is unlikely to be played, or else the least useful Troop."""
        unplayable = [c for c in self.view.hand if c in LEADERS and not self.view.may_play_leader(self.me)]
        beyond_two = [c for c in self.view.hand if not is_troop(c)][2:]
        if unplayable or beyond_two:
            return numbers.put_back((unplayable or beyond_two)[0]), "It is unlikely to be played."
        troops = [i for i, part in enumerate(self.parts) if is_troop(part.card)]
        best = scenes.first_best(troops or range(len(self.legal)), self.value)
        return self.legal[best], "It is the least useful card."

    # Playing

    def play(self) -> ReasonedMove:
        """Choose a Tactics card if one should be played, or else a discard at a lost flag, or else the best Troop."""
        lost, best, floor = self.scene.claimable(THEM), -1, self.weighed.now
        if self.troops:
            values = self._values_ahead() if self.agent.ahead else self.weighed.values
            best = scenes.first_best(self.troops, lambda i: values[i])
            floor = values[best]
        found = (self._tactics_play(floor, lost) if self.tactics else None) or self._discard(lost)
        if found is None and not self.troops:
            return numbers.PASS, "No Troop can be placed."
        return found or (self.legal[best], self._describe_aim(best))

    def _values_ahead(self) -> Sequence[float]:
        """Return the value of each legal move: for the best Troops after the opponent's reply, for other Troops 0."""
        values = list(self.weighed.values)
        best = self._best_few(self.troops)
        for i in self.troops:
            values[i] = self._after_reply(self.legal[i]) if i in best else 0.0
        return values

    def _best_few(self, places: Sequence[int]) -> Sequence[int]:
        return sorted(places, key=lambda i: -round(self.value(i), 9))[:MAX_PLAYS_AHEAD]

    def _after_reply(self, move: Move) -> float:
        """Return the win probability after a play and the worst reply, averaged over the opponent's possible hands."""
        view, worst = self.view, self.estimator.replies(self.scene, move)
        unknown, known = view.unknown[TROOP], list(filter(is_troop, view.known))
        held = view.held[1 - self.me][TROOP] - len(known)
        holds = {card: held / len(unknown) for card in unknown} | dict.fromkeys(known, 1.0)
        cards = sorted(holds, key=lambda card: (round(worst[card], 9), card))
        # The opponent replies with the most damaging Troop held. Troops are taken as held independently of each other.
        expected, none_held = 0.0, 1.0  # none_held: the chance that the opponent holds none of the Troops tried so far
        for card in cards:
            expected += none_held * holds[card] * worst[card]
            none_held *= 1.0 - holds[card]
        # If the opponent holds none of them all, assume the least damaging reply; 1 if there is no Troop to reply with.
        return expected + none_held * (worst[cards[-1]] if cards else 1.0)

    def _tactics_play(self, floor: float, lost: Sequence[int]) -> ReasonedMove | None:
        """Return a Tactics play, or None. floor: the value of the best Troop. lost: flags the opponent can claim."""
        if self.agent.tactics == "paper":
            found = self._winning_tactics() or self._saving_tactics(lost)
        else:
            i = scenes.first_best(self.tactics, self.value)
            gain = self.value(i) - floor
            note = f"Worth {100 * gain:.1f} % more than the best Troop. {self._describe_aim(i)}"
            found = (self.legal[i], note) if gain > MIN_TACTICS_GAIN + NOISE else None
        return found or (self._tactics_pair(floor) if self.agent.combine else None)

    def _winning_tactics(self) -> ReasonedMove | None:
        """Return a play of a Tactics card after which claims win the game, or None."""
        for i in self.tactics:
            if win_reason(f for f, chance in enumerate(self.weighed.flags[i]) if chance > 1.0 - NOISE):
                after = scenes.scene_after(self.scene, self.legal[i])
                if win_reason((*after.owned(ME), *after.claimable(ME))):
                    return self.legal[i], "Wins the game."
        return None

    def _saving_tactics(self, lost: Sequence[int]) -> ReasonedMove | None:
        """Return a play of a Tactics card that saves a flag about to be lost by the paper's rule, or None."""
        together = self.agent.together
        for flags in [lost] if together else [(f,) for f in lost]:
            fatal = bool(win_reason((*self.scene.owned(THEM), *flags)))
            saving = [i for i in self.tactics if self._saves(i, flags, fatal)]
            if saving:
                worth = self.value if together else lambda i, f=flags[0]: self.weighed.flags[i][f]
                note = "Losing it would lose the game." if fatal else "It is more likely won than lost now."
                best = self.legal[scenes.first_best(saving, worth)]
                return best, f"Saves flag {' '.join(str(f + 1) for f in flags)}. {note}"
        return None

    def _saves(self, i: int, flags: Sequence[int], fatal: bool) -> bool:
        if any(self.weighed.flags[i][f] > 0.5 for f in flags):
            return True
        if not fatal:
            return False
        after = scenes.scene_after(self.scene, self.legal[i])
        return not win_reason((*after.owned(THEM), *after.claimable(THEM)))

    def _tactics_pair(self, floor: float) -> ReasonedMove | None:
        """Return the first of two Tactics plays that are worth it only together, or None. floor: see _tactics_play."""
        view = self.view
        if len(view.played[self.me]) >= len(view.played[1 - self.me]):
            return None
        for i in self._best_few([i for i in self.tactics if self.parts[i].kind != numbers.USE_SCOUT]):
            after, used = scenes.scene_after(self.scene, self.legal[i]), self.parts[i].played
            for card in view.hand:
                if is_troop(card) or card in (SCOUT, used) or (card in LEADERS and used in LEADERS):
                    continue
                values = self.estimator.weigh(after, list(scenes.plays_of(card, after))).values
                if max(values, default=0.0) > floor + 2 * MIN_TACTICS_GAIN + NOISE:
                    return self.legal[i], f"Worth playing together with {card_text(card)}."
        return None

    def _discard(self, lost: Sequence[int]) -> ReasonedMove | None:
        """Return a play that discards a Troop at a lost flag: one wanted at many of their flags and few of mine."""
        flags = [f for f in lost if self.scene.flags[f].has_room_for(ME)]
        flags = flags if self.agent.together else flags[:1]
        plays = [i for i in self.troops if self.parts[i].target in flags]
        if not plays:
            return None
        possible = tuple(float(card in self.scene.unseen) for card in range(len(self.scene.chance[THEM])))
        theirs, mine = self._wish_counter(THEM, possible, lost), self._wish_counter(ME, self.scene.chance[ME], lost)

        def worth(i: int) -> float:
            card = self.parts[i].card
            return theirs(card) - mine(card) + self.value(i) / 2  # at most 1/2, so it only breaks ties

        best = scenes.first_best(plays, worth)
        card, flag = self.parts[best].card, self.parts[best].target + 1
        note = f"It is wanted at {theirs(card)} of their flags and {mine(card)} of mine."
        return self.legal[best], f"Flag {flag} is about to be lost: a discard. {note}"

    def _wish_counter(self, side: int, chance: tuple[float, ...], lost: Sequence[int]) -> Callable[[Card], int]:
        """Return a function that counts the flags at which a side wants a card. chance: the side's for each Troop."""
        lists = [
            chances.wishlist(self.scene.side(side, f), chance, self.reading.wishes)
            for f, flag in enumerate(self.scene.flags)
            if flag.owner == NOBODY and f not in lost
        ]
        return lambda card: sum(card in wishes for wishes in lists)

    def _describe_aim(self, i: int) -> str:
        """Return in words what a play aims for, and the chances to win its flag and the game."""
        f, game = self.parts[i].target, f"The game: {100 * self.value(i):.0f} %."
        if not 0 <= f < numbers.FLAGS:
            return game
        after = scenes.scene_after(self.scene, self.legal[i])
        mine, theirs = (chances.formations_of(after.side(side, f), after.chance[side]) for side in (ME, THEM))
        note = f"Flag {f + 1}: {100 * self.weighed.flags[i][f]:.0f} %. {game}"
        if not mine:
            return note
        aim = max(mine, key=lambda formation: formation.chance * chances.unbeaten_chance(formation, theirs, 0.5))
        return f"Aims for {RANKS[aim.score[0]]} {aim.score[1]}, {100 * aim.chance:.0f} % to make. {note}"
