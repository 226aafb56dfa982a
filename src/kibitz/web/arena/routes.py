"""The addresses of the arena: list, create, view, stop, resume and report tournaments.

Every field of a request is checked against its limits.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.arena.report.html import SCRIPT
from kibitz.arena.tournament import Format, Terms, Tournament
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.search.agents import agent_entries
from kibitz.web.arena.tournaments import ArenaLimits, Tournaments
from kibitz.web.server.checks import Check, list_of, mapping, one_of, or_none, read_body, seconds, text, whole
from kibitz.web.server.requests import address, body, read_offset, run_or_404
from kibitz.web.tables.new import read_game
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
"""Content security policy of a report: it loads nothing, and runs only the script that steps through its games."""


def _tournaments(request: Request) -> Tournaments:
    tournaments: Tournaments | None = request.app.state.server.tournaments
    if tournaments is None:
        raise HTTPException(404, "Tournaments are disabled on this server.")
    return tournaments


def read_request(raw: bytes, limits: ArenaLimits) -> tuple[Tournament, int]:
    """Parse a new tournament; return it without openings, and the number of openings. Raise KibitzError if invalid."""
    fields: dict[str, Check] = {
        "game": text(40),
        "options": mapping,
        "agents": list_of(text(60), "agents", limits.agents, 2),
        "format": one_of(*get_args(Format)),
        "games": whole(limits.games),
        "seconds": or_none(seconds(0.01, limits.seconds)),
        "nodes": or_none(whole(limits.nodes, 1)),
        "openings": whole(limits.openings),
        "seed": or_none(whole(2**48)),
    }
    asked = read_body(raw, fields, {"options", "seconds", "nodes", "seed"})
    game = read_game(asked["game"], asked["options"] or {})
    known = agent_entries(game.name)
    for name in asked["agents"]:
        if name not in known:
            raise BadOption(f"{game.title} has no agent {name[:40]!r}. Use one of {', '.join(known)}.")
    tournament = Tournament(
        game=game.name,
        agents=tuple(asked["agents"]),
        options=game.options,
        format=asked["format"],
        games=asked["games"],
        seed=secrets.randbits(48) if asked["seed"] is None else asked["seed"],
        terms=Terms(Budget(seconds=asked["seconds"], nodes=asked["nodes"])),
    )
    games = len(tournament.meetings()) * tournament.games
    if games > limits.games:
        too_many = f"This tournament would have {games} games; the limit is {limits.games}."
        raise BadOption(f"{too_many} Choose fewer games or agents.")
    if asked["openings"]:
        replace(tournament, openings=("",))  # refuses an odd number of games
    return tournament, asked["openings"]


def _get(path: str, work: Callable[..., JsonObject]) -> Route:
    """Return a route that answers with the result of work(tournaments, **path parameters), or 404."""

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_or_404(work, _tournaments(request), **request.path_params))

    return Route(path, answer)


async def _new(request: Request) -> Response:
    request.app.state.server.count_new(address(request))
    raw, tournaments = await body(request), _tournaments(request)
    name, token = await asyncio.to_thread(lambda: tournaments.create(*read_request(raw, tournaments.limits)))
    return JSONResponse({"id": name, "token": token}, 201)


async def _games(request: Request) -> Response:
    before = read_offset(request, "before", "games")
    return JSONResponse(await run_or_404(_tournaments(request).games, request.path_params["id"], before))


async def _command(request: Request) -> Response:
    tournaments, name = _tournaments(request), request.path_params["id"]
    fields: dict[str, Check] = {"do": one_of("stop", "resume"), "token": or_none(text(100))}
    asked = read_body(await body(request), fields, {"token"})
    try:
        await run_or_404(tournaments.command, name, asked["do"], asked["token"])
    except Refused as error:
        raise HTTPException(409, str(error)) from None
    return JSONResponse(await run_or_404(tournaments.show, name))


async def _file(request: Request) -> Response:
    name, kind = request.path_params["id"], request.path_params["kind"]
    if kind not in FILES:
        raise HTTPException(404, f"A tournament has no file {kind[:40]!r}. Use one of {', '.join(FILES)}.")
    file, media_type = FILES[kind]
    content = await run_or_404(_tournaments(request).report, name, file)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    if kind != "report":
        headers["Content-Disposition"] = f'attachment; filename="{name}-{kind}"'
    return Response(content, media_type=media_type, headers=headers)


ROUTES = (
    _get("/api/arena", Tournaments.list),
    Route("/api/arena", _new, methods=["POST"]),
    _get("/api/arena/{id}", Tournaments.show),
    Route("/api/arena/{id}", _command, methods=["POST"]),
    Route("/api/arena/{id}/games", _games),
    Route("/api/arena/{id}/{kind}", _file),
)
PAGES = ("/arena", "/arena/{rest}")
"""Addresses of the arena's pages."""
