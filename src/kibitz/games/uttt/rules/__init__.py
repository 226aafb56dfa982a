"""The rules of Ultimate Tic-Tac-Toe, in readable Python."""

from kibitz.games.uttt.rules.rules import State, Uttt

__all__ = ["State", "Uttt"]
