"""The bots from outside that can play any game, as entries for the group "kibitz.bots"."""

from __future__ import annotations

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.parts import BotKind


def _exec(game: Game, command: str) -> Agent:
    from kibitz.interop.exec_bot import ExecBot

    return ExecBot(game, command)


def _openspiel(game: Game, spec: str) -> Agent:
    from kibitz.interop.openspiel_bot import SpielBot

    return SpielBot(game, spec)


EXEC = BotKind(_exec)
OPENSPIEL = BotKind(_openspiel, rest="BOT", about="A bot of OpenSpiel, random or mcts, see docs/rl.md.")
