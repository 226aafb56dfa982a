"""Backups of a data folder: made even while a server runs, checked as untrusted input, and restored.

A backup is a tar archive, compressed with gzip, of plain files laid out as in a data folder:

    tables/ID.jsonl  arena/TOURNAMENT/FILE  games/FILE  and the folders that games add

The last file, manifest.json, has the size and the SHA-256 of every other. Nothing else
is allowed: no links, no folders, no names that lead outside, no extensions of the tar
format. Files are copied and read in chunks, so that large ones need little memory.

Append-only files are copied up to their size when opened; files that are replaced atomically
are copied as they were when opened. So a backup has every game as it stood at some moment
during the backup. A line that was just being written is truncated, and ignored by readers.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import lock_folder, try_lock
from kibitz.core.version import __version__
from kibitz.web.extend import DATA_FOLDERS, DataFolder

FORMAT, VERSION = "kibitz backup", 1
MANIFEST = "manifest.json"
BLOCK_BYTES = tarfile.BLOCKSIZE
CHUNK_BYTES = 1 << 20
MAX_FILES = 1_000_000
MAX_MANIFEST_BYTES = 1 << 28
MAX_EXPANSION, MIN_EXPANSION_BYTES = 250, 100 << 20
"""Refuse an archive, as a zip bomb, that unpacks to more than this many times its size plus this many bytes."""
MAX_MTIME = 1 << 40
"""Latest modification time accepted, in seconds since 1970."""
UNFINISHED_SUFFIXES = (".new", ".part")
LOCK_FILE = "lock"
UNPACK_PREFIX = ".restore-"
ProgressCallback = Callable[[int, int], None]
"""Called with the number of bytes done and the total number."""
TABLES = DataFolder("tables", 2, "tables")
ARENA = DataFolder("arena", 3, "tournaments", "the folder of a tournament", "tournament.json")
GAMES = DataFolder("games", 2, "files of games")


def data_folders() -> Mapping[str, DataFolder]:
    """Return every part of a data folder by its name: those of the server, and those that games add."""
    added = [folder for package in registry.packages().values() for folder in package.get(DATA_FOLDERS) or ()]
    return {folder.name: folder for folder in (TABLES, ARENA, *added, GAMES)}


@dataclass(frozen=True)
class BackupManifest:
    """The list of files in a backup."""

    made: str
    """Creation time, in ISO 8601."""
    kibitz: str
    files: dict[str, tuple[int, str]]
    """Name -> size in bytes, and SHA-256 in hexadecimal."""

    def text(self) -> str:
        """Return the text of manifest.json."""
        return json.dumps({"format": FORMAT, "version": VERSION, **vars(self)}, indent=0) + "\n"

    def summary(self) -> str:
        """Return a summary for people: the number of items of each kind, and the size."""
        folders = data_folders()
        items = {folder.plural: set[str]() for folder in folders.values()}
        for name in self.files:
            folder = folders[name.split("/")[0]]
            items[folder.plural].add(name.rpartition("/")[0] if folder.mark else name)
        size = sum(size for size, _ in self.files.values()) / 1e6
        return ", ".join([*(f"{plural} {len(found)}" for plural, found in items.items()), f"{size:,.1f} MB"])


class BadBackup(ValueError):
    """Raised with the reason why a backup is not valid, phrased to follow a colon."""


def check_name(name: str) -> None:
    """Raise BadBackup unless a name is the valid path of a file in a data folder."""
    parts = name.split("/")
    folder = data_folders().get(parts[0])
    if folder is None or len(parts) != folder.depth:
        raise BadBackup(f"{name[:80]!r} has no place in a data folder")
    for part in parts:
        if part in ("", ".", "..") or "\\" in part or ":" in part or not part.isprintable():
            raise BadBackup(f"{name[:80]!r} is not a name that is used here")


# Making one


def places(data: Path, stores: Sequence[Path], arenas: Sequence[Path], games: Sequence[Path]) -> dict[str, Path]:
    """Return the files and folders to back up: path in the backup -> path now.

    They are the whole data folder plus the given stores, tournaments and game files. Raise BadOption if one is invalid.
    """
    found = dict[str, Path]()
    for part in data_folders().values():
        for each in [data / part.name] if part.depth == 2 else sorted((data / part.name).glob("*")):
            if _is_item(part, each):
                found[each.relative_to(data).as_posix()] = each
    added = [part for part in data_folders().values() if part.depth == 3 and part is not ARENA]
    for parts, more in ((added, stores), ([ARENA], arenas), ([GAMES], games)):
        for each in more:
            kind = next((part for part in parts if (each.is_file() if part is GAMES else _is_item(part, each))), None)
            if kind is None:
                raise BadOption(f"{each} is not {' or '.join(part.one for part in parts)}.")
            place = f"{kind.name}/{each.resolve().name}"
            if each.resolve() in [known.resolve() for known in found.values()]:
                continue
            if place in found or (data / place).exists():
                raise BadOption(f"Two would be called {place} in the backup: rename {each}.")
            found[place] = each
    if not found:
        raise BadOption(f"Nothing to back up in {data}. Choose another folder with --data.")
    return found


def _is_item(part: DataFolder, path: Path) -> bool:
    """Return whether a path is an item of this part of a data folder."""
    return (path / part.mark).is_file() if part.mark else path.is_dir()


def back_up(path: Path, found: dict[str, Path], tell: ProgressCallback) -> BackupManifest:
    """Write a backup of the result of places(), readable only by this user, and verify it.

    Raise KibitzError if something cannot be read or written; then no backup is left.
    """
    if path.exists():
        raise BadOption(f"{path} already exists. Choose another file.")
    part = path.with_name(f".{path.name}.part")
    try:
        try:
            # private, because it contains the deals of unfinished games
            with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
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
        now = datetime.now(UTC)
        manifest = BackupManifest(now.isoformat(timespec="seconds"), __version__, files)
        text = manifest.text().encode()
        _add(archive, MANIFEST, io.BytesIO(text), len(text), now.timestamp())
    return manifest


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it no longer exists."""
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _files(place: str, path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the files of one entry of places(): name in the backup, open file, number of bytes to copy."""
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
    """A file whose SHA-256 is computed while it is read."""

    def __init__(self, file: IO[bytes], grow: Callable[[int], None]) -> None:
        self._file, self._grow, self.digest = file, grow, hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        self._grow(len(data))
        return data


def _add(archive: tarfile.TarFile, name: str, source: _Hashed | io.BytesIO, size: int, changed: float) -> None:
    """Add one file to the archive. Raise BadOption if its name is not allowed."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(changed), 0o600
    try:
        if name != MANIFEST:
            check_name(name)
        info.tobuf(tarfile.USTAR_FORMAT)
    except ValueError as error:
        raise BadOption(f"{name[:200]!r} cannot be backed up: {error}; name it otherwise.") from None
    archive.addfile(info, source)  # type: ignore[arg-type]  # all it needs is read


# Reading one


def read(path: Path, into: Path | None = None, tell: ProgressCallback = lambda done, total: None) -> BackupManifest:
    """Read and check a whole backup, and unpack it into a folder if one is given; return its manifest.

    Raise BadText if it is damaged, or BadOption if a file cannot be read or written.
    """
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as stream:
            size = os.fstat(raw.fileno()).st_size
            most = size * MAX_EXPANSION + MIN_EXPANSION_BYTES
            return _ArchiveReader(stream, most, into, lambda: tell(raw.tell(), size)).read()
    except BadBackup as error:
        raise BadText(f"{path} is not a complete backup: {error}.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, ValueError, OverflowError):
        raise BadText(f"{path} is not a complete backup: it is damaged, cut off or another kind of file.") from None
    except OSError as error:
        raise BadOption(f"{error.filename or path}: {error.strerror}.") from None


class _ArchiveReader:
    """Reads one backup. Its methods raise BadBackup if it is not valid, and pass on errors of the stream."""

    def __init__(self, stream: gzip.GzipFile, most: int, into: Path | None, tell: Callable[[], None]) -> None:
        self.stream, self.left, self.into, self.tell = stream, most, into, tell
        self.found: dict[str, tuple[int, str]] = {}

    def read(self) -> BackupManifest:
        """Read and check everything, unpacking files; return the manifest once all files match it."""
        while (info := self._header()) is not None:
            if info.name == MANIFEST:
                manifest = self._manifest(info.size)
                rest = self.stream.read(2 * tarfile.RECORDSIZE)
                if len(rest) < 2 * BLOCK_BYTES or any(rest) or self.stream.read(1):
                    raise BadBackup(f"its end is missing, or something comes after {MANIFEST}")
                return manifest
            check_name(info.name)
            if info.name in self.found or len(self.found) >= MAX_FILES:
                raise BadBackup(f"{info.name!r} is there twice, or there are more than {MAX_FILES} files")
            self.found[info.name] = (info.size, self._unpack(info))
        raise BadBackup(f"it has no {MANIFEST}")

    def _bytes(self, size: int) -> bytes:
        """Return the next bytes."""
        self.left -= size
        if self.left < 0:
            raise BadBackup("it unpacks to far more than its size")
        data = self.stream.read(size)
        if len(data) < size:
            raise BadBackup("it is cut off")
        return data

    def _header(self) -> tarfile.TarInfo | None:
        """Return the header of the next file, or None at the end of the archive."""
        block = self._bytes(BLOCK_BYTES)
        if not any(block):
            return None
        info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        if info.type != tarfile.REGTYPE or info.size < 0:
            raise BadBackup(f"{info.name[:80]!r} is not a plain file")
        if not 0 <= info.mtime <= MAX_MTIME:
            raise BadBackup(f"{info.name[:80]!r} has an invalid time")
        return info

    def _chunks(self, size: int) -> Iterator[bytes]:
        """Yield the content of a file, and skip the padding of its last block."""
        for start in range(0, size, CHUNK_BYTES):
            yield self._bytes(min(CHUNK_BYTES, size - start))
            self.tell()
        self._bytes(-size % BLOCK_BYTES)

    def _unpack(self, info: tarfile.TarInfo) -> str:
        """Read a file, write it to the folder if there is one, and return its SHA-256."""
        digest = hashlib.sha256()
        if self.into is None:
            for chunk in self._chunks(info.size):
                digest.update(chunk)
            return digest.hexdigest()
        path = self.into / info.name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            for chunk in self._chunks(info.size):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.utime(path, (info.mtime, info.mtime))
        return digest.hexdigest()

    def _manifest(self, size: int) -> BackupManifest:
        """Read the manifest, check that it matches the files read, and return it."""
        if size > MAX_MANIFEST_BYTES:
            raise BadBackup(f"its {MANIFEST} is too long")
        try:
            kept: Any = json.loads(b"".join(self._chunks(size)))
            if kept["format"] != FORMAT:
                raise KeyError
            if kept["version"] > VERSION:
                raise BadBackup(f"it is of version {kept['version']}, but this kibitz knows up to {VERSION}")
            files = {str(name): (int(size), str(digest)) for name, (size, digest) in kept["files"].items()}
            manifest = BackupManifest(str(kept["made"])[:40], str(kept["kibitz"])[:40], files)
        except BadBackup:
            raise
        except (KeyError, TypeError, AttributeError, RecursionError, ValueError):
            raise BadBackup(f"its {MANIFEST} is damaged") from None
        for name in sorted(files.keys() | self.found.keys()):
            if name not in self.found or name not in files:
                raise BadBackup(f"{name[:80]!r} is missing" if name in files else f"{name!r} is not in its {MANIFEST}")
            if files[name] != self.found[name]:
                raise BadBackup(f"{name!r} was changed after the backup was made")
        return manifest


# Restoring one


def restore(path: Path, data: Path, force: bool, tell: ProgressCallback) -> tuple[BackupManifest, Path | None]:
    """Replace a data folder with a backup; return the manifest, and the folder with the old data or None.

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
                return read(path, side, tell), _exchange(data, side)
            finally:
                shutil.rmtree(side, ignore_errors=True)
    except OSError as error:
        raise BadOption(f"{data} cannot be restored: {error.filename}: {error.strerror}. All is as it was.") from None


def _holds_files(folder: Path) -> bool:
    return any(each.is_file() for each in folder.rglob("*"))


@contextmanager
def _nobody_writes(data: Path) -> Iterator[None]:
    """Lock all stores and tournaments during the block. Raise BadOption if one is in use."""
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
