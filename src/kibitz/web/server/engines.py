"""Runs agents and analyses on separate threads, so that the event loop never waits for one.

The number of simultaneous searches is limited; others queue, and clients take turns. A Watch
shows the progress of a search and can stop it. Independent of tables.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from kibitz.analysis.words import reasons, sentence
from kibitz.compiled.notice import compilations
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import Game, State, View
from kibitz.search.agents import analyst_spec, is_outside, is_private, make_agent
from kibitz.web import bots

T = TypeVar("T")
Tick: TypeAlias = Callable[[], None]
"""Called every TICK_SECONDS during a search."""


class RecentCache(Generic[T]):
    """A cache of the most recently used values; `drop` is called with each value that leaves it. Not thread-safe."""

    def __init__(self, max_size: int, drop: Callable[[T], None] = lambda value: None) -> None:
        self.max_size = max_size
        self._drop = drop
        self._values = OrderedDict[Hashable, T]()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of a key; if there is none, make it and cache it."""
        if key not in self._values:
            self._values[key] = make()
        self._values.move_to_end(key)
        while len(self._values) > self.max_size:
            self._drop(self._values.popitem(last=False)[1])
        return self._values[key]

    def clear(self) -> None:
        """Drop all values."""
        while self._values:
            self._drop(self._values.popitem()[1])


TICK_SECONDS = 0.2
"""Seconds between two progress messages of a search."""
CORES = os.cpu_count() or 1
MAX_QUICK_JOBS = 2 * CORES
"""Maximum number of simultaneous quick searches; more would delay the reply to a player's move."""
MAX_SLOW_JOBS = 12
"""Maximum number of simultaneous slow searches. May exceed the cores: then each searches less, but none waits."""
MAX_SLOW_JOBS_EACH = 6
"""Maximum number of simultaneous slow searches per client."""
QUICK_SECONDS = 1.0
"""A search of up to this many seconds is quick, and does not queue behind slow ones."""
QUICK_NICENESS = 5
"""Niceness of quick searches: the event loop has priority."""
SLOW_NICENESS = 10
"""Niceness of slow searches, which are the least urgent."""
MAX_CACHED_ANALYSTS = 3
"""Number of analysts that are cached; each may use about 100 MB."""
IDLE_PROGRAM_SECONDS = 60.0
"""An outside program that has analysed nothing for this long is ended."""


@dataclass(eq=False)
class _Account:
    """A client that holds a place in the queue or waits for one."""

    due: float
    """Clients with a lower number are served sooner. A new client goes before those served in this round."""
    held: int = 0
    """Number of places it holds."""
    requests: deque[asyncio.Future[None]] = field(default_factory=deque)
    """Futures of its waiting requests; each is resolved when it gets a place."""


class FairQueue:
    """A number of places shared fairly among clients, not among requests. For use on one event loop.

    The waiting client with the fewest places goes first, and among equals the one served longest ago. So a client
    with a hundred requests waits behind one with a single request, and nobody waits for ever.
    """

    def __init__(self, places: int, max_each: int | None = None) -> None:
        self.places = places
        self.max_each = places if max_each is None else max_each
        """Maximum number of places per client."""
        self.running = 0
        """Number of places taken."""
        self.seconds = 0.0
        """Total time for which places were held, in seconds, not counting those held now."""
        self._accounts: dict[str, _Account] = {}
        self._round = 0.0
        """Virtual time, in rounds of assigning every place once. A served client is due again one round later."""

    @property
    def waiting(self) -> int:
        """Number of waiting requests."""
        return sum(len(account.requests) for account in self._accounts.values())

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Wait for a place, and hold it during the block."""
        account = self._accounts.setdefault(client, _Account(self._round - 1))
        request: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        account.requests.append(request)
        self._serve()
        began = 0.0
        try:
            await request
            began = time.monotonic()
            yield
        finally:
            if request.cancelled():
                with suppress(ValueError):
                    account.requests.remove(request)
            else:
                account.held -= 1
                self.running -= 1
                self.seconds += time.monotonic() - began if began else 0.0
            self._serve()
            if not account.held and not account.requests:
                self._accounts.pop(client, None)

    def _serve(self) -> None:
        """Assign the free places to waiting clients."""
        while self.running < self.places:
            able = [each for each in self._accounts.values() if each.held < self.max_each and each.requests]
            if not able:
                return
            account = min(able, key=lambda each: (each.held, each.due))
            request = account.requests.popleft()
            if request.cancelled():
                continue
            account.held += 1
            account.due = max(account.due, self._round) + 1
            self.running += 1
            self._round += 1 / self.places
            request.set_result(None)


async def _on_a_thread(work: Callable[[], T], niceness: int) -> T:
    """Run a long-running function on a daemon thread, with this niceness on Linux; return its result."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        if sys.platform == "linux":  # where each thread has a niceness, inherited by the kernels it starts
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
        try:
            resolve = partial(done.set_result, work())
        except Exception as fault:
            resolve = partial(done.set_exception, fault)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(lambda: None if done.done() else resolve())

    threading.Thread(target=run, name="kibitz-engine", daemon=True).start()
    return await done


