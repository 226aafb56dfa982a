"""Review of a recorded game: what each move lost, which moves turned the game, how accurately both sides played.

Independent of terminal and page. The caller supplies the analyst as a function from a
position to a choice; everything else is computed from its answers.

The worth of a position is counted in the analyst's unit: 1 for a won game and 1/2 for
a drawn one, so that a win probability is its own worth, or the margin in boxes or points.

Accuracy compares what a player's moves lost with what random moves would have lost in the same positions: a player
who moves at random scores about 0, one who never loses anything scores 1. Both sums leave out what the analyst cannot
tell apart, so a position in which all moves are equally good counts for nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from kibitz.analysis.position import analyse
from kibitz.analysis.words import reasons
from kibitz.core.agent import Agent, Budget, Choice, Counted, MoveValue, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, Player, State, hides
from kibitz.core.record import GameRecord

Verdict: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
VERDICTS: tuple[Verdict, ...] = ("best", "good", "inaccuracy", "mistake", "blunder")
Outlook: TypeAlias = Literal["losing", "even", "winning"]
OUTLOOKS: tuple[Outlook, ...] = ("losing", "even", "winning")


@dataclass(frozen=True)
class Scale:
    """Thresholds for one unit: the smallest loss that earns each verdict."""

    inaccuracy: float
    mistake: float
    blunder: float
    middle: float
    """The worth of an even position."""
    edge: float
    """Distance from even at which a position counts as winning or losing."""

    def verdict(self, loss: float) -> Verdict:
        """Return the verdict on a move that loses this much."""
        if loss >= self.blunder:
            return "blunder"
        return "mistake" if loss >= self.mistake else "inaccuracy" if loss >= self.inaccuracy else "good"

    def outlook(self, worth: float) -> Outlook:
        """Return whether a position of this worth is winning, losing or even."""
        if worth >= self.middle + self.edge:
            return "winning"
        return "losing" if worth <= self.middle - self.edge else "even"

    def for_opponent(self, worth: float) -> float:
        """Return what a position of this worth is worth to the opponent."""
        return 2 * self.middle - worth


CHANCE = Scale(inaccuracy=0.05, mistake=0.10, blunder=0.20, middle=0.5, edge=0.15)
"""For win probabilities and results."""
COUNT = Scale(inaccuracy=1.0, mistake=2.0, blunder=4.0, middle=0.0, edge=0.5)
"""For margins, such as boxes."""
SCORE_LOSS = "points a move"
"""The heading of a player's mean loss in points."""
MAX_BEST_LOSS = 0.001
"""A move that loses at most this much counts as best."""
MAX_DOUBLINGS = 4
"""How often a review doubles its budget for a position in which the analyst finds no value."""
GLANCE_SHARE = 0.25
"""The part of a review's budget for a position that a sampled random move gets."""


@dataclass(frozen=True)
class Judgement:
    """The analyst's verdict on one move. Worths are from the mover's side."""

    number: int
    """The number of the move, from 1."""
    player: Player
    move: Move
    best: Move
    best_worth: float
    worth: float
    best_score: float | None
    """The expected final margin after the best move, in the game's points; None if the analyst estimates none."""
    score: float | None
    """The same after the move played."""
    exact: bool
    """Whether `best_worth` and `worth` are proved."""
    verdict: Verdict
    line: tuple[Move, ...]
    """The expected play, starting with the best move."""
    reasons: tuple[str, ...]
    best_reasons: tuple[str, ...]
    forced: bool
    """Whether it was the only legal move."""
    random_loss: float | None
    """The mean loss of all legal moves; None if the analyst did not value them all and no others were sampled."""
    scale: Scale

    @property
    def loss(self) -> float:
        """How much worse than the best move the move played was; never negative."""
        return max(0.0, self.best_worth - self.worth)

    @property
    def score_loss(self) -> float | None:
        """How many points worse than the best move the move played was, never negative; None if that is unknown."""
        return None if self.best_score is None or self.score is None else max(0.0, self.best_score - self.score)

    @property
    def outlooks(self) -> tuple[Outlook, Outlook]:
        """The outlook before the move, and after it."""
        return self.scale.outlook(self.best_worth), self.scale.outlook(self.worth)

    @property
    def is_turning_point(self) -> bool:
        """Whether the move turned the game: it worsened the outlook and lost at least as much as an inaccuracy."""
        before, after = self.outlooks
        return OUTLOOKS.index(after) < OUTLOOKS.index(before) and self.loss >= self.scale.inaccuracy


