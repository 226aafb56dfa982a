"""One game between two agents, judged on the readable rules.

Knows no tournament and no terminal. A fault of an agent (an illegal move, an
exception, too much time) loses it the game and is written into the record. A
failure of the rules is raised as GameFailed: it is no result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kibitz.arena.tournament import Clock
from kibitz.core.agent import Agent, Allowance, Budget, Choice
from kibitz.core.errors import AgentFault, BadOption, IllegalMove, OutOfTime, Resigned
from kibitz.core.faults import is_rules_failure, rules_failures
from kibitz.core.game import Game, Outcome, Player, State
from kibitz.core.record import GameRecord, deal_seed
from kibitz.core.seeds import derive

SURE = 0.99
"""The win probability from which an agent holds a game for decided."""
AGREED_MOVES = 3
"""How many moves in a row each agent must hold it so before the game is adjudicated."""


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    budget: Budget | Sequence[Budget] = Budget(),
    start: State | None = None,
    *,
    clock: Clock | None = None,
    grace: float | None = None,
    adjudicate: bool = False,
    id: str = "",
    ties: int = 0,
    raise_faults: bool = False,
    follow: Callable[[Sequence[str]], None] | None = None,
) -> GameRecord:
    """Play one game and return its record.

    The seed decides the deal and, apart from it, the agents' random choices.
    One budget a turn for both agents, or one each; with a clock, its share for
    the turn instead. A move that takes longer than its time and the grace, in
    seconds, loses the game; without a grace only an empty clock does. With
    adjudicate the game ends once both agents hold it for decided. id and ties
    (drawn games replayed before this one) go into the record. With
    raise_faults an agent's fault is raised instead of losing it the game.
    follow is called with the moves made so far before every move. Raise
    GameFailed, with the position, if the rules of the game fail.
    """
    if len(agents) != 2:
        raise BadOption(f"A game is between 2 agents, not {len(agents)}.")
    if start is not None and start.game != game:
        raise BadOption("The position to start from is of another game, or of the same one with other options.")
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
            except Exception as fault:  # an agent may be anybody's code: whatever it raises is its forfeit
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
        game=game.name,
        options=game.options,
        agents=(agents[0].spec, agents[1].spec),
        moves=tuple(moves),
        result=outcome.result,
        reason=outcome.reason,
        seed=seed,
        start=None if start is None else game.position_text(start),
        times=tuple(times),
        id=id,
        ties=ties,
    )


class Umpire:
    """Keeps the time of one game and, where asked to, says when it is decided."""

    def __init__(
        self, budget: Budget | Sequence[Budget], clock: Clock | None, grace: float | None, adjudicate: bool
    ) -> None:
        self.allowance = Allowance((budget, budget) if isinstance(budget, Budget) else budget)
        self.clock, self.grace, self.adjudicate = clock, grace, adjudicate
        self.left = [clock.seconds, clock.seconds] if clock else []
        self.last_turn = [-1, -1]
        self.sure = [0, 0]
        """How many moves in a row each agent has held the game for won (above 0) or lost (below)."""
        self.given: float | None = None

    def budget(self, state: State) -> Budget:
        """Return what the player to move may spend."""
        if self.clock is None:
            budget = self.allowance.before(state)
        else:
            player = state.to_move
            if self.last_turn[player] not in (-1, state.turn):
                self.left[player] += self.clock.increment
            self.last_turn[player] = state.turn
            budget = self.clock.budget(self.left[player])
        self.given = budget.seconds
        return budget

    def spend(self, state: State, choice: Choice, seconds: float) -> None:
        """Note what a move cost and how its player sees the game. Raises OutOfTime."""
        player = state.to_move
        if self.clock is not None:
            self.left[player] -= seconds
            if self.left[player] < 0:
                raise OutOfTime(f"the clock ran out {-self.left[player]:.2f} s before the move")
        else:
            if self.grace is not None and self.given is not None and seconds > self.given + self.grace:
                raise OutOfTime(f"the move took {seconds:.2f} s of {self.given:.2f} s")
            self.allowance.spend(choice, seconds)
        view = _certainty(choice)
        self.sure[player] = self.sure[player] + view if view * self.sure[player] >= 0 and view else view

    def verdict(self) -> Outcome | None:
        """Return the outcome on which both agents agree, or None."""
        if self.adjudicate:
            for winner in (0, 1):
                if self.sure[winner] >= AGREED_MOVES and self.sure[1 - winner] <= -AGREED_MOVES:
                    return Outcome(winner, "adjudicated: both agents hold the game for decided")
        return None


def _certainty(choice: Choice) -> int:
    """Return 1 if an agent is sure to win, -1 if it is sure to lose, else 0."""
    if choice.value is None or choice.unit not in ("probability", "result"):
        return 0
    points = choice.value if choice.unit == "probability" else (choice.value + 1) / 2
    return 1 if points >= SURE else -1 if points <= 1 - SURE else 0


def _forfeit(game: Game, player: Player, fault: Exception) -> Outcome:
    if isinstance(fault, IllegalMove):
        kind = "illegal move"
    else:
        kind = fault.kind if isinstance(fault, AgentFault) else f"crash, {type(fault).__name__}"
    return Outcome(1 - player, f"forfeit by {game.players[player]}: {kind}: {fault}")
