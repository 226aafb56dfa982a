"""One game between two agents, judged on the readable rules.

Knows no tournament and no terminal. A fault of an agent (an illegal move, an
exception) loses it the game and is written into the record.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kibitz.core import registry
from kibitz.core.agent import Agent, Allowance, Budget, Choice, Watch
from kibitz.core.errors import BadOption, IllegalMove
from kibitz.core.game import Game, Outcome, Player, State
from kibitz.core.record import GameRecord, deal_seed
from kibitz.core.seeds import derive


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    budget: Budget | Sequence[Budget] = Budget(),
    start: State | None = None,
    raise_faults: bool = False,
) -> GameRecord:
    """Play one game and return its record.

    The seed decides the deal and, apart from it, the agents' random choices.
    One budget a turn for both agents, or one each. With raise_faults an
    agent's exception or illegal move is raised instead of losing it the game.
    """
    if len(agents) != 2:
        raise BadOption(f"A game is between 2 agents, not {len(agents)}.")
    if start is not None and start.game != game:
        raise BadOption("The position to start from is of another game, or of the same one with other options.")
    allowance = Allowance((budget, budget) if isinstance(budget, Budget) else budget)
    for seat, agent in enumerate(agents):
        agent.reset(derive(seed, "agent", seat))
    state = game.start(deal_seed(seed)) if start is None else start
    first, moves, times = state, list[str](), list[float]()
    outcome = state.outcome()
    while outcome is None:
        player = state.to_move
        began = time.perf_counter()
        try:
            choice = agents[player].choose(state.view(player), allowance.before(state))
            seconds = time.perf_counter() - began
            if type(choice.move) is not int:
                raise TypeError(f"the move is {choice.move!r}, not a whole number")
            after = state.play(choice.move)
            allowance.spend(choice, seconds)
        except Exception as fault:  # an agent may be anybody's code: whatever it raises is its forfeit
            if raise_faults:
                raise
            outcome = _forfeit(game, player, fault)
            break
        moves.append(game.move_text(choice.move))
        times.append(seconds)
        state, outcome = after, after.outcome()
    return GameRecord(
        game=game.name,
        options=game.options,
        agents=(agents[0].spec, agents[1].spec),
        moves=tuple(moves),
        result=outcome.result,
        reason=outcome.reason,
        seed=seed,
        start=None if start is None else game.position_text(first),
        times=tuple(times),
    )


def _forfeit(game: Game, player: Player, fault: Exception) -> Outcome:
    kind = "an illegal move" if isinstance(fault, IllegalMove) else type(fault).__name__
    return Outcome(1 - player, f"forfeit by {game.players[player]}: {kind}: {fault}")


def analyse(
    state: State, budget: Budget = Budget(seconds=1.0), agent: str | None = None, watch: Watch | None = None
) -> Choice:
    """Return what the game's analyst, or the agent of this spec, thinks of a position.

    Raises BadOption if the game is over.
    """
    outcome = state.outcome()
    if outcome is not None:
        raise BadOption(f"The game is over ({outcome.result}, {outcome.reason}): there is no move to analyse.")
    analyst = registry.agent(state.game, agent or registry.analyst(state.game.name))
    return analyst.choose(state.view(state.to_move), budget, watch)
