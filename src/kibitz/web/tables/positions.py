"""Requests about positions and problems outside tables: parse, draw, edit, import, solve. Stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from kibitz.core import registry
from kibitz.core.defaults.page import Editor
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game, Outcome, Player, State
from kibitz.core.parts import Problems
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import shapes_json, to_json
from kibitz.web.server.checks import Check, check_fields, flag, mapping, or_none, read_body, text
from kibitz.web.server.requests import get_route, post_route
from kibitz.web.tables.analysis import move_json
from kibitz.web.tables.messages import MAX_MOVE_LENGTH, MAX_NAME_LENGTH, MAX_TEXT_LENGTH
from kibitz.web.tables.new import read_game, safe_text
from kibitz.web.tables.snapshot import position_json, view_position

_POSITION: Mapping[str, Check] = {
    "game": text(40),
    "options": mapping,
    "text": or_none(text(MAX_TEXT_LENGTH)),
    "notation": or_none(text(40)),
}


def _position_json(state: State, is_given: bool = True) -> JsonObject:
    """Return a position and its game's options as JSON. is_given: the visitor entered it, so nothing is hidden."""
    return {"options": state.game.options, **position_json(state, state.to_move, over=is_given)}


def _position(raw: bytes) -> JsonObject:
    asked = read_body(raw, _POSITION, {"options", "text", "notation"})
    game = _game(asked)
    state = _read_position(game, asked["text"] or "")
    answer = _position_json(state, bool(asked["text"]))
    if asked["notation"]:
        answer["text"] = registry.package(game.name).make_notations().write([state], [], asked["notation"])
    return answer


def _game(asked: Mapping[str, Any]) -> Game:
    """Return the game that a request names. Raise KibitzError if the game or an option is invalid."""
    return read_game(asked["game"], asked["options"] or {})


def _read_position(game: Game, words: str) -> State:
    """Return the position that a text describes in any notation of the game; the start for an empty text.

    Raise BadText if it is in none of them.
    """
    state: State
    try:
        state = game.parse_position(words) if words.strip() else game.start()
    except BadText as error:
        notations = registry.package(game.name).make_notations()
        for notation in notations.kinds:
            if notation.kind == "position":
                with suppress(KibitzError):
                    state = notations.read(game, words, notation.name)[0]
                    return state
        raise error from None
    return state


def _import(raw: bytes) -> JsonObject:
    asked = read_body(raw, _POSITION, {"options", "notation"})
    given = _game(asked)
    notations, words = registry.package(given.name).make_notations(), asked["text"] or ""
    start, moves = notations.read(given, words, asked["notation"])
    game, state = start.game, start
    for move in moves:
        state = state.play(move)
    answer: JsonObject = {"moves": [game.move_text(move) for move in moves] or None}
    answer["start"] = None if start == game.start() else game.position_text(start)
    signed = notations.signature(words, asked["notation"])
    answer["players"] = signed and [safe_text(name, MAX_NAME_LENGTH, "") for name in signed.players]
    answer["ended"] = signed and _ending(game, signed.outcome)
    return {**answer, **_position_json(state)}


def _ending(game: Game, outcome: Outcome | None) -> JsonObject | None:
    """Return who lost a game and how, for a new table; None for a draw and for an unknown result."""
    if outcome is None or outcome.winner is None:
        return None
    loser: Player = 1 - outcome.winner
    return {"loser": loser, "why": outcome.reason.removeprefix(f"{game.players[loser]} ")}


# The editor

_EDITS: tuple[Mapping[str, Check], ...] = (
    {"tool": text(MAX_MOVE_LENGTH), "place": text(MAX_MOVE_LENGTH)},
    {"setting": text(MAX_MOVE_LENGTH), "value": text(MAX_MOVE_LENGTH)},
    {"clear": flag},
)
"""The steps of the editor: use a tool at a place, change a setting, or start again."""


def _edit(raw: bytes) -> JsonObject:
    position_text = or_none(text(MAX_TEXT_LENGTH))
    fields = {"game": text(40), "options": mapping, "position": position_text, "do": or_none(mapping)}
    asked = read_body(raw, fields, {"options", "position"})
    game = _game(asked)
    editor = registry.page(game.name).editor
    if editor is None:
        raise BadOption(f"{game.title} has no editor.")
    position = asked["position"] or ""
    if asked["do"] is not None:
        position = _apply_edit(editor, game, position, asked["do"])
    return _edit_json(editor, game, position)


