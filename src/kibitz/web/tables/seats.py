"""The agents that play at a table: they think and move at a pace that people can follow."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from kibitz.core.agent import Allowance, Budget, Choice, Watch
from kibitz.core.errors import KibitzError, Resigned
from kibitz.core.game import Player
from kibitz.core.seeds import derive
from kibitz.core.untrusted import JsonObject
from kibitz.search.values import unit_of
from kibitz.web.catalogue import relabel_moves
from kibitz.web.server.engines import Thinker
from kibitz.web.tables.analysis import unit_json
from kibitz.web.tables.table import Ended

if TYPE_CHECKING:
    from kibitz.web.tables.room import Room

LOG = logging.getLogger(__name__)
MOVE_PAUSE_SECONDS = 0.3
"""Pause between two moves of agents, so that people can follow."""
ANALYSED_MOVE_PAUSE_SECONDS = 1.5
"""The same while a game between two agents is being analysed, so that every position gets searched."""


BLANK: JsonObject = {"note": "", "value": None, "exact": False, "depth": 0, "nodes": 0, "move": None}
"""Sent instead of an agent's thoughts while they would reveal its cards, as even the number of nodes would."""


class SeatedAgents:
    """The agents that play at one table."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.visitor = ""
        """The visitor whose engine time they use: the last one to join."""
        self._thinkers: dict[Player, Thinker] = {}
        self._watch: Watch | None = None
        """The watch of the thinking agent; None if none is thinking or its move is to be discarded."""
        self._hurry = asyncio.Event()
        """Set when the agent to move must move at once."""
        self.reset_budgets()

    def reset_budgets(self) -> None:
        """Give both agents the full time for their next turn again."""
        budget = Budget(seconds=self.room.table.setup.seconds)
        self._allowance = Allowance((budget, budget))

    def drop_agents(self) -> None:
        """Drop the agents, to free their memory; new ones are created when needed."""
        self._thinkers.clear()

    def is_to_move(self) -> bool:
        """Return whether it is an agent's turn and the game is neither over nor paused."""
        table = self.room.table
        is_unfinished = table.outcome is None and not table.is_settling
        return is_unfinished and table.to_move.kind == "agent" and not self.room.paused

    def hurry(self) -> None:
        """Make the agent to move play the best move it has found so far."""
        self._hurry.set()
        if self._watch is not None:
            self._watch.stop()

    def stop(self) -> None:
        """Stop the thinking agent and discard its move."""
        self._hurry.clear()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    async def play_turns(self) -> None:
        """Let the agents think and move as long as an agent is to move."""
        room, table = self.room, self.room.table
        while self.is_to_move() and (room.clients or table.persons):
            watch = self._watch = Watch()
            chosen = None
            try:
                with suppress(Resigned):
                    chosen = await self._think(watch)
            except Exception as fault:  # an agent may be anybody's code; the person may go on
                if self._watch is watch:
                    self._report_fault(fault)
                continue
            await self._keep_pace()
            async with room.changing:
                if self._watch is watch:
                    try:
                        await self._play(chosen)
                    except KibitzError as fault:  # an illegal move, or a full disk
                        self._report_fault(fault)
        self._watch = None

    async def _play(self, chosen: tuple[Choice, float] | None) -> None:
        """Play the agent's choice, which took the given seconds, or resign if None. Raise KibitzError if that fails."""
        table = self.room.table
        if chosen is None:
            await self.room.change(Ended(table.state.to_move, "resigned"))
            return
        choice, seconds = chosen
        thought = self._thought_message(choice, seconds)
        self._allowance.spend(choice, seconds)
        await self.room.change(table.make_move(choice.move, seconds), then=thought)

    async def _think(self, watch: Watch) -> tuple[Choice, float]:
        room, table, player = self.room, self.room.table, self.room.table.state.to_move
        seat = table.seats[player]
        if player not in self._thinkers:
            self._thinkers[player] = Thinker(table.game, seat.spec, derive(table.setup.seed, "agent", player))
        agent, view, budget = self._thinkers[player], table.state.view(player), self._allowance.budget(table.state)
        about = {"is": "thinking", "player": player, "spec": seat.spec, "unit": unit_json(unit_of(table.game, False))}
        loop = asyncio.get_running_loop()
        began = loop.time()

        def tick() -> None:
            if self._hurry.is_set():  # perhaps before the agent began
                watch.stop()
            thoughts = {
                "depth": watch.depth,
                "nodes": watch.nodes,
                "value": watch.value,
                "move": None if watch.move is None else table.game.move_text(watch.move),
            }
            times = {"seconds": round(loop.time() - began, 1), "compiling": room.engines.compiling}
            room.send_all({**about, **self._public(thoughts), **times})

        work = lambda: agent.think(view, budget, watch)  # noqa: E731
        return await room.engines.play(self.visitor, work, budget.seconds, watch, tick)

    def _thought_message(self, choice: Choice, seconds: float) -> JsonObject:
        """Return the message about an agent's choice. Call this before the move is made."""
        table = self.room.table
        thoughts = {
            "note": relabel_moves(table.game, choice.note),
            "value": choice.value,
            "exact": choice.exact,
            "depth": choice.depth,
            "nodes": choice.nodes or choice.playouts,
        }
        about = {"is": "thought", "ply": table.ply, "player": table.state.to_move, "unit": unit_json(choice.unit)}
        return {**about, **self._public(thoughts), "seconds": round(seconds, 3)}

    def _public(self, thoughts: JsonObject) -> JsonObject:
        """Return an agent's thoughts for everybody to see: blank values while they would reveal its cards."""
        return thoughts if self.room.table.shows_everything() else {key: BLANK[key] for key in thoughts}

    async def _keep_pace(self) -> None:
        """Pause if the previous move was also an agent's, unless the agent must move at once."""
        table = self.room.table
        if table.ply and table.seats[table.states[table.ply - 1].to_move].kind == "agent":
            is_analysed = not table.persons and self.room.analyst.follows_game
            left = (ANALYSED_MOVE_PAUSE_SECONDS if is_analysed else MOVE_PAUSE_SECONDS) - table.clock.elapsed()
            if left > 0 and not self._hurry.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), left)

    def _report_fault(self, fault: Exception) -> None:
        """Report that an agent could not move, and pause until somebody resumes the game."""
        room, seat = self.room, self.room.table.to_move
        room.paused = True
        is_open, spec, game = room.table.shows_everything(), seat.spec, room.table.game.name
        extra, shown = {"agent": spec, "game": game}, fault if is_open else None  # it may name hidden cards
        LOG.warning("The agent %s could not move at a table of %s", spec, game, exc_info=shown, extra=extra)
        why = str(fault) if isinstance(fault, KibitzError) else f"It failed ({type(fault).__name__}: {fault})."
        why = why if is_open else f"It failed ({type(fault).__name__})."
        words = f"{seat.name} could not move. {why} Resume to try again, or take back a move."
        room.send_all({"is": "notice", "words": words})
        room.publish()
