"""The contract of games as tests: subclass GameContract in a test file, and pytest runs it on your game.

>>> from kibitz.testing import GameContract
>>> class TestConnectFour(GameContract, game="connect-four"): ...
"""

from kibitz.testing.contract import (
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
    "AgentsContract",
    "Contract",
    "GameContract",
    "KernelContract",
    "PictureContract",
    "RulesContract",
    "option_sets",
    "random_game",
    "random_play",
]
