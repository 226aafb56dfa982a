"""The entry point of exec:COMMAND bots in the group "kibitz.bots"."""

from __future__ import annotations

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.parts import BotKind


def _exec(game: Game, command: str) -> Agent:
    from kibitz.bots.exec import ExecBot

    return ExecBot(game, command)


EXEC = BotKind(_exec)
