"""Searches queue for a limited number of places, which are shared fairly among clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any

from kibitz.web.server.engines import FairQueue


class Crowd:
    """Clients that take places and say when they have one."""

    def __init__(self, queue: FairQueue) -> None:
        self.queue = queue
        self.order: list[str] = []
        self._ends: dict[str, list[asyncio.Event]] = {}
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *clients: str) -> None:
        for client in clients:
            self.tasks.append(asyncio.create_task(self._stay(client)))
        await settle()

    async def _stay(self, client: str) -> None:
        async with self.queue.place(client):
            self.order.append(client)
            end = asyncio.Event()
            self._ends.setdefault(client, []).append(end)
            await end.wait()

    async def go(self, client: str) -> None:
        """Let the one leave that has had its place the longest."""
        self._ends[client].pop(0).set()
        await settle()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def on_a_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test on an event loop and thread of its own: the browser of other tests may have a loop here."""

    @wraps(test)
    def run() -> None:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(lambda: asyncio.run(test())).result()

    return run


@on_a_loop
async def test_who_asks_most_waits_longest() -> None:
    crowd = Crowd(FairQueue(2))
    await crowd.come("a", "a", "a", "a", "a", "b", "c")
    assert crowd.order == ["a", "a"]
    await crowd.go("a")
    assert crowd.order[2:] == ["b"]  # a has one place still
    await crowd.go("a")
    assert crowd.order[3:] == ["c"]  # and now none, but was served before c
    await crowd.go("b")
    assert crowd.order[4:] == ["a"]
    assert (crowd.queue.running, crowd.queue.waiting) == (2, 2)


@on_a_loop
async def test_everybody_is_served_in_turn() -> None:
    crowd = Crowd(FairQueue(1))
    await crowd.come("a", "a", "a", "b", "b", "b", "c", "c", "c")
    for _ in range(9):
        await crowd.go(crowd.order[-1])
    assert [sorted(crowd.order[i : i + 3]) for i in (0, 3, 6)] == [["a", "b", "c"]] * 3


@on_a_loop
async def test_a_client_has_a_limited_number_of_places() -> None:
    crowd = Crowd(FairQueue(3, max_each=2))
    await crowd.come("a", "a", "a")
    assert crowd.order == ["a", "a"]
    await crowd.come("b")
    assert crowd.order == ["a", "a", "b"]
    await crowd.go("b")
    assert crowd.order == ["a", "a", "b"]
    await crowd.go("a")
    assert crowd.order[3:] == ["a"]


@on_a_loop
async def test_who_is_cancelled_takes_no_place() -> None:
    crowd = Crowd(FairQueue(1))
    await crowd.come("a", "b", "c")
    crowd.tasks[1].cancel()
    await settle()
    assert crowd.queue.waiting == 1
    await crowd.go("a")
    assert crowd.order == ["a", "c"]
    crowd.tasks[2].cancel()
    await settle()
    assert (crowd.queue.running, crowd.queue.waiting) == (0, 0)
    crowd.tasks.clear()
    await crowd.come("d")
    crowd.tasks[0].cancel()  # it has the place but has not noticed yet, or has
    await settle()
    assert crowd.queue.running == 0
