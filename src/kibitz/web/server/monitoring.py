"""Monitoring for the server's operator: metrics for Prometheus, and logs on standard error.

Metrics are about the whole server, never about a single visitor, table or tournament. Logs are
lines for people, or one JSON object per line for programs. Anything that looks like a token is
masked, whoever logged it. Below the level of warnings only kibitz itself is logged, because at
those levels libraries log the data that is sent.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kibitz.core.version import __version__

if TYPE_CHECKING:
    from kibitz.web.server.app import Server

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Values = dict[str, float]
"""A label such as queue="slow", or "" for no label -> a number."""
TOKEN = re.compile(r"(?<![\w-])[\w-]{32}(?![\w-])", re.ASCII)
"""Matches the token of a seat or a tournament, see new_token in tables/setup.py."""
MASK = "(masked)"
_PLAIN = {*logging.makeLogRecord({}).__dict__, "message", "asctime"}
"""Attributes that every log record has; any others were passed as `extra`."""


# Metrics


class AnswerCounter:
    """Middleware that counts HTTP responses by the first digit of their status."""

    def __init__(self, app: ASGIApp, answers: Counter[int]) -> None:
        self.app, self.answers = app, answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and count its response. An exception counts as 5xx: outer middleware answers with 500."""

        async def count_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.answers[message["status"] // 100] += 1
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, count_and_send)
        except Exception:
            self.answers[5] += 1
            raise


async def show_metrics(request: Request) -> Response:
    """Answer with all metrics, in the text format of Prometheus."""
    return Response("".join(starmap(_metric_text, _metrics(request.app.state.server))), media_type=METRICS_TYPE)


def _metrics(server: Server) -> Iterator[tuple[str, str, str, Values]]:
    """Yield the name, kind, description and values of each metric."""
    yield "kibitz_info", "gauge", "The version that runs.", {f'version="{__version__}"': 1}
    yield "kibitz_uptime_seconds", "gauge", "Seconds since the start.", {"": time.monotonic() - server.began}
    answers: Values = {f'status="{digit}xx"': server.answers[digit] for digit in range(1, 6)}
    yield "kibitz_requests_total", "counter", "Requests answered, by class of status.", answers
    yield "kibitz_sockets", "gauge", "Open websockets.", {"": server.clients.total()}
    tables: Values = {'state="open"': len(server.rooms), 'state="kept"': len(server.tables)}
    yield "kibitz_tables", "gauge", "Tables in use, and all that are stored.", tables
    running, waiting, used = Values(), Values(), Values()
    for name, queue in server.engines.queues.items():
        label = f'queue="{name}"'
        running[label], waiting[label], used[label] = queue.running, queue.waiting, queue.seconds
    yield "kibitz_engines_running", "gauge", "Running searches.", running
    yield "kibitz_engines_waiting", "gauge", "Queued searches.", waiting
    yield "kibitz_engine_seconds_total", "counter", "Seconds of finished searches.", used
    if server.tournaments is not None:
        active, queued = server.tournaments.count_active()
        runs: Values = {'state="running"': active, 'state="waiting"': queued}
        yield "kibitz_arena_runs", "gauge", "Running and queued tournaments.", runs
        played: Values = {"": server.tournaments.played}
        yield "kibitz_arena_games_total", "counter", "Tournament games played since the start.", played
    yield "process_cpu_seconds_total", "counter", "CPU time in seconds.", {"": time.process_time()}
    if memory := _memory():
        yield "process_resident_memory_bytes", "gauge", "Memory in use.", {"": memory}


def _metric_text(name: str, kind: str, description: str, values: Values) -> str:
    """Return one metric in the text format of Prometheus."""
    lines = [f"# HELP {name} {description}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{{{label}}} {value:.15g}" if label else f"{name} {value:.15g}" for label, value in values.items()]
    return "\n".join(lines) + "\n"


def _memory() -> int:
    """Return this process's memory in use, in bytes; 0 if unknown."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError, IndexError):
            return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return 0


# Logs


class TextFormatter(logging.Formatter):
    """Formats a record as a line for people, with any traceback below it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, with tokens masked."""
        return mask_tokens(super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message, fields, and any traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line of JSON, with tokens masked."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "fields": {name: value for name, value in record.__dict__.items() if name not in _PLAIN},
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return mask_tokens(json.dumps(line, default=str))


FORMATS = {"text": TextFormatter, "json": JsonFormatter}


def mask_tokens(text: str) -> str:
    """Return a text with everything that looks like a token replaced by MASK."""
    return TOKEN.sub(MASK, text)


def log_to_stderr(level: str, log_format: str) -> None:
    """Log kibitz's messages of at least this level, and warnings of libraries, to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(FORMATS[log_format]())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("kibitz").setLevel(level.upper())
