"""Ultimate Tic-Tac-Toe for the page as it was: scenes that JavaScript draws, and the editor by commands.

Everything is plain data for JSON. The page knows no rules: which cells may be
played in is told here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.core.errors import BadText
from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.games.uttt.explain import PLACES
from kibitz.games.uttt.notations import UtttNotations
from kibitz.games.uttt.page.editor import START, owners
from kibitz.games.uttt.page.facts import facts
from kibitz.games.uttt.rules import State, Uttt
from kibitz.games.uttt.text import EMPTY, FREE, parse_position, position_fen

__all__ = [
    "BLURB",
    "NOTATIONS",
    "OPTIONS",
    "draft_scene",
    "edit",
    "layer",
    "picture",
    "read",
    "scene",
    "scores",
    "total",
    "write",
]

BLURB = "Nine small boards make one large one. The cell you play in decides the board your opponent must play in."
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "variant": {
        "label": "Decided boards",
        "about": "closed: take no more moves. open: are played on until full.",
        "labels": {"closed": "Take no more moves", "open": "Are played on until full"},
    },
    "tiebreak": {
        "label": "Without three in a row",
        "about": "draw: nobody wins. count: who has more boards wins.",
        "labels": {"draw": "Nobody wins", "count": "Who has more boards wins"},
    },
}
NOTATIONS = tuple({"name": each.name, "label": each.label, "kind": each.kind} for each in UtttNotations.kinds)
_MARKS = ("X", "O", "D", "")  # by code: 0, 1, DRAWN (2), EMPTY (-1)
_CELLS = (
    "top left", "top", "top right",
    "left", "centre", "right",
    "bottom left", "bottom", "bottom right",
)  # fmt: skip
_PICTURE = "xxx2o1x1/2o1xo2o/oo4o1x/oxxo5/o4o1o1/1xx2xo1x/3xx2x1/3o1o1xo/3xx1o2 o 8"


def scene(view: View, last: Sequence[Move] = ()) -> dict[str, Any]:
    """Return what is drawn of a position."""
    assert isinstance(view, State)
    legal = view.legal_moves()
    return {
        **_board(view.cells, view.boards),
        "open": sorted({move // 9 for move in legal}),
        "legal": {str(move): view.game.move_text(move) for move in legal},
        "last": last[-1] if last else None,
    }


def _board(cells: Sequence[int], boards: Sequence[int]) -> dict[str, Any]:
    return {
        "kind": "uttt",
        "cells": [_MARKS[code] for code in cells],
        "boards": [_MARKS[code] for code in boards],
        "open": [],
        "legal": {},
        "last": None,
        "sides": {"across": list("012345678"), "down": list("012345678")},
        "names": [f"{PLACES[board]} board, {cell}" for board in range(9) for cell in _CELLS],
    }


def picture() -> dict[str, Any]:
    """Return the scene of the lobby."""
    return scene(Uttt().parse_position(_PICTURE))


def scores(view: View) -> list[int]:
    """Return how many boards each player owns."""
    assert isinstance(view, State)
    return [view.boards.count(0), view.boards.count(1)]


def total(game: Game) -> int:
    """Return the most that a player can have."""
    return 9


def layer(state: AnyState) -> dict[str, Any]:
    """Return what is seen in a position without searching."""
    assert isinstance(state, State)
    return {"facts": [{"label": fact.label, "text": fact.text} for fact in facts(state)]}


def edit(game: Game, position: str, do: Mapping[str, Any]) -> str:
    """Return a position, which need not be possible yet, after one change by the editor. Raises BadText.

    {"cell": 0-80, "mark": "X", "O" or ""}, {"forced": 0-8 or None}, {"to_move": 0 or 1},
    {"clear": True}. After a change of a cell it is the turn of who has fewer marks.
    """
    assert isinstance(game, Uttt)
    fields = parse_position(position) if position.strip() else START
    match do:
        case {"clear": True, **others} if not others:
            fields = START
        case {"cell": int(cell), "mark": "X" | "O" | "" as mark, **others} if 0 <= cell < 81 and not others:
            code = EMPTY if mark == "" else "XO".index(mark)
            cells = fields.cells[:cell] + (code,) + fields.cells[cell + 1 :]
            fields = fields._replace(cells=cells, to_move=int(cells.count(0) > cells.count(1)))
        case {"forced": None, **others} if not others:
            fields = fields._replace(forced=FREE)
        case {"forced": int(board), **others} if 0 <= board < 9 and not others:
            fields = fields._replace(forced=board)
        case {"to_move": int(0 | 1 as player), **others} if not others:
            fields = fields._replace(to_move=player)
        case _:
            raise BadText("The editor of Ultimate Tic-Tac-Toe sets a cell, the forced board or who moves.")
    open_variant = game.variant == "open"
    return position_fen(fields._replace(boards=owners(fields) if open_variant else None), owners=open_variant)


def draft_scene(game: Game, position: str) -> dict[str, Any]:
    """Return what is drawn of a position that is not possible, with nothing to play. Raises BadText."""
    fields = parse_position(position)
    return {**_board(fields.cells, owners(fields)), "to_move": fields.to_move, "forced": fields.forced}


# Notations


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption."""
    return UtttNotations().write([state for state in states if isinstance(state, State)], moves, notation)


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText."""
    assert isinstance(game, Uttt)
    return UtttNotations().read(game, text, notation)
