"""Support for training runs that can be stopped and resumed: stored settings, parallel tasks, handling of Ctrl-C."""

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
from typing import TYPE_CHECKING, TypeVar

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import write_atomically

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Settings = TypeVar("_Settings", bound="DataclassInstance")
_Result = TypeVar("_Result")
ProgressCallback = Callable[[str, int, int, str], None]
"""Called with the name of the task, the steps done, the total number of steps, and a note on the results."""


def open_settings(folder: Path, kind: type[_Settings], given: _Settings | None) -> _Settings:
    """Return the settings stored in a training folder. In a new folder, store the given or default settings first.

    Raise BadOption if the folder was started with other settings or cannot be used, BadText if its settings.json
    cannot be read.
    """
    path = folder / "settings.json"
    if path.exists():
        stored = _read_settings(path, kind)
        if given is not None and given != stored:
            raise BadOption(
                f"{folder} was started with other settings ({stored}); omit yours, or choose another folder."
            )
        return stored
    chosen = given or kind()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadOption(f"{folder} is not empty and has no settings.json; choose a new or empty folder.")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(chosen), indent=1) + "\n")
    except OSError as error:
        raise BadOption(f"Cannot train in {folder}: {error.strerror}.") from None
    return chosen


def _read_settings(path: Path, kind: type[_Settings]) -> _Settings:
    names = {field.name for field in fields(kind)}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, dict):
            fault = "it is not a JSON object"
        elif missing := sorted(names - set(values)):
            fault = f"it lacks {', '.join(missing)}"
        elif unknown := sorted(set(values) - names):
            fault = f"it has the unknown setting {unknown[0][:40]!r}"
        else:
            return kind(**values)
    except OSError as error:
        fault = f"it cannot be read: {error.strerror}"
    except (ValueError, RecursionError):
        fault = "it is not a JSON object"
    except KibitzError as error:
        fault = str(error).removesuffix(".")
    except TypeError:
        fault = "a value has the wrong type"
    raise BadText(f"{path} does not contain valid training settings: {fault}.")


def run_tasks(executor: Executor, jobs: int, tasks: Iterable[Callable[[], _Result]]) -> Iterator[_Result]:
    """Run tasks on an executor; yield results as they finish. Submit at most two tasks per worker (job) at a time."""
    waiting, running = iter(tasks), set[Future[_Result]]()
    while True:
        free_places = 2 * jobs - len(running)
        running.update(executor.submit(task) for task in islice(waiting, free_places))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        yield from (future.result() for future in done)


@contextmanager
def caught_interrupts() -> Iterator[list[int]]:
    """Catch the first Ctrl-C and add it to the yielded list instead of raising; a second raises KeyboardInterrupt.

    Outside the main thread, where signals cannot be handled, the list stays empty.
    """
    interrupts: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return

    def catch(number: int, frame: FrameType | None) -> None:
        if interrupts:
            raise KeyboardInterrupt
        interrupts.append(number)

    previous = signal.signal(signal.SIGINT, catch)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, previous)
