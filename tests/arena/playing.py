"""Tournaments that are played in this process, and their games."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from kibitz.arena import runner
from kibitz.arena.store import TournamentFolder
from kibitz.core.record import GameRecord


def run_here(
    store: TournamentFolder,
    progress: Callable[[GameRecord], None] = lambda record: None,
    stop: Callable[[], bool] = lambda: False,
    live: Path | None = None,
) -> None:
    """Play the missing games in a thread."""
    with ThreadPoolExecutor(1) as executor:
        runner.run(store, executor, 1, progress, stop, live)


def games_of(store: TournamentFolder) -> dict[str, GameRecord]:
    """Return the games without their times, which differ from run to run."""
    return {number: replace(record, times=()) for number, record in store.games().records.items()}
