"""Where records come from: folders, files, and archives of them, read piece by piece.

What a file is, its first bytes tell and not its name. Nothing is ever unpacked
to disk or whole into memory, an archive within an archive is refused, and so is
one that unpacks to far more than it could hold. Knows nothing of SGF but how a
line begins that opens a game.
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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from kibitz.core.errors import KibitzError
from kibitz.games.go.sgf.reader import BOUNDARY

RECORD_NAMES = (".sgf", ".mgt", ".sgf.txt")
"""How the files of records in a folder end; those of archives are told by their first bytes."""
_MAGIC = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"BZh": "bz2"}
_OTHER_ARCHIVES = {b"Rar!": "rar", b"7z\xbc\xaf": "7z", b"\x28\xb5\x2f\xfd": "zstd"}
_BOUNDARY = re.compile(BOUNDARY.encode())
_BROKEN = (
    OSError, EOFError, MemoryError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile,
    NotImplementedError, ValueError, LookupError, OverflowError, struct.error,
)  # fmt: skip
"""What the modules for archives raise when one cannot be read; the last four too, where one is damaged."""


class Piece(NamedTuple):
    """The bytes of a file, or of a part of a large one."""

    name: str
    """The path, and behind a colon the name in an archive."""
    data: bytes
    part: int = 0
    """Which part of the file, from 0."""


class Skipped(NamedTuple):
    """A file that is not read, or not to its end."""

    name: str
    reason: str


@dataclass(frozen=True)
class Limits:
    """How much is read."""

    piece: int = 32 << 20
    """Bytes of a piece; a larger file is cut where a line opens a game."""
    members: int = 1_000_000
    """Files in one archive."""
    ratio: int = 200
    """How many bytes may come out of a packed one, beyond the first piece."""
    total: int = 64 << 30
    """Bytes that may come out of one archive."""


class _TooMuch(KibitzError):
    """Report an archive that unpacks to too much."""


def pieces(paths: Iterable[Path | str], limits: Limits = Limits()) -> Iterator[Piece | Skipped]:
    """Yield what can be read of files and folders, in the order of their names, and what cannot, with the reason."""
    for path in paths:
        path = Path(path)
        if path.is_dir():
            yield from _folder(path, limits)
        else:
            yield from _file(path, limits)


def _folder(path: Path, limits: Limits) -> Iterator[Piece | Skipped]:
    """Go through a folder and the folders in it; links to folders are not followed."""
    refused: list[OSError] = []
    for folder, inner, names in os.walk(path, onerror=refused.append):
        inner.sort()
        for name in sorted(names):
            yield from _file(Path(folder) / name, limits, by_name=True)
    for error in refused:
        yield Skipped(str(error.filename), f"cannot be opened: {error.strerror}")


def _file(path: Path, limits: Limits, by_name: bool = False) -> Iterator[Piece | Skipped]:
    """Read one file; with by_name only if it is an archive, or named as a record."""
    name = _shown(str(path))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            yield Skipped(name, "is not a file")
            return
        with open(path, "rb") as file:
            start = file.read(8)
            file.seek(0)
            kind = _kind(start)
            if by_name and not kind and not path.name.lower().endswith(RECORD_NAMES):
                yield Skipped(name, f"is neither an archive nor named as a record ({', '.join(RECORD_NAMES)})")
                return
            yield from _open(file, name, kind, path.stat().st_size, limits)
    except _TooMuch as error:
        yield Skipped(name, str(error))
    except _BROKEN as error:
        yield Skipped(name, f"cannot be read: {_why(error)}")


def _open(file: BinaryIO, name: str, kind: str, size: int, limits: Limits) -> Iterator[Piece | Skipped]:
    """Read a file of a known kind."""
    if kind in _OTHER_ARCHIVES.values():
        yield Skipped(name, f"is a {kind} archive, which cannot be opened; unpack it first")
    elif kind == "zip":
        yield from _zip(file, name, size, limits)
    else:
        unpacked: BinaryIO = file
        if kind:
            unpacked = cast(BinaryIO, _Counted(_unpacked(file, kind), size, limits))
        stream = _Peeked(unpacked)
        if stream.start[257:262] == b"ustar":
            yield from _tar(stream, name, limits)
        elif kind and _kind(stream.start):
            yield Skipped(name, "is an archive within an archive; unpack it first")
        else:
            yield from _cut(stream, name, limits)


def _unpacked(file: BinaryIO, kind: str) -> BinaryIO:
    """Return the stream that comes out of a packed file."""
    if kind == "gz":
        return cast(BinaryIO, gzip.open(file))
    return cast(BinaryIO, lzma.open(file) if kind == "xz" else bz2.open(file))


def _zip(file: BinaryIO, name: str, size: int, limits: Limits) -> Iterator[Piece | Skipped]:
    """Read the members of a zip archive in its order."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if len(members) > limits.members:
            yield Skipped(name, f"has {len(members)} files, but at most {limits.members} are read")
            return
        budget = _Budget(size, limits)
        for member in members:
            if member.filename.endswith("/"):  # a folder
                continue
            inner = f"{name}:{_shown(member.filename)}"
            try:
                with archive.open(member) as stream:
                    counted = _Counted(cast(BinaryIO, stream), size, limits, budget)
                    yield from _member(_Peeked(cast(BinaryIO, counted)), inner, limits)
            except _TooMuch as error:
                yield Skipped(inner, str(error))
                return
            except (*_BROKEN, RuntimeError) as error:  # RuntimeError: it needs a password
                yield Skipped(inner, f"cannot be read: {_why(error)}")