def _apply_edit(editor: Editor, game: Game, position: str, do: Mapping[str, Any]) -> str:
    """Return the position after one step of the editor. Raise BadText if the step is invalid."""
    form = next((form for form in _EDITS if set(form) == set(do)), _EDITS[0])
    step = check_fields(do, form, set(), "The edit")
    if "clear" in step:
        return ""
    if "tool" in step:
        tools = {tool.name for tool in editor.tools(game)} or {""}
        if step["tool"] not in tools:
            raise BadText(f"Unknown tool {step['tool'][:40]!r}: use one of {', '.join(sorted(tools))}.")
        if all(place.key != step["place"] for place in editor.picture(game, position).places):
            raise BadText(f"Unknown place {step['place'][:40]!r} on this board.")
        return editor.press(game, position, step["tool"], step["place"])
    settings = {setting.name: [value for value, _ in setting.choices] for setting in editor.settings(game)}
    if step["setting"] not in settings:
        raise BadText(f"Unknown setting {step['setting'][:40]!r}: use one of {', '.join(settings)}.")
    if step["value"] not in settings[step["setting"]]:
        raise BadText(f"Unknown value {step['value'][:40]!r}: use one of {', '.join(settings[step['setting']])}.")
    return editor.choose(game, position, step["setting"], step["value"])


def _edit_json(editor: Editor, game: Game, position: str) -> JsonObject:
    """Return a position and the editor's tools as JSON; `problem` is why the position is not valid yet, or None."""
    try:
        state = _read_position(game, position)
        answer = {**_position_json(state), "problem": None}
        game, position = state.game, game.position_text(state)
    except BadText as error:
        answer = {"options": game.options, "legal": [], "position": position, "outcome": None, "overlay": None}
        answer["problem"] = str(error)
    chosen = editor.chosen(game, position)
    settings = [
        {"name": each.name, "label": each.label, "choices": [list(choice) for choice in each.choices]}
        for each in editor.settings(game)
    ]
    return {
        "to_move": int(chosen.get("to_move", "0")),
        **answer,
        "picture": to_json(editor.picture(game, position)),
        "tools": [[tool.name, tool.label, shapes_json(tool.shapes)] for tool in editor.tools(game)],
        "settings": settings,
        "chosen": dict(chosen),
    }


# Problems


def _problems_of(game: str) -> Problems:
    """Return the problems of a game. Raise BadOption if it has none."""
    problems = registry.package(game).problems
    if problems is None:
        raise BadOption("This game has no problems.")
    return problems()


def _problems(game: str) -> JsonObject:
    return {"problems": [asdict(heading) for heading in _problems_of(game).headings()]}


def _problem(game: str, number: int) -> JsonObject:
    asked = _problems_of(game).show(number)
    state = asked.state
    shown = position_json(state, state.to_move, asked.last, overlay=False)  # an overlay could give the answer away
    known = {"of": asked.count, "hint": asked.hint, "options": state.game.options}
    return {**asdict(asked.heading), **known, **shown}


def _answer(raw: bytes, game: str, number: int) -> JsonObject:
    asked = read_body(raw, {"move": or_none(text(MAX_MOVE_LENGTH)), "answer": flag}, {"move", "answer"})
    if not asked["answer"] and not asked["move"]:
        raise BadText("Answer with a move, or ask for the answer.")
    problems = _problems_of(game)
    verdict = problems.judge(number, None if asked["answer"] else asked["move"])
    given = problems.show(number).state
    view = given.view(given.to_move)
    best = [move_json(view, given.game.parse_move(move)) for move in verdict.best]
    answer: JsonObject = {"right": verdict.right, "words": verdict.words, "best": best}
    if verdict.state is not None:
        answer["picture"] = to_json(view_position(verdict.state, given.to_move, verdict.last).picture)
    return answer


ROUTES = (
    post_route("/api/position", _position),
    post_route("/api/import", _import),
    post_route("/api/edit", _edit),
    get_route("/api/problems/{game}", _problems),
    get_route("/api/problems/{game}/{number:int}", _problem),
    post_route("/api/problems/{game}/{number:int}", _answer),
)
