"""The page module that the server still asks for, as plain data for JSON. To be deleted when it asks DotsPage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from kibitz.core.errors import BadText
from kibitz.core.game import Game, Move, View
from kibitz.core.game import State as AnyState
from kibitz.games.dots.drawing import drawer
from kibitz.games.dots.graph import GROUND, GROUND_ID, String
from kibitz.games.dots.notations import DotsNotations
from kibitz.games.dots.page import DotsPage
from kibitz.games.dots.page.facts import facts_of
from kibitz.games.dots.page.label import COLUMN_NAMES, ROW_NAMES, label
from kibitz.games.dots.page.label import relabel as words
from kibitz.games.dots.page.layout import string_ends, where_coins_lie
from kibitz.games.dots.page.overlay import TONES
from kibitz.games.dots.page.problems import DotsProblems
from kibitz.games.dots.rules import Dots, State
from kibitz.games.dots.runs import loony_lines
from kibitz.games.dots.structure import structure_of
from kibitz.games.dots.text import NOBODY, line_text

__all__ = [
    "BLURB", "NOTATIONS", "OPTIONS",
    "edit", "judge_answer", "label", "layer", "list_problems", "picture", "read", "scene", "scores", "show_answer",
    "show_problem", "total", "words", "write",
]  # fmt: skip

BLURB = DotsPage.blurb
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    key: {name: value for name, value in asdict(each).items() if value not in (None, "", {}) and name != "advanced"}
    for key, each in DotsPage.options.items()
}
NOTATIONS = tuple(asdict(each) for each in DotsNotations().kinds)


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
        "sides": {"across": list(COLUMN_NAMES), "down": list(ROW_NAMES)},
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
    return scene(DotsPage().cover_view())


def layer(state: AnyState) -> dict[str, Any]:
    """Return runs, joints, loony and safe lines by number, and what structure and theory say in words."""
    assert isinstance(state, State)
    found = structure_of(state)
    return {
        "runs": [
            {
                "kind": run.name,
                "length": run.length,
                "long": run.long,
                "boxes": list(run.boxes),
                "lines": list(run.strings),
                "tone": number % TONES,
            }
            for number, run in enumerate(found.runs)
        ],
        "joints": [joint.box for joint in found.joints if joint.runs],
        "dead": list(found.dead),
        "loony": list(loony_lines(state.game.board, state.drawn)),
        "safe": list(found.safe_lines),
        "facts": [asdict(fact) for fact in facts_of(state, found)],
    }


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


# Notations and problems

read = DotsNotations().read
write = DotsNotations().write


def list_problems() -> list[dict[str, Any]]:
    """Return what the list of problems shows."""
    return [asdict(each) for each in DotsProblems().headings()]


def show_problem(number: int) -> tuple[AnyState, tuple[Move, ...], dict[str, Any]]:
    """Return the position of a problem, its last move, and what is told of it. Raises BadOption."""
    shown = DotsProblems().show(number)
    told = {**asdict(shown.heading), "of": shown.count, "hint": shown.hint, "options": shown.state.game.options}
    return shown.state, shown.last, told


def judge_answer(number: int, text: str) -> tuple[AnyState, tuple[Move, ...], dict[str, Any]]:
    """Return the position after a line, that line, and whether it is right, in words."""
    verdict = DotsProblems().judge(number, text)
    assert verdict.state is not None
    told = {"right": verdict.right, "move": verdict.state.game.move_text(verdict.last[0]), "words": verdict.words}
    return verdict.state, verdict.last, told | ({"best": list(verdict.best)} if verdict.best else {})


def show_answer(number: int) -> dict[str, Any]:
    """Return the best line of a problem, and why. Raises BadOption."""
    verdict = DotsProblems().judge(number, None)
    return {"right": None, "words": verdict.words, "best": list(verdict.best)}
