"""The progress of a server's warm-up, the process beside it that compiles missing searches."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kibitz.core import registry
from kibitz.core.untrusted import JsonObject

LOG = logging.getLogger(__name__)


class WarmUp:
    """How far a warm-up is. Without following(), nothing is being prepared."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[int, int]] = {}
        """Game -> the number of searches that are ready, and of all."""
        self._is_over = False
        """Whether the server has ended."""

    @contextmanager
    def following(self, lines: Iterable[str]) -> Iterator[None]:
        """Follow the progress on a thread of its own during the block."""
        threading.Thread(target=self.follow, args=(lines,), name="kibitz-warmup", daemon=True).start()
        try:
            yield
        finally:
            self._is_over = True

    def follow(self, lines: Iterable[str]) -> None:
        """Read the progress that `kibitz warmup --background` prints, until it ends."""
        for line in lines:
            step = json.loads(line)
            self._jobs[step["game"]] = step["ready"], step["searches"]
        if (waiting := self.waiting()) and not self._is_over:
            LOG.warning("The warm-up ended early: %s. Missing searches are compiled when they are needed.", waiting)
        self._jobs = {}

    def waiting(self) -> list[JsonObject]:
        """Return the games that still have searches to prepare, as JSON."""
        return [
            {"game": game, "title": registry.package(game).rules.title, "ready": ready, "searches": searches}
            for game, (ready, searches) in list(self._jobs.items())
            if ready < searches
        ]
