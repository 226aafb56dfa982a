"""Go as a game that plugs in."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.page import PlainPage
from kibitz.core.parts import AgentTable, BotKind, Evaluations, Kernel, Notations, Observe, Words
from kibitz.games.go.rules import Go, State


def _kernel() -> Kernel[State]:
    from kibitz.games.go import kernel

    return kernel


def _evaluations() -> Evaluations:
    from kibitz.games.go.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.patterns.players.agents import AGENTS

    return AGENTS


def _words() -> Words:
    from kibitz.games.go.explain import reasons

    return Words(reasons)


def _observation() -> Observe:
    from kibitz.games.go.observation import observe

    return observe


def _notations() -> Notations[State]:
    from kibitz.games.go.notations import GoNotations

    return GoNotations()


def _page() -> PlainPage[State, State]:
    from kibitz.games.go.page import GoPage

    return GoPage()


def _gtp(game: Game, command: str) -> Agent:
    from kibitz.interop.gtp_bot import GtpBot

    return GtpBot(game, command)


def _bots() -> Mapping[str, BotKind]:
    return {"gtp": BotKind(_gtp)}


GAME = GamePackage(
    rules=Go,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    page=_page,
    bots=_bots,
)
