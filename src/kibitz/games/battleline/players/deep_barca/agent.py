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
Reasoned: TypeAlias = tuple[Move, str]
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
            raise BadOption(f"Deep Barca cannot look at {formations} formations: use 1 or more.")
        found = replace(chances.BEST if reading == "best" else chances.LITERAL, formations=formations)
        self.reading = found if conflicts else replace(found, conflict=0.0)
        self.tactics, self.draws = tactics, draws
        self.together = reading == "best" if together is None else together
        self.combine, self.ahead = combine, ahead
        self._estimates: scenes.Estimates | None = None
        super().__init__(game)

    def make_estimates(self) -> scenes.Estimates:
        """Return compiled estimates."""
        from kibitz.games.battleline.players.deep_barca.packing import CompiledEstimates

        return CompiledEstimates(self.reading)

    @property
    def estimates(self) -> scenes.Estimates:
        """Return the estimates, made on first use."""
        if self._estimates is None:
            self._estimates = self.make_estimates()
        return self._estimates

    def prepare(self) -> None:
        """Compile the code of the estimates by running it once."""
        view = self.game.start(0).view(0)
        scene = scenes.scene_of(view, self.reading.their_part)
        self.estimates.weigh(scene, view.legal_moves())
        if self.ahead:
            self.estimates.replies(scene, view.legal_moves()[0])

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the best move by these rules; of equally good moves, the one with the lowest number."""
        self.check(view)
        began = time.perf_counter()
        choice = _Decision(self, view).choose()
        return replace(choice, seconds=time.perf_counter() - began)


class PlainDeepBarca(DeepBarca):
    """Deep Barca with its arithmetic in plain Python: the same choices, more slowly."""

    def make_estimates(self) -> scenes.Estimates:
        """Return estimates in plain Python."""
        return scenes.PlainEstimates(self.reading)


class _Decision:
    """The choice of one move. Legal moves are referred to by their index in `legal`."""

    def __init__(self, agent: DeepBarca, view: BattleLineView) -> None:
        self.agent, self.view, self.me = agent, view, view.player
        self.reading, self.estimates = agent.reading, agent.estimates
        self.scene = scenes.scene_of(view, agent.reading.their_part)
        self.legal = view.legal_moves()
        self.weighed = self.estimates.weigh(self.scene, self.legal)
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
        values = [1.0 if self._wins(m) else min(v, 1.0) for m, v in zip(self.legal, self.weighed.values, strict=True)]
        moves = tuple(MoveValue(m, value, exact=False) for m, value in zip(self.legal, values, strict=True))
        value = values[self.legal.index(move)]
        return Choice(move, value=value, unit="probability", moves=moves, nodes=len(moves) + 1, note=note)

    def value(self, i: int) -> float:
        """Return the win probability after a move."""
        return self.weighed.values[i]

    # Claims

    def claim(self) -> Reasoned:
        """Claim the flag that wins the game, or the first."""
        claims = [move for move in self.legal if move < numbers.PLACE]
        move = next(filter(self._wins, claims), claims[0])
        return move, f"Flag {move + 1} is proved" + (", and wins the game." if self._wins(move) else ".")

    def _wins(self, move: Move) -> bool:
        """Return whether a move claims the flag that wins the game."""
        return move < numbers.PLACE and bool(win_reason((*self.view.owned(self.me), move - numbers.CLAIM)))

    # Drawing and putting back

    def draw(self) -> Reasoned:
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

    def _draw_by_rule(self, held: int, theirs: int) -> Reasoned:
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
            return self.scene.proves(THEM, f)
        cards = (card for card, chance in enumerate(self.scene.chance[THEM]) if chance > 0)
        return any(scenes.after(self.scene, numbers.place(card, f), THEM).proves(THEM, f) for card in cards)

    def _tactics_gain(self) -> float:
        """Return how much an unknown Tactics card would raise the win probability, averaged over all it could be.

        Traitor counts as Deserter, Scout and Redeploy as nothing.
        """
        unknown, gain = self.view.unknown[TACTICS], 0.0
        for card in unknown:
            if card in LEADERS and not self.view.may_play_leader(self.me):
                continue
            plays = [] if card in (SCOUT, REDEPLOY) else list(scenes.plays_of(card - (card == TRAITOR), self.scene))
            gain += max([0.0, *(v - self.weighed.now for v in self.estimates.weigh(self.scene, plays).values)])
        return gain / len(unknown) if unknown else 0.0

    def _troop_gain(self) -> float:
        """Return how much an unknown Troop would raise the win probability, averaged over all it could be."""
        my, their = self.scene.chance
        unknown, gain = self.view.unknown[TROOP], 0.0
        for card in unknown:
            sure = tuple(1.0 if c == card else p for c, p in enumerate(my))
            gone = tuple(0.0 if c == card else p for c, p in enumerate(their))
            gain += self.estimates.weigh(replace(self.scene, chance=(sure, gone)), ()).now - self.weighed.now
        return gain / len(unknown) if unknown else 0.0

    def put_back(self) -> Reasoned:
        """Put back a Tactics card that is unlikely to be played, or else the least useful Troop."""
        dead = [c for c in self.view.hand if c in LEADERS and not self.view.may_play_leader(self.me)]
        spare = [c for c in self.view.hand if not is_troop(c)][2:]
        if dead or spare:
            return numbers.put_back((dead or spare)[0]), "It is unlikely to be played."
        troops = [i for i, part in enumerate(self.parts) if is_troop(part.card)]
        best = scenes.first_best(troops or range(len(self.legal)), self.value)
        return self.legal[best], "It is the least useful card."

    # Playing

    def play(self) -> Reasoned:
        """Choose a Tactics card if one should be played, or else a discard at a lost flag, or else the best Troop."""
        lost, best, floor = self.scene.provable(THEM), -1, self.weighed.now
        if self.troops:
            values = self._values_ahead() if self.agent.ahead else self.weighed.values
            best = scenes.first_best(self.troops, lambda i: values[i])
            floor = values[best]
        found = (self._tactics(floor, lost) if self.tactics else None) or self._discard(lost)
        if found is None:
            found = (numbers.PASS, "No Troop can be placed.") if best < 0 else (self.legal[best], self._aim(best))
        return found

    def _values_ahead(self) -> Sequence[float]:
        """Return the values of all plays: for the best Troops after the opponent's reply, for other Troops 0."""
        values = list(self.weighed.values)
        best = self._best_few(self.troops)
        for i in self.troops:
            values[i] = self._after_reply(self.legal[i]) if i in best else 0.0
        return values

    def _best_few(self, places: Sequence[int]) -> Sequence[int]:
        return sorted(places, key=lambda i: -round(self.value(i), 9))[:MAX_PLAYS_AHEAD]

    def _after_reply(self, move: Move) -> float:
        """Return the win probability after a play and the best reply, averaged over the opponent's possible cards."""
        view, worst = self.view, self.estimates.replies(self.scene, move)
        unknown, known = view.unknown[TROOP], list(filter(is_troop, view.known))
        held = view.held[1 - self.me][TROOP] - len(known)
        holds = {card: held / len(unknown) for card in unknown} | dict.fromkeys(known, 1.0)
        cards = sorted(holds, key=lambda card: (round(worst[card], 9), card))
        expected, none = 0.0, 1.0
        for card in cards:
            expected += none * holds[card] * worst[card]
            none *= 1.0 - holds[card]
        return expected + none * (worst[cards[-1]] if cards else 1.0)

    def _tactics(self, floor: float, lost: Sequence[int]) -> Reasoned | None:
        """Return a Tactics card to play, if one should be. floor: the value of the best Troop."""
        if self.agent.tactics == "paper":
            found = self._winning() or self._saving(lost)
        else:
            i = scenes.first_best(self.tactics, self.value)
            gain = self.value(i) - floor
            note = f"Worth {100 * gain:.1f} % more than the best Troop. {self._aim(i)}"
            found = (self.legal[i], note) if gain > MIN_TACTICS_GAIN + NOISE else None
        return found or (self._pair(floor) if self.agent.combine else None)

    def _winning(self) -> Reasoned | None:
        """Return a Tactics card after which the game can be won by claiming proved flags."""
        for i in self.tactics:
            if win_reason(f for f, chance in enumerate(self.weighed.flags[i]) if chance > 1.0 - NOISE):
                then = scenes.after(self.scene, self.legal[i])
                if win_reason((*then.owned(ME), *then.provable(ME))):
                    return self.legal[i], "Wins the game."
        return None

    def _saving(self, lost: Sequence[int]) -> Reasoned | None:
        """Return a Tactics card that saves a flag about to be lost, by the paper's rule."""
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
        then = scenes.after(self.scene, self.legal[i])
        return not win_reason((*then.owned(THEM), *then.provable(THEM)))

    def _pair(self, floor: float) -> Reasoned | None:
        """Return the first of two Tactics that are only worth playing together, if both may be played in a row."""
        view = self.view
        if len(view.played[self.me]) >= len(view.played[1 - self.me]):
            return None
        for i in self._best_few([i for i in self.tactics if self.parts[i].kind != numbers.USE_SCOUT]):
            then, used = scenes.after(self.scene, self.legal[i]), self.parts[i].played
            for card in view.hand:
                if is_troop(card) or card in (SCOUT, used) or (card in LEADERS and used in LEADERS):
                    continue
                values = self.estimates.weigh(then, list(scenes.plays_of(card, then))).values
                if max(values, default=0.0) > floor + 2 * MIN_TACTICS_GAIN + NOISE:
                    return self.legal[i], f"Worth playing together with {card_text(card)}."
        return None

    def _discard(self, lost: Sequence[int]) -> Reasoned | None:
        """Return the Troop to discard at a flag about to be lost: one that they want at many flags and I at few."""
        flags = [f for f in lost if self.scene.flags[f].has_room_for(ME)]
        flags = flags if self.agent.together else flags[:1]
        plays = [i for i in self.troops if self.parts[i].target in flags]
        if not plays:
            return None
        could = tuple(float(card in self.scene.unseen) for card in range(len(self.scene.chance[THEM])))
        theirs, mine = self._wishes(THEM, could, lost), self._wishes(ME, self.scene.chance[ME], lost)

        def worth(i: int) -> float:
            card = self.parts[i].card
            return theirs(card) - mine(card) + self.value(i) / 2  # at most 1/2, so it only breaks ties

        best = scenes.first_best(plays, worth)
        card, flag = self.parts[best].card, self.parts[best].target + 1
        note = f"It is wanted at {theirs(card)} of their flags and {mine(card)} of mine."
        return self.legal[best], f"Flag {flag} is about to be lost: a discard. {note}"

    def _wishes(self, side: int, chance: tuple[float, ...], lost: Sequence[int]) -> Callable[[Card], int]:
        """Return a function that counts at how many flags a side wants a card."""
        lists = [
            chances.wishlist(self.scene.side(side, f), chance, self.reading.wishes)
            for f, flag in enumerate(self.scene.flags)
            if flag.owner == NOBODY and f not in lost
        ]
        return lambda card: sum(card in wishes for wishes in lists)

    def _aim(self, i: int) -> str:
        """Describe the aim of a play."""
        f, game = self.parts[i].target, f"The game: {100 * self.value(i):.0f} %."
        if not 0 <= f < numbers.FLAGS:
            return game
        then = scenes.after(self.scene, self.legal[i])
        mine, theirs = (chances.formations_of(then.side(side, f), then.chance[side]) for side in (ME, THEM))
        note = f"Flag {f + 1}: {100 * self.weighed.flags[i][f]:.0f} %. {game}"
        if not mine:
            return note
        aim = max(mine, key=lambda formation: formation.chance * chances.not_beaten(formation, theirs, 0.5))
        return f"Aims for {RANKS[aim.score[0]]} {aim.score[1]}, {100 * aim.chance:.0f} % to make. {note}"