class Thinker:
    """An agent that is created at its first search and used by one thread at a time."""

    def __init__(self, game: Game, spec: str, seed: int = 0, lasting: bool = False) -> None:
        self.game, self.spec, self.seed, self.lasting = game, spec, seed, lasting
        self._agent: Agent | None = None
        self.used = time.monotonic()
        """When it was last asked."""
        self.lock = threading.Lock()
        """Held while the agent is searching."""

    def think(self, view: View, budget: Budget, watch: Watch) -> tuple[Choice, float]:
        """Return the agent's choice, and its thinking time in seconds without one-time preparation."""
        with self.lock:
            agent = self._ready()
            try:
                agent.prepare()
                began = time.perf_counter()
                return agent.choose(view, budget, watch), time.perf_counter() - began
            finally:
                self._release()

    def analyse(self, state: State, budget: Budget, watch: Watch) -> Choice:
        """Return the agent's analysis of a position; if it has no note, the note becomes the reasons for the move."""
        with self.lock:
            agent = self._ready()
            try:
                agent.prepare()
                choice = agent.analyse(state.view(state.to_move), budget, watch)
            except KibitzError as error:
                if not self.is_outside:
                    raise
                name = self.spec.removeprefix(bots.PREFIX)  # visitors see only the name, not the command
                raise type(error)(str(error).replace(agent.command, name)) from None
            finally:
                self._release()
        if choice.note:
            return choice
        return replace(choice, note=sentence(reasons(state, choice.move, choice.line)))

    @property
    def is_outside(self) -> bool:
        """Whether the agent is an outside program offered on this server."""
        return bots.is_program(self.game.name, self.spec)

    def close(self) -> None:
        """Close the agent once its search has ended. The next search creates another."""
        with self.lock:
            self._close()

    def close_if_idle(self, seconds: float) -> bool:
        """Close the agent if it is not searching and was not asked in the last seconds; return whether that is so."""
        is_idle = self.lock.acquire(blocking=False)
        if is_idle:
            try:
                is_idle = time.monotonic() - self.used >= seconds
                if is_idle:
                    self._close()
            finally:
                self.lock.release()
        return is_idle

    def _ready(self) -> Agent:
        self.used = time.monotonic()
        if self._agent is None:
            if self.spec.startswith(bots.PREFIX):
                self._agent = bots.make_offered(self.game, self.spec, self.seed)
            elif is_private(self.game.name, self.spec):  # from a file of another server
                raise BadOption("This player needs an outside program or a file that is not offered on this server.")
            else:
                self._agent = make_agent(self.game, self.spec, self.seed)
        return self._agent

    def _release(self) -> None:
        self.used = time.monotonic()
        if self._agent is not None and is_outside(self._agent.spec) and not self.lasting:
            self._close()

    def _close(self) -> None:
        if self._agent is not None:
            self._agent.close()
            self._agent = None


def _close_aside(thinker: Thinker) -> None:
    """Close a thinker without waiting for its search to end."""
    threading.Thread(target=thinker.close, name="kibitz-engine", daemon=True).start()


