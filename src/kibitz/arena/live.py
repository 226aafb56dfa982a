"""The games of a tournament while they are played: each worker shows the one it plays in a file of its own.

Such a file is the record of an unfinished game. It is replaced as a whole, some
times a second at most, and nobody waits until it is on the disk: it is there to be
looked at and for nothing else.
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
from kibitz.core.game import Game
from kibitz.core.record import GameRecord

PAUSE = 0.3
"""Seconds between two writings in the long run."""
AT_ONCE = 3
"""So many may follow each other without a pause, so that what a slow agent thinks about is seen at once."""


class LiveFile:
    """Shows the game that this process plays in a folder; nothing if that cannot be written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{os.getpid()}.json"
        self._due = 0.0

    def show(self, game: Game, pairing: Pairing, seed: int, moves: Sequence[str]) -> None:
        """Show the moves made so far, unless that was done a moment ago."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = max(self._due, now - (AT_ONCE - 1) * PAUSE) + PAUSE
        record = GameRecord(
            game=game.name,
            options=game.options,
            agents=pairing.agents,
            moves=tuple(moves),
            result="*",
            reason="not finished",
            seed=seed,
            start=pairing.start,
            id=pairing.id,
        )
        draft = self.path.with_suffix(".new")
        with suppress(OSError):
            draft.write_text(record.to_json(), encoding="utf-8")
            draft.replace(self.path)

    def close(self) -> None:
        """Show nothing any more."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def clear_live(folder: Path) -> None:
    """Remove what workers show, and the folder."""
    shutil.rmtree(folder, ignore_errors=True)


def read_live(folder: Path) -> list[GameRecord]:
    """Return the games that are being played, as far as they were shown."""
    found = []
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, UnicodeDecodeError, BadText):  # replaced or removed while we look
            found.append(GameRecord.from_json(path.read_text(encoding="utf-8")))
    return found
