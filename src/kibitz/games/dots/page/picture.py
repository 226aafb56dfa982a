"""A position of Dots-and-Boxes as a picture: the grid with its dual as a second view, or the coins of another graph."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.game import Move
from kibitz.games.dots.page.coins import VIEW, paint_coins
from kibitz.games.dots.page.grid import paint_grid
from kibitz.games.dots.page.parts import Shown
from kibitz.games.dots.rules import DotsState
from kibitz.picture import Picture


def paint(
    state: DotsState, last: Sequence[Move] = (), signs: tuple[str, str] = ("", ""), *, editing: bool = False
) -> Picture:
    """Return the picture of a position.

    last: the lines of the last turn. signs: what is written in the boxes of each player; by
    default R and B. editing: add places for finished boxes, and offer no moves.
    """
    shown = Shown(state, last, signs, editing)
    coins = paint_coins(shown)
    return paint_grid(shown, {VIEW: coins}) if state.game.board.is_grid else coins
