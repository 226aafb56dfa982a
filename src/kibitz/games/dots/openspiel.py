"""How Dots-and-Boxes maps to OpenSpiel's dots_and_boxes, whose actions are our line numbers."""

from __future__ import annotations

from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.interop.extend import SpielTwin


def _theirs(game: Dots) -> str:
    """Return the name of OpenSpiel's game with the same board; empty if it has none."""
    if game.graph or game.start_ != "empty":
        return ""
    return f"dots_and_boxes(num_rows={game.rows},num_cols={game.cols})"


def _lines_between(known: DotsState, state: DotsState) -> tuple[Move, ...]:
    """Return the new lines in an order that is possible in a game: lines that take boxes as soon as they do."""
    left = [line for line in state.game.moves() if (state.drawn & ~known.drawn) >> line & 1]
    ordered: list[Move] = []
    while left:
        line = next((line for line in left if known.taken_by(line)), left[0])
        left.remove(line)
        ordered.append(line)
        known = known.play(line)
    return tuple(ordered)


TWIN = SpielTwin(_theirs, lambda state, move: (move,), _lines_between)
