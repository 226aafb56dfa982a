"""Battle Line with outside bots: they are told the view of their seat and nothing else, and play as well by it."""

from __future__ import annotations

import random
import shlex
import sys
from pathlib import Path

import pytest

import kibitz
from clocks import PATIENCE
from kibitz.bots.exec import ExecBot
from kibitz.bots.outside import LastingBot
from kibitz.core.agent import Budget
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.testing import random_game

GAME = BattleLine()
EXAMPLE = shlex.join([sys.executable, str(Path(__file__).parents[3] / "docs" / "example_bot.py")])


def test_a_bot_is_told_nothing_hidden() -> None:
    bot, rng = ExecBot(GAME, EXAMPLE), random.Random(1)
    for state in random_game(GAME, 3)[:-1:5]:
        assert isinstance(state, BattleLineState)
        view = state.view(state.to_move)
        other = view.sample(rng)
        told = bot._question(view, Budget(seconds=1))
        assert [line for line in told if not line.startswith("seat")] == [
            line for line in bot._question(other.view(other.to_move), Budget(seconds=1)) if not line.startswith("seat")
        ]
        named = {word for line in told for word in line.replace(",", " ").replace("=", " ").replace("/", " ").split()}
        assert not {f"{card}" for card in ("hands", "troops", "tactics")} & named
    bot.close()


def test_an_agent_plays_the_same_as_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each position goes through the texts of views and moves; the example bot answers too."""
    monkeypatch.setattr(LastingBot, "reply_seconds", PATIENCE)
    monkeypatch.setattr(LastingBot, "start_seconds", PATIENCE)
    engine = shlex.join([sys.executable, "-m", "kibitz", "engine", "battleline", "reflex"])
    bot, other = kibitz.agent(GAME, f"exec:{engine}"), kibitz.agent(GAME, f"exec:{EXAMPLE}")
    outside = kibitz.play(GAME, [bot, other], seed=5, budget=Budget(seconds=PATIENCE), raise_faults=True)
    inside = kibitz.play(GAME, [kibitz.agent(GAME, "reflex"), other], seed=5, budget=Budget(seconds=PATIENCE))
    assert outside.moves == inside.moves
    assert outside.result in ("1-0", "0-1", "1/2-1/2")
    bot.close()
    other.close()
