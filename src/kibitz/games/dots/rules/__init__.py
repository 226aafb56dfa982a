"""The rules of Dots-and-Boxes, in readable Python."""

from kibitz.games.dots.rules.rules import NOBODY, Dots, DotsState

__all__ = ["NOBODY", "Dots", "DotsState"]
