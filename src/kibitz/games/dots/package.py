"""Dots-and-Boxes as a game that plugs in."""

from __future__ import annotations

from kibitz.core.package import GamePackage
from kibitz.core.page import PlainPage
from kibitz.core.parts import AgentTable, Evaluations, Kernel, Notations, Observe, Problems, Words
from kibitz.games.dots.rules import Dots, State


def _kernel() -> Kernel[State]:
    from kibitz.games.dots import kernel

    return kernel


def _evaluations() -> Evaluations:
    from kibitz.games.dots.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.dots.agents import AGENTS

    return AGENTS


def _words() -> Words:
    from kibitz.games.dots.analysis import analysis_json, draw_analysis
    from kibitz.games.dots.explain import reasons

    return Words(reasons, draw_analysis, analysis_json)


def _observation() -> Observe:
    from kibitz.games.dots.observation import observe

    return observe


def _notations() -> Notations[State]:
    from kibitz.games.dots.notations import DotsNotations

    return DotsNotations()


def _page() -> PlainPage[State, State]:
    from kibitz.games.dots.page import DotsPage

    return DotsPage()


def _problems() -> Problems:
    from kibitz.games.dots.page.problems import DotsProblems

    return DotsProblems()


GAME = GamePackage(
    rules=Dots,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    problems=_problems,
)
