"""A queue for a limited number of places that is fair to clients, not to requests.

The waiting client with the fewest places goes first, and among equals the one served
longest ago. So a client with a hundred requests waits behind one with a single
request, and nobody waits for ever.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(eq=False)
class _Account:
    """A client that has a place or waits for one."""

    due: float
    """The lower, the sooner it is served. A newcomer goes before those served in this round."""
    taken: int = 0
    wishes: deque[asyncio.Future[None]] = field(default_factory=deque)
    """Futures of its waiting requests; each is resolved when it gets a place."""


class FairQueue:
    """A number of places shared among clients. For use on one event loop."""

    def __init__(self, places: int, each: int | None = None) -> None:
        self.places = places
        self.each = places if each is None else each
        """Maximum number of places per client."""
        self.running = 0
        """Number of places taken."""
        self.seconds = 0.0
        """Total seconds for which places were taken and given back."""
        self._accounts: dict[str, _Account] = {}
        self._now = 0.0
        """Grows by one with every round of all places. A served client is due again a round later."""

    @property
    def waiting(self) -> int:
        """Number of waiting requests."""
        return sum(len(account.wishes) for account in self._accounts.values())

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        account = self._accounts.setdefault(client, _Account(self._now - 1))
        wish: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        account.wishes.append(wish)
        self._serve()
        began = 0.0
        try:
            await wish
            began = time.monotonic()
            yield
        finally:
            if wish.cancelled():
                with suppress(ValueError):
                    account.wishes.remove(wish)
            else:
                account.taken -= 1
                self.running -= 1
                self.seconds += time.monotonic() - began if began else 0.0
            self._serve()
            if not account.taken and not account.wishes:
                self._accounts.pop(client, None)

    def _serve(self) -> None:
        """Assign the free places."""
        while self.running < self.places:
            able = [
                (account.taken, account.due, at, account)
                for at, account in enumerate(self._accounts.values())
                if account.taken < self.each and account.wishes
            ]
            if not able:
                return
            *_, account = min(able)
            wish = account.wishes.popleft()
            if wish.cancelled():
                continue
            account.taken += 1
            account.due = max(account.due, self._now) + 1
            self.running += 1
            self._now += 1 / self.places
            wish.set_result(None)
