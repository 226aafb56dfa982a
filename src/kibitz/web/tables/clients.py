"""The clients of a table, and how it is published to them.

A table is built once for each class of clients, those who hold the same seats, and each client is
sent what has changed since the table it was sent last. Requests to publish that come while one
is being built are merged. What is large is built on a thread, so that other tables do not wait.
"""

from __future__ import annotations

import asyncio
import json
import logging
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from kibitz.core.game import Player, State
from kibitz.picture.wire import diff, to_json
from kibitz.web.tables.snapshot import ViewedPosition, move_list, show_table, snapshot
from kibitz.web.tables.table import Table

LOG = logging.getLogger(__name__)
MAX_QUEUED_MESSAGES = 200
"""A client with more unsent messages is disconnected; it may reconnect."""
MAX_CLIENTS_PER_TABLE = 64

Seats: TypeAlias = frozenset[Player]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Published:
    """What one class of clients was sent of a table."""

    number: int
    """Counts what is published at a table, so that a client can tell what a change is based on."""
    seen: ViewedPosition
    moves: list[dict[str, Any]]
    fields: dict[str, Any]


class Client:
    """One connection: the seats that it acts for, and what is to be sent to it."""

    def __init__(self, visitor: str = "") -> None:
        self.visitor = visitor
        """Clients of one visitor share engine time, see FairQueue."""
        self.seats: Seats = frozenset()
        """A client without seats is a spectator."""
        self.published: Published | None = None
        """The table that it was sent last; None if it needs a whole one."""
        self.outbox: asyncio.Queue[str] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self.lost = asyncio.Event()
        """Set when it has fallen too far behind."""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.send_text(encode(message))

    def send_text(self, text: str) -> None:
        """Send an encoded message."""
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.lost.set()


def encode(message: dict[str, Any]) -> str:
    """Return a message as it is sent."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


class Publisher:
    """Publishes one table to its clients."""

    def __init__(self, table: Table, changing: asyncio.Lock, extra: Callable[[], dict[str, Any]]) -> None:
        self.clients: list[Client] = []
        self._table, self._changing = table, changing
        """The lock is held while the table is read, so that it is whole."""
        self._extra = extra
        """Returns what the room adds for everybody: who is here, what was asked, whether the game is paused."""
        self._due = set[Client]()
        self._then = list[dict[str, Any]]()
        """Messages for everybody that follow the next table."""
        self._running: asyncio.Task[None] | None = None
        self._number = 0
        self._seen: dict[tuple[Player | None, bool], tuple[int, ViewedPosition]] = {}
        """By viewer, and whether two people share the screen: the version of the table and what is seen of it."""
        self._moves: dict[tuple[Player | None, bool], tuple[list[State], list[dict[str, Any]]]] = {}
        """By viewer, and whether nothing is hidden any more: the positions after the moves of the game, and the moves
        as they are sent."""

    def publish(self, clients: Iterable[Client], then: dict[str, Any] | None = None) -> None:
        """Send the table to some clients soon, and then a message to everybody."""
        self._due.update(clients)
        if then is not None:
            self._then.append(then)
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def published(self) -> None:
        """Wait until everything that was to be published has been handed to the clients."""
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
                        self._give_up(here, fault)
                        continue
                for client, (published, texts) in sent.items():
                    if client.published is not here[client][1]:
                        continue  # it has asked for a whole table meanwhile, which comes next
                    client.published = published
                    for text in texts:
                        client.send_text(text)
                for message in then:
                    text = encode(message)
                    for client in self.clients:
                        client.send_text(text)
        finally:
            self._running = None

    def _give_up(self, clients: Iterable[Client], fault: Exception) -> None:
        """Disconnect clients to whom the table cannot be shown, and say why."""
        is_open = not self._table.hides  # else the words of a fault may name hidden cards
        LOG.warning("A table of %s cannot be shown", self._table.game.name, exc_info=fault if is_open else None)
        why = f"{type(fault).__name__}: {fault}" if is_open else type(fault).__name__
        for client in clients:
            client.send(
                {"is": "notice", "words": f"The game cannot be shown: {self._table.game.title} failed ({why})."}
            )
            client.lost.set()

    def _build(
        self, clients: Mapping[Client, tuple[Seats, Published | None]], extra: dict[str, Any]
    ) -> dict[Client, tuple[Published, list[str]]]:
        """Return what each client is to be sent. Runs on a thread, while nobody changes the table.

        clients: those to send to, with their seats and what each was sent last; both may change meanwhile.
        """
        made, texts = dict[Seats, Published](), dict[tuple[Published | None, Published], list[str]]()
        changes = dict[tuple[ViewedPosition, ViewedPosition], dict[str, Any] | None]()
        sent = dict[Client, tuple[Published, list[str]]]()
        for client, (seats, before) in clients.items():
            if seats not in made:
                made[seats] = self._publication(seats, extra)
            now = made[seats]
            if (before, now) not in texts:
                change = None
                if before is not None:
                    if (before.seen, now.seen) not in changes:
                        changes[before.seen, now.seen] = diff(before.seen.picture, now.seen.picture)
                    change = changes[before.seen, now.seen]
                texts[before, now] = [encode(message) for message in _messages(before, now, change)]
            sent[client] = now, texts[before, now]
        return sent

    def _publication(self, seats: Seats, extra: dict[str, Any]) -> Published:
        table = self._table
        viewer = table.viewer(seats) if table.hides else None
        eyes = viewer, table.hides and table.is_shared(seats)
        version, seen = self._seen.get(eyes, (-1, None))
        if seen is None or version != table.version:
            seen = show_table(table, *eyes)
            self._seen[eyes] = table.version, seen
        self._number += 1
        return Published(self._number, seen, self._move_list(viewer), {**snapshot(table, seats, seen), **extra})

    def _move_list(self, viewer: Player | None) -> list[dict[str, Any]]:
        """Return the moves of the game as the viewer may know them, making only those that are new."""
        table = self._table
        knows, states = (viewer, table.shows_everything()), table.states[1 : table.ply + 1]
        before, moves = self._moves.get(knows, ([], []))
        kept = _common(before, states, operator.is_)
        if kept < max(len(before), len(states)):
            moves = [*moves[:kept], *move_list(table, viewer, kept)]
            self._moves[knows] = states, moves
        return moves


def _messages(before: Published | None, now: Published, change: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return what leads from one publication to another, by a change of the picture; all of it if there is none."""
    message = {**now.fields, "number": now.number}
    if before is None or change is None:
        message |= {"picture": to_json(now.seen.picture), "moves": now.moves}
    else:
        same = _common(before.moves, now.moves, operator.eq)
        message |= {"since": before.number, "change": change, "kept_moves": same, "moves": now.moves[same:]}
        if before.fields["panels"] == now.fields["panels"]:
            del message["panels"]
        if before.fields["legal"] == now.fields["legal"]:
            del message["legal"]
    failure = now.seen.failure
    if failure and (before is None or before.seen.failure != failure):
        return [message, {"is": "notice", "words": failure}]
    return [message]


def _common(one: Sequence[T], other: Sequence[T], same: Callable[[T, T], bool]) -> int:
    """Return how many entries two lists have in common at their beginnings."""
    if one is other:
        return len(one)
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if not same(a, b)), min(len(one), len(other)))
