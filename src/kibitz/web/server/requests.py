"""Helpers for handling requests: identify the visitor, read the body, run work on a thread, answer 404."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.web.server.guard import MAX_BODY_BYTES, is_loopback

P = ParamSpec("P")
T = TypeVar("T")


def address(request: HTTPConnection) -> str:
    """Return the IP address that a request comes from; "" if unknown."""
    return "" if request.client is None else request.client.host


def visitor(request: HTTPConnection, local_name: str) -> str:
    """Return the name under which a visitor's limits are counted: the IP address, or `local_name` on this machine."""
    ip = address(request)
    return local_name if is_loopback(ip) else ip


async def body(request: Request) -> bytes:
    """Return the body of a request. Raise HTTPException if it is longer than MAX_BODY_BYTES."""
    raw = b""
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BODY_BYTES:
            raise HTTPException(413, f"The request is too long: the limit is {MAX_BODY_BYTES} bytes.")
    return raw


def read_offset(request: Request, name: str, items: str) -> int:
    """Return query parameter `name`: an index, from 0, in a list of `items`, such as "games".

    Raise HTTPException 400 if it is missing, or not a whole number of up to 9 digits.
    """
    text = request.query_params.get(name, "")
    if not text.isdecimal() or len(text) > 9:
        wanted = f"a whole number of up to 9 digits, an index (from 0) in the list of {items}"
        raise HTTPException(400, f"`{name}` must be {wanted}, got {text[:40]!r}.")
    return int(text)


async def run_or_404(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function on a thread and return its result. Raise HTTPException 404 if it raises BadOption."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except BadOption as error:
        raise HTTPException(404, str(error)) from None


def get_route(path: str, work: Callable[..., JsonObject]) -> Route:
    """Return a route that answers with the result of work(**path parameters), run on a thread."""

    async def answer(request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(work, **request.path_params))

    return Route(path, answer)


def post_route(path: str, work: Callable[..., JsonObject]) -> Route:
    """Return a route that answers with the result of work(body, **path parameters), run on a thread."""

    async def answer(request: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(work, await body(request), **request.path_params))

    return Route(path, answer, methods=["POST"])
