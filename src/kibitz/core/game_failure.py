"""Failures in the code of games that others wrote, told in one sentence instead of a traceback.

A failure inside kibitz, our own games included, stays as it is: a bug of ours must be seen.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kibitz.core import installed
from kibitz.core.errors import KibitzError


class GameFailed(KibitzError):
    """Report that the code of an installed game raised something it should not."""


@contextmanager
def game_failures() -> Iterator[None]:
    """Raise GameFailed where somebody else's game raises anything but a KibitzError."""
    try:
        yield
    except KibitzError:
        raise
    except Exception as error:
        sentence = failure_sentence(error)
        if sentence is None:
            raise
        raise GameFailed(sentence) from error


def failure_sentence(error: Exception) -> str | None:
    """Return which game failed, how and where; None if the failure is not in somebody else's game.

    Of kibitz and the games, the one whose code ran last has failed: what it called of Python's own
    modules or of other libraries has only noticed.
    """
    owners: dict[str, list[str]] = {}
    for name, same in installed.entries(installed.GAMES).items():
        for entry in same:
            owners.setdefault(entry.module.partition(".")[0], []).append(name)
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module == "kibitz":
            return None
        if module in owners:
            what = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(".")
            names = " or ".join(sorted(set(owners[module])))
            return f"The code of {names} failed: {what} ({Path(frame.f_code.co_filename).name}, line {line})."
    return None
