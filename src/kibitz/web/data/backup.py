"""Backups of a data folder, made while a server runs, and restored.

Append-only files are copied up to their size when opened; files that are replaced in one
step are opened before that. So a backup has every game as it stood at some moment while it
was made. A line that was being written is torn, as after a kill, and ignored by readers.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from kibitz.core.errors import BadOption
from kibitz.core.files import lock_folder, try_lock
from kibitz.core.version import __version__
from kibitz.web.data.archive import (
    ARENA,
    GAMES,
    MANIFEST,
    BackupManifest,
    ProgressCallback,
    check_name,
    data_folders,
    read,
)
from kibitz.web.extend import DataFolder

UNFINISHED_SUFFIXES = (".new", ".part")
LOCK_FILE = "lock"
UNPACK_PREFIX = ".restore-"


# Making one


def back_up(path: Path, found: dict[str, Path], tell: ProgressCallback) -> BackupManifest:
    """Write a backup of some places (see places) and verify it.

    Raise KibitzError if something cannot be read or written; then no backup is left.
    """
    if path.exists():
        raise BadOption(f"{path} already exists. Choose another file.")
    part = path.with_name(f".{path.name}.part")
    try:
        try:
            with open(part, "wb", opener=_private) as file:
                manifest = _write(file, found, tell)
                file.flush()
                os.fsync(file.fileno())
            read(part, None, tell)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        why = f"{error.filename or path}: {error.strerror or error}"
        raise BadOption(f"The backup {path} cannot be written: {why}.") from None
    return manifest


def _private(path: str, flags: int) -> int:
    """Open a file that nobody else may read: it holds the deals of unfinished games."""
    return os.open(path, flags, 0o600)


def places(data: Path, stores: Sequence[Path], arenas: Sequence[Path], games: Sequence[Path]) -> dict[str, Path]:
    """Return what to back up: path in the backup -> path now. Raise BadOption.

    That is a whole data folder, and stores, tournaments and files of games elsewhere.
    """
    found = dict[str, Path]()
    for part in data_folders().values():
        for each in [data / part.name] if part.depth == 2 else sorted((data / part.name).glob("*")):
            if _is_kept(part, each):
                found[each.relative_to(data).as_posix()] = each
    added = [part for part in data_folders().values() if part.depth == 3 and part is not ARENA]
    for kinds, more in ((added, stores), ([ARENA], arenas), ([GAMES], games)):
        for each in more:
            held_in = next(
                (kind for kind in kinds if (each.is_file() if kind is GAMES else _is_kept(kind, each))), None
            )
            if held_in is None:
                raise BadOption(f"{each} is not {' or '.join(kind.one for kind in kinds)}.")
            place = f"{held_in.name}/{each.resolve().name}"
            if each.resolve() in [known.resolve() for known in found.values()]:
                continue
            if place in found or (data / place).exists():
                raise BadOption(f"Two would be called {place} in the backup: rename {each}.")
            found[place] = each
    if not found:
        raise BadOption(f"Nothing to back up in {data}. Choose another folder with --data.")
    return found


def _is_kept(part: DataFolder, path: Path) -> bool:
    """Return whether a path is an item of this part of a data folder."""
    return (path / part.mark).is_file() if part.mark else path.is_dir()


def _write(file: IO[bytes], found: dict[str, Path], tell: ProgressCallback) -> BackupManifest:
    """Write all files, then the manifest."""
    total = sum(_size(path) for place in found.values() for path in ([place] if place.is_file() else place.iterdir()))
    files, done = dict[str, tuple[int, str]](), 0

    def grow(size: int) -> None:
        nonlocal done
        done += size
        tell(done, max(done, total))

    with (
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for place, path in found.items():
            for name, source, size in _files(place, path):
                hashed = _Hashed(source, grow)
                _add(archive, name, hashed, size, os.fstat(source.fileno()).st_mtime)
                files[name] = (size, hashed.digest.hexdigest())
        manifest = BackupManifest(datetime.now(UTC).isoformat(timespec="seconds"), __version__, files)
        text = manifest.text().encode()
        _add(archive, MANIFEST, io.BytesIO(text), len(text), datetime.now(UTC).timestamp())
    return manifest


def _size(path: Path) -> int:
    """Return the size of a file; 0 if it is gone."""
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _files(place: str, path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the files of a place: name in the backup, open file, bytes to copy."""
    open_all = data_folders()[place.split("/")[0]].open_all
    if open_all is not None:
        with ExitStack() as stack:
            for name, (source, size) in open_all(path).items():
                yield f"{place}/{name}", stack.enter_context(source), size
        return
    for each in [path] if path.is_file() else sorted(path.iterdir()):
        if each.is_file() and each.name != LOCK_FILE and not each.name.endswith(UNFINISHED_SUFFIXES):
            with suppress(FileNotFoundError), each.open("rb") as source:  # a draft that was renamed meanwhile
                yield (place if each is path else f"{place}/{each.name}"), source, os.fstat(source.fileno()).st_size


