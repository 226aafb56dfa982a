"""Reading records from folders, files and archives, piece by piece.

The type of a file is decided by its first bytes, not by its name. Nothing is ever
unpacked to disk, or into memory as a whole. Archives within archives are refused,
and so are archives that unpack to far more than their size. All this module knows
about SGF is how a line that opens a game begins.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

from kibitz.core.errors import KibitzError
from kibitz.core.untrusted import printable
from kibitz.games.go.sgf.reader import BOUNDARY
from kibitz.games.go.sgf.servers import FORMAT_SUFFIXES

RECORD_SUFFIXES = (".sgf", ".mgt", ".sgf.txt", *FORMAT_SUFFIXES)
"""Name endings of the records to read from a folder; archives are recognised by their first bytes instead."""
_MAGIC = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
_OTHER_ARCHIVES = {b"Rar!": "rar", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
_OPENERS: Mapping[str, Callable[[IO[bytes]], IO[bytes]]] = {
    "gz": lambda file: cast(IO[bytes], gzip.GzipFile(fileobj=file)),
    "xz": lzma.open,
    "bz2": bz2.open,
}
_BOUNDARY = re.compile(BOUNDARY.encode())
_ARCHIVE_ERRORS = (
    OSError, EOFError, MemoryError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile,
    NotImplementedError, ValueError, LookupError, OverflowError, struct.error,
)  # fmt: skip
"""Errors raised when an archive cannot be read; only damaged archives raise the last four."""


class Piece(NamedTuple):
    """The bytes of a file, or of a part of a large one."""

    name: str  # the path; for a file in an archive, followed by a colon and the name of the member
    data: bytes
    part: int = 0  # the index of the part within its file, from 0


class Skipped(NamedTuple):
    """A file that was not read, or only in part."""

    name: str
    reason: str


@dataclass(frozen=True)
class ReadLimits:
    """Limits on what is read from one file."""

    piece: int = 32 << 20  # bytes per piece; a larger file is split where a line opens a game
    members: int = 1_000_000  # maximum number of files in one archive
    ratio: int = 200  # maximum bytes unpacked per packed byte, beyond the first piece
    total: int = 64 << 30  # maximum bytes unpacked from one archive


class _UnpacksTooMuch(KibitzError):
    """Raised when an archive unpacks to more bytes than allowed."""


def pieces(paths: Iterable[Path | str], limits: ReadLimits = ReadLimits()) -> Iterator[Piece | Skipped]:
    """Yield the contents of files and folders in pieces, folders in name order, and a Skipped for each file skipped."""
    for path in paths:
        path = Path(path)
        if path.is_dir():
            yield from _read_folder(path, limits)
        else:
            yield from _read_file(path, limits)


def _read_folder(path: Path, limits: ReadLimits) -> Iterator[Piece | Skipped]:
    """Read a folder and its subfolders; links to folders are not followed."""
    refused: list[OSError] = []
    for folder, inner, names in os.walk(path, onerror=refused.append):
        inner.sort()
        for name in sorted(names):
            yield from _read_file(Path(folder) / name, limits, by_name=True)
    for error in refused:
        yield Skipped(str(error.filename), f"cannot be opened: {error.strerror}")


def _read_file(path: Path, limits: ReadLimits, by_name: bool = False) -> Iterator[Piece | Skipped]:
    """Read one file; with by_name, only if it is an archive or its name ends like that of a record."""
    name = printable(str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            yield Skipped(name, "is not a file")
            return
        with open(path, "rb") as file:
            start = file.read(8)
            file.seek(0)
            kind = _archive_kind(start)
            if by_name and not kind and not path.name.lower().endswith(RECORD_SUFFIXES):
                yield Skipped(name, f"is neither an archive nor a record (named {', '.join(RECORD_SUFFIXES)})")
                return
            yield from _read_open_file(file, name, kind, path.stat().st_size, limits)
    except (_UnpacksTooMuch, *_ARCHIVE_ERRORS) as error:
        yield Skipped(name, _skip_reason(error))


def _read_open_file(file: IO[bytes], name: str, kind: str, size: int, limits: ReadLimits) -> Iterator[Piece | Skipped]:
    """Read an open file; kind is its archive type, or empty."""
    if kind in _OTHER_ARCHIVES.values():
        yield Skipped(name, f"is a {kind} archive, which kibitz cannot open; unpack it first")
    elif kind == "zip":
        yield from _read_zip(file, name, size, limits)
    else:
        stream = _Stream(_OPENERS[kind](file), _Budget(size, limits)) if kind else _Stream(file)
        yield from (_read_tar if stream.kind == "tar" else _split)(stream, name, limits)


def _read_zip(file: IO[bytes], name: str, size: int, limits: ReadLimits) -> Iterator[Piece | Skipped]:
    """Read the members of a zip archive in the order of the archive."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > limits.members:
            yield Skipped(name, f"has {len(members)} files, but at most {limits.members} are read")
            return
        budget = _Budget(size, limits)
        for member in members:
            if member.filename.endswith("/"):  # a folder
                continue
            inner = f"{name}:{printable(member.filename)}"
            try:
                with archive.open(member) as stream:
                    yield from _split(_Stream(stream, budget), inner, limits)
            except (_UnpacksTooMuch, *_ARCHIVE_ERRORS, RuntimeError) as error:  # RuntimeError: the member is encrypted
                yield Skipped(inner, _skip_reason(error))
                if isinstance(error, _UnpacksTooMuch):
                    return


