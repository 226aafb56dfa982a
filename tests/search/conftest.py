"""The games on which every search is tested."""

from __future__ import annotations

import pytest

from kibitz.core import registry
from kibitz.core.game import Game
from kibitz.core.package import GamePackage

RULES: dict[str, dict[str, str]] = {
    "closed": {},
    "open-count": {"variant": "open", "tiebreak": "count"},
    "closed-count": {"tiebreak": "count"},
    "open": {"variant": "open"},
}
"""Every kind of Ultimate Tic-Tac-Toe; most tests take the first two."""


def made_game(name: str) -> Game:
    """Return Ultimate Tic-Tac-Toe by these rules, or the toy, in which a player may move twice."""
    return registry.game("toy", stones=20) if name == "toy" else registry.game("uttt", **RULES[name])


@pytest.fixture(params=["toy", "closed", "open-count"])
def game(request: pytest.FixtureRequest, toy: GamePackage) -> Game:
    """Two kinds of Ultimate Tic-Tac-Toe, and the toy."""
    return made_game(request.param)
