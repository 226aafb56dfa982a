"""Dots-and-Boxes as a game that plugs in."""

from __future__ import annotations

from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, Evaluations, Kernel, Observe, Words
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


GAME = GamePackage(
    rules=Dots,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    observation=_observation,
)