def _read_tar(stream: _Stream, name: str, limits: ReadLimits) -> Iterator[Piece | Skipped]:
    """Read the members of a tar archive in the order of the stream."""
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as archive:
        for number, member in enumerate(archive):
            inner = f"{name}:{printable(member.name)}"
            if number >= limits.members:
                yield Skipped(name, f"has more than {limits.members} files; the rest is not read")
                return
            archive.members = []  # type: ignore[attr-defined]  # otherwise tarfile would keep every member in memory
            if member.isdir():
                continue
            file = archive.extractfile(member) if member.isreg() else None
            if file is None:
                yield Skipped(inner, "is not a file")
                continue
            yield from _split(_Stream(file), inner, limits)


def _split(stream: _Stream, name: str, limits: ReadLimits) -> Iterator[Piece | Skipped]:
    """Split a stream into pieces, each beginning where a line opens a game; refuse an archive within an archive."""
    if stream.kind:
        yield Skipped(name, "is an archive within an archive; unpack it first")
        return
    pending, part = b"", 0
    while True:
        data = stream.read(limits.piece)
        pending += data
        if len(data) < limits.piece:
            break
        ends = [found.start() for found in _BOUNDARY.finditer(pending)]
        if ends and ends[-1]:
            yield Piece(name, pending[: ends[-1]], part)
            pending, part = pending[ends[-1] :], part + 1
        elif len(pending) >= 2 * limits.piece:
            yield Skipped(name, f"has no line that opens a game in {len(pending) >> 20} MB; the rest is skipped")
            return
    if pending or not part:
        yield Piece(name, pending, part)


def _archive_kind(start: bytes) -> str:
    """Return the type of archive that begins with these bytes, or an empty string if it is none."""
    for magic, kind in (*_MAGIC.items(), *_OTHER_ARCHIVES.items()):
        if start.startswith(magic):
            return kind
    return ""


_REASONS = {
    MemoryError: "there is not enough memory",
    NotImplementedError: "its compression method is not supported",
    RuntimeError: "it needs a password",
}


def _skip_reason(error: BaseException) -> str:
    """Return the reason why a file was not read, or only in part."""
    if isinstance(error, _UnpacksTooMuch):
        return str(error)
    reason = next((words for kind, words in _REASONS.items() if isinstance(error, kind)), "it is damaged")
    return f"cannot be read: {getattr(error, 'strerror', None) or reason}"


class _Budget:
    """Limits the number of bytes unpacked from an archive."""

    def __init__(self, size: int, limits: ReadLimits) -> None:
        self.limit = min(limits.total, limits.piece + limits.ratio * size)
        self.unpacked = 0

    def spend(self, n: int) -> None:
        """Count n unpacked bytes. Raise _UnpacksTooMuch if the limit is exceeded."""
        self.unpacked += n
        if self.unpacked > self.limit:
            megabytes = self.limit >> 20
            raise _UnpacksTooMuch(f"unpacks to more than {megabytes} MB, far more than its size; the rest is skipped")


class _Stream:
    """A stream whose first bytes can be examined. Every read except the last is full; the budget counts the bytes."""

    def __init__(self, raw: IO[bytes], budget: _Budget | None = None) -> None:
        self._raw, self._budget = raw, budget
        self.start = self._ahead = self._fill(512)

    def _fill(self, n: int) -> bytes:
        parts, missing = [], n
        while missing and (data := self._raw.read(min(missing, 1 << 20))):
            if self._budget is not None:
                self._budget.spend(len(data))
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)

    def read(self, n: int) -> bytes:
        first, self._ahead = self._ahead[:n], self._ahead[n:]
        return first + self._fill(n - len(first))

    @property
    def kind(self) -> str:
        """The archive type of the stream, or an empty string."""
        return "tar" if self.start[257:262] == b"ustar" else _archive_kind(self.start)
