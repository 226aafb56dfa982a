"""The running games of a tournament: each worker process shows its current game in a file of its own.

Such a file is the record of an unfinished game. It is replaced as a whole, at most
a few times a second and without fsync: it is only there for spectators.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from kibitz.arena.tournament import Pairing
from kibitz.core.errors import BadText
from kibitz.core.files import write_atomically
from kibitz.core.game import Game
from kibitz.core.record import GameRecord

WRITE_SECONDS = 0.3
"""Minimum average time between two writes."""
BURST_WRITES = 3
"""Maximum number of writes in a row without a pause, so that a slow agent's position is seen at once."""


class LiveFile:
    """The file that shows the game this process is playing. Write errors are ignored."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}.json"
        self._next_write = 0.0

    def show(self, game: Game, pairing: Pairing, seed: int, moves: Sequence[str]) -> None:
        """Write the game with the moves so far, unless there were too many writes just before."""
        now = time.monotonic()
        if now < self._next_write:
            return
        earliest = now - (BURST_WRITES - 1) * WRITE_SECONDS  # after a pause, a burst of writes is allowed
        self._next_write = max(self._next_write, earliest) + WRITE_SECONDS
        record = GameRecord(
            game=game.name, options=game.options, agents=pairing.agents, moves=tuple(moves), result="*",
            reason="not finished", seed=seed, start=pairing.start, id=pairing.id,
        )  # fmt: skip
        with suppress(OSError):
            write_atomically(self.path, record.to_json())

    def close(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def clear_live(folder: Path) -> None:
    """Remove the folder with the workers' live files."""
    shutil.rmtree(folder, ignore_errors=True)


def read_live(folder: Path) -> list[GameRecord]:
    """Return the running games, each as its worker last wrote it."""
    games = []
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, UnicodeDecodeError, BadText):  # replaced or removed while being read
            games.append(GameRecord.from_json(path.read_text(encoding="utf-8")))
    return games
