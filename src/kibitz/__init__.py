"""A workbench for games you can play, question and trust.

>>> import kibitz
>>> game = kibitz.game("uttt", variant="closed", tiebreak="draw")
>>> record = kibitz.play(game, [kibitz.agent(game, "random"), kibitz.agent(game, "reflex")], seed=1)
>>> len(kibitz.replay(record)) == len(record.moves) + 1
True

Names are imported on first use, so that a command imports only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from kibitz.core.version import __version__ as __version__

if TYPE_CHECKING:
    from kibitz.analysis.position import analyse
    from kibitz.arena.match import play
    from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
    from kibitz.core.errors import BadOption, BadText, IllegalMove, KibitzError
    from kibitz.core.game import Game, Move, Outcome, Player, State, View
    from kibitz.core.record import GameRecord, append_record, read_records, replay
    from kibitz.core.registry import game_of_user as game
    from kibitz.interop import vector
    from kibitz.search.agents import make_agent as agent

__all__ = [
    "Agent", "BadOption", "BadText", "Budget", "Choice", "Game", "GameRecord", "IllegalMove", "KibitzError",
    "Move", "MoveValue", "Outcome", "Player", "State", "View", "Watch",
    "agent", "analyse", "append_record", "game", "play", "read_records", "replay", "vector",
]  # fmt: skip

_MODULES = {
    "analysis.position": ("analyse",),
    "arena.match": ("play",),
    "core.agent": ("Agent", "Budget", "Choice", "MoveValue", "Watch"),
    "core.errors": ("BadOption", "BadText", "IllegalMove", "KibitzError"),
    "core.game": ("Game", "Move", "Outcome", "Player", "State", "View"),
    "core.record": ("GameRecord", "append_record", "read_records", "replay"),
    "core.registry": ("game",),
    "search.agents": ("agent",),
}
"""Module -> the public names that it defines."""
_OWN_NAMES = {"game": "game_of_user", "agent": "make_agent"}
"""Public name -> its name in the module, if that differs."""


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name == "vector":  # a module
        return import_module("kibitz.interop.vector")
    for module, names in _MODULES.items():
        if name in names:
            found = getattr(import_module(f"kibitz.{module}"), _OWN_NAMES.get(name, name))
            globals()[name] = found
            return found
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
