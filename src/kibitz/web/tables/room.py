"""A table with its clients: turns one client's click into a move on every screen.

    handle()  checks whether a client may do what its message asks for
    _event()  lets the table check the request: it returns an event, or refuses
    change()  writes the event to disk, then commits it, then publishes the table

One task at a time changes the table; nothing here waits for an engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from kibitz.core.game import Player
from kibitz.core.untrusted import JsonObject
from kibitz.web.server.engines import Engines
from kibitz.web.tables.analyst import TableAnalyst
from kibitz.web.tables.clients import Client, Publisher
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.messages import Message
from kibitz.web.tables.seats import SeatedAgents
from kibitz.web.tables.table import Event, Refused, Renamed, SteppedTo, Table

CLOCK_TICK_SECONDS = 0.1


class Room:
    """One table with its clients, agents, analyses and clock."""

    def __init__(
        self, table: Table, tables: TableFiles, engines: Engines, on_empty: Callable[[Room], None], is_open: bool = True
    ) -> None:
        self.table, self.tables, self.engines = table, tables, engines
        self.is_open = is_open and not table.setup.link
        """Whether every client plays both seats."""
        self.asked: tuple[str, Player] | None = None
        """The open request by one of two people that the other may agree to: the action, and the seat that asked."""
        self.paused = False
        self.changing = asyncio.Lock()
        """Lock: held while the table is being changed or read."""
        self.publisher = Publisher(table, self.changing, self._room_fields)
        self.clients = self.publisher.clients
        self.agents = SeatedAgents(self)
        self.analyst = TableAnalyst(self)
        self._rematch: str | None = None
        """The id of the table of the rematch, once there is one."""
        self._on_empty = on_empty
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """The tasks "agents" and "clock". They end by themselves when nobody is here. They are never cancelled, because
        an event could then be on disk but not committed."""

    # Messages

    async def handle(self, client: Client, message: Message) -> None:
        """Carry out a client's message. Raise KibitzError if that is not possible or not allowed."""
        given = message.fields
        if message.do not in ("sit", "sync", "analyse", "analyst", "review"):
            self._check_seat(client, message)
        match message.do:
            case "sit":
                self.sit(client, given["tokens"])
            case "sync":
                client.published = None
                self.publisher.publish([client])
            case "hint":
                self.analyst.hint(client)
            case "analyse":
                self.analyst.analyse(client, given["on"], given["ply"])
            case "analyst":
                self.analyst.choose_analyst(client, given["name"])
            case "review":
                self.analyst.review(client)
            case "now":
                self.agents.hurry()
            case "pause" | "resume":
                async with self.changing:
                    self.paused = message.do == "pause"
                    self.agents.stop()
                    self.publish()
                    self._start_tasks()
            case "decline":
                if self.asked is None:
                    raise Refused("There is no request to decline.")
                self.asked = None
                self.publish()
            case "agree":
                await self._agree(client)
            case "undo" | "redo" | "restart" | "settle" if self.table.is_between_two and len(client.seats) == 1:
                await self._ask(client, message)
            case _:
                await self._carry_out(message)

    def _check_seat(self, client: Client, message: Message) -> None:
        """Raise Refused unless the client has the seat that this message needs."""
        if not client.seats:
            raise Refused("You are watching this game. Only its players can do this.")
        table = self.table
        match message.do:
            case "move" if table.to_move.kind == "person":
                seat = table.state.to_move
            case "resign" | "name":
                seat = message.fields["seat"]
            case _:
                return
        if seat not in client.seats:
            name = table.seats[seat].name
            raise Refused(f"It is {name}'s turn." if message.do == "move" else f"Only {name} can do this.")

    async def _carry_out(self, message: Message) -> None:
        """Change the table as a message asks, or start a rematch. A step back in a game of two agents pauses it."""
        if message.do == "restart":
            await self._start_rematch()
            return
        pauses = message.do in ("undo", "redo") and not self.table.persons
        async with self.changing:
            await self.change(self._event(message), paused=pauses)

    def _event(self, message: Message) -> Event:
        """Return the event that a message asks for. Raise KibitzError if the table refuses it."""
        table = self.table
        agents_turn = table.to_move.kind == "agent" and table.outcome is None
        if message.do == "move" and agents_turn and message.fields["ply"] == table.ply:
            raise Refused(f"It is {table.to_move.name}'s turn.")
        requests: dict[str, Callable[..., Event]] = {
            "move": table.move,
            "undo": table.undo,
            "redo": table.redo,
            "resign": table.resign,
            "name": table.rename,
            "mark": table.mark,
            "settle": table.settle,
        }
        return requests[message.do](**message.fields)

    async def change(self, event: Event, paused: bool = False, then: JsonObject | None = None) -> None:
        """Write an event to disk, commit it, publish the table and then message `then`. The caller holds `changing`."""
        await asyncio.to_thread(self.tables.save, self.table, event)
        self.table.commit(event)
        if not isinstance(event, Renamed):
            self.agents.stop()
            self.paused, self.asked = paused, None
        if isinstance(event, SteppedTo):
            self.agents.reset_budgets()
        self.analyst.update(event)
        self.publish(then)
        self._start_tasks()

    async def _start_rematch(self) -> None:
        """Create a rematch at a table of its own, and send everybody there; this table stays as it is."""
        async with self.changing:
            if self._rematch is None:
                table = await asyncio.to_thread(lambda: self.tables.create(Table(self.table.rematch_setup())))
                self._rematch = table.setup.id
            self.asked = None
        self.publish({"is": "again", "id": self._rematch})

    # Requests between two people at two screens

    async def _ask(self, client: Client, message: Message) -> None:
        """Ask the opponent to agree to an action, or carry it out if the opponent has asked for the same."""
        (seat,) = client.seats
        if self.asked == (message.do, 1 - seat):
            await self._agree(client)
            return
        if message.do != "restart":
            self._event(message)  # raises Refused if it is impossible anyway
        self.asked = (message.do, seat)
        self.publish()

    async def _agree(self, client: Client) -> None:
        if self.asked is None or self.asked[1] in client.seats:
            raise Refused("Your opponent has not asked for anything.")
        (do, _), self.asked = self.asked, None
        marks = {"marks": self.table.marks} if do == "settle" else {}  # unchanged: a change would withdraw the request
        await self._carry_out(Message(do, marks))

    # Clients

    def join(self, client: Client) -> None:
        """Add a client and send it the table."""
        self.clients.append(client)
        self._admit(client, frozenset((0, 1) if self.is_open else ()))

    def sit(self, client: Client, tokens: Iterable[str]) -> None:
        """Give a client the seats that these tokens belong to. Raise Refused if there are none."""
        seats = self.table.seats_of(tokens)
        if not seats:
            raise Refused("This link gives no seat at this table. You can watch the game.")
        self._admit(client, seats)

    def _admit(self, client: Client, seats: frozenset[Player]) -> None:
        """Give a client more seats; send it the table, and show the other clients that it is here."""
        client.seats |= seats
        if self._has_players():
            self.table.clock.resume()
        self.agents.visitor = client.visitor
        self.publisher.publish(self.clients if self.table.setup.link else [client])
        self._start_tasks()

    def leave(self, client: Client) -> None:
        """Remove a client. After the last one, an agent playing a person still makes its move; then the room closes."""
        if client in self.clients:
            self.clients.remove(client)
        if not self._has_players():
            self.table.clock.pause()
        self.analyst.stop_for(client)
        if self.table.setup.link:
            self.publish()
        if not self.clients:
            self.analyst.close()
            if not self.table.persons:
                self.agents.stop()
            self._close_if_idle()

    def close(self) -> None:
        """Stop all analyses and agents, and tell all clients that the server is shutting down."""
        words = "The server is shutting down. Your game is saved and can be resumed later."
        self.send_all({"is": "notice", "words": words})
        self.clients.clear()
        self.analyst.close()
        self.agents.stop()

    def _close_if_idle(self) -> None:
        if not self.clients and not self._tasks:
            self.tables.keep_clock(self.table)
            self.agents.drop_agents()  # frees their memory now; the garbage collector would come much later
            self._on_empty(self)

    def send_all(self, message: JsonObject) -> None:
        """Send a message to all clients."""
        for client in self.clients:
            client.send(message)

    def publish(self, then: JsonObject | None = None) -> None:
        """Send all clients the table, and then the message `then` if there is one."""
        self.publisher.publish(self.clients, then)

    def _room_fields(self) -> JsonObject:
        """Return the fields about the room that are published with the table."""
        seated = frozenset[Player]().union(*(each.seats for each in self.clients))
        return {
            "paused": self.paused,
            "busy": self.table.state.to_move if self.agents.is_to_move() else None,
            "here": [seat.kind == "agent" or player in seated for player, seat in enumerate(self.table.seats)],
            "watching": sum(not each.seats for each in self.clients),
            "asked": self.asked and {"what": self.asked[0], "seat": self.asked[1]},
        }

    # The agents and the clock

    def _start_tasks(self) -> None:
        """Start the agents if one is to move, and the clock if two people play with a time limit."""
        if self.agents.is_to_move():
            self._start("agents", self.agents.play_turns)
        if self.table.setup.seconds is not None and len(self.table.persons) == 2:
            self._start("clock", self._keep_time)

    def _start(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start `work` as a task with this name, unless one is running."""

        async def run() -> None:
            try:
                await work()
            finally:
                del self._tasks[name]
                self._close_if_idle()

        if name not in self._tasks:
            self._tasks[name] = asyncio.create_task(run())

    def _has_players(self) -> bool:
        """Return whether a client with a seat is connected."""
        return any(client.seats for client in self.clients)

    async def _keep_time(self) -> None:
        """End the game when the person to move has run out of time."""
        while self._has_players() and self.table.outcome is None:
            await asyncio.sleep(CLOCK_TICK_SECONDS)
            async with self.changing:
                if self._has_players() and self.table.is_late():
                    await self.change(self.table.time_out())
