"""Runs of learning, which can be stopped at any time and gone on with: their folders, and work for many workers."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import write_atomically

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Settings = TypeVar("_Settings", bound="DataclassInstance")
_Result = TypeVar("_Result")
ProgressCallback = Callable[[str, int, int, str], None]
"""Called with what is being done, how much of it is done, of how much, and a word on how it goes."""


def open_settings(folder: Path, kind: type[_Settings], given: _Settings | None) -> _Settings:
    """Return the settings that a folder was begun with; begin it, with those given or the usual ones, if need be.

    Raises BadOption if they are others than given, BadText if settings.json is none.
    """
    path = folder / "settings.json"
    if path.exists():
        stored = _stored(path, kind)
        if given is not None and given != stored:
            raise BadOption(f"{folder} was begun with other settings ({stored}); give those, none, or another folder.")
        return stored
    chosen = given or kind()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadOption(f"{folder} holds other things and no settings.json; give a new or an empty folder.")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(chosen), indent=1) + "\n")
    except OSError as error:
        raise BadOption(f"Cannot learn in {folder}: {error.strerror}.") from None
    return chosen


def _stored(path: Path, kind: type[_Settings]) -> _Settings:
    """Return the settings of a file. Raises BadText."""
    try:
        return kind(**_fields(path, {field.name for field in fields(kind)}))
    except OSError as error:
        why = f"it cannot be read: {error.strerror}."
    except KibitzError as error:
        why = str(error)
    except TypeError:
        why = "a value is not of the kind that it must be."
    raise BadText(f"{path} does not hold settings of learning: {why}")


def _fields(path: Path, names: set[str]) -> dict[str, Any]:
    """Return what a file says of these names, and of no others. Raises BadText."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadText("it is no JSON object.")
    if missing := sorted(names - set(found)):
        raise BadText(f"it lacks {', '.join(missing)}.")
    if unknown := sorted(set(found) - names):
        raise BadText(f"it has {unknown[0][:40]!r}, which this kibitz does not know.")
    return found


def run_tasks(executor: Executor, jobs: int, tasks: Iterable[Callable[[], _Result]]) -> Iterator[_Result]:
    """Yield what tasks return as they are done, in any order; each of so many workers has one, and one in waiting."""
    waiting, running = iter(tasks), set[Future[_Result]]()
    while True:
        running.update(executor.submit(task) for task in islice(waiting, 2 * jobs - len(running)))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


@contextmanager
def caught_interrupts() -> Iterator[list[int]]:
    """Gather Ctrl-C in a list instead of raising it; a second one is raised. Only the main thread can."""
    told: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield told
        return

    def note(number: int, frame: FrameType | None) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(number)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield told
    finally:
        signal.signal(signal.SIGINT, before)
