"""Go's part of a server: the record explorer, mined patterns and predictions, and the queues of their requests."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import ParamSpec, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from kibitz.core.agent import Watch
from kibitz.web.extend import Host, Opponent

P = ParamSpec("P")
T = TypeVar("T")
MAX_KNOWN_VISITORS = 1000  # remember the latest search for at most this many visitors


class GoSite:
    """Go's part of a server: its services and their queues."""

    def __init__(self, host: Host) -> None:
        from kibitz.games.go.page.server.explorer import Explorer
        from kibitz.games.go.page.server.mined import MinedPatterns
        from kibitz.games.go.page.server.predictions import Predictions

        self.host = host
        self.explorer = Explorer(host.data, host.is_open)
        self.patterns = MinedPatterns(self.explorer)
        self.predictions = Predictions(self.explorer)
        self._searching, self._predicting = (host.engines.add_queue(name, 1) for name in ("searches", "predictions"))
        self._latest = OrderedDict[str, object]()

    def opponents(self) -> Mapping[str, Opponent]:
        """Return the players that choose by the patterns of the server's stores, by the titles of the stores."""
        return self.explorer.opponents()

    async def search(self, visitor: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a search of records on a thread, when it is the visitor's turn; return its result."""
        return await self.host.engines.run(self._searching, visitor, partial(work, *args, **kwargs), Watch())

    async def search_latest(self, visitor: str, work: Callable[[], T]) -> T:
        """Run a search; return its result. Raise HTTPException if the visitor has started another search meanwhile."""
        mine = self._latest[visitor] = object()
        self._latest.move_to_end(visitor)
        if len(self._latest) > MAX_KNOWN_VISITORS:
            self._latest.popitem(last=False)

        def check() -> None:
            if self._latest.get(visitor) is not mine:
                raise HTTPException(409, "Another search has taken the place of this one.")

        def checked() -> T:
            check()  # a newer search may have arrived while this one waited
            return work()

        result = await self.search(visitor, checked)
        check()
        return result

    async def predict(self, visitor: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a short computation of a model on a thread, when it is the visitor's turn; return its result."""
        return await self.host.engines.run(self._predicting, visitor, partial(work, *args, **kwargs), Watch())


def site_of(request: Request) -> GoSite:
    """Return Go's part of the server that received a request."""
    site: GoSite = request.app.state.sites["go"]
    return site
