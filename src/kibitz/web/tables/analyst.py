"""Analyses, hints and reviews at a table. Each is a task that sends its results as they come in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz.analysis.points import final_points, first_points
from kibitz.analysis.review import Judgement
from kibitz.analysis.words import sentence
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import KibitzError
from kibitz.core.game import Player, State
from kibitz.core.untrusted import JsonObject
from kibitz.search.agents import analyst_unit
from kibitz.web import bots
from kibitz.web.catalogue import relabel_moves
from kibitz.web.tables import analysis
from kibitz.web.tables.clients import Client
from kibitz.web.tables.table import Dealt, Event, Moved, Refused

if TYPE_CHECKING:
    from kibitz.web.tables.room import Room

LOG = logging.getLogger(__name__)
HINT_SECONDS = 0.5
RETRY_SECONDS = 1.0
"""Seconds before an interrupted search is retried."""
REVIEW_REPORT_SECONDS = 0.3
"""Seconds between two messages of a review."""
COMPILING = "Preparing the analysis engine. This takes a few seconds, once."


class GraphPoint(NamedTuple):
    """What the graph shows of a position."""

    points: float
    """The first player's points, 0 to 1."""
    exact: bool
    """Whether they are proved."""
    score: float | None
    """The first player's expected final margin, if the analyst estimates it."""


@dataclass(frozen=True)
class ClientAnalysis:
    """The analysis of one client."""

    ply: int | None
    """The requested position, as a number of moves; None to follow the game."""
    state: State
    task: asyncio.Task[None] | None
    """None while waiting for a position whose analysis the client may see."""


