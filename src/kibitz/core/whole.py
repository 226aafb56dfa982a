"""Files written whole or not at all: beside their place first, and then put there in one step."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def written_whole(path: Path) -> Iterator[IO[bytes]]:
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


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file in this way, in UTF-8. Raises OSError."""
    with written_whole(path) as file:
        file.write(text.encode())
