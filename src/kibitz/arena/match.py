"""One game between two agents, judged on the readable rules.

An agent that makes an illegal move, raises an exception or runs out of time loses the game, and the record says why.
If the rules themselves fail, the game has no result: GameFailed is raised.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kibitz.arena.tournament import TimeControl
from kibitz.core.agent import Agent, Allowance, Budget, Choice
from kibitz.core.errors import AgentFault, BadOption, IllegalMove, OutOfTime, Resigned
from kibitz.core.faults import is_rules_failure, rules_failures
from kibitz.core.game import Game, Outcome, Player, State
from kibitz.core.record import GameRecord, deal_seed
from kibitz.core.seeds import derive

DECIDED_PROBABILITY = 0.99
"""An agent considers the game decided if it gives either side at least this probability of winning."""
AGREED_MOVES = 3
"""Adjudicate once each agent has considered the game decided for this many of its moves in a row."""


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    budget: Budget | Sequence[Budget] = Budget(),
    start: State | None = None,
    *,
    clock: TimeControl | None = None,
    grace: float | None = None,
    adjudicate: bool = False,
    id: str = "",
    ties: int = 0,
    raise_faults: bool = False,
    follow: Callable[[Sequence[str]], None] | None = None,
) -> GameRecord:
    """Play one game and return its record. Raise GameFailed, with the position, if the rules of the game fail.

    seed: determines the deal and, independently of it, the agents' random choices.
    budget: per turn, one for both agents or one each; with a clock, a share of the remaining time instead.
    grace: seconds by which a move may exceed its time before it loses the game; None for any number.
    adjudicate: whether to end the game once both agents consider it decided.
    id, ties: stored in the record; ties is the number of drawn games that were replayed before this one.
    raise_faults: whether to raise an agent's error instead of recording a lost game.
    follow: called before every move with the moves made so far.
    """
    if len(agents) != 2:
        raise BadOption(f"A game needs 2 agents, got {len(agents)}.")
    if start is not None and start.game != game:
        raise BadOption("The start position belongs to another game, or to this game with other options.")
    umpire = Umpire(budget, clock, grace, adjudicate)
    for seat, agent in enumerate(agents):
        agent.reset(derive(seed, "agent", seat))
        agent.prepare()
    state = game.start(deal_seed(seed)) if start is None else start
    moves, times = list[str](), list[float]()
    outcome = state.outcome()
    while outcome is None:
        if follow is not None:
            follow(moves)
        with rules_failures(state):
            player = state.to_move
            try:
                began = time.perf_counter()
                choice = agents[player].choose(state.view(player), umpire.budget(state))
                seconds = time.perf_counter() - began
                if type(choice.move) is not int:
                    raise TypeError(f"the move is {choice.move!r}, not a whole number")
                after = state.play(choice.move)
                umpire.spend(state, choice, seconds)
            except Resigned:
                outcome = Outcome(1 - player, f"{game.players[player]} resigned")
                break
            except Exception as fault:  # agents may be anyone's code: whatever they raise loses the game
                if raise_faults or is_rules_failure(fault):
                    raise
                outcome = _forfeit(game, player, fault)
                break
            moves.append(game.move_text(choice.move))
            times.append(round(seconds, 6))
            state, outcome = after, after.outcome()
            if outcome is None:
                outcome = umpire.verdict()
    return GameRecord(
        game=game.name, options=game.options, agents=(agents[0].spec, agents[1].spec), moves=tuple(moves),
        result=outcome.result, reason=outcome.reason, seed=seed,
        start=None if start is None else game.position_text(start), times=tuple(times), id=id, ties=ties,
    )  # fmt: skip


class Umpire:
    """Keeps the time in one game, and adjudicates it if asked to."""

    def __init__(
        self, budget: Budget | Sequence[Budget], clock: TimeControl | None, grace: float | None, adjudicate: bool
    ) -> None:
        self.allowance = Allowance((budget, budget) if isinstance(budget, Budget) else budget)
        self.clock, self.grace, self.adjudicate = clock, grace, adjudicate
        self.seconds_left = [clock.seconds, clock.seconds] if clock else []
        self.last_turn = [-1, -1]
        self.certain_moves = [0, 0]
        """For how many moves in a row each agent has considered the game won (positive) or lost (negative)."""
        self.given_seconds: float | None = None

    def budget(self, state: State) -> Budget:
        """Return the budget of the player to move for this move; with a clock, add any increment that is due."""
        if self.clock is None:
            budget = self.allowance.budget(state)
        else:
            player = state.to_move
            if self.last_turn[player] not in (-1, state.turn):
                self.seconds_left[player] += self.clock.increment
            self.last_turn[player] = state.turn
            budget = self.clock.budget(self.seconds_left[player])
        self.given_seconds = budget.seconds
        return budget

    def spend(self, state: State, choice: Choice, seconds: float) -> None:
        """Deduct a move's time, and note whether its player considers the game decided. Raise OutOfTime if too late."""
        player, given = state.to_move, self.given_seconds
        if self.clock is not None:
            self.seconds_left[player] -= seconds
            if self.seconds_left[player] < 0:
                raise OutOfTime(f"the clock ran out {-self.seconds_left[player]:.2f} s before the move")
        else:
            if self.grace is not None and given is not None and seconds > given + self.grace:
                raise OutOfTime(f"the move took {seconds:.2f} s, the limit was {given:.2f} s")
            self.allowance.spend(choice, seconds)
        certainty, count = _certainty(choice), self.certain_moves[player]
        self.certain_moves[player] = count + certainty if certainty * count > 0 else certainty  # same sign: count on

    def verdict(self) -> Outcome | None:
        """Return the outcome if the game is to be adjudicated and both agents have agreed long enough; else None."""
        winner = 0 if self.certain_moves[0] > 0 else 1
        agreed_moves = min(self.certain_moves[winner], -self.certain_moves[1 - winner])
        reason = "adjudicated: both agents consider the game decided"
        return Outcome(winner, reason) if self.adjudicate and agreed_moves >= AGREED_MOVES else None


def _certainty(choice: Choice) -> int:
    """Return 1 if the agent considers the game won, -1 if lost, else 0."""
    if choice.value is None or choice.unit not in ("probability", "result"):
        return 0
    points = choice.value if choice.unit == "probability" else (choice.value + 1) / 2
    return 1 if points >= DECIDED_PROBABILITY else -1 if points <= 1 - DECIDED_PROBABILITY else 0


def _forfeit(game: Game, player: Player, fault: Exception) -> Outcome:
    if isinstance(fault, IllegalMove):
        kind = "illegal move"
    else:
        kind = fault.kind if isinstance(fault, AgentFault) else f"crash, {type(fault).__name__}"
    return Outcome(1 - player, f"forfeit by {game.players[player]}: {kind}: {fault}")