class TableAnalyst:
    """The analyses, hints and reviews at one table."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._points: dict[tuple[Player | None, str], dict[int, GraphPoint]] = {}
        """For the graph, by viewer (None: everybody), analyst and ply."""
        self._specs: dict[Client, str] = {}
        """The analysts that clients chose: outside programs; "" for the game's own."""
        self._analyses: dict[Client, ClientAnalysis] = {}
        self._hints: dict[Client, asyncio.Task[None]] = {}
        self._review: asyncio.Task[None] | None = None
        self._reviewed: JsonObject | None = None
        """The last review message."""
        self._reviewer = ""
        """The analyst of the last review."""

    def stop_for(self, client: Client) -> None:
        """Stop the analysis and the hint of a client, who has left."""
        self._stop_analysis(client)
        self._specs.pop(client, None)
        if hint := self._hints.pop(client, None):
            hint.cancel()

    def _stop_analysis(self, client: Client) -> None:
        stopped = self._analyses.pop(client, None)
        if stopped is not None and stopped.task is not None:
            stopped.task.cancel()

    def close(self) -> None:
        """Stop all analyses, hints and reviews."""
        for client in list(self._analyses.keys() | self._hints.keys()):
            self.stop_for(client)
        if self._review is not None:
            self._review.cancel()

    @property
    def follows_game(self) -> bool:
        """Whether any client has an analysis that follows the game."""
        return any(each.ply is None for each in self._analyses.values())

    def update(self, event: Event) -> None:
        """Update the analyses after an event at the table; drop results for positions that no longer exist."""
        table = self.room.table
        if isinstance(event, Moved | Dealt):
            for points in self._points.values():
                for ply in [ply for ply in points if ply >= table.ply]:
                    del points[ply]
            self._reviewed = None
            if self._review is not None:
                self._review.cancel()
        for client, old in list(self._analyses.items()):
            if old.ply is None or old.ply > table.ply or table.states[old.ply] is not old.state:
                with suppress(Refused):
                    self.analyse(client, True, old.ply)

    def _may_see(self, client: Client, state: State) -> bool:
        """Return whether a client may see the analysis of a position, because it reveals nothing hidden from it."""
        table = self.room.table
        return table.shows_everything() or state.to_move == table.viewer(client.seats)

    def _check_no_contest(self) -> None:
        """Raise Refused during a game between two people."""
        if self.room.table.is_contest:
            raise Refused("Analysis is off until the game between two people is over.")

    def _check_allowed(self, client: Client, state: State) -> None:
        """Raise Refused if an analysis would reveal something hidden, or help one of two people against the other."""
        self._check_no_contest()
        if not self._may_see(client, state):
            raise Refused("You can analyse positions where it is your turn, and all of them when the game is over.")

    def points(self, client: Client) -> dict[int, GraphPoint]:
        """Return what the graph shows to a client, by ply."""
        table = self.room.table
        viewer = None if table.shows_everything() else table.viewer(client.seats)
        return self._points.setdefault((viewer, self.spec(client)), {})

    def spec(self, client: Client | None) -> str:
        """Return the analyst that a client chose: the spec of an outside program, or "" for the game's own."""
        return "" if client is None else self._specs.get(client, "")

    def choose_analyst(self, client: Client, name: str) -> None:
        """Analyse, review and give hints by the outside program of this name, or by the game's own analyst for "".

        Raise Refused if the program is not offered.
        """
        if name and name not in bots.analyst_names(self.room.table.game.name):
            raise Refused(f"{name!r} does not analyse {self.room.table.game.title} here.")
        self._specs[client] = name and bots.PREFIX + name
        running = self._analyses.get(client)
        if running is not None:
            self.analyse(client, True, running.ply)
        else:
            self._send_graph(client)

    def _start(self, client: Client, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        """Start `work` as a task; its errors are reported to the client."""

        async def run() -> None:
            try:
                await self.room.publisher.wait_until_published()  # the position comes before its analysis
                await work()
            except KibitzError as error:
                client.send({"is": "refused", "words": str(error)})
            except Exception as fault:  # the game must go on even if the analyst fails
                is_open = self.room.table.shows_everything()  # otherwise the traceback may name hidden cards
                LOG.warning("The analyst failed", exc_info=fault if is_open else None)
                client.send({"is": "notice", "words": f"The analysis failed ({type(fault).__name__}: {fault})."})

        return asyncio.create_task(run())

    def _compiling_notice(self, client: Client) -> Callable[[], None]:
        """Return a function to call during a search: it notifies a client, once, that the analyst is being compiled."""
        noticed = list[bool]()

        def tick() -> None:
            if self.room.engines.compiling and not noticed:
                noticed.append(True)
                client.send({"is": "notice", "words": COMPILING})

        return tick

    # Hints

    def hint(self, client: Client) -> None:
        """Start finding the analyst's move, to be sent to the client. Raise Refused if hints are not allowed now."""
        self._check_allowed(client, self.room.table.state)
        if self.room.table.outcome is not None or self.room.table.is_settling:
            raise Refused("The game is over.")
        if client not in self._hints or self._hints[client].done():
            self._hints[client] = self._start(client, lambda: self._find_hint(client))

    async def _find_hint(self, client: Client) -> None:
        table = self.room.table
        state, ply = table.state, table.ply
        view = state.view(table.viewer(client.seats))
        notice = self._compiling_notice(client)
        engines, spec = self.room.engines, self.spec(client)
        choice = await engines.analyse(client.visitor, state, Budget(seconds=HINT_SECONDS), Watch(), notice, spec)
        words = relabel_moves(state.game, choice.note)
        client.send({"is": "hint", "ply": ply, **analysis.move_json(view, choice.move), "words": words})

    # Analyses

    def analyse(self, client: Client, on: bool, ply: int | None) -> None:
        """Start or stop a client's analysis of the position at `ply`, or of each new position if ply is None."""
        self._stop_analysis(client)
        if not on:
            return
        table = self.room.table
        if ply is not None and ply > table.ply:
            ply = None
        at = table.ply if ply is None else ply
        state = table.states[at]
        if ply is None and not table.is_contest and not self._may_see(client, state):
            self._analyses[client] = ClientAnalysis(None, state, None)  # waits for the client's turn
            return
        self._check_allowed(client, state)
        task = self._start(client, lambda: self._deepen(client, state, at))
        self._analyses[client] = ClientAnalysis(ply, state, task)

    async def _deepen(self, client: Client, state: State, ply: int) -> None:
        """Search a position repeatedly, each time longer, and send every result; also fill the graph of the game.

        An analyst that reports its answer while it grows is sent growing; an answer with fewer visits is not sent.
        """
        self._send_graph(client)
        if state.outcome() is not None:
            client.send(await asyncio.to_thread(analysis.end_message, state, ply))
            await self._fill_graph(client)
            return
        view = state.view(self.room.table.viewer(client.seats))
        known: Choice | None = None
        sending: asyncio.Task[None] | None = None

        async def send(choice: Choice, done: bool) -> None:
            client.send(await asyncio.to_thread(analysis.analysis_message, state, choice, ply, view, done))

        def grown(choice: Choice) -> None:
            nonlocal known, sending
            if analysis.visits(choice) > analysis.visits(known) and (sending is None or sending.done()):
                known, sending = choice, asyncio.create_task(send(choice, False))

        limit = self.room.engines.max_seconds
        durations = [seconds for seconds in analysis.SEARCH_SECONDS if seconds <= limit] or [limit]
        try:
            for i, seconds in enumerate(durations):
                choice = await self._search(client, state, Budget(seconds=seconds), grown)
                done = analysis.is_proved(choice) or i == len(durations) - 1
                if known is None or analysis.visits(choice) >= analysis.visits(known):
                    known = choice
                if sending is not None:
                    await sending  # it comes before the next
                await send(known, done)
                self._add_points(client, ply, state, known)
                if analysis.visits(known) and not done:  # it grows, so it is not kept waiting for long
                    with suppress(asyncio.TimeoutError):
                        await asyncio.wait_for(self._fill_graph(client, aside=True), seconds if i else 0.0)
                elif i == 1 or done:
                    await self._fill_graph(client, aside=analysis.visits(known) > 0)
                if done:
                    return
        finally:
            if sending is not None:
                sending.cancel()

    async def _search(
        self,
        client: Client,
        state: State,
        budget: Budget,
        grown: Callable[[Choice], None] = lambda choice: None,
        aside: bool = False,
    ) -> Choice:
        """Return the analyst's choice in a position; repeat a search that was stopped in favour of others.

        grown: called with the answer so far. aside: see Engines.analyse.
        """
        notice = self._compiling_notice(client)
        while True:
            watch = Watch()

            def tick(watch: Watch = watch) -> None:
                notice()
                if watch.choice is not None:
                    grown(watch.choice)

            spec = self.spec(client)
            choice = await self.room.engines.analyse(client.visitor, state, budget, watch, tick, spec, aside)
            if not watch.stopped:
                return choice
            await asyncio.sleep(RETRY_SECONDS)

    async def _fill_graph(self, client: Client, aside: bool = False) -> None:
        """Search every position of the game that has no points in the graph yet, the last position first.

        aside: see Engines.analyse.
        """
        table = self.room.table
        for ply in range(table.ply, -1, -1):
            if ply <= table.ply and ply not in self.points(client) and self._may_see(client, table.states[ply]):
                state = table.states[ply]
                is_over = state.outcome() is not None
                budget = analysis.graph_budget(table.game, is_own=not self.spec(client))
                choice = None if is_over else await self._search(client, state, budget, aside=aside)
                self._add_points(client, ply, state, choice)

    def _add_points(self, client: Client, ply: int, state: State, choice: Choice | None) -> None:
        """Add a position to the graph if it is still part of the game. choice: None if the game is over there."""
        table = self.room.table
        points = final_points(state) if choice is None else analysis.points_of(state, choice)
        score = None if choice is None else analysis.first_score(state, choice.score)
        if points is not None and ply < len(table.states) and table.states[ply] is state:
            self.points(client)[ply] = GraphPoint(points, choice is None or choice.proved, score)
            self._send_graph(client)

    def _send_graph(self, client: Client) -> None:
        known = self.points(client)
        points = [[ply, *known[ply]] for ply in sorted(known) if ply <= self.room.table.ply]
        client.send({"is": "graph", "points": points})

    # Reviews

    def review(self, client: Client | None) -> None:
        """Start a review of the game for everybody, unless one is running; send the client any results so far.

        A client who chose another analyst gets a new review.
        """
        table, spec = self.room.table, self.spec(client)
        if not table.shows_everything():
            raise Refused("You can review the game when it is over.")
        if not table.ply:
            raise Refused("There is no move to review yet.")
        self._check_no_contest()
        if spec != self._reviewer:
            if self._review is not None:
                self._review.cancel()
            self._review = self._reviewed = None
        if self._reviewed is not None and self._reviewed["of"] == table.ply and client is not None:
            client.send(self._reviewed)
        if self._review is not None and not self._review.done():
            return
        if self._reviewed is None or self._reviewed["of"] != table.ply or self._reviewed["done"] < table.ply:
            self._reviewer = spec
            self._review = asyncio.create_task(self._run_review(spec))

    async def _run_review(self, spec: str) -> None:
        table, engines = self.room.table, self.room.engines
        record, states, moves = table.record(), table.states[: table.ply + 1], table.moves[: table.ply]
        watch, judged, loop, due = Watch(), list[Judgement](), asyncio.get_running_loop(), 0.0
        analyst, graph = engines.analyst(table.game, spec), self._points.setdefault((None, spec), {})
        unit = analyst_unit(table.game)
        coming = analysis.judgements(analyst, states, moves, watch)
        self._send_review(analysis.review_message(record, states, judged))
        try:
            while len(judged) < len(moves):
                engines.make_way(analyst)
                judged.append(await engines.run(engines.analyses, table.setup.id, lambda: next(coming), watch))
                last, state = judged[-1], states[len(judged) - 1]
                points = first_points(table.game, last.best_worth, unit, last.player)
                score = analysis.first_score(state, last.best_score)
                graph[last.number - 1] = GraphPoint(points, last.exact, score)
                if loop.time() >= due or len(judged) == len(moves):
                    due = loop.time() + REVIEW_REPORT_SECONDS
                    self._send_review(await asyncio.to_thread(analysis.review_message, record, states, list(judged)))
                    self._send_graphs()
        except KibitzError as error:
            self.room.send_all({"is": "notice", "words": sentence([str(error).rstrip(".")])})
        except Exception as fault:  # as in _start
            LOG.warning("The review failed", exc_info=fault)
            self.room.send_all({"is": "notice", "words": f"The review failed ({type(fault).__name__}: {fault})."})
        if states[-1].outcome() is not None:
            graph[len(moves)] = GraphPoint(final_points(states[-1]), True, None)
        self._send_graphs()

    def _send_graphs(self) -> None:
        for client in self.room.clients:
            self._send_graph(client)

    def _send_review(self, review: JsonObject) -> None:
        self._reviewed = review
        self.room.send_all(review)
