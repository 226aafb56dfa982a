"""The addresses of the explorer: searches wait for their turn and run on threads, so the event loop never waits."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption
from kibitz.games.go.page.server.explorer import Explorer
from kibitz.games.go.page.server.site import site_of
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.web.server.checks import Check, flag, mapping, one_of, or_none, read_body, take, text, whole
from kibitz.web.server.requests import body, found, place_in, visitor

MOST_MOVE = 2000
MOST_SEQUENCE = 40
MOST_FILE = 32 << 20
"""Bytes of a file that is dropped here."""


def rows(value: Any) -> list[str]:
    """Check for the rows of a region."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_BOARD_SIZE:
        raise ValueError(f"a list of 1 to {MAX_BOARD_SIZE} rows")
    return [text(MAX_BOARD_SIZE)(row) for row in value]


def points(value: Any) -> list[int]:
    """Check for points of a board, in the order of a sequence of moves."""
    if not isinstance(value, list) or len(value) > MOST_SEQUENCE:
        raise ValueError(f"a list of at most {MOST_SEQUENCE} points")
    return [whole(MAX_BOARD_SIZE * MAX_BOARD_SIZE)(point) for point in value]


_FILTERS: Mapping[str, Check] = {
    "player": text(100),
    "black": text(100),
    "white": text(100),
    "since": text(20),
    "until": text(20),
    "result": text(10),
    "rank": text(10),
    "handicap": or_none(whole(99)),
    "event": text(100),
}


def filters(value: Any) -> dict[str, Any]:
    """Check for the filters of a search; those left out do not matter."""
    return take(mapping(value), _FILTERS, set(_FILTERS), "The filter")


_SEARCH: Mapping[str, Check] = {
    "store": text(20),
    "size": whole(MAX_BOARD_SIZE),
    "top": whole(MAX_BOARD_SIZE),
    "left": whole(MAX_BOARD_SIZE),
    "rows": rows,
    "sequence": or_none(points),
    "anchor": or_none(one_of("corner", "side", "centre", "full", "anywhere")),
    "fixed": or_none(flag),
    "next": or_none(one_of("", "X", "O")),
    "low": or_none(whole(MOST_MOVE)),
    "high": or_none(whole(MOST_MOVE)),
    "filters": or_none(filters),
    "tab": or_none(text(40)),
}


def _explorer(request: Request) -> Explorer:
    return site_of(request).searches.explorer


async def _overview(request: Request) -> Response:
    return JSONResponse(await _run(request, visitor(request, ""), _explorer(request).overview))


async def _run(request: Request, who: str, work: Any, *given: Any) -> Any:
    """Return what a function returns, on a thread, when it is the visitor's turn."""
    return await site_of(request).search(who, lambda: work(*given))


async def _search(request: Request) -> Response:
    asked = read_body(
        await body(request), _SEARCH, {"sequence", "anchor", "fixed", "next", "low", "high", "filters", "tab"}
    )
    if not asked["size"]:
        raise BadOption(f"A board has 1 to {MAX_BOARD_SIZE} lines.")
    searches = site_of(request).searches
    who = visitor(request, asked["tab"] or "")
    mine = searches.begin(who)

    def work() -> dict[str, Any]:
        searches.check(who, mine)  # another may have come while this one waited
        return searches.explorer.search(asked)

    answer = await _run(request, who, work)
    searches.check(who, mine)
    return JSONResponse(answer)


async def _more(request: Request) -> Response:
    start = place_in(request, "start", "occurrences")
    return JSONResponse(await asyncio.to_thread(_explorer(request).more, request.path_params["id"], start))


async def _game(request: Request) -> Response:
    store, number = request.path_params["store"], request.path_params["number"]
    return JSONResponse(await found(_explorer(request).game, store, number))


async def _drop(request: Request) -> Response:
    explorer = _explorer(request)
    if not explorer.is_open:
        words = "Records can be dropped only where nobody but this machine can reach the server."
        raise HTTPException(403, f"{words} Import them with kibitz go import.")
    with tempfile.TemporaryDirectory(prefix="kibitz-") as folder:
        file = Path(folder) / "records.sgf"  # what is in it decides how it is read
        await _receive(request, file)
        told = await _run(request, visitor(request, ""), explorer.add, file)
    return JSONResponse(told, 201)


async def _receive(request: Request, file: Path) -> None:
    """Write the body of a request to a file. Raises HTTPException if it is too long."""
    size = 0
    with file.open("wb") as out:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MOST_FILE:
                words = f"The file is too large to be dropped here: at most {MOST_FILE >> 20} MB are taken."
                raise HTTPException(413, f"{words} Import it with kibitz go import.")
            out.write(chunk)


ROUTES = (
    Route("/api/explorer", _overview),
    Route("/api/explorer/search", _search, methods=["POST"]),
    Route("/api/explorer/found/{id}", _more),
    Route("/api/explorer/games/{store}/{number:int}", _game),
    Route("/api/explorer/drop", _drop, methods=["POST"]),
)
