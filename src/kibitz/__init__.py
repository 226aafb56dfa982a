"""A workbench for games you can play, question and trust.

>>> import kibitz
>>> game = kibitz.game("uttt", variant="closed", tiebreak="draw")
>>> record = kibitz.play(game, [kibitz.agent(game, "random"), kibitz.agent(game, "reflex")], seed=1)
>>> len(kibitz.replay(record)) == len(record.moves) + 1
True
"""

from kibitz.analysis.position import analyse
from kibitz.arena.match import play
from kibitz.core.agent import Agent, Budget, Choice, MoveValue, Watch
from kibitz.core.errors import BadOption, BadText, IllegalMove, KibitzError
from kibitz.core.game import Game, Move, Outcome, Player, State, View
from kibitz.core.record import GameRecord, append_record, read_records, replay
from kibitz.core.registry import game_of_user as game
from kibitz.core.version import __version__ as __version__
from kibitz.search.agents import make_agent as agent

__all__ = [
    "Agent", "BadOption", "BadText", "Budget", "Choice", "Game", "GameRecord", "IllegalMove", "KibitzError",
    "Move", "MoveValue", "Outcome", "Player", "State", "View", "Watch",
    "agent", "analyse", "append_record", "game", "play", "read_records", "replay",
]  # fmt: skip
