"""Files written whole or not at all: beside their place first, and then put there in one step."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kibitz.core.errors import BadOption


@contextmanager
def open_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to be written, which takes its place when all of it is there. A context.

    For one writer at a time. Whatever is raised inside, the file stays what it was before.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with open(part, "wb") as file:
            yield file
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def write_atomically(path: Path, text: str) -> None:
    """Write a text to a file in this way, in UTF-8. Raises OSError."""
    with open_atomically(path) as file:
        file.write(text.encode())


if sys.platform == "win32":
    import msvcrt

    def try_lock(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process has it locked."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: IO[str]) -> bool:
        """Lock an open file until it is closed; return False if another process has it locked."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


@contextmanager
def lock_folder(folder: Path, address: str) -> Iterator[None]:
    """Be the only server of a folder for a while. Raises BadOption that tells the address of another one."""
    told = folder / "address"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("a")
    except OSError as error:
        raise BadOption(f"Cannot keep games in {folder}: {error.strerror}; name another folder.") from None
    with lock:
        if not try_lock(lock):
            other = ""
            with suppress(OSError, ValueError):
                other = told.read_text(encoding="utf-8").strip()
            raise BadOption(
                f"Another kibitz serve keeps its games in {folder}: open {other or 'its page'}, "
                "or name another folder with --data."
            )
        told.write_text(f"{address}\n", encoding="utf-8")
        yield
