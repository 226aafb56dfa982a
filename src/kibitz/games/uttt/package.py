"""Ultimate Tic-Tac-Toe as a game that plugs in."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.page import PlainPage
from kibitz.core.parts import AgentTable, BotKind, Evaluations, Kernel, Notations, Observe, Words
from kibitz.games.uttt.rules import State, Uttt


def _kernel() -> Kernel[State]:
    from kibitz.games.uttt import kernel

    return kernel


def _evaluations() -> Evaluations:
    from kibitz.games.uttt.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.uttt.agents import AGENTS

    return AGENTS


def _words() -> Words:
    from kibitz.games.uttt.explain import reasons

    return Words(reasons)


def _observation() -> Observe:
    from kibitz.games.uttt.observation import observe

    return observe


def _notations() -> Notations[State]:
    from kibitz.games.uttt.notations import UtttNotations

    return UtttNotations()


def _page() -> PlainPage[State, State]:
    from kibitz.games.uttt.page import UtttPage

    return UtttPage()


def _codingame(game: Game, command: str) -> Agent:
    from kibitz.interop.codingame import CodinGameBot

    return CodinGameBot(game, command)


def _bots() -> Mapping[str, BotKind]:
    return {"codingame": BotKind(_codingame, any_start=False)}


GAME = GamePackage(
    rules=Uttt,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    bots=_bots,
)
