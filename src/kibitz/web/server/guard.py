"""Protection for every request: allowed hosts and origins, rate limits, security headers.

A page of another site can make a browser send requests to this server. The Origin header
reveals this, or the Host header if the site's own name resolves to this server.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

MAX_BODY_BYTES = 512 * 1024
"""Maximum size of a request body, in bytes."""
MAX_MESSAGE_BYTES = 16 * 1024
"""Maximum size of a websocket message, in bytes."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Middleware that refuses requests from other sites and adds HEADERS to every response."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = (), requests: RequestLimit | None = None) -> None:
        self.app = app
        self.requests = requests
        """The limit on requests per visitor other than GET and HEAD; None for no limit."""
        self.hosts = hosts
        """The host names this server answers to; empty for any."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal and scope["type"] == "websocket":
            await WebSocketClose(4403, refusal)(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)  # a report has a policy of its own
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer: ASGIApp = JSONResponse({"error": refusal}, 403) if refusal else self.app
        if not refusal and not self._is_within_limit(scope):
            answer = JSONResponse({"error": "Too many requests. Please wait a few seconds."}, 429)
        await answer(scope, receive, send_with_headers)

    def _is_within_limit(self, scope: Scope) -> bool:
        """Return whether a request is within its visitor's rate limit."""
        visitor = (scope.get("client") or ("",))[0]
        if self.requests is None or _only_reads(scope) or is_loopback(visitor):
            return True
        return self.requests.allows(visitor)

    def _refusal(self, scope: Scope) -> str:
        """Return why a request is refused; empty if it is allowed."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and _without_port(host) not in self.hosts:
            return f"This server does not answer to the host name {host[:80]!r}."
        origin = headers.get("origin")
        if origin is not None and not _only_reads(scope) and urlsplit(origin).netloc != host:
            return "Requests from pages of other sites are refused."
        return ""


def _only_reads(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")


def _without_port(host: str) -> str:
    """Return the host name in a Host header, without the port; "" if it is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


MAX_TRACKED_VISITORS = 10_000
"""Maximum number of visitors whose requests are counted; the least recent is dropped."""


@dataclass(frozen=True)
class ServerLimits:
    """Limits of a server."""

    clients: int = 2000
    """Simultaneous connections."""
    clients_each: int = 50
    """Simultaneous connections per visitor."""
    tables: int = 30
    """New tables and tournaments per visitor and minute."""
    requests: int = 100
    """Writing requests (not GET or HEAD) per visitor and five seconds."""
    messages: int = 100
    """Messages per connection and five seconds."""
    engine_seconds: float = 300.0
    """Maximum thinking time of an agent per turn."""


class RequestLimit:
    """A token bucket per visitor: `max_actions` at once, refilled over `seconds`."""

    def __init__(self, max_actions: int, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self.max_actions, self.per_second, self._now = max_actions, max_actions / seconds, now
        self._left = OrderedDict[str, tuple[float, float]]()
        """By visitor, most recent last: number of actions left, and the time of the last update."""

    def allows(self, visitor: str) -> bool:
        """Return whether a visitor may act once more; if so, count the action."""
        now = self._now()
        left, updated = self._left.pop(visitor, (float(self.max_actions), now))
        left = min(float(self.max_actions), left + (now - updated) * self.per_second)
        self._left[visitor] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > MAX_TRACKED_VISITORS:
            self._left.popitem(last=False)
        return left >= 1


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's own."""
    return address in ("::1", "localhost") or address.startswith("127.")
