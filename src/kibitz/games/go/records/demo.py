"""The games that come with the package, as a store: for trying things out, and for tests.

They are the three games that Singh's report of 2013 prints, and games that
tools/make/go_demo.py had played: by agents of kibitz, and by GNU Go.
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

from kibitz.compiled.jit import cache_root
from kibitz.core.errors import KibitzError
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import MANIFEST, VERSION, Store, default_folder

FILE = "demo.sgf"


def demo_store() -> Store:
    """Return the store of the demo games, made in the user's cache folder when it is first asked for.

    Raises KibitzError if there is no room for it.
    """
    data = resources.files(__package__).joinpath(FILE).read_bytes()
    folder = cache_root().parent / f"go-demo-{VERSION}-{blake2b(data, digest_size=6).hexdigest()}"
    if (folder / MANIFEST).exists():
        return Store(folder)
    try:
        return _made(data, folder)
    except OSError as error:
        raise KibitzError(f"The demo games cannot be put into {folder.parent}: {error.strerror or error}.") from None


def _made(data: bytes, folder: Path) -> Store:
    """Return a new store of the demo games: in a folder, or in a passing one if nothing can be written there."""
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="go-demo-", dir=folder.parent if os.access(folder.parent, os.W_OK) else None))
    try:
        (made / FILE).write_bytes(data)
        import_records([made / FILE], made)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    try:
        os.replace(made, folder)
    except OSError:  # somebody else was faster
        if not (folder / MANIFEST).exists():
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            return Store(made)
        shutil.rmtree(made, ignore_errors=True)
    return Store(folder)


def open_store(folder: Path | None) -> tuple[Store, bool]:
    """Return the store in a folder, or, with none named, the user's own; where that is not there, the demo and True."""
    if folder is not None:
        return Store(folder), False
    if (default_folder() / MANIFEST).exists():
        return Store(default_folder()), False
    return demo_store(), True
