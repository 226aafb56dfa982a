"""Dots-and-Boxes as OpenSpiel has it."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.interop.extend import SpielTwin


def _theirs(game: Dots) -> str:
    if game.graph or game.start_ != "empty":
        return ""
    return f"dots_and_boxes(num_rows={game.rows},num_cols={game.cols})"


def _lines_between(known: DotsState, state: DotsState) -> tuple[Move, ...]:
    """Return the new lines in an order that a game can have: those that take boxes as soon as they do."""
    left = [line for line in state.game.moves() if (state.drawn & ~known.drawn) >> line & 1]
    found: list[Move] = []
    while left:
        line = next((line for line in left if known.taken_by(line)), left[0])
        left.remove(line)
        found.append(line)
        known = known.play(line)
    return tuple(found)


TWIN = SpielTwin(_theirs, lambda state, move: (move,), _lines_between)
