"""A table with the clients that look at it: their messages, the agents' moves, the clock.

Everything here runs on the event loop and never waits for an engine. What changes
a table is done by one at a time, is on the disk before anybody is told, and then
everybody gets the whole table anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kibitz.core.agent import Allowance, Budget, Choice, Watch
from kibitz.core.errors import KibitzError
from kibitz.core.game import Player
from kibitz.core.seeds import derive
from kibitz.search.values import unit_of
from kibitz.web.engines import Engines, Thinker
from kibitz.web.messages import Message
from kibitz.web.snapshot import snapshot
from kibitz.web.study import Study
from kibitz.web.table import Event, Refused, Table
from kibitz.web.tables import Tables

LOG = logging.getLogger(__name__)
GLANCE = 0.1
"""Seconds between two looks at the clock."""
PACE = 0.3
"""Seconds between two moves of agents, so that people can follow."""
OUTBOX = 200
"""So many messages may wait for a client; one that falls behind further is let go, and may come back."""


class Client:
    """One connection: what is to be sent to it."""

    def __init__(self) -> None:
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

    def __init__(self, table: Table, tables: Tables, engines: Engines, emptied: Callable[[Room], None]) -> None:
        self.table, self.tables, self.engines = table, tables, engines
        self.clients: list[Client] = []
        self.paused = False
        self.study = Study(self)
        self._emptied = emptied
        self._changing = asyncio.Lock()
        self._agents: dict[Player, Thinker] = {}
        self._allowance = self._new_allowance()
        self._watch: Watch | None = None
        """Of the agent that thinks, as long as its move is wanted."""
        self._hurry = asyncio.Event()
        """Set when the move of the agent to move is wanted now."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By name: what makes the agents' moves, and what keeps the time of persons. They are never cancelled, lest
        one be cut off between the disk and the table; they end by themselves when nobody is here."""

    # Clients

    def join(self, client: Client) -> None:
        """Let a client in and show it the table."""
        if not self.clients:
            self.table.restart_clock()  # nobody could move before
        self.clients.append(client)
        client.send(self.snapshot())
        self._go_on()

    def leave(self, client: Client) -> None:
        """Let a client go. The agent of a game with a person still answers, then the room is closed."""
        if client in self.clients:
            self.clients.remove(client)
        self.study.forget(client)
        if not self.clients:
            self.study.close()
            if not self.table.persons:
                self._stop_agent()
            self._close_if_idle()

    def close(self) -> None:
        """Stop everything that goes on here."""
        self.clients.clear()
        self.study.close()
        self._stop_agent()

    def _close_if_idle(self) -> None:
        if not self.clients and not self._tasks:
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

    def snapshot(self) -> dict[str, Any]:
        """Return the table as it is now."""
        return snapshot(self.table, self.paused, self.table.state.to_move if self._agent_is_to_move() else None)

    # Messages

    async def handle(self, client: Client, message: Message) -> None:
        """Do what a client asks for. Raises KibitzError if it cannot be done."""
        given = message.fields
        match message.do:
            case "hint":
                self.study.hint(client)
            case "analyse":
                self.study.analyse(client, given["on"], given["ply"])
            case "review":
                self.study.review(client)
            case "now":
                self._hurry.set()
                if self._watch is not None:
                    self._watch.stop()
            case "pause" | "resume":
                async with self._changing:
                    self.paused = message.do == "pause"
                    self._stop_agent()
                    self.tell(self.snapshot())
                    self._go_on()
            case _:
                looking_back = message.do in ("undo", "redo") and not self.table.persons
                async with self._changing:
                    if message.do == "restart" and self.table.outcome is not None:
                        await asyncio.to_thread(self._keep_finished)
                    await self._change(self._event(message), paused=looking_back)

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
        raise Refused(f"{message.do!r} cannot be done at a table.")

    def _keep_finished(self) -> None:
        """Keep a finished game as one of its own, since its table is used again."""
        table = self.table
        events: list[Event] = [
            {"do": "move", "move": table.game.move_text(move), "seconds": seconds}
            for move, seconds in zip(table.moves[: table.ply], table.times, strict=False)
        ]
        if table.ended is not None:
            events.append({"do": "end", "loser": table.ended[0], "why": table.ended[1]})
        self.tables.create(replace(table.setup, seats=table.seats), events)

    async def _change(self, event: Event, paused: bool = False) -> None:
        """Let an event happen, on the disk first, and show the table to everybody. Called by one at a time."""
        await asyncio.to_thread(self.tables.keep, self.table, event)
        self.table.apply(event)
        if event["do"] != "name":
            self._stop_agent()
            self.paused = paused
        if event["do"] == "at":
            self._allowance = self._new_allowance()
        self.study.follow(event)
        self.tell(self.snapshot())
        self._go_on()

    # Agents and the clock

    def _new_allowance(self) -> Allowance:
        budget = Budget(seconds=self.table.setup.seconds)
        return Allowance((budget, budget))

    def _agent_is_to_move(self) -> bool:
        return self.table.outcome is None and self.table.to_move.kind == "agent" and not self.paused

    def _stop_agent(self) -> None:
        """End the thinking of an agent; its move will not be made."""
        self._hurry.clear()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _go_on(self) -> None:
        """Let the agent to move think, or the clock of the person to move run."""
        if self._agent_is_to_move():
            self._start("agents", self._drive)
        if self.table.setup.seconds is not None and len(self.table.persons) == 2:
            self._start("clock", self._keep_time)

    async def _keep_time(self) -> None:
        """End the game when the person to move has no time left."""
        while self.clients and self.table.outcome is None:
            await asyncio.sleep(GLANCE)
            async with self._changing:
                if self.clients and self.table.is_late():
                    await self._change(self.table.run_out())

    async def _drive(self) -> None:
        """Make the moves of agents, one after the other, as long as an agent is to move."""
        while self._agent_is_to_move() and (self.clients or self.table.persons):
            watch = self._watch = Watch()
            try:
                choice, seconds = await self._think(watch)
                text = self.table.game.move_text(choice.move)
            except Exception as fault:  # an agent may be anybody's code; the person is told and may go on
                if self._watch is watch:
                    self._report_fault(fault)
                continue
            await self._keep_pace()
            async with self._changing:
                if self._watch is watch:
                    thought = self._thought(choice, seconds)
                    self._allowance.spend(choice, seconds)
                    try:
                        await self._change(self.table.move(text, self.table.ply, seconds))
                        self.tell(thought)
                    except KibitzError as fault:  # an illegal move, or a full disk
                        self._report_fault(fault)
        self._watch = None

    async def _think(self, watch: Watch) -> tuple[Choice, float]:
        table, player = self.table, self.table.state.to_move
        seat = table.seats[player]
        if player not in self._agents:
            self._agents[player] = Thinker(table.game, seat.spec, derive(table.setup.seed, "agent", player))
        agent, view, budget = self._agents[player], table.state.view(player), self._allowance.before(table.state)
        told = {"is": "thinking", "player": player, "spec": seat.spec, "unit": unit_of(table.game, False)}
        loop = asyncio.get_running_loop()
        began = loop.time()

        def tick() -> None:
            if self._hurry.is_set():  # as it may be before the agent began
                watch.stop()
            is_open = table.shows_everything()
            self.tell(
                {
                    **told,
                    "depth": watch.depth,
                    "nodes": watch.nodes,
                    "value": watch.value if is_open else None,
                    "move": table.game.move_text(watch.move) if is_open and watch.move is not None else None,
                    "seconds": round(loop.time() - began, 1),
                    "compiling": self.engines.compiling,
                }
            )

        return await self.engines.run(self.engines.players, lambda: agent.think(view, budget, watch), watch, tick)

    def _thought(self, choice: Choice, seconds: float) -> dict[str, Any]:
        is_open = self.table.shows_everything()  # else what an agent thinks would tell what it sees
        return {
            "is": "thought",
            "ply": self.table.ply,
            "player": self.table.state.to_move,
            "note": choice.note if is_open else "",
            "value": choice.value if is_open else None,
            "unit": choice.unit,
            "exact": choice.exact,
            "depth": choice.depth,
            "nodes": choice.nodes or choice.playouts,
            "seconds": round(seconds, 3),
        }

    async def _keep_pace(self) -> None:
        """Wait a little where the last move was an agent's too, unless the move is wanted now."""
        table = self.table
        if table.ply and table.seats[table.states[table.ply - 1].to_move].kind == "agent":
            left = PACE - table.elapsed()
            if left > 0 and not self._hurry.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), left)

    def _report_fault(self, fault: Exception) -> None:
        """Say that an agent could not move, and wait for somebody to let it try again."""
        self.paused = True
        seat = self.table.to_move
        LOG.warning("The agent %s could not move at %s", seat.spec, self.table.setup.id, exc_info=fault)
        why = str(fault) if isinstance(fault, KibitzError) else f"It failed ({type(fault).__name__}: {fault})."
        self.tell(
            {"is": "notice", "words": f"{seat.name} could not move. {why} Let it try again, or take a move back."}
        )
        self.tell(self.snapshot())
