"""What the addresses of Go work on: the explorer of records, mined patterns, predictions, and who waits for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from kibitz.core.agent import Watch
from kibitz.games.go.page.server.explorer import Explorer
from kibitz.games.go.page.server.mined import Patterns
from kibitz.games.go.page.server.predictions import Predictions
from kibitz.web.extend import Host

T = TypeVar("T")
MAX_KNOWN_VISITORS = 1000
"""The number of visitors whose latest search is remembered."""


class Searches:
    """Who searches: one search at a time for each visitor, and a new one takes the place of the one before."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self._latest = OrderedDict[str, object]()

    def begin(self, visitor: str) -> object:
        """Return what stands for a visitor's new search."""
        mine = self._latest[visitor] = object()
        self._latest.move_to_end(visitor)
        if len(self._latest) > MAX_KNOWN_VISITORS:
            self._latest.popitem(last=False)
        return mine

    def check(self, visitor: str, mine: object) -> None:
        """Raise HTTPException if another search has taken the place of this one."""
        if self._latest.get(visitor) is not mine:
            raise HTTPException(409, "Another search has taken the place of this one.")


class GoSite:
    """Go's part of a server."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.searches = Searches(Explorer(host.data, host.is_open))
        self.patterns = Patterns(self.searches.explorer)
        self.predictions = Predictions(self.searches.explorer)
        self._searching, self._predicting = (host.engines.queue(name, 1) for name in ("searches", "predictions"))

    async def search(self, visitor: str, work: Callable[[], T]) -> T:
        """Return what a search of records returns, when it is the visitor's turn."""
        return await self.host.engines.run(self._searching, visitor, work, Watch())

    async def predict(self, visitor: str, work: Callable[[], T]) -> T:
        """Return what a short piece of a model's work returns, when it is the visitor's turn."""
        return await self.host.engines.run(self._predicting, visitor, work, Watch())


def site_of(request: Request) -> GoSite:
    """Return Go's part of the server that got a request."""
    site: GoSite = request.app.state.sites["go"]
    return site
