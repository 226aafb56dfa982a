"""A recorded game gone over: what each move lost, which moves turned the game, how accurate the players were.

Knows no terminal and no page. Whoever asks for a review brings the analyst, as
a function from a position to a choice; all the rest is computed from its answers.

Worth is counted as the analyst counts: in points (1 a won game, 1/2 a drawn
one, so that a win probability is worth itself), or in boxes or points of a game
that has such values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kibitz.analysis.words import reasons
from kibitz.core.agent import Choice, Counted, MoveValue, Unit
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, Move, Player, State
from kibitz.core.record import GameRecord

Verdict: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
VERDICTS: tuple[Verdict, ...] = ("best", "good", "inaccuracy", "mistake", "blunder")
Outlook: TypeAlias = Literal["losing", "even", "winning"]
OUTLOOKS: tuple[Outlook, ...] = ("losing", "even", "winning")


@dataclass(frozen=True)
class Scale:
    """How much of a worth is much. A loss of so much, or more, has the verdict."""

    inaccuracy: float
    mistake: float
    blunder: float
    middle: float
    """What an even position is worth."""
    edge: float
    """How far from even a position is held for winning or losing."""

    def verdict(self, loss: float) -> Verdict:
        """Return the verdict on a move that is not as good as the best."""
        if loss >= self.blunder:
            return "blunder"
        return "mistake" if loss >= self.mistake else "inaccuracy" if loss >= self.inaccuracy else "good"

    def outlook(self, worth: float) -> Outlook:
        """Return how a position stands."""
        if worth >= self.middle + self.edge:
            return "winning"
        return "losing" if worth <= self.middle - self.edge else "even"

    def other(self, worth: float) -> float:
        """Return what a position is worth to the other player."""
        return 2 * self.middle - worth

    def accuracy(self, loss: float) -> float:
        """Return how accurate a move is, from 1 down to 0; a loss as large as a blunder's leaves 1/e."""
        return math.exp(-loss / self.blunder)


CHANCE = Scale(inaccuracy=0.05, mistake=0.10, blunder=0.20, middle=0.5, edge=0.15)
"""For points, a win probability or a result."""
COUNT = Scale(inaccuracy=1.0, mistake=2.0, blunder=4.0, middle=0.0, edge=0.5)
"""For boxes and the like."""
EQUAL = 0.001
"""Up to such a loss a move is as good as the best."""


@dataclass(frozen=True)
class Judgement:
    """One move of the game as the analyst sees it. Worths are to the player who made it."""

    number: int
    """From 1."""
    player: Player
    move: Move
    best: Move
    best_worth: float
    worth: float
    exact: bool
    """Whether both worths are proved."""
    verdict: Verdict
    line: tuple[Move, ...]
    """The play expected after the best move, itself included."""
    reasons: tuple[str, ...]
    best_reasons: tuple[str, ...]
    only: bool
    """Whether there was no other move."""
    scale: Scale

    @property
    def loss(self) -> float:
        """What the move gave away; never negative."""
        return max(0.0, self.best_worth - self.worth)

    @property
    def outlooks(self) -> tuple[Outlook, Outlook]:
        """How the position stood before the move, and how after it."""
        return self.scale.outlook(self.best_worth), self.scale.outlook(self.worth)

    @property
    def turning(self) -> bool:
        """Whether the move turned the game: it stood better before it, and something was given away."""
        before, after = self.outlooks
        return OUTLOOKS.index(after) < OUTLOOKS.index(before) and self.loss >= self.scale.inaccuracy


@dataclass(frozen=True)
class Review:
    """A game as far as it was gone over."""

    record: GameRecord
    game: Game
    states: tuple[State, ...]
    """Every position of the game, gone over or not."""
    judgements: tuple[Judgement, ...]

    @property
    def complete(self) -> bool:
        """Whether every move was judged."""
        return len(self.judgements) == len(self.record.moves)

    @property
    def scale(self) -> Scale:
        """What is much in this game."""
        return self.judgements[0].scale if self.judgements else CHANCE

    @property
    def turning_points(self) -> tuple[Judgement, ...]:
        """The moves that turned the game."""
        return tuple(judgement for judgement in self.judgements if judgement.turning)

    @property
    def curve(self) -> tuple[float, ...]:
        """What the position before each move, and the last one, was worth to the first player."""
        if not self.judgements:
            return ()
        worths = [(j.player, j.best_worth) for j in self.judgements]
        worths.append((self.judgements[-1].player, self.judgements[-1].worth))
        return tuple(worth if player == 0 else self.scale.other(worth) for player, worth in worths)

    def accuracy(self, player: Player) -> float | None:
        """Return the mean accuracy of a player's moves where there was a choice; None without such moves."""
        own = [self.scale.accuracy(j.loss) for j in self.judgements if j.player == player and not j.only]
        return sum(own) / len(own) if own else None

    def verdicts(self, player: Player) -> Counter[Verdict]:
        """Return how often a player's moves had each verdict."""
        return Counter(j.verdict for j in self.judgements if j.player == player)


def judge_moves(states: Sequence[State], moves: Sequence[Move], look: Callable[[State], Choice]) -> Iterator[Judgement]:
    """Yield a judgement of each move as soon as it is found. states: the position before each move, and the last.

    Raises BadOption if the analyst has no value for a position.
    """
    ahead: Choice | None = None
    for number, (state, move) in enumerate(zip(states, moves, strict=False), 1):
        choice = ahead or look(state)
        scale = COUNT if isinstance(choice.unit, Counted) else CHANCE
        best_worth, ahead = _worth(choice, number), None
        valued = next((m for m in choice.moves if m.move == move), None)
        if valued is not None:
            worth, exact = _points(valued.value, choice.unit), valued.exact and _is_proved(choice)
        else:
            outcome = states[number].outcome()
            if outcome is None:
                ahead = look(states[number])
                worth, exact = _worth(ahead, number + 1), _is_proved(ahead) and _is_proved(choice)
                worth = worth if states[number].to_move == state.to_move else scale.other(worth)
            elif scale is CHANCE:
                worth, exact = (outcome.value(state.to_move) + 1) / 2, _is_proved(choice)
            else:  # an outcome does not tell by how much
                worth, exact = best_worth, False
        loss = best_worth - worth
        yield Judgement(
            number=number,
            player=state.to_move,
            move=move,
            best=choice.move,
            best_worth=best_worth,
            worth=worth,
            exact=exact,
            verdict="best" if move in choice.best or loss <= EQUAL else scale.verdict(loss),
            line=_line(choice),
            reasons=reasons(state, move),
            best_reasons=reasons(state, choice.move, _line(choice)),
            only=len(state.legal_moves()) == 1,
            scale=scale,
        )


def _points(value: float, unit: Unit | None) -> float:
    return (value + 1) / 2 if unit == "result" else value


def _worth(choice: Choice, number: int) -> float:
    if choice.value is None:
        raise BadOption(f"The analyst has no value before move {number}: give it more time or nodes.")
    return _points(choice.value, choice.unit)


def _is_proved(choice: Choice) -> bool:
    """Return whether the value of a choice is exact; one proved win is enough."""
    return choice.exact or any(m.exact and m.move == choice.move for m in choice.moves)


def _line(choice: Choice) -> tuple[Move, ...]:
    """Return the play expected from the best move on."""
    own: MoveValue | None = next((m for m in choice.moves if m.move == choice.move), None)
    return choice.line or (own.line if own is not None else ())