class _Hashed:
    """A file that computes its digest while it is read."""

    def __init__(self, file: IO[bytes], grow: Callable[[int], None]) -> None:
        self._file, self._grow, self.digest = file, grow, hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        self._grow(len(data))
        return data


def _add(archive: tarfile.TarFile, name: str, source: _Hashed | io.BytesIO, size: int, changed: float) -> None:
    """Add one file. Raise BadOption for a name that is not allowed."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(changed), 0o600
    try:
        if name != MANIFEST:
            check_name(name)
        info.tobuf(tarfile.USTAR_FORMAT)
    except ValueError as error:
        raise BadOption(f"{name[:200]!r} cannot be backed up: {error}; name it otherwise.") from None
    archive.addfile(info, source)  # type: ignore[arg-type]  # all it needs is read


# Restoring one


def restore(path: Path, data: Path, force: bool, tell: ProgressCallback) -> tuple[BackupManifest, Path | None]:
    """Replace a data folder by a backup; return the manifest, and the folder with the old data, if any.

    Everything is unpacked and checked before anything is changed. Raise KibitzError if
    the backup is damaged, the folder is in use, or it holds data and `force` is not given.
    """
    try:
        with lock_folder(data, ""), _nobody_writes(data):
            held = [part for part in data_folders() if _holds_files(data / part)]
            if held and not force:
                raise BadOption(f"{data} has {', '.join(held)} already; --force puts what is there aside.")
            for left in data.glob(f"{UNPACK_PREFIX}*"):  # left by a killed process
                shutil.rmtree(left)
            side = Path(tempfile.mkdtemp(prefix=UNPACK_PREFIX, dir=data))
            try:
                manifest = read(path, side, tell)
                return manifest, _exchange(data, side)
            finally:
                shutil.rmtree(side, ignore_errors=True)
    except OSError as error:
        raise BadOption(f"{data} cannot be restored: {error.filename}: {error.strerror}. All is as it was.") from None


def _holds_files(folder: Path) -> bool:
    return any(each.is_file() for each in folder.rglob("*"))


@contextmanager
def _nobody_writes(data: Path) -> Iterator[None]:
    """Lock all stores and tournaments. Raise BadOption if one is in use."""
    with ExitStack() as stack:
        for path in [*data.glob(f"*/{LOCK_FILE}"), *data.glob(f"*/*/{LOCK_FILE}")]:
            if not try_lock(stack.enter_context(path.open("a"))):
                raise BadOption(f"{path.parent} is in use by another process. Try again when it has finished.")
        yield


def _exchange(data: Path, side: Path) -> Path | None:
    """Move the old data aside and the unpacked data in, completely or not at all; return where the old data is."""
    aside = data / f"before-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    old = [(data / part, aside / part) for part in data_folders() if _holds_files(data / part)]
    new = [(side / part, data / part) for part in data_folders() if (side / part).exists()]
    done = list[tuple[Path, Path]]()
    if old:
        aside.mkdir()
    try:
        for source, target in old + new:
            if target.exists():  # a folder without files
                shutil.rmtree(target)
            source.rename(target)
            done.append((source, target))
    except OSError:
        for source, target in reversed(done):
            target.rename(source)
        raise
    return aside if old else None
