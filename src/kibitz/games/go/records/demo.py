"""The demo store, made from the games that ship with the package: for trying things out, and for tests.

The games are the three printed in Singh's report of 2013, and games that
tools/make/go_demo.py generated: between agents of kibitz, and of GNU Go.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from hashlib import blake2b
from importlib import resources
from pathlib import Path

from kibitz.compiled.folder import cache_root
from kibitz.core.errors import KibitzError
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import MANIFEST, VERSION, GameStore, default_folder

DEMO_FILE = "demo.sgf"


def demo_store() -> GameStore:
    """Return the store of the demo games, created in the user's cache folder on first use.

    Raise KibitzError if it cannot be written.
    """
    data = resources.files(__package__).joinpath(DEMO_FILE).read_bytes()
    folder = cache_root() / f"go-demo-{VERSION}-{blake2b(data, digest_size=6).hexdigest()}"
    if (folder / MANIFEST).exists():
        return GameStore(folder)
    try:
        return _create_store(data, folder)
    except OSError as error:
        reason = f"The demo games cannot be written to {folder.parent}: {error.strerror or error}"
        raise KibitzError(f"{reason}; name another folder in KIBITZ_CACHE_DIR.") from None


def _create_store(data: bytes, folder: Path) -> GameStore:
    """Return a new store of the demo games in a folder, or in a temporary one if the folder is not writable."""
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
    parent = folder.parent if os.access(folder.parent, os.W_OK) else None
    new_folder = Path(tempfile.mkdtemp(prefix="go-demo-", dir=parent))
    try:
        (new_folder / DEMO_FILE).write_bytes(data)
        import_records([new_folder / DEMO_FILE], new_folder)
    except BaseException:
        shutil.rmtree(new_folder, ignore_errors=True)
        raise
    try:
        os.replace(new_folder, folder)
    except OSError:  # another process was faster
        if not (folder / MANIFEST).exists():
            atexit.register(shutil.rmtree, new_folder, ignore_errors=True)
            return GameStore(new_folder)
        shutil.rmtree(new_folder, ignore_errors=True)
    return GameStore(folder)


def open_store(folder: Path | None) -> tuple[GameStore, bool]:
    """Return the store in a folder, and whether it is the demo store.

    Without a folder, return the user's own store, or the demo store if the user has none.
    """
    if folder is not None:
        return GameStore(folder), False
    if (default_folder() / MANIFEST).exists():
        return GameStore(default_folder()), False
    return demo_store(), True
