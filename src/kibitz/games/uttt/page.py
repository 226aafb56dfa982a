"""Ultimate Tic-Tac-Toe on the page: what is drawn of a position, the editor, and the notations.

Everything is plain data for JSON. The page knows no rules: which cells may be
played in is told here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.core.notations import read_moves, unknown_notation
from kibitz.games.uttt.explain import PLACES, completing
from kibitz.games.uttt.geometry import LINES
from kibitz.games.uttt.rules import State, Uttt
from kibitz.games.uttt.text import DRAWN, EMPTY, FREE, Fields, parse_position, position_fen

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
NOTATIONS = (
    {"name": "moves", "label": "Moves: row and column", "kind": "game"},
    {"name": "cells", "label": "Moves: 9 x board + cell", "kind": "game"},
    {"name": "fen", "label": "Position, FEN-like", "kind": "position"},
    {"name": "digits", "label": "Position, 93 digits", "kind": "position"},
)
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
    first, second = scores(state)
    drawn = state.boards.count(DRAWN)
    boards = f"X {first}, O {second}" + (f", {drawn} drawn" if drawn else "")
    facts = [{"label": "Boards", "text": boards}]
    if not state.result:
        where = "any open board" if state.forced == FREE else f"the {PLACES[state.forced]} board"
        facts.append({"label": "To play", "text": f"{state.game.players[state.to_move]} in {where}"})
        for player, name in enumerate(state.game.players):
            lacking = sorted(completing(state.boards, player))
            if lacking:
                text = f"{name} needs the {' or the '.join(PLACES[board] for board in lacking)} board"
                facts.append({"label": "Three in a row", "text": text})
    return {"facts": facts}


# The editor


def edit(game: Game, position: str, do: Mapping[str, Any]) -> str:
    """Return a position, which need not be possible yet, after one change by the editor. Raises BadText.

    {"cell": 0-80, "mark": "X", "O" or ""}, {"forced": 0-8 or None}, {"to_move": 0 or 1},
    {"clear": True}. After a change of a cell it is the turn of who has fewer marks.
    """
    assert isinstance(game, Uttt)
    fields = parse_position(position) if position.strip() else _empty()
    match do:
        case {"clear": True, **others} if not others:
            fields = _empty()
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
    return position_fen(fields._replace(boards=_owners(fields) if open_variant else None), owners=open_variant)


def _empty() -> Fields:
    return Fields((EMPTY,) * 81, None, 0, FREE, None)


def _owners(fields: Fields) -> tuple[int, ...]:
    """Return who owns each board by its marks; the owner given before where both have a line, else X."""
    owners = []
    for board in range(9):
        cells = fields.cells[9 * board : 9 * board + 9]
        lines = [player for player in (0, 1) if any(all(cells[i] == player for i in line) for line in LINES)]
        given = EMPTY if fields.boards is None else fields.boards[board]
        if lines:
            owners.append(given if given in lines else lines[0])
        else:
            owners.append(EMPTY if EMPTY in cells else DRAWN)
    return tuple(owners)


def draft_scene(game: Game, position: str) -> dict[str, Any]:
    """Return what is drawn of a position that is not possible, with nothing to play. Raises BadText."""
    fields = parse_position(position)
    return {**_board(fields.cells, _owners(fields)), "to_move": fields.to_move, "forced": fields.forced}


# Notations


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption."""
    game = states[0].game
    assert isinstance(game, Uttt)
    match notation:
        case "moves":
            return "\n".join(map(game.move_label, moves))
        case "cells":
            return " ".join(map(game.move_text, moves))
        case "fen":
            return game.fen(states[-1])
        case "digits":
            return game.position_text(states[-1])
    raise _unknown(notation)


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if notation is None:
        words = text.split()
        is_position = "/" in text or (len(words) == 1 and len(words[0]) > 2)
        is_moves = all(re.fullmatch(r"[0-8]\s+[0-8]", line) for line in lines)
        notation = "fen" if is_position else "moves" if is_moves else "cells"
    if notation in ("fen", "digits"):
        return game.parse_position(text), ()
    if notation not in ("moves", "cells"):
        raise _unknown(notation)
    words = lines if notation == "moves" else text.split()
    start = game.start()
    return start, read_moves(start, words)


def _unknown(notation: str) -> BadOption:
    return unknown_notation(notation, (each["name"] for each in NOTATIONS))
