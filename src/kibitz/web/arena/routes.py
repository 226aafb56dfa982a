"""The addresses of the arena: list, create, view, stop, resume and report tournaments."""

from __future__ import annotations

import asyncio
import base64
import hashlib

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.arena.report.html import SCRIPT
from kibitz.web.arena.tournaments import Tournaments
from kibitz.web.server.checks import Check, one_of, or_none, read_body, text
from kibitz.web.server.requests import address, body, read_offset, run_or_404
from kibitz.web.tables.table import Refused

FILES = {
    "report": ("report.html", "text/html"),
    "results.json": ("results.json", "application/json"),
    "results.csv": ("results.csv", "text/csv"),
}
"""Name in the address -> file name and media type."""
_HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
REPORT_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; font-src data:; script-src 'sha256-{_HASH}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"
)
"""A report asks for nothing, and runs no script but the one that steps through its games."""


def _tournaments(request: Request) -> Tournaments:
    tournaments: Tournaments | None = request.app.state.server.tournaments
    if tournaments is None:
        raise HTTPException(404, "Tournaments are disabled on this server.")
    return tournaments


def _one(request: Request) -> tuple[Tournaments, str]:
    return _tournaments(request), request.path_params["id"]


async def _list(request: Request) -> Response:
    return JSONResponse(await asyncio.to_thread(_tournaments(request).list))


async def _new(request: Request) -> Response:
    request.app.state.server.count(address(request))
    raw = await body(request)
    name, token = await asyncio.to_thread(_tournaments(request).create, raw)
    return JSONResponse({"id": name, "token": token}, 201)


async def _show(request: Request) -> Response:
    tournaments, name = _one(request)
    return JSONResponse(await run_or_404(tournaments.show, name))


async def _games(request: Request) -> Response:
    tournaments, name = _one(request)
    return JSONResponse(await run_or_404(tournaments.games, name, read_offset(request, "before", "games")))


async def _command(request: Request) -> Response:
    tournaments, name = _one(request)
    fields: dict[str, Check] = {"do": one_of("stop", "resume"), "token": or_none(text(100))}
    asked = read_body(await body(request), fields, {"token"})
    try:
        await run_or_404(tournaments.command, name, asked["do"], asked["token"])
    except Refused as error:
        raise HTTPException(409, str(error)) from None
    return JSONResponse(await run_or_404(tournaments.show, name))


async def _file(request: Request) -> Response:
    tournaments, name = _one(request)
    kind = request.path_params["kind"]
    if kind not in FILES:
        raise HTTPException(404)
    file, media_type = FILES[kind]
    content = await run_or_404(tournaments.report, name, file)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    if kind != "report":
        headers["Content-Disposition"] = f'attachment; filename="{name}-{kind}"'
    return Response(content, media_type=media_type, headers=headers)


ROUTES = (
    Route("/api/arena", _list),
    Route("/api/arena", _new, methods=["POST"]),
    Route("/api/arena/{id}", _show),
    Route("/api/arena/{id}", _command, methods=["POST"]),
    Route("/api/arena/{id}/games", _games),
    Route("/api/arena/{id}/{kind}", _file),
)
PAGES = ("/arena", "/arena/{rest}")
"""Addresses of pages."""
