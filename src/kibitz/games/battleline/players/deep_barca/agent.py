"""Deep Barca, the probabilistic player of McCulloch, Bladow, Dobrow & Wright (2017), and its rules of play.

It claims all it can. It plays the Troop after which its chance to win the game is
greatest, discards on a flag that is about to be lost, and spends and draws Tactics
by the rules of section 3.6, or by their worth. chances.py has the arithmetic,
docs/games/battleline/deep-barca.md what the paper leaves open and how it was decided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.battleline.players.deep_barca import scene as scenes
from kibitz.games.battleline.players.deep_barca.chances import BEST, LITERAL, formations_of, not_beaten, wishlist
from kibitz.games.battleline.players.deep_barca.scene import ME, NOISE, THEM
from kibitz.games.battleline.rules import BattleLine, stages
from kibitz.games.battleline.rules import moves as numbers
from kibitz.games.battleline.rules.cards import LEADERS, REDEPLOY, SB, SCOUT, TRAITOR, Card, card_text, is_troop
from kibitz.games.battleline.rules.formations import RANKS
from kibitz.games.battleline.rules.open_cards import NOBODY, wins
from kibitz.games.battleline.rules.view import BattleLineView

PRICE = 0.04
"""By how much a Tactics card must raise the chance to win the game above the best Troop's, where worth decides."""
LESS_USEFUL = (SCOUT, REDEPLOY, SB)
"""Tactics that do not save a flag by themselves, mostly."""
REPLIES = 4
"""How many plays are looked at with the replies to them."""
TROOP, TACTICS = 0, 1

Rule = Literal["paper", "worth"]


