"""The rules of Battle Line, in readable Python."""

from kibitz.games.battleline.rules.rules import BattleLine, State

__all__ = ["BattleLine", "State"]