@dataclass(frozen=True)
class Review:
    """A game with the moves judged so far."""

    record: GameRecord
    game: Game
    states: tuple[State, ...]
    """Every position of the game, judged or not."""
    judgements: tuple[Judgement, ...]

    @property
    def complete(self) -> bool:
        """Whether every move was judged."""
        return len(self.judgements) == len(self.record.moves)

    @property
    def scale(self) -> Scale:
        """The thresholds that apply to this game."""
        return self.judgements[0].scale if self.judgements else CHANCE

    @property
    def turning_points(self) -> tuple[Judgement, ...]:
        """The moves that turned the game."""
        return tuple(judgement for judgement in self.judgements if judgement.is_turning_point)

    @property
    def curve(self) -> tuple[float, ...]:
        """The worth of each position to the first player: before every judged move, and after the last one."""
        if not self.judgements:
            return ()
        worths = [(j.player, j.best_worth) for j in self.judgements]
        worths.append((self.judgements[-1].player, self.judgements[-1].worth))
        return tuple(worth if player == 0 else self.scale.for_opponent(worth) for player, worth in worths)

    @property
    def score_curve(self) -> tuple[float, ...]:
        """The first player's expected margin before every judged move, and after the last; empty if it is unknown."""
        scores = [(j.player, j.best_score) for j in self.judgements]
        scores += [(j.player, j.score) for j in self.judgements[-1:]]
        known = tuple(score if player == 0 else -score for player, score in scores if score is not None)
        return known if len(known) == len(scores) else ()

    def score_loss(self, player: Player) -> float | None:
        """Return the mean loss of a player's moves in points, not counting forced ones; None if it is unknown."""
        own = [j.score_loss for j in self.judgements if j.player == player and not j.forced]
        known = [loss for loss in own if loss is not None]
        return sum(known) / len(known) if known else None

    def accuracy(self, player: Player) -> float | None:
        """Return the share, 0 to 1, of what random moves would have lost that a player's moves did not lose.

        None if random moves would have lost less than an inaccuracy: the game gave the player nothing to decide.
        """
        losses = [(j.loss, j.random_loss) for j in self.judgements if j.player == player and j.random_loss is not None]
        lost, random_lost = (sum(column) for column in zip(*losses, strict=True)) if losses else (0.0, 0.0)
        return None if random_lost < self.scale.inaccuracy else max(0.0, 1 - lost / random_lost)

    def verdicts(self, player: Player) -> Counter[Verdict]:
        """Return the number of a player's moves with each verdict."""
        return Counter(j.verdict for j in self.judgements if j.player == player)

    def figures(self, player: Player) -> list[str]:
        """Return a player's accuracy (empty if unknown) and the number of moves with each verdict, as texts."""
        accuracy, verdicts = self.accuracy(player), self.verdicts(player)
        return ["" if accuracy is None else f"{accuracy:.0%}", *(str(verdicts[verdict]) for verdict in VERDICTS)]


def reviewers(
    budget: Budget, agent: Agent | str | None = None
) -> tuple[Callable[[State], Choice], Callable[[State], Choice]]:
    """Return the two analysts of a review with a budget for each position: one for moves played, one for a glance.

    The first doubles its budget, up to MAX_DOUBLINGS times, where it finds no value.
    """

    def analyst(state: State) -> Choice:
        for doublings in range(MAX_DOUBLINGS + 1):
            choice = analyse(state, scaled(budget, 2.0**doublings), agent)
            if choice.value is not None:
                break
        return choice

    return analyst, partial(analyse, budget=scaled(budget, GLANCE_SHARE), agent=agent)


def scaled(budget: Budget, factor: float) -> Budget:
    """Return a multiple of a budget."""
    nodes, playouts = (n and max(1, round(factor * n)) for n in (budget.nodes, budget.playouts))
    return Budget(budget.seconds and factor * budget.seconds, nodes, playouts)


