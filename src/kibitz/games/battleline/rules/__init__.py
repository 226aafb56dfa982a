"""The rules of Battle Line, in readable Python."""

from kibitz.games.battleline.rules.rules import BattleLine, BattleLineState

__all__ = ["BattleLine", "BattleLineState"]
