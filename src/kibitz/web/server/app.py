"""The server: HTTP addresses, websockets, and error responses.

A bad request is answered with {"error": a sentence}. Contains no game rules.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Player
from kibitz.core.parts import Signature
from kibitz.core.version import __version__
from kibitz.web import bots
from kibitz.web.arena import routes as arena_routes
from kibitz.web.arena.tournaments import Tournaments
from kibitz.web.catalogue import catalogue, cover
from kibitz.web.extend import Site
from kibitz.web.server import assets
from kibitz.web.server.engines import Engines
from kibitz.web.server.guard import Guard, RequestLimit, ServerLimits, is_loopback
from kibitz.web.server.monitoring import AnswerCounter, show_metrics
from kibitz.web.server.requests import address, body, get_route, run_or_404, visitor
from kibitz.web.server.warmup import WarmUp
from kibitz.web.tables import positions
from kibitz.web.tables.clients import MAX_CLIENTS_PER_TABLE, Client
from kibitz.web.tables.files import MAX_LISTED_TABLES, TableFiles
from kibitz.web.tables.messages import read_message
from kibitz.web.tables.new import read_new_table
from kibitz.web.tables.room import Room
from kibitz.web.tables.setup import key_of, new_token
from kibitz.web.tables.snapshot import initials_of, position_json
from kibitz.web.tables.table import Table

PAGES = (
    *("/", "/games", "/play/{rest}", "/new/{rest}", "/edit/{rest}", "/position/{rest}", "/problems"),
    "/problems/{rest:path}",
)
"""Addresses of the page; all serve the same HTML, and its script shows the right view."""
SEATS = "x-kibitz-seats"
"""Request header with the client's seat tokens, separated by spaces."""
LOG = logging.getLogger(__name__)


