"""The clients of a table, and how the table is published to them.

A publication is built once for all clients with the same seats, on a thread, and each client gets
the changes since its last one. Requests to publish that arrive meanwhile are merged into the next.
"""

from __future__ import annotations

import asyncio
import json
import logging
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, TypeVar

from kibitz.core.game import Player, State
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import diff, to_json
from kibitz.web.tables.snapshot import ViewedPosition, move_list, snapshot, view_table
from kibitz.web.tables.table import Table

LOG = logging.getLogger(__name__)
MAX_QUEUED_MESSAGES = 200
"""Disconnect a client that has more than this many unsent messages; it may reconnect."""
MAX_CLIENTS_PER_TABLE = 64

Seats: TypeAlias = frozenset[Player]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Published:
    """A table as it was sent to clients with the same seats."""

    number: int
    """Serial number of the publication, so that a client can tell which one a change is based on."""
    seen: ViewedPosition
    moves: list[JsonObject]
    fields: JsonObject


class Client:
    """One connection: its seats, and its unsent messages."""

    def __init__(self, visitor: str = "") -> None:
        self.visitor = visitor
        """Clients of one visitor share engine time, see FairQueue."""
        self.seats: Seats = frozenset()
        """A client without seats is a spectator."""
        self.published: Published | None = None
        """The last publication sent to it; None if it needs a complete one."""
        self.outbox: asyncio.Queue[str] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self.lost = asyncio.Event()
        """Set when the client has fallen too far behind and is to be disconnected."""

    def send(self, message: JsonObject) -> None:
        """Queue a message for sending."""
        self.send_text(encode(message))

    def send_text(self, text: str) -> None:
        """Queue an encoded message for sending; if the queue is full, mark the client as lost."""
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.lost.set()


def encode(message: JsonObject) -> str:
    """Encode a message as compact JSON."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


class Publisher:
    """Publishes one table to its clients."""

    def __init__(self, table: Table, changing: asyncio.Lock, extra: Callable[[], JsonObject]) -> None:
        self.clients: list[Client] = []
        self._table, self._changing = table, changing
        """Lock: held while the table is being changed or read."""
        self._extra = extra
        """Returns the fields that the room adds: who is present, any open request, whether the game is paused."""
        self._due = set[Client]()
        self._then = list[JsonObject]()
        """Messages to send to everybody after the next publication."""
        self._running: asyncio.Task[None] | None = None
        self._number = 0
        self._seen: dict[tuple[Player | None, bool], tuple[int, ViewedPosition]] = {}
        """Cache by (viewer, whether two people share the screen): the table's version, and the position as seen."""
        self._moves: dict[tuple[Player | None, bool], tuple[list[State], list[JsonObject]]] = {}
        """Cache by (viewer, whether nothing is hidden): the position after each move, and the moves as JSON."""

    def publish(self, clients: Iterable[Client], then: JsonObject | None = None) -> None:
        """Schedule sending the table to these clients, and then the message `then` to all clients."""
        self._due.update(clients)
        if then is not None:
            self._then.append(then)
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def wait_until_published(self) -> None:
        """Wait until all scheduled publications have been queued for their clients."""
        if self._running is not None:
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        try:
            while self._due or self._then:
                async with self._changing:
                    due, self._due, then, self._then = self._due, set(), self._then, []
                    here = {client: (client.seats, client.published) for client in self.clients if client in due}
                    try:
                        sent = await asyncio.to_thread(self._build, here, self._extra())
                    except Exception as fault:  # the rules of a game may be anybody's code
                        self._disconnect(here, fault)
                        continue
                for client, (published, texts) in sent.items():
                    if client.published is not here[client][1]:
                        continue  # it has asked for a complete table meanwhile, which comes next
                    client.published = published
                    for text in texts:
                        client.send_text(text)
                for message in then:
                    for client in self.clients:
                        client.send(message)
        finally:
            self._running = None

    def _disconnect(self, clients: Iterable[Client], fault: Exception) -> None:
        """Disconnect clients after a notice that the table cannot be shown because of `fault`."""
        is_open = not self._table.hides  # else the error may name hidden cards
        LOG.warning("A table of %s cannot be shown", self._table.game.name, exc_info=fault if is_open else None)
        why = f"{type(fault).__name__}: {fault}" if is_open else type(fault).__name__
        words = f"The game cannot be shown: {self._table.game.title} failed ({why})."
        for client in clients:
            client.send({"is": "notice", "words": words})
            client.lost.set()

    def _build(
        self, clients: Mapping[Client, tuple[Seats, Published | None]], extra: JsonObject
    ) -> dict[Client, tuple[Published, list[str]]]:
        """Return the publication and encoded messages for each client. Runs on a thread, with the table locked.

        clients: each with its seats and last publication as of now, since both may change meanwhile.
        """
        publication = cache(lambda seats: self._publication(seats, extra))
        change = cache(lambda before, now: diff(before.picture, now.picture))
        texts = cache(lambda before, now: [encode(message) for message in _messages(before, now, change)])
        sent = dict[Client, tuple[Published, list[str]]]()
        for client, (seats, before) in clients.items():
            now = publication(seats)
            sent[client] = now, texts(before, now)
        return sent

    def _publication(self, seats: Seats, extra: JsonObject) -> Published:
        table = self._table
        viewer = table.viewer(seats) if table.hides else None
        key = viewer, table.hides and table.is_shared(seats)
        version, seen = self._seen.get(key, (-1, None))
        if seen is None or version != table.version:
            seen = view_table(table, *key)
            self._seen[key] = table.version, seen
        self._number += 1
        return Published(self._number, seen, self._move_list(viewer), {**snapshot(table, seats, seen), **extra})

    def _move_list(self, viewer: Player | None) -> list[JsonObject]:
        """Return the moves as JSON, without anything hidden from the viewer; convert only those not in the cache."""
        table = self._table
        key, states = (viewer, table.shows_everything()), table.states[1 : table.ply + 1]
        old_states, moves = self._moves.get(key, ([], []))
        same = _common_prefix_length(old_states, states, operator.is_)
        if same < max(len(old_states), len(states)):
            moves = [*moves[:same], *move_list(table, viewer, same)]
            self._moves[key] = states, moves
        return moves


def _messages(
    before: Published | None, now: Published, change_of: Callable[[ViewedPosition, ViewedPosition], JsonObject | None]
) -> list[JsonObject]:
    """Return the messages that update a client to a publication: the changes if possible, else the complete table."""
    message = {**now.fields, "number": now.number}
    change = None if before is None else change_of(before.seen, now.seen)
    if before is None or change is None:
        message |= {"picture": to_json(now.seen.picture), "moves": now.moves}
    else:
        same = _common_prefix_length(before.moves, now.moves, operator.eq)
        message |= {"since": before.number, "change": change, "kept_moves": same, "moves": now.moves[same:]}
        for key in ("panels", "legal"):
            if before.fields[key] == now.fields[key]:
                del message[key]
    failure = now.seen.failure
    if failure and (before is None or before.seen.failure != failure):
        return [message, {"is": "notice", "words": failure}]
    return [message]


def _common_prefix_length(one: Sequence[T], other: Sequence[T], is_same: Callable[[T, T], bool]) -> int:
    """Return the number of elements at the beginning of two lists that are the same in both."""
    if one is other:
        return len(one)
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if not is_same(a, b)), min(len(one), len(other)))
