"""Metrics of the whole server in the text format of Prometheus; none about a single visitor, table or tournament."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kibitz.core.version import __version__

if TYPE_CHECKING:
    from kibitz.web.server.app import Server

TYPE = "text/plain; version=0.0.4; charset=utf-8"
Values = dict[str, float]
"""A label such as queue="slow", or an empty text -> a number."""


class AnswerCounter:
    """Counts answers by the first digit of their status."""

    def __init__(self, app: ASGIApp, answers: Counter[int]) -> None:
        self.app, self.answers = app, answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and count its answer. An exception is answered with 500 further out."""

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.answers[message["status"] // 100] += 1
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, counted)
        except Exception:
            self.answers[5] += 1
            raise


async def show_metrics(request: Request) -> Response:
    """Answer with all metrics."""
    return Response("".join(_figures(request.app.state.server)), media_type=TYPE)


def _figures(server: Server) -> Iterator[str]:
    """Yield each metric with its description."""
    queues = server.engines.queues.items()
    yield _figure("kibitz_info", "gauge", "The version that runs.", {f'version="{__version__}"': 1})
    yield _figure("kibitz_uptime_seconds", "gauge", "Seconds since the start.", {"": time.monotonic() - server.began})
    answers: Values = {f'status="{digit}xx"': server.answers[digit] for digit in range(1, 6)}
    yield _figure("kibitz_requests_total", "counter", "Requests answered, by class of status.", answers)
    yield _figure("kibitz_sockets", "gauge", "Open websockets.", {"": server.clients.total()})
    tables: Values = {'state="open"': len(server.rooms), 'state="kept"': len(server.tables)}
    yield _figure("kibitz_tables", "gauge", "Tables in use, and all that are stored.", tables)
    for name, words in {"running": "Running searches.", "waiting": "Queued searches."}.items():
        values: Values = {f'queue="{queue}"': getattr(found, name) for queue, found in queues}
        yield _figure(f"kibitz_engines_{name}", "gauge", words, values)
    used: Values = {f'queue="{queue}"': found.seconds for queue, found in queues}
    yield _figure("kibitz_engine_seconds_total", "counter", "Seconds of finished searches.", used)
    if server.tournaments is not None:
        running, waiting = server.tournaments.busy()
        runs: Values = {'state="running"': running, 'state="waiting"': waiting}
        yield _figure("kibitz_arena_runs", "gauge", "Running and queued tournaments.", runs)
        played: Values = {"": server.tournaments.played}
        yield _figure("kibitz_arena_games_total", "counter", "Tournament games played since the start.", played)
    yield _figure("process_cpu_seconds_total", "counter", "Seconds of the processor.", {"": time.process_time()})
    if memory := _memory():
        yield _figure("process_resident_memory_bytes", "gauge", "Memory in use.", {"": memory})


def _figure(name: str, kind: str, words: str, values: Values) -> str:
    """Return one metric as text."""
    lines = [f"# HELP {name} {words}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{{{label}}} {value:.15g}" if label else f"{name} {value:.15g}" for label, value in values.items()]
    return "\n".join(lines) + "\n"


def _memory() -> int:
    """Return the bytes of memory in use; 0 if unknown."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError, IndexError):
            return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return 0
