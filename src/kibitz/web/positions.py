"""Positions and problems that belong to no table: read, drawn, edited, imported, answered.

Each address takes and returns JSON, and keeps nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game, State
from kibitz.web.catalogue import page_of
from kibitz.web.checks import Check, flag, mapping, or_none, read_body, text
from kibitz.web.messages import LONGEST_MOVE, LONGEST_TEXT, read_game
from kibitz.web.requests import body
from kibitz.web.snapshot import show

_POSITION: Mapping[str, Check] = {
    "game": text(40),
    "options": mapping,
    "text": or_none(text(LONGEST_TEXT)),
    "notation": or_none(text(40)),
}


def _shown(state: State, is_given: bool = True) -> dict[str, Any]:
    """Return a position; one that was given hides nothing from who gave it."""
    return {"options": state.game.options, **show(state, state.to_move, over=is_given)}


async def answered(request: Request, work: Callable[[bytes], dict[str, Any]]) -> Response:
    """Return what a function makes of the body of a request, on a thread."""
    raw = await body(request)
    return JSONResponse(await asyncio.to_thread(work, raw))


async def _position(request: Request) -> Response:
    def answer(raw: bytes) -> dict[str, Any]:
        asked = read_body(raw, _POSITION, {"options", "text", "notation"})
        game = _game(asked)
        state = _read_position(game, asked["text"] or "")
        told = _shown(state, bool(asked["text"]))
        if asked["notation"]:
            told["text"] = page_of(game.name).write([state], [], asked["notation"])
        return told

    return await answered(request, answer)


def _game(asked: Mapping[str, Any]) -> Game:
    """Return the game of a request. Raises KibitzError."""
    game = read_game(asked["game"], asked["options"] or {})
    page_of(game.name)
    return game


def _read_position(game: Game, words: str) -> State:
    """Return the position of a text, in the game's own words or another notation of positions; the start if empty."""
    if not words.strip():
        return game.start()
    try:
        return game.parse_position(words)
    except BadText as own:
        page = page_of(game.name)
        for notation in page.NOTATIONS:
            if notation["kind"] == "position":
                with suppress(KibitzError):
                    state: State = page.read(game, words, notation["name"])[0]
                    return state
        raise own from None


async def _import(request: Request) -> Response:
    def answer(raw: bytes) -> dict[str, Any]:
        asked = read_body(raw, _POSITION, {"options", "notation"})
        start, moves = page_of(asked["game"]).read(_game(asked), asked["text"] or "", asked["notation"])
        game, state = start.game, start
        for move in moves:
            state = state.play(move)
        told = {"moves": [game.move_text(move) for move in moves] or None}
        told["start"] = None if start == game.start() else game.position_text(start)
        return {**told, **_shown(state)}

    return await answered(request, answer)


async def _edit(request: Request) -> Response:
    fields: Mapping[str, Check] = {
        "game": text(40),
        "options": mapping,
        "position": or_none(text(LONGEST_TEXT)),
        "do": or_none(mapping),
    }

    def answer(raw: bytes) -> dict[str, Any]:
        asked = read_body(raw, fields, {"options", "position"})
        game = _game(asked)
        page = page_of(game.name)
        if not hasattr(page, "edit"):
            raise BadOption(f"{game.title} has no editor.")
        position = asked["position"] or ""
        if asked["do"] is not None:
            position = page.edit(game, position, asked["do"])
        try:
            return {**_shown(_read_position(game, position)), "problem": None}
        except BadText as error:  # on the way to a possible position
            if not hasattr(page, "draft_scene"):
                raise
            scene = page.draft_scene(game, position)
            return {
                "options": game.options,
                "scene": scene,
                "legal": [],
                "to_move": scene["to_move"],
                "position": position,
                "outcome": None,
                "layer": None,
                "problem": str(error),
            }

    return await answered(request, answer)


# Problems


def _problem_page(game: str) -> Any:
    """Return the page of a game with problems. Raises BadOption."""
    page = page_of(game)
    if not hasattr(page, "list_problems"):
        raise BadOption("This game has no problems.")
    return page


async def _problems(request: Request) -> Response:
    page = _problem_page(request.path_params["game"])
    return JSONResponse({"problems": await asyncio.to_thread(page.list_problems)})


async def _problem(request: Request) -> Response:
    page, number = _problem_page(request.path_params["game"]), request.path_params["number"]

    def answer() -> dict[str, Any]:
        state, last, told = page.show_problem(number)
        return {**told, **show(state, state.to_move, last), "layer": None}  # its advice would be the answer

    return JSONResponse(await asyncio.to_thread(answer))


async def _answer(request: Request) -> Response:
    page, number = _problem_page(request.path_params["game"]), request.path_params["number"]
    fields = {"move": or_none(text(LONGEST_MOVE)), "answer": flag}

    def answer(raw: bytes) -> dict[str, Any]:
        asked = read_body(raw, fields, {"move", "answer"})
        if asked["answer"]:
            told: dict[str, Any] = page.show_answer(number)
            return told
        if not asked["move"]:
            raise BadText("Answer with a move, or ask for the answer.")
        state, last, told = page.judge_answer(number, asked["move"])
        return {**told, "scene": page.scene(state, last)}

    return await answered(request, answer)


ROUTES = (
    Route("/api/position", _position, methods=["POST"]),
    Route("/api/import", _import, methods=["POST"]),
    Route("/api/edit", _edit, methods=["POST"]),
    Route("/api/problems/{game}", _problems),
    Route("/api/problems/{game}/{number:int}", _problem),
    Route("/api/problems/{game}/{number:int}", _answer, methods=["POST"]),
)
