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
        megabytes = sum(size for size, _ in self.files.values()) / 1e6
        return ", ".join([*(f"{plural} {len(names)}" for plural, names in items.items()), f"{megabytes:,.1f} MB"])


class BadBackup(ValueError):
    """Raised with the reason why a backup is not valid, phrased to follow a colon."""


def check_name(name: str) -> None:
    """Raise BadBackup unless a name is the path of a file that a data folder may hold, such as tables/ID.jsonl."""
    parts = name.split("/")
    folder = data_folders().get(parts[0])
    if folder is None or len(parts) != folder.depth:
        raise BadBackup(f"{name[:80]!r} has no place in a data folder")
    for part in parts:
        if part in ("", ".", "..") or "\\" in part or ":" in part or not part.isprintable():
            raise BadBackup(f"{name[:80]!r} is not a valid file name")


# Making one


def find_sources(data: Path, stores: Sequence[Path], arenas: Sequence[Path], games: Sequence[Path]) -> dict[str, Path]:
    """Return the files and folders to back up: path in the backup -> path on disk.

    They are the whole data folder plus the given stores, tournaments and game files. Raise BadOption if one is invalid.
    """
    sources = dict[str, Path]()
    for kind in data_folders().values():
        for path in [data / kind.name] if kind.depth == 2 else sorted((data / kind.name).glob("*")):
            if _is_item(kind, path):
                sources[path.relative_to(data).as_posix()] = path
    store_kinds = [kind for kind in data_folders().values() if kind.depth == 3 and kind is not ARENA]
    for kinds, given in ((store_kinds, stores), ([ARENA], arenas), ([GAMES], games)):
        for path in given:
            fitting = [kind for kind in kinds if (path.is_file() if kind is GAMES else _is_item(kind, path))]
            if not fitting:
                raise BadOption(f"{path} is not {' or '.join(kind.one for kind in kinds)}.")
            name = f"{fitting[0].name}/{path.resolve().name}"
            if path.resolve() in [known.resolve() for known in sources.values()]:
                continue
            if name in sources or (data / name).exists():
                raise BadOption(f"The backup would contain {name} twice. Rename {path}.")
            sources[name] = path
    if not sources:
        raise BadOption(f"Nothing to back up in {data}. Choose another folder with --data.")
    return sources


def _is_item(kind: DataFolder, path: Path) -> bool:
    """Return whether a path is an item of this kind of data folder, such as the folder of a tournament."""
    return (path / kind.mark).is_file() if kind.mark else path.is_dir()


def back_up(path: Path, sources: dict[str, Path], report: ProgressCallback) -> BackupManifest:
    """Write a backup of the result of find_sources(), readable only by this user, and verify it.

    Raise KibitzError if something cannot be read or written; then no backup is left.
    """
    if path.exists():
        raise BadOption(f"{path} already exists. Choose another file.")
    part = path.with_name(f".{path.name}.part")
    try:
        try:
            # private, because it contains the deals of unfinished games
            with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                manifest = _write(file, sources, report)
                file.flush()
                os.fsync(file.fileno())
            read(part, None, report)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        why = f"{error.filename or path}: {error.strerror or error}"
        raise BadOption(f"The backup {path} cannot be written: {why}.") from None
    return manifest


