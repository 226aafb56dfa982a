"""The addresses of what was mined from records of Go. All is asked with GET; numbers in an address are checked here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.games.go.page.server.mined import Patterns
from kibitz.games.go.page.server.site import site_of
from kibitz.web.server.checks import Check, take, text, whole_text
from kibitz.web.server.requests import address

MOST_START = 3000
"""So far a list is gone through; who wants more asks kibitz go patterns."""
MOST_LINE = 60
KEYS = ((1 << 63) - 1, -(1 << 63))
"""The most and the least that the key of a pattern can be."""


def line(value: Any) -> list[int]:
    """Check for the moves to a node of a tree: whole numbers with commas between them."""
    parts = value.split(",") if value else []
    if len(parts) > MOST_LINE:
        raise ValueError(f"at most {MOST_LINE} moves")
    return [whole_text(1 << 14)(part) for part in parts]


_STORE: Mapping[str, Check] = {"store": text(20)}
_KIND: Mapping[str, Check] = {**_STORE, "kind": text(60)}
_START: Mapping[str, Check] = {"start": whole_text(MOST_START)}
_LIST: Mapping[str, Check] = {
    **_KIND,
    **_START,
    "sort": text(20),
    "meaning": text(20),
    "count": whole_text(1 << 31, 1),
    "stones": whole_text(1000),
}
_PLAYERS: Mapping[str, Check] = {**_STORE, "player": text(100), "with": text(100)}


def _answer(
    work: Callable[[Patterns, dict[str, Any]], dict[str, Any]], fields: Mapping[str, Check], *optional: str
) -> Callable[[Request], Any]:
    """Return what answers an address: its fields are checked, and the work waits for its turn and runs on a thread."""

    async def answer(request: Request) -> Response:
        asked = take(dict(request.query_params), fields, set(optional), "The address")
        site = site_of(request)
        answer = await site.search(address(request), lambda: work(site.patterns, asked))
        return JSONResponse(answer)

    return answer


ROUTES = (
    Route("/api/patterns", _answer(Patterns.overview, _STORE, "store")),
    Route("/api/patterns/list", _answer(Patterns.patterns, _LIST, *(set(_LIST) - set(_KIND)))),
    Route("/api/patterns/one", _answer(Patterns.pattern, {**_KIND, "key": whole_text(*KEYS)})),
    Route("/api/patterns/templates", _answer(Patterns.templates, {**_KIND, **_START}, "start")),
    Route("/api/patterns/template", _answer(Patterns.template, {**_STORE, "template": whole_text(1 << 31)})),
    Route("/api/patterns/fuseki", _answer(Patterns.fuseki, {**_STORE, "line": line}, "line")),
    Route("/api/patterns/joseki", _answer(Patterns.joseki, {**_STORE, "line": line}, "line")),
    Route("/api/patterns/players", _answer(Patterns.players, _PLAYERS, "player", "with")),
)
