"""The game package of Dots-and-Boxes: its rules, and loaders for all other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.cli.extend import COMMANDS
from kibitz.core.defaults.page import PlainPage
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, Evaluations, Kernel, Notations, Observe, Problems, Words
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.interop.extend import OPENSPIEL_TWIN, SpielTwin

if TYPE_CHECKING:
    import typer


def _kernel() -> Kernel[DotsState, Dots]:
    from kibitz.games.dots.kernel import position as kernel

    return kernel


def _evaluations() -> Evaluations[DotsState, Dots]:
    from kibitz.games.dots.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.dots.players.table import AGENTS

    return AGENTS


def _words() -> Words[DotsState, DotsState]:
    from kibitz.games.dots.words.insight import analysis_json, draw_analysis
    from kibitz.games.dots.words.reasons import reasons

    return Words(reasons, draw_analysis, analysis_json)


def _observation() -> Observe[DotsState]:
    from kibitz.games.dots.observation import observe

    return observe


def _notations() -> Notations[DotsState, Dots]:
    from kibitz.games.dots.notations.notations import DotsNotations

    return DotsNotations()


def _page() -> PlainPage[DotsState, DotsState, Dots]:
    from kibitz.games.dots.page.page import DotsPage

    return DotsPage()


def _problems() -> Problems:
    from kibitz.games.dots.problems.problems import DotsProblems

    return DotsProblems()


def _commands() -> typer.Typer:
    from kibitz.games.dots.commands.app import app

    return app


def _openspiel_twin() -> SpielTwin:
    from kibitz.games.dots.openspiel import TWIN

    return TWIN


GAME = GamePackage[DotsState, DotsState, Dots](
    rules=Dots,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    problems=_problems,
    extras={COMMANDS: _commands, OPENSPIEL_TWIN: _openspiel_twin},
)
