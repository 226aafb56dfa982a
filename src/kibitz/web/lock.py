"""One server a folder: two that appended to the same games would spoil them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kibitz.core.errors import BadOption
from kibitz.core.lock import try_lock


@contextmanager
def sole_user(folder: Path, address: str) -> Iterator[None]:
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