def judge_moves(
    states: Sequence[State],
    moves: Sequence[Move],
    analyst: Callable[[State], Choice],
    glance: Callable[[State], Choice] | None = None,
) -> Iterator[Judgement]:
    """Yield a judgement of each move in turn. states holds the position before each move, and the last one.

    A value that counts visits comes from a part of the search, so that of the next position, from a whole one, is used
    instead, except for the best moves; likewise if the analyst lists only candidates and leaves out the move.
    `glance`, a shorter analysis, then values one of the unlisted legal moves, the choice seeded by the number of the
    move, to estimate what random moves lose. Without `glance` such positions do not count in the accuracy.

    Raise BadOption if the analyst has no value for a position.
    """
    next_choice: Choice | None = None
    for number, (state, move) in enumerate(zip(states, moves, strict=False), 1):
        choice, after = next_choice or analyst(state), states[number]
        scale = COUNT if isinstance(choice.unit, Counted) else CHANCE
        best_worth, next_choice, score = _worth(choice, number), None, choice.score
        valued = next((m for m in choice.moves if m.move == move), None)
        if valued is not None and (valued.visits is None or move in choice.best):
            worth, exact = _points(valued.value, choice.unit), valued.exact and choice.proved
        else:
            outcome, score = after.outcome(), None
            if outcome is None:
                next_choice = analyst(after)
                score = next_choice.score
                if score is not None and after.to_move != state.to_move:
                    score = -score
            elif choice.score is not None:
                score = _margin(after, state.to_move)
            worth, exact = _worth_after(state, after, next_choice, scale, best_worth, number)
            exact = exact and choice.proved
        loss = best_worth - worth
        yield Judgement(
            number=number,
            player=state.to_move,
            move=move,
            best=choice.move,
            best_worth=best_worth,
            worth=worth,
            best_score=choice.score,
            score=score,
            exact=exact,
            verdict="best" if move in choice.best or loss <= MAX_BEST_LOSS else scale.verdict(loss),
            line=_line(choice),
            reasons=reasons(state, move),
            best_reasons=reasons(state, choice.move, _line(choice)),
            forced=len(state.legal_moves()) == 1,
            random_loss=_random_loss(state, choice, scale, glance, number),
            scale=scale,
        )


def _worth_after(
    state: State, after: State, choice: Choice | None, scale: Scale, best_worth: float, number: int
) -> tuple[float, bool]:
    """Return what a move is worth to its player and whether that is proved. choice: the analysis after the move."""
    outcome = after.outcome()
    if choice is not None:
        worth = _worth(choice, number + 1)
        return worth if after.to_move == state.to_move else scale.for_opponent(worth), choice.proved
    if scale is CHANCE and outcome is not None:
        return (outcome.value(state.to_move) + 1) / 2, True
    return best_worth, False  # an outcome has no margin


def _random_loss(
    state: State, choice: Choice, scale: Scale, glance: Callable[[State], Choice] | None, number: int
) -> float | None:
    """Return the mean loss of all legal moves; of those that the analyst left out, one at random stands for all."""
    best_worth, legal = _worth(choice, number), state.legal_moves()
    listed = {m.move: max(0.0, best_worth - _points(m.value, choice.unit)) for m in choice.moves}
    total, unlisted = sum(listed.values()), [move for move in legal if move not in listed]
    if unlisted and len(legal) > 1:
        if glance is None:
            return None
        rng = random.Random(number)
        move = rng.choice(unlisted)
        after = (state.view(state.to_move).sample(rng) if hides(state) else state).play(move)
        found = glance(after) if after.outcome() is None else None
        if found is not None and found.value is None:
            return None
        worth, _ = _worth_after(state, after, found, scale, best_worth, number)
        total += len(unlisted) * max(0.0, best_worth - worth)
    return total / len(legal)


def _points(value: float, unit: Unit | None) -> float:
    return (value + 1) / 2 if unit == "result" else value


def _worth(choice: Choice, number: int) -> float:
    if choice.value is None:
        raise BadOption(f"The analyst found no value before move {number}: give it more time or nodes.")
    return _points(choice.value, choice.unit)


def _margin(state: State, player: Player) -> float | None:
    """Return a player's final margin in a finished game, or None if the game is not scored."""
    scores = state.game.scores(state.view(player))
    return None if scores is None else scores[player] - scores[1 - player]


def _line(choice: Choice) -> tuple[Move, ...]:
    """Return the line that the analyst expects, starting with the move of its choice; empty if it gives none."""
    valued: MoveValue | None = next((m for m in choice.moves if m.move == choice.move), None)
    return choice.line or (valued.line if valued is not None else ())
