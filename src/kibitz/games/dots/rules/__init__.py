"""The rules of Dots-and-Boxes, in readable Python."""

from kibitz.games.dots.rules.rules import Dots, DotsState

__all__ = ["Dots", "DotsState"]