class Server:
    """The state shared by all addresses: tables, rooms, tournaments, engines, limits."""

    def __init__(
        self, tables: TableFiles, limits: ServerLimits, is_open: bool, tournaments: Tournaments | None, data: Path
    ) -> None:
        self.tables, self.tournaments, self.limits, self.data = tables, tournaments, limits, data
        self.is_open = is_open
        """Whether only this machine can connect, so that every visitor may play every seat."""
        self.engines = Engines(limits.engine_seconds)
        self.warm_up = WarmUp()
        self.rooms: dict[str, Room] = {}
        self.began = time.monotonic()
        self.clients = Counter[str]()
        """Number of connections by visitor."""
        self.new_tables = RequestLimit(limits.tables, 60.0)
        self.answers = Counter[int]()
        """Responses by the first digit of their status, counted if metrics are served."""

    async def table(self, id: str) -> Table:
        """Return the table with this id. Raise HTTPException if it is unknown, BadText if its file is damaged."""
        if id in self.rooms:
            return self.rooms[id].table
        if "." in id and self.tournaments is not None:  # a game of a tournament, to be looked at
            return await run_or_404(self.tournaments.table, id)
        return await run_or_404(self.tables.find, id)

    async def room(self, id: str) -> Room:
        """Return the room of a table, opened if necessary. Raise the same errors as table()."""
        table = await self.table(id)
        if id not in self.rooms:
            self.rooms[id] = Room(table, self.tables, self.engines, self._remove, self.is_open)
        return self.rooms[id]

    def count_new(self, visitor: str) -> None:
        """Count a new table or tournament of a visitor. Raise HTTPException if that exceeds the limit per minute."""
        if not is_loopback(visitor) and not self.new_tables.allows(visitor):
            raise HTTPException(429, "Too many new games. Please wait a minute.")

    def seats(self, table: Table, tokens: Iterable[str]) -> frozenset[Player]:
        """Return the seats that a visitor with these tokens may play."""
        return frozenset((0, 1)) if self.is_open and not table.setup.link else table.seats_of(tokens)

    def _remove(self, room: Room) -> None:
        if self.rooms.get(room.table.setup.id) is room:
            del self.rooms[room.table.setup.id]

    def close(self) -> None:
        """Close all rooms."""
        for room in list(self.rooms.values()):
            room.close()

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Run engines and tournaments during the block; at its end, stop everything. Starlette passes `app`."""
        with self.engines.running():
            if self.tournaments is not None:
                await asyncio.to_thread(self.tournaments.start)
            yield
            self.close()
            if self.tournaments is not None:
                await asyncio.to_thread(self.tournaments.close)


def make_app(
    tables: TableFiles,
    hosts: tuple[str, ...] = (),
    limits: ServerLimits = ServerLimits(),
    is_open: bool = True,
    tournaments: Tournaments | None = None,
    data: Path | None = None,
    metrics: bool = False,
) -> Starlette:
    """Return the web application.

    hosts: the host names it answers to; empty for any. is_open: whether only this machine can reach it.
    data: the data folder, by default that of the tables. metrics: whether to serve /metrics for Prometheus.
    """
    server = Server(tables, limits, is_open, tournaments, data or tables.folder)
    if tournaments is not None:
        tournaments.is_open = is_open
    sites = assets.sites()
    app = Starlette(
        routes=[*([Route("/metrics", show_metrics)] if metrics else []), *_routes(sites.values())],
        lifespan=server.lifespan,
        exception_handlers={HTTPException: _error, KibitzError: _error, Exception: _error},
    )
    app.state.server = server
    app.state.sites = {name: site.open(server) for name, site in sites.items()}
    bots.allow_sites({name: partial(site.opponents, app.state.sites[name]) for name, site in sites.items()})
    app.add_middleware(Guard, hosts=hosts, requests=RequestLimit(limits.requests, 5.0))
    if metrics:
        app.add_middleware(AnswerCounter, answers=server.answers)
    return app


def _routes(sites: Collection[Site]) -> list[BaseRoute]:
    added = [path for site in sites for path in site.pages]
    return [
        Route("/health", _health),
        Route("/api/house", _house),
        Route("/api/warmup", _warm_up),
        get_route("/api/games", lambda: {"games": catalogue()}),
        get_route("/api/games/{game}/cover", cover),
        Route("/api/tables", _list_tables),
        Route("/api/tables", _new_table, methods=["POST"]),
        Route("/api/tables/{id}", _one_table),
        Route("/api/tables/{id}/record", _record),
        Route("/api/tables/{id}/export", _export),
        Route("/api/tables/{id}/at/{ply:int}", _at),
        Route("/api/review/{id}", _review, methods=["POST"]),
        *positions.ROUTES,
        *arena_routes.ROUTES,
        *(route for site in sites for route in site.routes),
        WebSocketRoute("/ws/tables/{id}", _socket),
        *assets.routes(),
        *(Route(path, _page) for path in (*PAGES, *arena_routes.PAGES, *added)),
    ]


async def _error(request: Request, error: Exception) -> Response:
    """Return the response to a request that raised an error: its status, and a sentence as JSON."""
    status, words = 500, "Internal server error. Details are in the server's log."
    if isinstance(error, HTTPException):
        if error.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            return await asyncio.to_thread(assets.index, 404)  # the page tells a person that it was not found
        plain = {"Not Found": "Page not found.", "Method Not Allowed": "This address does not accept this method."}
        status, words = error.status_code, plain.get(error.detail, error.detail)
    elif isinstance(error, KibitzError):
        status, words = 400, str(error)
    return JSONResponse({"error": words}, status)


# Pages and the lobby


async def _page(request: Request) -> Response:
    return await asyncio.to_thread(assets.index)


def _server(request: Request | WebSocket) -> Server:
    server: Server = request.app.state.server
    return server


async def _health(request: Request) -> Response:
    server = _server(request)
    queues = server.engines.queues.values()
    now = {"status": "ok", "version": __version__, "uptime": round(time.monotonic() - server.began)}
    people = {"tables": len(server.rooms), "clients": server.clients.total()}
    thinking, waiting = sum(queue.running for queue in queues), sum(queue.waiting for queue in queues)
    return JSONResponse({**now, **people, "thinking": thinking, "waiting": waiting})


async def _house(request: Request) -> Response:
    server = _server(request)
    arena, limits = server.tournaments is not None, asdict(server.limits)
    return JSONResponse({"open": server.is_open, "arena": arena, "limits": limits})


async def _warm_up(request: Request) -> Response:
    """Return which games still have searches to prepare."""
    return JSONResponse({"waiting": _server(request).warm_up.waiting()})


async def _list_tables(request: Request) -> Response:
    server, asked = _server(request), request.query_params.get("ids")
    ids = None if asked is None and server.is_open else set((asked or "").split(",")[:MAX_LISTED_TABLES])
    newest = await asyncio.to_thread(server.tables.newest, ids)
    return JSONResponse({"tables": [asdict(each) for each in newest]})


async def _new_table(request: Request) -> Response:
    server = _server(request)
    server.count_new(address(request))
    raw = await body(request)
    tokens = [new_token(), new_token()]

    def make() -> Table:
        table, events = read_new_table(raw, secrets.randbits(48), (key_of(tokens[0]), key_of(tokens[1])))
        limit, seconds = server.limits.engine_seconds, table.setup.seconds or 0
        if len(table.persons) < 2 and seconds > limit:
            raise BadOption(f"Agents may think for at most {limit:g} seconds per turn on this server, not {seconds:g}.")
        return server.tables.create(table, events)

    table = await asyncio.to_thread(make)
    game, link = table.game.name, table.setup.link
    LOG.info("new table: %s%s", game, ", by link" if link else "", extra={"game": game, "link": link})
    return JSONResponse({"id": table.setup.id, "tokens": tokens}, 201)


# Tables


async def _one_table(request: Request) -> Response:
    table = await _server(request).table(request.path_params["id"])
    return JSONResponse({"id": table.setup.id, "game": table.game.name})


async def _record(request: Request) -> Response:
    table = await _server(request).table(request.path_params["id"])
    headers = {"Content-Disposition": f'attachment; filename="{table.game.name}-{table.setup.id}.jsonl"'}
    return Response(table.record().to_json() + "\n", media_type="application/json", headers=headers)


async def _export(request: Request) -> Response:
    table = await _server(request).table(request.path_params["id"])
    notation = request.query_params.get("notation", "")
    table.record()  # raises Refused while cards are hidden
    states, moves = table.states[: table.ply + 1], table.moves[: table.ply]
    signature = Signature((table.seats[0].name, table.seats[1].name), table.outcome)
    write = registry.package(table.game.name).make_notations().write
    written = await asyncio.to_thread(write, states, moves, notation, signature)
    return PlainTextResponse(f"{written}\n")


async def _at(request: Request) -> Response:
    server, ply = _server(request), request.path_params["ply"]
    table = await server.table(request.path_params["id"])
    if ply > table.ply:
        raise BadOption(f"The game has {table.ply} moves: there is no position after move {ply}.")
    seats = server.seats(table, request.headers.get(SEATS, "").split())
    state, viewer, last = table.states[ply], table.viewer(seats), table.last_turn(ply)
    over, may_help, shared = table.outcome is not None, not table.is_contest, table.is_shared(seats)
    shown = await asyncio.to_thread(position_json, state, viewer, last, over, may_help, initials_of(table), shared)
    return JSONResponse({"ply": ply, **shown})


async def _review(request: Request) -> Response:
    server, table_id = _server(request), request.path_params["id"]
    await server.table(table_id)
    if table_id not in server.rooms:
        raise HTTPException(409, "Open the game first: the review is sent over its websocket.")
    server.rooms[table_id].analyst.review(None)
    return JSONResponse({"id": table_id}, 202)


# The websocket


async def _socket(socket: WebSocket) -> None:
    server, table_id = _server(socket), socket.path_params["id"]
    try:
        await server.table(table_id)
    except (HTTPException, KibitzError):
        await socket.close(4404, "Game not found.")
        return
    name, limits = visitor(socket, table_id), server.limits
    if server.clients.total() >= limits.clients or server.clients[name] >= limits.clients_each:
        await socket.close(4429, "Too many connections. Please try again later.")
        return
    if table_id in server.rooms and len(server.rooms[table_id].clients) >= MAX_CLIENTS_PER_TABLE:
        await socket.close(4429, "Too many spectators at this game. Please try again later.")
        return
    server.clients[name] += 1
    try:
        await socket.accept()
        client = Client(name)
        room = await server.room(table_id)  # only now: an empty room may be closed at any time
        sender = asyncio.create_task(_send(socket, client))
        try:
            room.join(client)
            await _receive(socket, client, room, RequestLimit(limits.messages, 5.0))
        finally:
            sender.cancel()
            room.leave(client)
    finally:
        server.clients -= Counter([name])  # this operator also drops counts of 0


async def _send(socket: WebSocket, client: Client) -> None:
    """Send queued messages to a client until it disconnects or falls behind."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while not client.lost.is_set():
            await socket.send_text(await client.outbox.get())
        await socket.close(1013, "Connection too slow. Please reconnect.")


async def _receive(socket: WebSocket, client: Client, room: Room, rate: RequestLimit) -> None:
    """Handle a client's messages until it disconnects; answer invalid ones with an error."""
    while True:
        try:
            message = await socket.receive()
        except RuntimeError:
            return
        if message["type"] != "websocket.receive":
            return
        try:
            raw = message.get("text")
            if raw is None:
                raise BadText("A message must be text, not bytes.")
            if not rate.allows(""):
                raise BadText("Too many messages. Please wait a few seconds.")
            await room.handle(client, read_message(raw))
        except KibitzError as error:
            client.send({"is": "refused", "words": str(error)})