def _write(file: IO[bytes], sources: dict[str, Path], report: ProgressCallback) -> BackupManifest:
    """Write all files to an archive, then the manifest, and return the manifest."""
    total = sum(_size(path) for source in sources.values() for path in _files_of(source))
    files, done = dict[str, tuple[int, str]](), 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        report(done, max(done, total))  # files may have grown since their sizes were added up

    with (
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for place, path in sources.items():
            for name, source, size in _open_files(place, path):
                hashed = _Hashed(source, count)
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


def _files_of(path: Path) -> list[Path]:
    """Return the files directly in a folder, or the path itself if it is a file."""
    return [path] if path.is_file() else sorted(path.iterdir())


def _open_files(place: str, path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the files of an entry of find_sources(): name in the backup, open file, number of bytes to copy."""
    open_all = data_folders()[place.split("/")[0]].open_all
    if open_all is not None:
        with ExitStack() as stack:
            for name, (source, size) in open_all(path).items():
                yield f"{place}/{name}", stack.enter_context(source), size
        return
    for each in _files_of(path):
        if each.is_file() and each.name != LOCK_FILE and not each.name.endswith(UNFINISHED_SUFFIXES):
            with suppress(FileNotFoundError), each.open("rb") as source:  # a draft that was renamed meanwhile
                yield (place if each is path else f"{place}/{each.name}"), source, os.fstat(source.fileno()).st_size


class _Hashed:
    """A file whose SHA-256 is computed while it is read."""

    def __init__(self, file: IO[bytes], count: Callable[[int], None]) -> None:
        self._file, self._count, self.digest = file, count, hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end of the file; hash and count them."""
        data = self._file.read(size)
        self.digest.update(data)
        self._count(len(data))
        return data


def _add(archive: tarfile.TarFile, name: str, source: _Hashed | io.BytesIO, size: int, modified: float) -> None:
    """Add one file to the archive. Raise BadOption if its name is not allowed."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, int(modified), 0o600
    try:
        if name != MANIFEST:
            check_name(name)
        info.tobuf(tarfile.USTAR_FORMAT)
    except ValueError as error:
        raise BadOption(f"{name[:200]!r} cannot be backed up: {error}. Rename it.") from None
    archive.addfile(info, source)  # type: ignore[arg-type]  # only read() is called


# Reading one


def read(path: Path, into: Path | None = None, report: ProgressCallback = lambda done, total: None) -> BackupManifest:
    """Read and check a whole backup, and unpack it into a folder if one is given; return its manifest.

    Raise BadText if the backup is damaged, or BadOption if a file cannot be read or written.
    """
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as stream:
            size = os.fstat(raw.fileno()).st_size
            max_bytes = size * MAX_EXPANSION + MIN_EXPANSION_BYTES
            return _ArchiveReader(stream, max_bytes, into, lambda: report(raw.tell(), size)).read()
    except BadBackup as error:
        raise BadText(f"{path} is not a complete backup: {error}.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, ValueError, OverflowError):
        raise BadText(f"{path} is not a complete backup: it is damaged, cut off or another kind of file.") from None
    except OSError as error:
        raise BadOption(f"{error.filename or path}: {error.strerror}.") from None


class _ArchiveReader:
    """Reads one backup. Its methods raise BadBackup if it is not valid, and pass on errors of the stream."""

    def __init__(self, stream: gzip.GzipFile, max_bytes: int, into: Path | None, report: Callable[[], None]) -> None:
        self.stream, self.bytes_left, self.into, self.report = stream, max_bytes, into, report
        self.found: dict[str, tuple[int, str]] = {}

    def read(self) -> BackupManifest:
        """Read and check everything, unpacking files; return the manifest once all files match it."""
        while (info := self._read_header()) is not None:
            if info.name == MANIFEST:
                manifest = self._read_manifest(info.size)
                rest = self.stream.read(2 * tarfile.RECORDSIZE)  # zeros: two blocks, then padding to a whole record
                if len(rest) < 2 * BLOCK_BYTES or any(rest) or self.stream.read(1):
                    raise BadBackup(f"its end is missing, or something comes after {MANIFEST}")
                return manifest
            check_name(info.name)
            if info.name in self.found or len(self.found) >= MAX_FILES:
                raise BadBackup(f"it contains {info.name!r} twice, or more than {MAX_FILES} files")
            self.found[info.name] = (info.size, self._unpack(info))
        raise BadBackup(f"it has no {MANIFEST}")

    def _read_bytes(self, size: int) -> bytes:
        """Return the next `size` bytes. Raise BadBackup if there are fewer, or if far too many were read in all."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise BadBackup("it unpacks to far more than its size")
        data = self.stream.read(size)
        if len(data) < size:
            raise BadBackup("it is cut off")
        return data

    def _read_header(self) -> tarfile.TarInfo | None:
        """Return the header of the next file, or None at the end of the archive."""
        block = self._read_bytes(BLOCK_BYTES)
        if not any(block):
            return None
        info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        if info.type != tarfile.REGTYPE or info.size < 0:
            raise BadBackup(f"{info.name[:80]!r} is not a plain file")
        if not 0 <= info.mtime <= MAX_MTIME:
            raise BadBackup(f"{info.name[:80]!r} has an invalid time")
        return info

    def _chunks(self, size: int) -> Iterator[bytes]:
        """Yield the content of a file of `size` bytes, then skip the padding of its last block."""
        for start in range(0, size, CHUNK_BYTES):
            yield self._read_bytes(min(CHUNK_BYTES, size - start))
            self.report()
        self._read_bytes(-size % BLOCK_BYTES)  # up to the next multiple of BLOCK_BYTES

    def _unpack(self, info: tarfile.TarInfo) -> str:
        """Read a file, write it to the folder `into` if that is not None, and return its SHA-256."""
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

    def _read_manifest(self, size: int) -> BackupManifest:
        """Read the manifest, check that it matches the files read, and return it."""
        if size > MAX_MANIFEST_BYTES:
            raise BadBackup(f"its {MANIFEST} is too long")
        try:
            raw: Any = json.loads(b"".join(self._chunks(size)))
            if raw["format"] != FORMAT:
                raise KeyError
            if raw["version"] > VERSION:
                raise BadBackup(f"it has format version {raw['version']}, newer than this kibitz's {VERSION}")
            files = {str(name): (int(size), str(digest)) for name, (size, digest) in raw["files"].items()}
            manifest = BackupManifest(str(raw["made"])[:40], str(raw["kibitz"])[:40], files)
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


def restore(path: Path, data: Path, force: bool, report: ProgressCallback) -> tuple[BackupManifest, Path | None]:
    """Replace a data folder with a backup; return the manifest, and the folder with the old data or None.

    Everything is unpacked and checked before anything is changed. Raise KibitzError if
    the backup is damaged, the folder is in use, or it contains data and `force` is False.
    """
    try:
        with lock_folder(data, ""), _locked_items(data):
            existing = [name for name in data_folders() if _has_files(data / name)]
            if existing and not force:
                raise BadOption(f"{data} already contains {', '.join(existing)}. Use --force to move them aside.")
            for leftover in data.glob(f"{UNPACK_PREFIX}*"):  # of a killed process
                shutil.rmtree(leftover)
            unpacked = Path(tempfile.mkdtemp(prefix=UNPACK_PREFIX, dir=data))
            try:
                return read(path, unpacked, report), _swap(data, unpacked)
            finally:
                shutil.rmtree(unpacked, ignore_errors=True)
    except OSError as error:
        raise BadOption(f"Cannot restore {data}: {error.filename}: {error.strerror}. Nothing was changed.") from None


def _has_files(folder: Path) -> bool:
    return any(each.is_file() for each in folder.rglob("*"))


@contextmanager
def _locked_items(data: Path) -> Iterator[None]:
    """Lock all stores and tournaments during the block. Raise BadOption if one is in use."""
    with ExitStack() as stack:
        for path in [*data.glob(f"*/{LOCK_FILE}"), *data.glob(f"*/*/{LOCK_FILE}")]:
            if not try_lock(stack.enter_context(path.open("a"))):
                raise BadOption(f"{path.parent} is in use by another process. Try again when it has finished.")
        yield


def _swap(data: Path, unpacked: Path) -> Path | None:
    """Replace the old data by the unpacked data, completely or not at all; return where the old data is, if any."""
    aside = data / f"before-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    old = [(data / name, aside / name) for name in data_folders() if _has_files(data / name)]
    new = [(unpacked / name, data / name) for name in data_folders() if (unpacked / name).exists()]
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
