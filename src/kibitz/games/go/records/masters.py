"""The games of old masters that ship with the package: what the commands and the page use without a store of one's own.

tools/make/go_masters.py chose them and wrote the file: even games on 19x19, played up to 1945. They are bare facts:
dates, events, players, komi, results and moves.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path

from kibitz.compiled.folder import cache_root
from kibitz.core.errors import KibitzError
from kibitz.games.go.records.importing import import_pieces
from kibitz.games.go.records.store import MANIFEST, VERSION, GameStore, default_folder
from kibitz.games.go.sgf.sources import pieces

MASTERS_FILE = "masters.sgf.bz2"
MASTERS = Path("masters")
"""Stands for the masters' games where a store is named, unless there is such a folder."""


def masters_store(on_create: Callable[[], None] = lambda: None) -> GameStore:
    """Return the store of the masters' games, created in the user's cache folder on first use, after on_create().

    Raise KibitzError if it cannot be written.
    """
    return cached_store("masters", _masters_data(), on_create)


def masters_folder() -> Path:
    """Return the folder of the masters' store, which need not exist yet."""
    return _cache_folder("masters", _masters_data())


@cache
def _masters_data() -> bytes:
    return resources.files(__package__).joinpath(MASTERS_FILE).read_bytes()


def _cache_folder(name: str, data: bytes) -> Path:
    return cache_root() / f"go-{name}-{VERSION}-{blake2b(data, digest_size=6).hexdigest()}"


def about(store: GameStore) -> str:
    """Describe the masters' games in a few words, such as "3,639 games of masters, 1625 to 1945"."""
    years = store.column("years")
    return f"{len(store):,} games of masters, {years.min()} to {years.max()}"


def cached_store(name: str, data: bytes, on_create: Callable[[], None] = lambda: None) -> GameStore:
    """Return a store in the cache folder, created from records on first use. Raise KibitzError if that fails."""
    folder = _cache_folder(name, data)
    if (folder / MANIFEST).exists():
        return GameStore(folder)
    on_create()
    try:
        return _create_store(name, data, folder)
    except OSError as error:
        reason = f"The records of kibitz cannot be written to {folder.parent}: {error.strerror or error}"
        raise KibitzError(f"{reason}; name another folder in KIBITZ_CACHE_DIR.") from None


def _create_store(name: str, data: bytes, folder: Path) -> GameStore:
    """Return a new store of records, called by a name, in a folder, or in a temporary one if that is not writable."""
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
    parent = folder.parent if os.access(folder.parent, os.W_OK) else None
    new_folder = Path(tempfile.mkdtemp(prefix="go-records-", dir=parent))
    try:
        records = new_folder / "records"
        records.write_bytes(data)
        import_pieces((piece._replace(name=name) for piece in pieces([records])), new_folder)
        records.unlink()
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


def open_store(folder: Path | None, on_create: Callable[[], None] = lambda: None) -> tuple[GameStore, bool]:
    """Return the store in a folder, and whether it holds the masters' games, which MASTERS names.

    Without a folder, return the user's own store, or the masters' games if the user has none.
    """
    is_named = folder == MASTERS and not MASTERS.exists()
    if folder is not None and not is_named:
        return GameStore(folder), False
    if not is_named and (default_folder() / MANIFEST).exists():
        return GameStore(default_folder()), False
    return masters_store(on_create), True
