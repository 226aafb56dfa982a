"""Tests that every game must pass: subclass GameContract in a test file, and pytest runs them on your game.

>>> from kibitz.testing import GameContract
>>> class TestConnectFour(GameContract, game="connect-four"): ...
"""

import pytest

pytest.register_assert_rewrite("kibitz.testing.contract")  # before its import, so that failures show the values

from kibitz.testing.contract import (  # noqa: E402
    AgentsContract,
    Contract,
    GameContract,
    KernelContract,
    PictureContract,
    RulesContract,
    option_sets,
    random_game,
    random_play,
)

__all__ = [
    "AgentsContract", "Contract", "GameContract", "KernelContract", "PictureContract", "RulesContract",
    "option_sets", "random_game", "random_play",
]  # fmt: skip
