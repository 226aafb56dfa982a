"""The clock of a GTP engine: what time_settings and time_left tell, and how much of it a move gets."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.core.agent import Budget
from kibitz.core.game import Player

LAG = 0.15
"""Seconds of each move that the way of commands and answers may take."""
LEAST = 0.05
"""Seconds that a move gets in any case."""
FEWEST_MOVES = 12
"""How many more moves are reckoned with at least."""


class Clock:
    """Canadian time for both players: a main time, then so many stones in so many seconds, again and again."""

    def __init__(self) -> None:
        self.settings: tuple[float, float, int] | None = None
        """Main time, extra time and its stones; None for no limit."""
        self.left: list[tuple[float, int]] = []
        """For each player the seconds left and in how many stones; 0 stones in the main time."""

    def set(self, main: float, extra: float, stones: int) -> None:
        """Take over the settings of a game. As GTP has it, extra time without stones is no limit."""
        limited = main + extra > 0 and not (extra > 0 and stones == 0)
        self.settings = (main, extra, stones) if limited else None
        self.restart()

    def restart(self) -> None:
        """Give both players their whole time."""
        if self.settings is None:
            self.left = []
            return
        main, extra, stones = self.settings
        self.left = [(main, 0) if main > 0 else (extra, stones)] * 2

    def tell(self, player: Player, seconds: float, stones: int) -> None:
        """Take over what a player has left."""
        if self.settings is None:
            self.settings = (seconds, 0.0, 0)
        if not self.left:
            self.restart()
        self.left[player] = (seconds, stones)

    @contextmanager
    def running(self, player: Player) -> Iterator[None]:
        """Take off what is used meanwhile."""
        began = time.monotonic()
        yield
        if self.settings is None:
            return
        (seconds, stones), (_, extra, full) = self.left[player], self.settings
        seconds -= time.monotonic() - began
        if stones > 1:
            self.left[player] = seconds, stones - 1
        elif stones == 1 or (seconds <= 0 < extra):
            self.left[player] = extra, full
        else:
            self.left[player] = max(seconds, 0.0), 0

    def budget(self, player: Player, size: int, turn: int, own: Budget) -> Budget:
        """Return what a move may cost: a fair share of what is left, and no more than the engine's own budget."""
        if self.settings is None:
            return own
        (seconds, stones), (_, extra, full) = self.left[player], self.settings
        if stones == 0:
            moves = max(FEWEST_MOVES, (0.8 * size * size - turn) / 2)
            share = seconds / moves
            if full:  # nothing is lost by entering the extra time
                share = max(share, min(extra / full, seconds))
        else:
            share = seconds / stones
        return own.within(max(share - LAG, LEAST))
