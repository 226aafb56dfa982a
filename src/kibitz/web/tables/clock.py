"""The clock of the player to move. It counts only while it runs, and no change of the system's time disturbs it."""

from __future__ import annotations

import time


class MoveClock:
    """The seconds that have passed since the last move while somebody could move."""

    def __init__(self) -> None:
        self._counted = 0.0
        self._since: float | None = time.monotonic()
        """When it began to run; None while it stands still."""

    def restart(self) -> None:
        """Start again from 0 for the next move."""
        self._counted = 0.0
        if self._since is not None:
            self._since = time.monotonic()

    def pause(self) -> None:
        """Stand still: nobody is there who could move."""
        self._counted, self._since = self.elapsed(), None

    def resume(self) -> None:
        """Run on from where it stood."""
        if self._since is None:
            self._since = time.monotonic()

    def elapsed(self) -> float:
        """Return the seconds counted for this move."""
        return self._counted + (0.0 if self._since is None else time.monotonic() - self._since)
