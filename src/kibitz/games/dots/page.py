"""Dots-and-Boxes on the page: what is drawn of a position, what is seen in it, the editor, and the notations.

Everything is plain data for JSON. The page knows no rules and no geometry: lines,
boxes, coins and strings are told here, by number and by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kibitz.core.errors import BadText
from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.games.dots import notations
from kibitz.games.dots.drawing import drawer
from kibitz.games.dots.graph import GROUND, GROUND_ID, String
from kibitz.games.dots.page_label import SIDES, label, words
from kibitz.games.dots.page_layer import layer
from kibitz.games.dots.page_layout import string_ends, where_coins_lie
from kibitz.games.dots.page_problems import judge_answer, list_problems, show_answer, show_problem
from kibitz.games.dots.rules import MOST, Dots, State
from kibitz.games.dots.text import NOBODY, line_text

__all__ = [
    "BLURB", "NOTATIONS", "OPTIONS",
    "edit", "judge_answer", "label", "layer", "list_problems", "picture", "read", "scene", "scores", "show_answer",
    "show_problem", "total", "words", "write",
]  # fmt: skip

BLURB = "Draw lines between dots. Who draws the fourth side of a box owns it and moves again; more boxes win."
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "rows": {"label": "Rows", "least": 1, "most": MOST, "about": "Rows of boxes."},
    "cols": {"label": "Columns", "least": 1, "most": MOST, "about": "Columns of boxes."},
    "start": {
        "label": "Drawn at the start",
        "about": "icelandic: the left and bottom border. swedish: all of it.",
        "labels": {"empty": "Nothing", "icelandic": "Left and bottom border", "swedish": "All of the border"},
    },
    "graph": {"label": "Your own graph", "about": "Coins and strings as JSON, to be played on instead of a grid."},
}
_LABELS = {
    "ids": "Numbers of lines",
    "lines": "h and v with row and column",
    "littlegolem": "Little Golem",
    "dbl": "KSquares (dbl)",
    "trmph": "trmph.com",
    "record": "Record of kibitz",
    "ascii": "Drawing with + - |",
    "hex": "Hexadecimal",
}
NOTATIONS = tuple(
    {"name": name, "label": _LABELS[name], "kind": "game" if name in notations.GAMES else "position"}
    for name in notations.NOTATIONS
)
_PICTURE = (3, 3, "0 4 6 9 12 15 18 21 1 13 22 20 10 17 14")


def scene(view: View, last: Sequence[Move] = ()) -> dict[str, Any]:
    """Return what is drawn of a position: the grid with its dual, or the coins of another graph.

    last are the lines drawn in the last turn.
    """
    assert isinstance(view, State)
    now = [_now(view, line) for line in view.game.moves()]
    coins = _coins_scene(view, now, last)
    if not view.game.board.is_grid:
        return coins
    board = view.game.board
    return {
        "kind": "dots",
        "rows": board.rows,
        "cols": board.cols,
        "lines": [{**fixed, **changed} for fixed, changed in zip(_grid_lines(view.game), now, strict=True)],
        "sides": {way: list(names) for way, names in SIDES.items()},
        "boxes": list(view.owners),
        "last": list(last),
        "scores": scores(view),
        "dual": coins,
    }


def _now(state: State, line: String) -> dict[str, Any]:
    """Return what changes about a line."""
    drawn = bool(state.drawn >> line & 1)
    drew = drawer(line, state.drew)
    return {"legal": not drawn, "owner": None if not drawn else "start" if drew == NOBODY else drew}


def _named(game: Dots, line: String) -> dict[str, Any]:
    return {"move": game.move_text(line), "label": label(game, line)}


@lru_cache(16)
def _grid_lines(game: Dots) -> tuple[dict[str, Any], ...]:
    """Return what stays the same about the lines of a grid."""
    board, lines = game.board, []
    for line in game.moves():
        way, row, col = board.line(line)
        lines.append({**_named(game, line), "way": way, "row": row, "col": col, "name": line_text(board, line)})
    return tuple(lines)


@lru_cache(16)
def _strings(game: Dots) -> tuple[dict[str, Any], ...]:
    """Return what stays the same about the strings between coins."""
    board, strings = game.board, []
    for string, ((x1, y1), (x2, y2)) in enumerate(string_ends(board)):
        a, b = (GROUND_ID if end == GROUND else board.coins[end] for end in board.strings[string])
        strings.append({**_named(game, string), "a": a, "b": b, "x1": x1, "y1": y1, "x2": x2, "y2": y2})
    return tuple(strings)


def _coins_scene(state: State, now: Sequence[Mapping[str, Any]], last: Sequence[Move]) -> dict[str, Any]:
    """Return a position as coins and strings."""
    board = state.game.board
    return {
        "kind": "coins",
        "coins": [
            {"id": name, "x": x, "y": y, "owner": owner}
            for name, (x, y), owner in zip(board.coins, where_coins_lie(board), state.owners, strict=True)
        ],
        "strings": [{**fixed, **changed} for fixed, changed in zip(_strings(state.game), now, strict=True)],
        "last": list(last),
        "scores": scores(state),
    }


def picture() -> dict[str, Any]:
    """Return the scene of the lobby."""
    rows, cols, moves = _PICTURE
    state = Dots(rows, cols).start()
    for move in moves.split():
        state = state.play(state.game.parse_move(move))
    return scene(state)


def scores(view: View) -> list[int]:
    """Return how many boxes each player owns."""
    assert isinstance(view, State)
    return list(view.scores)


def total(game: Game) -> int:
    """Return how many boxes there are."""
    assert isinstance(game, Dots)
    return len(game.board.coins)


# The editor


def edit(game: Game, position: str, do: Mapping[str, Any]) -> str:
    """Return a position after one change by the editor. Raises BadText.

    {"line": "12" or "h 0 1"} draws a line or takes it away; {"box": number, "owner":
    0, 1 or None} gives a finished box to a player or to nobody; {"to_move": 0 or 1};
    {"clear": True}. A box that a line finishes goes to who is to move.
    """
    assert isinstance(game, Dots)
    state = game.parse_position(position) if position.strip() else game.start()
    drawn, owned, to_move = state.drawn, list(state.owned), state.to_move
    match do:
        case {"clear": True, **others} if not others:
            return game.position_text(game.start())
        case {"line": str(text), **others} if not others:
            line = game.parse_move(text)
            if game.border >> line & 1:
                raise BadText(f"Line {label(game, line)} belongs to the start of the game: it stays.")
            if not drawn >> line & 1:
                owned[to_move] |= sum(1 << box for box in state.taken_by(line))
            drawn ^= 1 << line
            owned = [boxes & _finished(game, drawn) for boxes in owned]
        case {"box": int(box), "owner": int(0 | 1) | None as owner, **others} if not others:
            if not 0 <= box < total(game):
                raise BadText(f"There is no {game.unit} {box}: they are 0 to {total(game) - 1}.")
            if not _finished(game, drawn) >> box & 1:
                raise BadText(f"Only a finished {game.unit} has an owner: draw its {game.line}s first.")
            owned = [boxes & ~(1 << box) for boxes in owned]
            if owner is not None:
                owned[owner] |= 1 << box
        case {"to_move": int(0 | 1 as player), **others} if not others:
            to_move = player
        case _:
            raise BadText("The editor of Dots-and-Boxes draws a line, gives a box an owner or says who moves.")
    return game.position_text(State(game, drawn, (owned[0], owned[1]), to_move))


def _finished(game: Dots, drawn: int) -> int:
    """Return the boxes without an open side, as a set of bits."""
    return sum(1 << box for box, mask in enumerate(game.board.masks) if not mask & ~drawn)


# Notations


def write(states: Sequence[AnyState], moves: Sequence[Move], notation: str) -> str:
    """Return a game, or its last position, in a notation. Raises BadOption or BadText."""
    start, end = states[0], states[-1]
    assert isinstance(start, State)
    assert isinstance(end, State)
    if notation in notations.POSITIONS:
        return notations.write(end, notation)
    return notations.write(notations.Played(start, tuple(moves)), notation)


def read(game: Game, text: str, notation: str | None) -> tuple[AnyState, tuple[Move, ...]]:
    """Return the start and the moves of a text, in a notation or in the one it looks like. Raises BadText or BadOption.

    A notation that tells the size of its board is read on that board, any other on this one.
    """
    assert isinstance(game, Dots)
    notation = notation or notations.guess(text)
    found = notations.read(text, notation, None if notation in _SIZED else game)
    return (found, ()) if isinstance(found, State) else (found.start, found.moves)


_SIZED = ("dbl", "trmph", "ascii", "record")
