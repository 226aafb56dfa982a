"""Atomic replacement of files, and locks that keep other processes out of files and folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kibitz.core.errors import BadOption

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def part_of(path: Path) -> Path:
    """Return the temporary file beside a file that open_atomically() and replacing() write."""
    return path.with_name(f"{path.name}.part")


@contextmanager
def open_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing; the old file is replaced when the block ends without an error.

    After an error the old file is unchanged. Only one writer is allowed at a time.
    """
    with replacing(path) as part, open(part, "wb") as file:
        yield file


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a new, empty file, part_of(path), which replaces the old file as open_atomically() does."""
    part = part_of(path)
    try:
        part.write_bytes(b"")
        yield part
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def write_atomically(path: Path, text: str) -> None:
    """Replace the contents of a file with UTF-8 text. Raise OSError, leaving the file unchanged, if writing fails."""
    with open_atomically(path) as file:
        file.write(text.encode())


def try_lock(file: IO[str]) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def lock_folder(folder: Path, address: str) -> Iterator[None]:
    """Lock a data folder, creating it if necessary, for the server at this address while the block runs.

    Raise BadOption if another server has locked it, with that server's address, or if it cannot be written to.
    """
    address_file = folder / "address"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("a")
    except OSError as error:
        raise BadOption(f"Cannot keep games in {folder}: {error.strerror}; name another folder.") from None
    with lock:
        if not try_lock(lock):
            other_address = ""
            with suppress(OSError, ValueError):
                other_address = address_file.read_text(encoding="utf-8").strip()
            raise BadOption(
                f"Another kibitz serve keeps its games in {folder}: open {other_address or 'its page'}, "
                "or name another folder with --data."
            )
        address_file.write_text(f"{address}\n", encoding="utf-8")
        yield
