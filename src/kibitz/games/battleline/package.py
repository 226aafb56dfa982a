"""The game package of Battle Line: its rules, and loaders for all other parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.cli.extend import COMMANDS
from kibitz.core.defaults.page import PlainPage
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentTable, Chance, Evaluations, Kernel, Notations, Observe, Words
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.interop.extend import VECTOR, BatchClass

if TYPE_CHECKING:
    import typer

    from kibitz.games.battleline.rules.view import PublicView


def _kernel() -> Kernel[BattleLineState, BattleLine]:
    from kibitz.games.battleline.kernel import position as kernel

    return kernel


def _evaluations() -> Evaluations[BattleLineState, BattleLine]:
    from kibitz.games.battleline.evaluate import EVALUATIONS

    return EVALUATIONS


def _agents() -> AgentTable:
    from kibitz.games.battleline.players.table import AGENTS

    return AGENTS


def _words() -> Words[BattleLineState, PublicView]:
    from kibitz.games.battleline import words

    return Words(words.reasons, words.draw_analysis, words.analysis_json)


def _notations() -> Notations[BattleLineState, BattleLine]:
    from kibitz.games.battleline.notations import BattleLineNotations

    return BattleLineNotations()


def _observation() -> Observe[PublicView]:
    from kibitz.games.battleline.observation import observe

    return observe


def _chance() -> Chance[BattleLineState, BattleLine]:
    from kibitz.games.battleline import chance

    return chance


def _page() -> PlainPage[BattleLineState, PublicView, BattleLine]:
    from kibitz.games.battleline.page import BattleLinePage

    return BattleLinePage(BattleLine)


def _commands() -> typer.Typer:
    from kibitz.games.battleline.commands import app

    return app


def _batch() -> BatchClass:
    from kibitz.games.battleline.kernel.batch import BattleLineBatch

    return BattleLineBatch


GAME = GamePackage(
    rules=BattleLine,
    kernel=_kernel,
    evaluations=_evaluations,
    agents=_agents,
    words=_words,
    notations=_notations,
    observation=_observation,
    chance=_chance,
    page=_page,
    extras={COMMANDS: _commands, VECTOR: _batch},
)
