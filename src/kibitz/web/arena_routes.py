"""The addresses of the arena: tournaments listed, made, looked at, stopped, resumed, reported."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.arena.report_page import SCRIPT
from kibitz.core.errors import BadOption
from kibitz.web.messages import Check, or_none, read_body, text
from kibitz.web.positions import body
from kibitz.web.table import Refused
from kibitz.web.tournaments import Tournaments

KINDS = {"report": "report.html", "results.json": "results.json", "results.csv": "results.csv"}
"""What can be asked for -> its file."""
TYPES = {"report": "text/html", "results.json": "application/json", "results.csv": "text/csv"}
_HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
REPORT_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"
)
"""A report asks for nothing, and runs no script but the one that steps through its games."""


def _tournaments(request: Request) -> Tournaments:
    found: Tournaments | None = request.app.state.server.tournaments
    if found is None:
        raise HTTPException(404, "There is no arena here.")
    return found


def _one(request: Request) -> tuple[Tournaments, str]:
    return _tournaments(request), request.path_params["id"]


async def _answer(work: Any, *given: Any) -> Any:
    """Return what a function returns, on a thread. What is not there is answered with 404."""
    try:
        return await asyncio.to_thread(work, *given)
    except BadOption as error:
        raise HTTPException(404, str(error)) from None


async def _list(request: Request) -> Response:
    return JSONResponse(await asyncio.to_thread(_tournaments(request).list))


async def _new(request: Request) -> Response:
    request.app.state.server.count("" if request.client is None else request.client.host)
    raw = await body(request)
    name, token = await asyncio.to_thread(_tournaments(request).create, raw)
    return JSONResponse({"id": name, "token": token}, 201)


async def _show(request: Request) -> Response:
    tournaments, name = _one(request)
    return JSONResponse(await _answer(tournaments.show, name))


async def _games(request: Request) -> Response:
    tournaments, name = _one(request)
    before = request.query_params.get("before", "")
    if not before.isdecimal() or len(before) > 9:
        raise HTTPException(400, "Say with `before` which games are meant: a whole number.")
    return JSONResponse(await _answer(tournaments.games, name, int(before)))


async def _command(request: Request) -> Response:
    tournaments, name = _one(request)
    fields: dict[str, Check] = {"do": _deed, "token": or_none(text(100))}
    asked = read_body(await body(request), fields, {"token"})
    try:
        await _answer(tournaments.command, name, asked["do"], asked["token"])
    except Refused as error:
        raise HTTPException(409, str(error)) from None
    return JSONResponse(await _answer(tournaments.show, name))


def _deed(value: Any) -> str:
    if value not in ("stop", "resume"):
        raise ValueError("'stop' or 'resume'")
    return str(value)


async def _file(request: Request) -> Response:
    tournaments, name = _one(request)
    kind = request.path_params["kind"]
    if kind not in KINDS:
        raise HTTPException(404)
    content = await _answer(tournaments.report, name, KINDS[kind])
    headers = {"Content-Security-Policy": REPORT_POLICY}
    if kind != "report":
        headers["Content-Disposition"] = f'attachment; filename="{name}-{kind}"'
    return Response(content, media_type=TYPES[kind], headers=headers)


ROUTES = (
    Route("/api/arena", _list),
    Route("/api/arena", _new, methods=["POST"]),
    Route("/api/arena/{id}", _show),
    Route("/api/arena/{id}", _command, methods=["POST"]),
    Route("/api/arena/{id}/games", _games),
    Route("/api/arena/{id}/{kind}", _file),
)
PAGES = ("/arena", "/arena/{rest}")
"""Addresses that people see."""
