"""The user's cache folder of kibitz: where it is, whose files in it can be trusted, and locks."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from kibitz.core.errors import KibitzError
from kibitz.core.files import try_lock

MAX_WAIT_SECONDS = 300.0
"""How long a process waits for another that is compiling the same kernel, before it compiles the kernel itself."""


def cache_root() -> Path:
    """Return the cache folder: $KIBITZ_CACHE_DIR, or kibitz's own inside the user's cache folder."""
    return Path(os.environ.get("KIBITZ_CACHE_DIR") or platformdirs.user_cache_dir("kibitz"))


def is_ours(path: Path) -> bool:
    """Return whether only this user or root can have written a file. Raise OSError if it does not exist.

    Cached kernels are run as they are, so a file that somebody else could have put there must not be used.
    """
    if not hasattr(os, "getuid"):
        return True  # Windows: the user's folders are private
    return all(
        status.st_uid in (0, os.getuid()) and not status.st_mode & 0o022 for status in (path.stat(), path.parent.stat())
    )


def write_file(path: Path, content: bytes) -> None:
    """Write a file to the cache at once or not at all; do nothing if the folder is read-only or the disk full."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
            try:
                part.write(content)
                part.flush()
                os.replace(part.name, path)
            except OSError:
                os.unlink(part.name)
                raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes out of the same block; wait up to MAX_WAIT_SECONDS. A read-only cache has no locks.

    Raise KibitzError if the cache folder cannot be made.
    """
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise KibitzError(
            f"Cannot keep compiled searches in {path.parent}: {error.strerror}; set KIBITZ_CACHE_DIR to another."
        ) from None
    try:
        file = open(path, "w", encoding="utf-8")  # noqa: SIM115  # it stays open while it is locked
    except OSError:
        yield
        return
    with file:
        until = time.monotonic() + MAX_WAIT_SECONDS
        while not try_lock(file) and time.monotonic() < until:
            time.sleep(0.05)
        yield
