"""Ultimate Tic-Tac-Toe as people see it: pictures, facts, names of cells and the position editor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any, ClassVar

from kibitz.core.defaults.page import OptionHelp, PlainPage
from kibitz.core.game import Move
from kibitz.games.uttt.page import picture as painter
from kibitz.games.uttt.page.editor import UtttEditor
from kibitz.games.uttt.page.facts import position_facts
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.picture import Overlay, Picture

_COVER = "xxx2o1x1/2o1xo2o/oo4o1x/oxxo5/o4o1o1/1xx2xo1x/3xx2x1/3o1o1xo/3xx1o2 o 8"


class UtttPage(PlainPage[UtttState, UtttState, Uttt]):
    """How Ultimate Tic-Tac-Toe is shown on the page."""

    style = files(__package__) / "board.css"
    art = files(__package__) / "board.svg"
    red_and_blue: ClassVar[bool] = True
    blurb = "Nine small boards make one large one. The cell you play in decides the board your opponent must play in."
    options: ClassVar[Mapping[str, OptionHelp]] = MappingProxyType(
        {
            "variant": OptionHelp(
                label="Decided boards",
                about="closed: they take no more moves. open: they are played on until full.",
                labels={"closed": "Take no more moves", "open": "Are played on until full"},
            ),
            "tiebreak": OptionHelp(
                label="Without three in a row",
                about="draw: nobody wins. count: the player with more boards wins.",
                labels={"draw": "Nobody wins", "count": "More boards win"},
            ),
        }
    )
    cover = (MappingProxyType({}), _COVER)
    editor = UtttEditor()

    def __init__(self) -> None:
        super().__init__(Uttt)

    def picture(
        self,
        view: UtttState,
        last: Sequence[Move] = (),
        *,
        signs: tuple[str, str] = ("", ""),
        marks: Collection[str] | None = None,
        whole: UtttState | None = None,
    ) -> Picture:
        """Return the picture of a position; only the last move of `last` is marked."""
        return painter.picture(view, last)

    def overlay(self, view: UtttState) -> Overlay:
        """Return an overlay of facts: the boards won, where to play, and the boards that would win the game."""
        return Overlay(facts=tuple(position_facts(view)))

    def label(self, game: Any, move: Move, public: bool = False) -> str:
        """Return the name of a cell, column and row, such as e5."""
        return painter.cell_name(move)
