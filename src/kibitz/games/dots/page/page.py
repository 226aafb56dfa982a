"""How Dots-and-Boxes shows itself: its picture, names of lines, what is seen in a position, and the editor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any, ClassVar

from kibitz.core.defaults.page import OptionHelp, PlainPage
from kibitz.core.game import Game, Move
from kibitz.games.dots.page.editor import DotsEditor
from kibitz.games.dots.page.label import label as label_line
from kibitz.games.dots.page.label import relabel
from kibitz.games.dots.page.overlay import overlay_of
from kibitz.games.dots.page.picture import paint
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.rules import MOST
from kibitz.picture import Overlay, Picture

_COVER_MOVES = (0, 4, 6, 9, 12, 15, 18, 21, 1, 13, 22, 20, 10, 17, 14)


class DotsPage(PlainPage[DotsState, DotsState]):
    """The page of Dots-and-Boxes and Strings-and-Coins."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    red_and_blue: ClassVar[bool] = True
    blurb: ClassVar[str] = (
        "Take turns drawing lines between dots. Whoever draws the fourth side of a box owns it and moves again. "
        "Most boxes wins."
    )
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "rows": OptionHelp("Rows", "Rows of boxes.", least=1, most=MOST),
            "cols": OptionHelp("Columns", "Columns of boxes.", least=1, most=MOST),
            "start": OptionHelp(
                "Drawn at the start",
                "icelandic: the left and bottom border. swedish: all of it.",
                labels={"empty": "Nothing", "icelandic": "Left and bottom border", "swedish": "All of the border"},
            ),
            "graph": OptionHelp(
                "Your own graph", "Coins and strings as JSON, to be played on instead of a grid.", advanced=True
            ),
        }
    )
    editor = DotsEditor()

    def __init__(self, rules: type[Game] = Dots) -> None:
        super().__init__(rules)

    def cover_view(self) -> DotsState:
        """Return a position with the players who drew its lines, which a position text does not tell."""
        state = Dots(3, 3).start()
        for move in _COVER_MOVES:
            state = state.play(move)
        return state

    def picture(
        self,
        view: DotsState,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: DotsState | None = None,
    ) -> Picture:
        """Return the picture of a position; a grid has its strings and coins as a second view."""
        return paint(view, last, signs)

    def overlay(self, view: DotsState) -> Overlay:
        """Return chains and loops, joints, loony and safe lines, and what theory says."""
        return overlay_of(view)

    def label(self, game: Any, move: Move, public: bool = False) -> str:
        """Return the two dots that a line joins."""
        return label_line(game, move)

    def relabel(self, game: Any, sentence: str) -> str:
        """Return a sentence with lines named by their dots."""
        return relabel(game, sentence)
