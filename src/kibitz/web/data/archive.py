"""The format of backups, and reading one without trusting it.

It is a tar archive, packed with gzip, of plain files that lie as in a data folder:

    tables/ID.jsonl  arena/TOURNAMENT/FILE  games/FILE  and the folders that games add

The last one, manifest.json, has the size and the SHA-256 of every other. Nothing else
is allowed: no links, no folders, no names that lead elsewhere, no extensions of the
format. Files are read in pieces, so that large ones need no memory.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.web.extend import DATA_FOLDERS, DataFolder

FORMAT, VERSION = "kibitz backup", 1
MANIFEST = "manifest.json"
BLOCK_BYTES = tarfile.BLOCKSIZE
CHUNK_BYTES = 1 << 20
MAX_FILES = 1_000_000
MAX_MANIFEST_BYTES = 1 << 28
MAX_EXPANSION, MIN_EXPANSION_BYTES = 250, 100 << 20
"""Refuse an archive that unpacks to more than this many times its size plus these bytes: a zip bomb."""
MAX_MTIME = 1 << 40
"""Latest modification time accepted, in seconds since 1970."""
ProgressCallback = Callable[[int, int], None]
"""Called with the bytes done and the bytes in total."""
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
    """When, in ISO 8601."""
    kibitz: str
    files: dict[str, tuple[int, str]]
    """Name -> size and digest."""

    def text(self) -> str:
        """Return the text of manifest.json."""
        kept = {"format": FORMAT, "version": VERSION, "made": self.made, "kibitz": self.kibitz, "files": self.files}
        return json.dumps(kept, indent=0) + "\n"

    def summary(self) -> str:
        """Return the contents in words."""
        folders = data_folders()
        items = {folder.plural: set[str]() for folder in folders.values()}
        for name in self.files:
            folder = folders[name.split("/")[0]]
            items[folder.plural].add(name.rpartition("/")[0] if folder.mark else name)
        size = sum(size for size, _ in self.files.values()) / 1e6
        return ", ".join([*(f"{plural} {len(found)}" for plural, found in items.items()), f"{size:,.1f} MB"])


class BadBackup(ValueError):
    """Report why a backup is not valid, in words that follow a colon."""


def check_name(name: str) -> None:
    """Raise BadBackup unless a name is valid for a file in a data folder."""
    parts = name.split("/")
    folder = data_folders().get(parts[0])
    if folder is None or len(parts) != folder.depth:
        raise BadBackup(f"{name[:80]!r} has no place in a data folder")
    for part in parts:
        if part in ("", ".", "..") or "\\" in part or ":" in part or not part.isprintable():
            raise BadBackup(f"{name[:80]!r} is not a name that is used here")


def read(path: Path, into: Path | None = None, tell: ProgressCallback = lambda done, total: None) -> BackupManifest:
    """Read and check a whole backup, and unpack it if a folder is given.

    Raise BadText if it is damaged, or BadOption if a file cannot be read or written.
    """
    try:
        with path.open("rb") as raw:
            size = os.fstat(raw.fileno()).st_size
            with gzip.GzipFile(fileobj=raw) as stream:
                return _Reader(
                    stream, size * MAX_EXPANSION + MIN_EXPANSION_BYTES, into, lambda: tell(raw.tell(), size)
                ).read()
    except BadBackup as error:
        raise BadText(f"{path} is not a complete backup: {error}.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError, ValueError, OverflowError):
        raise BadText(f"{path} is not a complete backup: it is damaged, cut off or another kind of file.") from None
    except OSError as error:
        raise BadOption(f"{error.filename or path}: {error.strerror}.") from None


class _Reader:
    """A reader of one backup. Its methods raise BadBackup, and the errors of its stream."""

    def __init__(self, stream: gzip.GzipFile, most: int, into: Path | None, tell: Callable[[], None]) -> None:
        self.stream, self.left, self.into, self.tell = stream, most, into, tell
        self.found: dict[str, tuple[int, str]] = {}

    def read(self) -> BackupManifest:
        """Return the manifest, once every file was found to match it."""
        while (info := self._header()) is not None:
            if info.name == MANIFEST:
                return self._end(self._manifest(info.size))
            check_name(info.name)
            if info.name in self.found or len(self.found) >= MAX_FILES:
                raise BadBackup(f"{info.name!r} is there twice, or there are more than {MAX_FILES} files")
            self.found[info.name] = (info.size, self._keep(info))
        raise BadBackup(f"it has no {MANIFEST}")

    def _take(self, size: int) -> bytes:
        """Return the next bytes."""
        self.left -= size
        if self.left < 0:
            raise BadBackup("it unpacks to far more than its size")
        data = self.stream.read(size)
        if len(data) < size:
            raise BadBackup("it is cut off")
        return data

    def _header(self) -> tarfile.TarInfo | None:
        """Return the next header; None at the end."""
        block = self._take(BLOCK_BYTES)
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
            yield self._take(min(CHUNK_BYTES, size - start))
            self.tell()
        self._take(-size % BLOCK_BYTES)

    def _keep(self, info: tarfile.TarInfo) -> str:
        """Unpack a file and return its digest."""
        digest = hashlib.sha256()
        path = None if self.into is None else self.into / info.name
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        with nullcontext() if path is None else path.open("xb") as file:
            for chunk in self._chunks(info.size):
                digest.update(chunk)
                if file is not None:
                    file.write(chunk)
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
        if path is not None:
            os.utime(path, (info.mtime, info.mtime))
        return digest.hexdigest()

    def _manifest(self, size: int) -> BackupManifest:
        """Read the manifest and compare it with the files."""
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

    def _end(self, manifest: BackupManifest) -> BackupManifest:
        """Check that nothing but the end follows, and that the compressed stream is complete."""
        rest = self.stream.read(2 * tarfile.RECORDSIZE)
        if len(rest) < 2 * BLOCK_BYTES or any(rest) or self.stream.read(1):
            raise BadBackup(f"its end is missing, or something comes after {MANIFEST}")
        return manifest