class DeepBarca(Agent[BattleLine, BattleLineView]):
    """The probabilistic player of McCulloch et al. (2017): plays what makes winning the game most likely.

    reading: best, or literal, the paper by its letter. formations: how many own formations count at a flag; the paper
    has 4. conflicts: whether cards that several flags want are shared. tactics, draws: by the paper's rules or by
    worth. together: weigh all flags that are about to be lost, not one. combine: look at two Tactics in a row.
    ahead: look at the opponent's replies.
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
            raise BadOption(f"Deep Barca cannot look at {formations} formations: it must be 1 or more.")
        found = replace(BEST if reading == "best" else LITERAL, formations=formations)
        self.reading = found if conflicts else replace(found, conflict=0.0)
        self.tactics, self.draws = tactics, draws
        self.together = reading == "best" if together is None else together
        self.combine, self.ahead = combine, ahead
        self._made: scenes.Estimates | None = None
        super().__init__(game)

    def make_estimates(self) -> scenes.Estimates:
        """Return who judges: here the compiled twin."""
        from kibitz.games.battleline.players.deep_barca.packing import CompiledEstimates

        return CompiledEstimates(self.reading)

    @property
    def estimates(self) -> scenes.Estimates:
        """Return who judges, made when first asked for."""
        if self._made is None:
            self._made = self.make_estimates()
        return self._made

    def prepare(self) -> None:
        """Compile."""
        view = self.game.start(0).view(0)
        scene = scenes.scene_of(view, self.reading.their_part)
        self.estimates.weigh(scene, view.legal_moves())
        if self.ahead:
            self.estimates.replies(scene, view.legal_moves()[0])

    def choose(self, view: BattleLineView, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        """Return the move by the rules above; equally good ones are decided by their number."""
        self.check(view)
        began = time.perf_counter()
        choice = _Turn(self, view).choose()
        return replace(choice, seconds=time.perf_counter() - began)


class PlainDeepBarca(DeepBarca):
    """Deep Barca with its arithmetic in plain Python: the same choices, slowly."""

    def make_estimates(self) -> scenes.Estimates:
        """Return who judges: here plain Python."""
        return scenes.PlainEstimates(self.reading)


class _Turn:
    """One decision."""

    def __init__(self, agent: DeepBarca, view: BattleLineView) -> None:
        self.agent, self.view = agent, view
        self.reading, self.estimates = agent.reading, agent.estimates
        self.scene = scenes.scene_of(view, agent.reading.their_part)
        self.legal = view.legal_moves()

    def choose(self) -> Choice:
        weighed = self.estimates.weigh(self.scene, self.legal)
        if self.legal[0] < numbers.PLACE:
            move, note = self._claim()
        elif self.view.stage == stages.PLAY:
            move, note = _Play(self, weighed).choose()
        elif self.view.stage in (stages.DRAW, stages.SCOUT):
            move, note = self._draw(weighed)
        elif self.view.stage == stages.RETURN:
            move, note = self._put_back(weighed)
        else:
            move, note = self.legal[0], "Nothing is left to claim."
        values = [1.0 if self._wins(m) else min(v, 1.0) for m, v in zip(self.legal, weighed.values, strict=True)]
        moves = tuple(MoveValue(m, value, exact=False) for m, value in zip(self.legal, values, strict=True))
        value = values[self.legal.index(move)]
        return Choice(move, value=value, unit="probability", moves=moves, nodes=len(moves) + 1, note=note)

    def _wins(self, move: Move) -> bool:
        """Return whether a move claims the flag that wins the game."""
        return move < numbers.PLACE and bool(
            wins(tuple(sorted((*self.view.owned(self.view.player), move - numbers.CLAIM))))
        )

    def _claim(self) -> tuple[Move, str]:
        """Claim the flag that wins the game, or the first."""
        claims = [move for move in self.legal if move < numbers.PLACE]
        move = next(filter(self._wins, claims), claims[0])
        return move, f"Flag {move + 1} is proved" + (", and wins the game." if self._wins(move) else ".")

    def _draw(self, weighed: scenes.Weighed) -> tuple[Move, str]:
        """Choose a deck."""
        if len(self.legal) == 1:
            return self.legal[0], "The other deck is empty."
        if self.view.stage == stages.SCOUT and self.view.left < 3:
            return numbers.DRAW + TROOP, "Scout looks for Troops."
        held = self.view.held[self.view.player][TACTICS]
        if not self._could_play(held):
            return numbers.DRAW + TROOP, "A Tactics card could not be played."
        if self.agent.draws == "paper":
            return self._draw_by_rule(held)
        gains = self._tactics_gain(weighed), self._troop_gain(weighed)
        told = f"A Tactics card is worth {100 * gains[0]:.1f} %, a Troop {100 * gains[1]:.1f} %."
        return numbers.DRAW + (TACTICS if gains[0] > gains[1] + NOISE else TROOP), told

    def _could_play(self, held: int) -> bool:
        """Return whether one more Tactics card could be played, if the opponent plays those he holds."""
        me = self.view.player
        mine, theirs = (len(self.view.played[player]) for player in (me, 1 - me))
        return mine + held <= theirs + (self.view.held[1 - me][TACTICS] if held else 0)

    def _draw_by_rule(self, held: int) -> tuple[Move, str]:
        """Draw Tactics by the rules of section 3.6: against a flag that only Tactics can save."""
        f = self._threatened()
        if f is None:
            return numbers.DRAW + TROOP, "No flag is in danger that only a Tactics card could save."
        told = f"Flag {f + 1} is one card from being lost to all but Tactics"
        theirs = self.view.held[1 - self.view.player][TACTICS]
        mine = [card for card in self.view.hand if not is_troop(card)]
        if held == 0 or (held == 1 and (theirs >= 2 or mine[0] in LESS_USEFUL)):
            return numbers.DRAW + TACTICS, f"{told}."
        return numbers.DRAW + TROOP, f"{told}, and Tactics are in the hand."

    def _threatened(self) -> int | None:
        """Return a flag that the opponent can prove with one more card, or could claim now."""
        cards = [card for card, chance in enumerate(self.scene.chance[THEM]) if chance > 0]
        for f, flag in enumerate(self.scene.flags):
            if flag.owner == NOBODY and len(flag.sides[THEM]) >= flag.cap - 1:
                if self.scene.proves(THEM, f):
                    return f
                if flag.takes(THEM) and any(
                    scenes.after(self.scene, numbers.place(c, f), THEM).proves(THEM, f) for c in cards
                ):
                    return f
        return None

    def _tactics_gain(self, weighed: scenes.Weighed) -> float:
        """Return by how much an unknown Tactics card would raise the chance to win, over all it may be.

        Traitor is counted at what Deserter would do, Scout and Redeploy as nothing.
        """
        unknown, gain = self.view.unknown[TACTICS], 0.0
        for card in unknown:
            if card in LEADERS and not self.view.may_play_leader(self.view.player):
                continue
            plays = [] if card in (SCOUT, REDEPLOY) else list(scenes.plays_of(card - (card == TRAITOR), self.scene))
            gain += max([0.0, *(v - weighed.now for v in self.estimates.weigh(self.scene, plays).values)])
        return gain / len(unknown) if unknown else 0.0

    def _troop_gain(self, weighed: scenes.Weighed) -> float:
        """Return by how much an unknown Troop in the hand would raise the chance to win, over all it may be."""
        my, their = self.scene.chance
        unknown, gain = self.view.unknown[TROOP], 0.0
        for card in unknown:
            sure = tuple(1.0 if c == card else p for c, p in enumerate(my))
            gone = tuple(0.0 if c == card else p for c, p in enumerate(their))
            gain += self.estimates.weigh(replace(self.scene, chance=(sure, gone)), ()).now - weighed.now
        return gain / len(unknown) if unknown else 0.0

    def _put_back(self, weighed: scenes.Weighed) -> tuple[Move, str]:
        """Put back a Tactics card that cannot be played, else the Troop that is missed least."""
        view = self.view
        dead = [c for c in view.hand if c in LEADERS and not view.may_play_leader(view.player)]
        spare = [c for c in view.hand if not is_troop(c)][2:]
        if dead or spare:
            return numbers.RETURN + (dead or spare)[0], "It could hardly be played."
        troops = [i for i, move in enumerate(self.legal) if is_troop(move - numbers.RETURN)]
        best = scenes.first_best(at := troops or [*range(len(self.legal))], [weighed.values[i] for i in at])
        return self.legal[best], "It is missed least."


class _Play:
    """The decision which card to play where."""

    def __init__(self, turn: _Turn, weighed: scenes.Weighed) -> None:
        self.turn, self.weighed, self.scene, self.legal = turn, weighed, turn.scene, turn.legal
        self.agent, self.estimates, self.reading = turn.agent, turn.estimates, turn.reading
        self.parts = [numbers.take_apart(move) for move in self.legal]
        self.troops = [i for i, p in enumerate(self.parts) if p.kind == numbers.PLACE and is_troop(p.card)]
        self.spells = [i for i, p in enumerate(self.parts) if p.played >= 0 and not is_troop(p.played)]
        self.lost = self.scene.provable(THEM)

    def choose(self) -> tuple[Move, str]:
        """Return the play and why."""
        value = self._values()
        if not self.troops:
            best = numbers.PASS
            floor = self.weighed.now
        else:
            at = scenes.first_best(self.troops, [value[i] for i in self.troops])
            best, floor = self.legal[at], value[at]
        found = self._tactics(floor)
        if found is None:
            found = self._discard()
        if found is None:
            found = best, "No Troop can be placed." if best == numbers.PASS else self._aim(best)
        return found

    def _values(self) -> Sequence[float]:
        """Return the value of each play; with `ahead` that of the best Troops after the replies to them."""
        values = list(self.weighed.values)
        if self.agent.ahead and self.troops:
            best = sorted(self.troops, key=lambda i: -round(values[i], 9))[:REPLIES]
            for i in self.troops:
                values[i] = self._after_reply(self.legal[i]) if i in best else 0.0
        return values

    def _after_reply(self, move: Move) -> float:
        """Return the chance to win after a play and the best reply, over all the cards that he may hold."""
        view = self.turn.view
        worst = self.estimates.replies(self.scene, move)
        unknown = view.unknown[TROOP]
        held = view.held[1 - view.player][TROOP] - sum(map(is_troop, view.known))
        holds = {card: held / len(unknown) for card in unknown} | dict.fromkeys(view.known, 1.0)
        cards = sorted((card for card in holds if is_troop(card)), key=lambda card: (round(worst[card], 9), card))
        expected, none = 0.0, 1.0
        for card in cards:
            expected += none * holds[card] * worst[card]
            none *= 1.0 - holds[card]
        return expected + none * (worst[cards[-1]] if cards else 1.0)

    def _tactics(self, floor: float) -> tuple[Move, str] | None:
        """Return a Tactics card to play, if one should be."""
        if not self.spells:
            return None
        if self.agent.tactics == "paper":
            found = self._winning() or self._saving()
        else:
            i = scenes.first_best(self.spells, [self.weighed.values[i] for i in self.spells])
            gain = self.weighed.values[i] - floor
            told = f"Worth {100 * gain:.1f} % more than the best Troop. {self._aim(self.legal[i])}"
            found = (self.legal[i], told) if gain > PRICE + NOISE else None
        return found or (self._pair(floor) if self.agent.combine else None)

    def _winning(self) -> tuple[Move, str] | None:
        """Return a Tactics card after which the game can be won by proof."""
        for i in self.spells:
            sure = [f for f, chance in enumerate(self.weighed.flags[i]) if chance > 1.0 - NOISE]
            if wins(tuple(sure)):
                then = scenes.after(self.scene, self.legal[i])
                if wins(tuple(sorted((*then.owned(ME), *then.provable(ME))))):
                    return self.legal[i], "Wins the game."
        return None

    def _saving(self) -> tuple[Move, str] | None:
        """Return a Tactics card that saves a flag which is about to be lost, by the paper's rule."""
        for lost in [self.lost] if self.agent.together else [(f,) for f in self.lost]:
            fatal = bool(wins(tuple(sorted((*self.scene.owned(THEM), *lost)))))
            saved = [i for i in self.spells if self._saves(i, lost, fatal)]
            if saved:
                best = scenes.first_best(saved, [self._saved_worth(i, lost) for i in saved])
                told = "Losing it would lose the game." if fatal else "It is more likely won than lost now."
                return self.legal[best], f"Saves flag {' '.join(str(f + 1) for f in lost)}. {told}"
        return None

    def _saves(self, i: int, lost: Sequence[int], fatal: bool) -> bool:
        if any(self.weighed.flags[i][f] > 0.5 for f in lost):
            return True
        if not fatal:
            return False
        then = scenes.after(self.scene, self.legal[i])
        return not wins(tuple(sorted((*then.owned(THEM), *then.provable(THEM)))))

    def _saved_worth(self, i: int, lost: Sequence[int]) -> float:
        """Return what a saving play is judged by: the game if all flags are weighed together, else the flag."""
        return self.weighed.values[i] if self.agent.together else self.weighed.flags[i][lost[0]]

    def _pair(self, floor: float) -> tuple[Move, str] | None:
        """Return the first of two Tactics that are worth it only together, if both may be played in a row."""
        view, me = self.turn.view, self.turn.view.player
        if len(view.played[me]) >= len(view.played[1 - me]):
            return None
        firsts = [i for i in self.spells if self.parts[i].kind != numbers.USE_SCOUT]
        for i in sorted(firsts, key=lambda i: -round(self.weighed.values[i], 9))[:REPLIES]:
            then = scenes.after(self.scene, self.legal[i])
            used = self.parts[i].played
            for card in view.hand:
                if is_troop(card) or card in (SCOUT, used) or (card in LEADERS and used in LEADERS):
                    continue
                values = self.estimates.weigh(then, list(scenes.plays_of(card, then))).values
                if max(values, default=0.0) > floor + 2 * PRICE + NOISE:
                    return self.legal[i], f"Worth it together with {card_text(card)}."
        return None

    def _discard(self) -> tuple[Move, str] | None:
        """Return the card to play at a flag that is about to be lost: most on their wishlists, least on the own."""
        flags = [f for f in self.lost if self.scene.flags[f].takes(ME)]
        flags = flags if self.agent.together else flags[:1]
        plays = [i for i in self.troops if self.parts[i].target in flags]
        if not plays:
            return None
        could = tuple(float(card in self.scene.unseen) for card in range(len(self.scene.chance[THEM])))
        theirs, mine = self._wishes(THEM, could), self._wishes(ME, self.scene.chance[ME])
        cards = [self.parts[i].card for i in plays]
        # half a value decides between equal counts only
        worth = [theirs(c) - mine(c) + self.weighed.values[i] / 2 for i, c in zip(plays, cards, strict=True)]
        best = scenes.first_best(plays, worth)
        card = self.parts[best].card
        told = f"{theirs(card)} flags of theirs want it, {mine(card)} of mine."
        return self.legal[best], f"Flag {self.parts[best].target + 1} is about to be lost: a discard. {told}"

    def _wishes(self, side: int, chance: tuple[float, ...]) -> Callable[[Card], int]:
        """Return how many flags of a side want a card."""
        lists = [
            wishlist(self.scene.side(side, f), chance, self.reading.wishes)
            for f, flag in enumerate(self.scene.flags)
            if flag.owner == NOBODY and f not in self.lost
        ]
        return lambda card: sum(card in wishes for wishes in lists)

    def _aim(self, move: Move) -> str:
        """Return what a play aims for, in words."""
        f = numbers.take_apart(move).target
        i = self.legal.index(move)
        if not 0 <= f < len(self.scene.flags):
            return f"The game: {100 * self.weighed.values[i]:.0f} %."
        then = scenes.after(self.scene, move)
        theirs = formations_of(then.side(THEM, f), then.chance[THEM])
        mine = formations_of(then.side(ME, f), then.chance[ME])
        told = f"Flag {f + 1}: {100 * self.weighed.flags[i][f]:.0f} %. The game: {100 * self.weighed.values[i]:.0f} %."
        if not mine:
            return told
        aim = max(mine, key=lambda formation: formation.chance * not_beaten(formation, theirs, 0.5))
        return f"Aims for {RANKS[aim.score[0]]} {aim.score[1]}, {100 * aim.chance:.0f} % to make. {told}"
