"""A table with the clients that look at it: their messages, what they agree on, the clock.

Everything here runs on the event loop and never waits for an engine. What changes
a table is done by one at a time, is on the disk before anybody is told, and then
everybody gets the table anew: of its picture only what has changed since the last one
that this client was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any

from kibitz.core.game import Player
from kibitz.picture.wire import diff, to_json
from kibitz.web.agents import Agents
from kibitz.web.engines import Engines
from kibitz.web.messages import Message
from kibitz.web.snapshot import Seen, see_table, snapshot
from kibitz.web.study import Study
from kibitz.web.table import Event, Refused, Table
from kibitz.web.tables import Tables

GLANCE = 0.1
"""Seconds between two looks at the clock."""
OUTBOX = 200
"""So many messages may wait for a client; one that falls behind further is let go, and may come back."""


class Client:
    """One connection: whom it acts for, and what is to be sent to it."""

    def __init__(self, visitor: str = "") -> None:
        self.visitor = visitor
        """Who shares engine time with whom, see limits."""
        self.seats: frozenset[Player] = frozenset()
        """The seats it acts for; one without any looks on."""
        self.seen: Seen | None = None
        """The picture and panels that it was sent last; None if it needs the whole."""
        self.serial = 0
        """The number of the last table that it was sent, by which it knows that it has missed none."""
        self.outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue(OUTBOX)
        self.lost = asyncio.Event()
        """Set when it has fallen too far behind."""

    def send(self, message: dict[str, Any]) -> None:
        """Have a message sent."""
        try:
            self.outbox.put_nowait(message)
        except asyncio.QueueFull:
            self.lost.set()


class Room:
    """One table and all that goes on at it."""

    def __init__(
        self, table: Table, tables: Tables, engines: Engines, emptied: Callable[[Room], None], is_open: bool = True
    ) -> None:
        self.table, self.tables, self.engines = table, tables, engines
        self.is_open = is_open and not table.setup.link
        """Whether everybody who comes acts for both seats."""
        self.clients: list[Client] = []
        self.asked: tuple[str, Player] | None = None
        """What one of two persons would like to do, and which of the two; the other has not said anything yet."""
        self.paused = False
        self.changing = asyncio.Lock()
        """Held by who changes the table."""
        self._seen: dict[Player | None, tuple[int, Seen]] = {}
        """By viewer: the version of the table and what is seen of it."""
        self.agents = Agents(self)
        self.study = Study(self)
        self._emptied = emptied
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By name: what makes the agents' moves, and what keeps the time of persons. They are never cancelled, lest
        one be cut off between the disk and the table; they end by themselves when nobody is here."""

    # Clients

    def join(self, client: Client) -> None:
        """Let a client in and show it the table."""
        self.clients.append(client)
        self._admit(client, frozenset((0, 1) if self.is_open else ()))

    def sit(self, client: Client, tokens: Iterable[str]) -> None:
        """Let a client act for the seats that some tokens give. Raises Refused if they give none."""
        seats = self.table.seats_of(tokens)
        if not seats:
            raise Refused("This is not the link of a seat at this table. You can look on.")
        self._admit(client, seats)

    def _admit(self, client: Client, seats: frozenset[Player]) -> None:
        """Let a client act for some seats more; show it the table, and the others that it is there."""
        if not self._somebody_plays():
            self.table.restart_clock()  # nobody could move before
        client.seats |= seats
        self.agents.visitor = client.visitor
        self._show(self.clients if self.table.setup.link else [client])
        self._go_on()

    def leave(self, client: Client) -> None:
        """Let a client go. The agent of a game with a person still answers, then the room is closed."""
        if client in self.clients:
            self.clients.remove(client)
        self.study.forget(client)
        if self.table.setup.link:
            self.show_all()
        if not self.clients:
            self.study.close()
            if not self.table.persons:
                self.agents.stop()
            self._close_if_idle()

    def close(self) -> None:
        """Stop everything that goes on here, and tell everybody."""
        self.tell(
            {"is": "notice", "words": "The server is being stopped. Every move is saved; the game can go on later."}
        )
        self.clients.clear()
        self.study.close()
        self.agents.stop()

    def _close_if_idle(self) -> None:
        if not self.clients and not self._tasks:
            self.agents.forget()  # the collector of garbage would come much later to what they remember
            self._emptied(self)

    def _start(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start a task unless it is running."""
        if name not in self._tasks:
            self._tasks[name] = asyncio.create_task(self._run(name, work))

    async def _run(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        finally:
            del self._tasks[name]
            self._close_if_idle()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to everybody."""
        for client in self.clients:
            client.send(message)

    def show_all(self) -> None:
        """Show everybody the table as it is now."""
        self._show(self.clients)

    def _show(self, clients: Iterable[Client]) -> None:
        """Send the table to some clients; what changes in a picture is found once for all who had the same one."""
        changes: dict[tuple[Seen, Seen], dict[str, Any] | None] = {}
        for client in clients:
            seen, before = self._seen_by(client), client.seen
            message = self._snapshot(client, seen)
            change = None
            if before is not None:
                if (before, seen) not in changes:
                    changes[before, seen] = diff(before.picture, seen.picture)
                change = changes[before, seen]
                if before.fields["panels"] == seen.fields["panels"]:
                    del message["panels"]
            message |= {"picture": to_json(seen.picture)} if change is None else {"change": change}
            client.seen = seen
            client.serial += 1
            client.send({**message, "serial": client.serial})

    def _seen_by(self, client: Client) -> Seen:
        """Return what a client sees of the table, made once for each view of each version of it."""
        table = self.table
        viewer = table.viewer(client.seats) if table.hides else None
        version, seen = self._seen.get(viewer, (-1, None))
        if seen is None or version != table.version:
            seen = see_table(table, viewer)
            self._seen[viewer] = table.version, seen
        return seen

    def _snapshot(self, client: Client, seen: Seen) -> dict[str, Any]:
        """Return the table as it is now for a client, without its picture."""
        busy = self.table.state.to_move if self.agents.is_to_move() else None
        seated = frozenset[Player]().union(*(each.seats for each in self.clients))
        return {
            **snapshot(self.table, client.seats, self.paused, busy, seen),
            "here": [seat.kind == "agent" or player in seated for player, seat in enumerate(self.table.seats)],
            "watching": sum(not each.seats for each in self.clients),
            "asked": self.asked and {"what": self.asked[0], "seat": self.asked[1]},
        }

    # Messages

    async def handle(self, client: Client, message: Message) -> None:
        """Do what a client asks for. Raises KibitzError if it cannot be done."""
        given = message.fields
        if message.do not in ("sit", "sync", "analyse", "review"):
            self._check_seat(client, message)
        match message.do:
            case "sit":
                self.sit(client, given["tokens"])
            case "sync":
                client.seen = None
                self._show([client])
            case "hint":
                self.study.hint(client)
            case "analyse":
                self.study.analyse(client, given["on"], given["ply"])
            case "review":
                self.study.review(client)
            case "now":
                self.agents.hurry()
            case "pause" | "resume":
                async with self.changing:
                    self.paused = message.do == "pause"
                    self.agents.stop()
                    self.show_all()
                    self._go_on()
            case "decline":
                self._decline()
            case "agree":
                await self._agree(client)
            case "undo" | "redo" | "restart" | "settle" if self._must_be_agreed(client):
                await self._ask(client, message)
            case _:
                await self._do(message)

    async def _do(self, message: Message) -> None:
        """Change the table as a message says."""
        looking_back = message.do in ("undo", "redo") and not self.table.persons
        async with self.changing:
            if message.do == "restart" and self.table.outcome is not None:
                self.tell({"is": "kept", "id": await asyncio.to_thread(self._keep_finished)})
            await self.change(self._event(message), paused=looking_back)

    def _check_seat(self, client: Client, message: Message) -> None:
        """Raise Refused unless a client may ask for this."""
        if not client.seats:
            raise Refused("You look on here: only who plays can do this.")
        table = self.table
        match message.do:
            case "move" if table.to_move.kind == "person":
                seat = table.state.to_move
            case "resign" | "name":
                seat = message.fields["seat"]
            case _:
                return
        if seat not in client.seats:
            at_turn = f"It is the turn of {table.seats[seat].name}."
            raise Refused(at_turn if message.do == "move" else f"This is for {table.seats[seat].name} to do.")

    # Two persons, each at a screen of their own, agree on what concerns both

    def _must_be_agreed(self, client: Client) -> bool:
        return self.table.is_between_two and len(client.seats) == 1

    async def _ask(self, client: Client, message: Message) -> None:
        """Ask the other player for something, or do it if that is what the other asked for."""
        (seat,) = client.seats
        if self.asked == (message.do, 1 - seat):
            await self._agree(client)
            return
        self._event(message)  # refuses what cannot be done anyway
        self.asked = (message.do, seat)
        self.show_all()

    def _decline(self) -> None:
        if self.asked is None:
            raise Refused("Nothing was asked.")
        self.asked = None
        self.show_all()

    async def _agree(self, client: Client) -> None:
        if self.asked is None or self.asked[1] in client.seats:
            raise Refused("The other player has not asked for anything.")
        (what, _), self.asked = self.asked, None
        await self._do(Message(what, {"marks": self.table.marks}))  # as they were asked: a change takes the wish back

    def _event(self, message: Message) -> Event:
        """Return what a message does to the table. Raises KibitzError."""
        table, given = self.table, message.fields
        match message.do:
            case "move":
                if given["ply"] == table.ply and table.outcome is None and table.to_move.kind == "agent":
                    raise Refused(f"It is the turn of {table.to_move.name}.")
                return table.move(given["move"], given["ply"])
            case "undo":
                return table.undo()
            case "redo":
                return table.redo()
            case "restart":
                return table.restart()
            case "resign":
                return table.resign(given["seat"])
            case "name":
                return table.rename(given["seat"], given["name"])
            case "mark":
                return table.mark(given["mark"])
            case "settle":
                return table.settle(given["marks"])
        raise Refused(f"{message.do!r} cannot be done at a table.")

    def _keep_finished(self) -> str:
        """Keep a finished game as one of its own, since its table is used again; return its id."""
        table = self.table
        events: list[Event] = [
            {"do": "move", "move": table.game.move_text(move), "seconds": seconds}
            for move, seconds in zip(table.moves[: table.ply], table.times, strict=False)
        ]
        if table.settled:
            events.append({"do": "settle", "marks": list(table.marks)})
        if table.ended is not None:
            events.append({"do": "end", "loser": table.ended[0], "why": table.ended[1]})
        return self.tables.create(replace(table.setup, seats=table.seats), events).setup.id

    async def change(self, event: Event, paused: bool = False) -> None:
        """Let an event happen, on the disk first, and show the table to everybody. Called by one at a time."""
        await asyncio.to_thread(self.tables.keep, self.table, event)
        self.table.apply(event)
        if event["do"] != "name":
            self.agents.stop()
            self.paused, self.asked = paused, None
        if event["do"] in ("at", "deal"):
            self.agents.renew()
        if event["do"] == "deal":
            self.agents.forget()
        self.study.follow(event)
        self.show_all()
        self._go_on()

    # The clock

    def _go_on(self) -> None:
        """Let the agent to move think, or the clock of the person to move run."""
        if self.agents.is_to_move():
            self._start("agents", self.agents.drive)
        if self.table.setup.seconds is not None and len(self.table.persons) == 2:
            self._start("clock", self._keep_time)

    def _somebody_plays(self) -> bool:
        """Return whether somebody is here who has a seat."""
        return any(client.seats for client in self.clients)

    async def _keep_time(self) -> None:
        """End the game when the person to move has no time left."""
        while self._somebody_plays() and self.table.outcome is None:
            await asyncio.sleep(GLANCE)
            async with self.changing:
                if self._somebody_plays() and self.table.is_late():
                    await self.change(self.table.run_out())