class Engines:
    """All searches of this process."""

    def __init__(self, max_seconds: float) -> None:
        self.max_seconds = max_seconds
        """Maximum duration of a search, in seconds."""
        self.quick, self.slow = FairQueue(MAX_QUICK_JOBS), FairQueue(MAX_SLOW_JOBS, MAX_SLOW_JOBS_EACH)
        self.analyses = FairQueue(max(1, CORES // 2))
        self.queues = {"quick": self.quick, "slow": self.slow, "analyses": self.analyses}
        self.compiling = False
        """Whether a search is being compiled."""
        self._running: set[Watch] = set()
        self._long: set[Watch] = set()
        """Watches of long analyses, which may be stopped in favour of short ones."""
        self._closing: dict[Thinker, asyncio.Task[None]] = {}
        """Outside programs that analyse, each with a task that waits until it can be ended."""
        self._analysts = RecentCache[Thinker](MAX_CACHED_ANALYSTS, _close_aside)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Track compilations during the block; at its end, stop all searches."""

        def set_compiling(kernel: str | None) -> None:
            self.compiling = kernel is not None

        with compilations(set_compiling):
            try:
                yield
            finally:
                for watch in list(self._running):
                    watch.stop()
                for task in self._closing.values():
                    task.cancel()
                self._analysts.clear()

    async def play(self, client: str, work: Callable[[], T], seconds: float | None, watch: Watch, tick: Tick) -> T:
        """Run an agent's search and return its result. `seconds`, its time limit or None, decides the queue."""
        queue = self.slow if seconds is not None and seconds > QUICK_SECONDS else self.quick
        return await self.run(queue, client, work, watch, tick)

    def add_queue(self, name: str, places: int) -> FairQueue:
        """Create and return a queue for another kind of work; the metrics include it."""
        queue = self.queues[name] = FairQueue(places)
        return queue

    async def run(
        self, queue: FairQueue, client: str, work: Callable[[], T], watch: Watch, tick: Tick = lambda: None
    ) -> T:
        """Wait for a place in a queue, run `work` on a thread and return its result; call `tick` meanwhile.

        If this coroutine is cancelled, the watch stops the search.
        """
        async with queue.place(client):
            self._running.add(watch)
            task = asyncio.ensure_future(_on_a_thread(work, SLOW_NICENESS if queue is self.slow else QUICK_NICENESS))
            try:
                while not (await asyncio.wait({task}, timeout=TICK_SECONDS))[0]:  # [0]: the tasks that are done
                    tick()
                return task.result()
            finally:
                if not task.done():
                    watch.stop()
                    task.cancel()
                self._running.discard(watch)

    async def analyse(
        self,
        client: str,
        state: State,
        budget: Budget,
        watch: Watch,
        tick: Tick = lambda: None,
        spec: str = "",
        aside: bool = False,
    ) -> Choice:
        """Return an analyst's choice in a position. A short analysis that would have to wait stops long ones.

        An analysis is long if its budget has more than QUICK_SECONDS.

        spec, aside: as in analyst().
        """
        analyst = self.analyst(state.game, spec, aside)
        if budget.seconds is None or budget.seconds <= QUICK_SECONDS:
            self.make_way(analyst)
        else:
            self._long.add(watch)
        try:
            work = lambda: analyst.analyse(state, budget, watch)  # noqa: E731
            return await self.run(self.analyses, client, work, watch, tick)
        finally:
            self._long.discard(watch)

    def make_way(self, analyst: Thinker) -> None:
        """Stop long analyses if a short one by this analyst would have to wait for them."""
        if self.analyses.running >= self.analyses.places or analyst.lock.locked():
            for watch in self._long:
                watch.stop()

    def analyst(self, game: Game, spec: str = "", aside: bool = False) -> Thinker:
        """Return an analyst of a game, from the cache if possible, so that it keeps its earlier results.

        spec: of an outside program, or "" for the game's own analyst. aside: return the second of the game's own, so
        that the first can go on with its position where it was.
        """
        if not spec:
            return self._analysts.get((game, aside), lambda: Thinker(game, analyst_spec(game.name)))
        program = self._analysts.get((game, spec), lambda: Thinker(game, spec, lasting=True))
        self._close_when_idle(program)
        return program

    def _close_when_idle(self, program: Thinker) -> None:
        """End an outside program once it has not been asked for a while."""

        async def close_later() -> None:
            while not await asyncio.to_thread(program.close_if_idle, IDLE_PROGRAM_SECONDS):
                await asyncio.sleep(IDLE_PROGRAM_SECONDS / 4)
            self._closing.pop(program, None)

        if program not in self._closing:
            self._closing[program] = asyncio.get_running_loop().create_task(close_later())
