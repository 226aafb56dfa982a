"""Analysis of one position, with the reasons in words."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from kibitz.analysis.words import reasons, sentence
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.core.game import State
from kibitz.search.agents import analyst_spec, make_agent


def analyse(
    state: State, budget: Budget = Budget(), agent: Agent | str | None = None, watch: Watch | None = None
) -> Choice:
    """Analyse a position; return the choice of the game's analyst, or of the agent given, or of the one with this spec.

    Its note explains the move, in the game's words if the agent gives none. Raise BadOption if the game is over.
    """
    outcome = state.outcome()
    if outcome is not None:
        raise BadOption(f"The game is over ({outcome.result}, {outcome.reason}), so there is no move to analyse.")
    if not isinstance(agent, Agent):
        with closing(make_agent(state.game, agent or analyst_spec(state.game.name))) as made:
            return analyse(state, budget, made, watch)
    view = state.view(state.to_move)
    choice = agent.analyse(view, budget, watch)
    return replace(choice, note=choice.note or sentence(reasons(state, choice.move, choice.line)), view=view)
