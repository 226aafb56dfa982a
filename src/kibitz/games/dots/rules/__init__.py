"""The rules of Dots-and-Boxes, in readable Python."""

from kibitz.games.dots.rules.rules import Dots, State

__all__ = ["Dots", "State"]
