"""The rules of Ultimate Tic-Tac-Toe, in readable Python."""

from kibitz.games.uttt.rules.rules import Uttt, UtttState

__all__ = ["Uttt", "UtttState"]
