"""The entry point of OpenSpiel's bots in the group "kibitz.bots"."""

from __future__ import annotations

from kibitz.core.agent import Agent
from kibitz.core.game import Game
from kibitz.core.parts import BotKind


def _openspiel(game: Game, spec: str) -> Agent:
    from kibitz.interop.openspiel.bot import SpielBot

    return SpielBot(game, spec)


OPENSPIEL = BotKind(_openspiel, rest="BOT", about="A bot of OpenSpiel, random or mcts; see docs/rl.md.")
