"""The clock of a GTP engine: time settings and time left, as GTP commands set them, and the budget for a move."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.core.agent import Budget
from kibitz.core.game import Player

LAG_SECONDS = 0.15  # reserve this much of each move's time for sending commands and answers
MIN_MOVE_SECONDS = 0.05  # give every move at least this much time
MIN_MOVES_LEFT = 12  # in main time, plan for at least this many more moves per player


class GtpClock:
    """Canadian time control for both players: main time, then a number of stones in each period of extra time."""

    def __init__(self) -> None:
        self.settings: tuple[float, float, int] | None = None  # main time, extra time, its stones; None for no limit
        self.left: list[tuple[float, int]] = []
        """For each player, the seconds left and the stones to play in that time; 0 stones means main time."""

    def set(self, main: float, extra: float, stones: int) -> None:
        """Set the time control, in seconds. As GTP specifies, extra time with 0 stones means no limit."""
        limited = main + extra > 0 and not (extra > 0 and stones == 0)
        self.settings = (main, extra, stones) if limited else None
        self.restart()

    def restart(self) -> None:
        """Give both players their full time."""
        self.left = []
        if self.settings is not None:
            main, extra, stones = self.settings
            self.left = [(main, 0) if main > 0 else (extra, stones)] * 2

    def set_left(self, player: Player, seconds: float, stones: int) -> None:
        """Set the time that a player has left; 0 stones means main time."""
        if self.settings is None:
            self.settings = (seconds, 0.0, 0)
        if not self.left:
            self.restart()
        self.left[player] = (seconds, stones)

    @contextmanager
    def running(self, player: Player) -> Iterator[None]:
        """Run a player's clock for the duration of the context, in which the player makes one move."""
        began = time.monotonic()
        yield
        if self.settings is None:
            return
        (seconds, stones), (_, extra, period_stones) = self.left[player], self.settings
        seconds -= time.monotonic() - began
        if stones > 1:
            self.left[player] = seconds, stones - 1
        elif stones == 1 or (seconds <= 0 < extra):
            self.left[player] = extra, period_stones
        else:
            self.left[player] = max(seconds, 0.0), 0

    def budget(self, player: Player, size: int, turn: int, own_limits: Budget) -> Budget:
        """Return the budget for a move: a fair share of the time left, within the engine's own limits."""
        if self.settings is None:
            return own_limits
        (seconds, stones), (_, extra, period_stones) = self.left[player], self.settings
        if stones == 0:
            moves = max(MIN_MOVES_LEFT, (0.8 * size * size - turn) / 2)
            share = seconds / moves
            if period_stones:  # entering extra time costs nothing
                share = max(share, min(extra / period_stones, seconds))
        else:
            share = seconds / stones
        return own_limits.within(max(share - LAG_SECONDS, MIN_MOVE_SECONDS))
