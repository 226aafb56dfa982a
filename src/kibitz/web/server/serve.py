"""kibitz serve: the port, the browser, and a clean shutdown."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.applications import Starlette

from kibitz.core import registry
from kibitz.core.errors import BadOption
from kibitz.core.files import lock_folder
from kibitz.web import bots
from kibitz.web.arena.tournaments import Tournaments
from kibitz.web.server.app import make_app
from kibitz.web.server.config import FIRST_PORT, ServerSettings
from kibitz.web.server.guard import LOOPBACK, MAX_MESSAGE_BYTES, ServerLimits, is_loopback
from kibitz.web.server.monitoring import log_to_stderr
from kibitz.web.tables.files import TableFiles

MAX_PORTS_TRIED = 100
"""Number of ports to try, from FIRST_PORT."""
THREAD_SWITCH_SECONDS = 0.0005
"""Seconds after which a thread running Python code, such as a plain search, lets another thread run."""
_SHUTDOWN_SECONDS = 3
"""Time that open requests have to finish at shutdown."""
NETWORK_WARNING = (
    "Anyone who can reach this machine over the network can open this page, play and run engines. "
    "Anyone with a game's address can watch it; only its creator and invited players can play. "
    "The connection is not encrypted: on the open internet, put a TLS proxy in front of it."
)


def serve(settings: ServerSettings, say: Callable[[str], None] = print, warm_up: Iterable[str] = ()) -> None:
    """Serve the page until Ctrl-C or SIGTERM. Raise BadOption for an unusable port or folder.

    say: prints messages. warm_up: what `kibitz warmup --background` prints.
    """
    bots.allow(bots.read(settings.bots) if settings.bots else {})
    listener = listen(settings.host, settings.port)
    address = page_url(settings.host, listener.getsockname()[1])
    tables = TableFiles(settings.data / "tables")
    log_to_stderr(settings.log, settings.log_format)
    with listener, lock_folder(settings.data, address):
        say(f"kibitz is at {address} (Ctrl-C ends it; games are kept in {settings.data})")
        if not is_loopback(settings.host):
            say(NETWORK_WARNING)
        registry.pages()  # warns of games that cannot be used or shown, before anybody asks for one
        each, seconds = settings.clients_each, settings.engine_seconds
        limits = ServerLimits(clients=settings.clients, clients_each=each, engine_seconds=seconds)
        app = _app(settings, tables, limits)
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            limit_concurrency=2 * limits.clients,
        )
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        if settings.open:
            open_browser(address)
        with app.state.server.warm_up.following(warm_up):
            _Server(config).run([listener])


def _app(settings: ServerSettings, tables: TableFiles, limits: ServerLimits) -> Starlette:
    """Return the web application for these settings."""
    hosts = (*LOOPBACK, settings.host, *([settings.name.lower()] if settings.name else []))
    return make_app(
        tables,
        hosts if settings.name or is_loopback(settings.host) else (),
        limits,
        settings.is_private,
        Tournaments(settings.data / "arena") if settings.arena else None,
        settings.data,
        settings.metrics,
    )


class _Server(uvicorn.Server):
    """A uvicorn server that ends on a signal without raising the signal again afterwards."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Notify the clients before closing their connections."""
        self.config.app.state.server.close()  # type: ignore[union-attr]  # a Starlette, see above
        await asyncio.sleep(0.1)
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down on Ctrl-C and SIGTERM during the block."""
        old_handlers = {sig: signal.signal(sig, self.handle_exit) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in old_handlers.items():
                signal.signal(sig, handler)


def listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket, by default on the first free port. Raise BadOption if no port can be used."""
    ports = range(FIRST_PORT, FIRST_PORT + MAX_PORTS_TRIED) if port is None else (port,)
    for candidate in ports:
        try:
            return _bound(host, candidate)
        except OSError as error:
            if port is not None or error.errno not in (errno.EADDRINUSE, errno.EACCES):
                why = "it is in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
                raise BadOption(f"Cannot serve at {host}, port {candidate}: {why}.") from None
    last = FIRST_PORT + MAX_PORTS_TRIED - 1
    raise BadOption(f"The ports {FIRST_PORT} to {last} are all in use. Choose another with --port.")


def _bound(host: str, port: int) -> socket.socket:
    family, kind, proto, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, proto)
    try:
        if sys.platform != "win32":  # on Windows this would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen()  # here, because two sockets may be bound to a port until one listens
    except OSError:
        listener.close()
        raise
    return listener


def page_url(host: str, port: int) -> str:
    """Return the URL at which a browser on this machine finds the page of a server that listens on `host`."""
    name = "127.0.0.1" if host in ("0.0.0.0", "") else "[::1]" if host == "::" else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def open_browser(address: str) -> None:
    """Open a browser; on Linux only if there is a display, because a text browser would take over the terminal."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return

    def try_to_open() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    threading.Thread(target=try_to_open, daemon=True).start()
