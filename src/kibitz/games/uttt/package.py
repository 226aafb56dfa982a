"""The game package of Ultimate Tic-Tac-Toe: its rules, and loaders for all other parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from kibitz.arena.extend import PRESETS, REPORT_SECTIONS, ReportSection
from kibitz.cli.extend import COMMANDS
from kibitz.core.agent import Agent
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, BotKind, Evaluations, Kernel, Notations, Observe, Words
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.interop.extend import OPENSPIEL_TWIN, VECTOR, BatchClass, SpielTwin

if TYPE_CHECKING:
    import typer

    from kibitz.arena.tournament import Tournament


def _kernel() -> Kernel[UtttState, Uttt]:
    from kibitz.games.uttt.kernel import position as kernel

    return kernel


def _evaluations() -> Evaluations[UtttState, Uttt]:
    from kibitz.games.uttt.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.uttt.players.table import AGENTS

    return AGENTS


def _words() -> Words[UtttState, UtttState]:
    from kibitz.games.uttt.words import reasons

    return Words(reasons)


def _observation() -> Observe[UtttState]:
    from kibitz.games.uttt.observation import observe

    return observe


def _notations() -> Notations[UtttState, Uttt]:
    from kibitz.games.uttt.notations import UtttNotations

    return UtttNotations()


def _page() -> PlainPage[UtttState, UtttState, Uttt]:
    from kibitz.games.uttt.page.page import UtttPage

    return UtttPage()


def _codingame(game: Game, command: str) -> Agent:
    from kibitz.games.uttt.codingame import CodinGameBot

    return CodinGameBot(game, command)


def _bots() -> Mapping[str, BotKind]:
    return {"codingame": BotKind(_codingame, any_start=False)}


def _commands() -> typer.Typer:
    from kibitz.games.uttt.commands.app import app

    return app


def _presets() -> Mapping[str, Callable[[], Tournament]]:
    from kibitz.games.uttt.study.presets import PRESETS

    return PRESETS


def _sections() -> Sequence[ReportSection]:
    from kibitz.games.uttt.study.sections import SECTIONS

    return SECTIONS


def _openspiel_twin() -> SpielTwin:
    from kibitz.games.uttt.openspiel import TWIN

    return TWIN


def _batch() -> BatchClass:
    from kibitz.games.uttt.kernel.batch import UtttBatch

    return UtttBatch


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
    extras={
        COMMANDS: _commands,
        OPENSPIEL_TWIN: _openspiel_twin,
        PRESETS: _presets,
        REPORT_SECTIONS: _sections,
        VECTOR: _batch,
    },
)