def _tar(stream: _Peeked, name: str, limits: Limits) -> Iterator[Piece | Skipped]:
    """Read the members of a tar archive as they come."""
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r|") as archive:
        for number, member in enumerate(archive):
            inner = f"{name}:{_shown(member.name)}"
            if number >= limits.members:
                yield Skipped(name, f"has more than {limits.members} files; the rest is not read")
                return
            archive.members = []  # type: ignore[attr-defined]  # or it would keep them all
            if member.isdir():
                continue
            file = archive.extractfile(member) if member.isreg() else None
            if file is None:
                yield Skipped(inner, "is not a file")
                continue
            yield from _member(_Peeked(cast(BinaryIO, file)), inner, limits)


def _member(stream: _Peeked, name: str, limits: Limits) -> Iterator[Piece | Skipped]:
    """Read one file of an archive."""
    if _kind(stream.start) or stream.start[257:262] == b"ustar":
        yield Skipped(name, "is an archive within an archive; unpack it first")
    else:
        yield from _cut(stream, name, limits)


def _cut(stream: _Peeked, name: str, limits: Limits) -> Iterator[Piece | Skipped]:
    """Read a stream to its end, in pieces that begin where a line opens a game."""
    held, part = b"", 0
    while True:
        data = stream.read(limits.piece)
        held += data
        if len(data) < limits.piece:
            break
        ends = [found.start() for found in _BOUNDARY.finditer(held)]
        if ends and ends[-1]:
            yield Piece(name, held[: ends[-1]], part)
            held, part = held[ends[-1] :], part + 1
        elif len(held) >= 2 * limits.piece:
            yield Skipped(name, f"has no line that opens a game in {len(held) >> 20} MB, so it is not read on")
            return
    if held or not part:
        yield Piece(name, held, part)


def _kind(start: bytes) -> str:
    """Return what kind of archive begins with these bytes, or nothing."""
    for magic, kind in (*_MAGIC.items(), *_OTHER_ARCHIVES.items()):
        if start.startswith(magic):
            return kind
    return ""


def _why(error: BaseException) -> str:
    """Return the reason of a failure as part of a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, NotImplementedError):
        return "it is packed in a way that is not known here"
    return "it needs a password" if isinstance(error, RuntimeError) else "it is damaged"


def _shown(name: str) -> str:
    """Return a name without what would spoil a terminal."""
    return "".join(char if char.isprintable() else "?" for char in name)


class _Budget:
    """How much may still come out of an archive."""

    def __init__(self, size: int, limits: Limits) -> None:
        self.most = min(limits.total, limits.piece + limits.ratio * size)
        self.out = 0

    def spend(self, n: int) -> None:
        """Count bytes that came out."""
        self.out += n
        if self.out > self.most:
            raise _TooMuch(f"unpacks to more than {self.most >> 20} MB, far more than its size; it is not read on")


class _Counted:
    """A stream that stops an archive from unpacking to too much."""

    def __init__(self, stream: BinaryIO, size: int, limits: Limits, budget: _Budget | None = None) -> None:
        self.stream, self.budget = stream, budget or _Budget(size, limits)

    def read(self, n: int = -1) -> bytes:
        data = self.stream.read(n)
        self.budget.spend(len(data))
        return data


class _Peeked:
    """A stream whose first bytes are known. It fills every read but the last."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.start = self._fill(512)
        self._held = self.start

    def _fill(self, n: int) -> bytes:
        parts, left = [], n
        while left and (data := self.stream.read(min(left, 1 << 20))):
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def read(self, n: int) -> bytes:
        first, self._held = self._held[:n], self._held[n:]
        return first + self._fill(n - len(first))
