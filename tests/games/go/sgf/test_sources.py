"""Folders, files and archives of records; archives within archives, bombs, junk and giants."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kibitz.games.go.sgf.sources import Piece, ReadLimits, Skipped, pieces

GAME = b"(;GM[1]SZ[9];B[aa])\n"
SMALL = ReadLimits(piece=4096, ratio=10, members=5)


def tar_of(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.sgf")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return buffer.getvalue()


def zip_of(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


FILES = {"one.sgf": GAME, "sub/two.sgf": GAME * 2}


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress, bytes], ids=["gz", "xz", "bz2", "plain"])
def test_packed_files_and_tars(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.dat"
    path.write_bytes(pack(GAME))
    assert list(pieces([path])) == [Piece(str(path), GAME)]
    path.write_bytes(pack(tar_of(FILES)))
    assert list(pieces([path])) == [
        *(Piece(f"{path}:{name}", data) for name, data in FILES.items()),
        Skipped(f"{path}:link.sgf", "is not a file"),
    ]


def test_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zip_of({**FILES, "folder/": b""}))
    assert list(pieces([str(path)])) == [Piece(f"{path}:{name}", data) for name, data in FILES.items()]


def test_folders_are_gone_through_in_order(tmp_path: Path) -> None:
    for name in ("b/z.sgf", "b/a.SGF", "a.sgf", "notes.doc", "c.zip"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(GAME)
    (tmp_path / "c.zip").write_bytes(zip_of(FILES))
    os.symlink(tmp_path, tmp_path / "b" / "loop")
    os.mkfifo(tmp_path / "pipe.sgf")
    found = list(pieces([tmp_path]))
    read = [piece.name.removeprefix(f"{tmp_path}/") for piece in found if isinstance(piece, Piece)]
    assert read == ["a.sgf", "c.zip:one.sgf", "c.zip:sub/two.sgf", "b/a.SGF", "b/z.sgf"]
    skipped = {piece.name.removeprefix(f"{tmp_path}/"): piece.reason for piece in found if isinstance(piece, Skipped)}
    assert skipped["pipe.sgf"] == "is not a file"
    assert "nor a record" in skipped["notes.doc"]


INNER = {"zip": zip_of(FILES), "gz": gzip.compress(GAME), "xz": lzma.compress(GAME), "tar": tar_of(FILES)}


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_archives_within_archives_are_refused(tmp_path: Path, inner: bytes) -> None:
    for outer in (zip_of({"in.sgf": inner, "b.sgf": GAME}), gzip.compress(tar_of({"in.sgf": inner, "b.sgf": GAME}))):
        path = tmp_path / "outer"
        path.write_bytes(outer)
        first, second, *_ = pieces([path])
        assert first == Skipped(f"{path}:in.sgf", "is an archive within an archive; unpack it first")
        assert second == Piece(f"{path}:b.sgf", GAME)
    path.write_bytes(gzip.compress(zip_of(FILES)))
    assert list(pieces([path])) == [Skipped(str(path), "is an archive within an archive; unpack it first")]


def test_bombs_are_stopped_in_time(tmp_path: Path) -> None:
    much = GAME * 100_000
    bombs = [gzip.compress(much), lzma.compress(much), zip_of({"a.sgf": much}), lzma.compress(tar_of({"a": much}))]
    for number, data in enumerate(bombs):
        path = tmp_path / f"bomb{number}"
        path.write_bytes(data)
        *read, last = pieces([path], SMALL)
        assert isinstance(last, Skipped)
        assert "far more than its size" in last.reason
        assert sum(len(piece.data) for piece in read if isinstance(piece, Piece)) <= 4096 + 11 * len(data)


def test_large_files_come_in_pieces_that_begin_with_a_game(tmp_path: Path) -> None:
    path = tmp_path / "many.sgf"
    path.write_bytes(GAME * 1000)
    found = [piece for piece in pieces([path], SMALL) if isinstance(piece, Piece)]
    assert [piece.part for piece in found] == list(range(len(found)))
    assert len(found) > 3
    assert b"".join(piece.data for piece in found) == GAME * 1000
    assert all(piece.data.strip().startswith(b"(;GM") for piece in found)
    path.write_bytes(b"x" * 50_000)
    (refused,) = pieces([path], SMALL)
    assert isinstance(refused, Skipped)
    assert "no line that opens a game" in refused.reason


def test_a_giant_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "giant.sgf"
    with open(path, "wb") as file:
        file.truncate(4 << 30)
    tracemalloc.start()
    (refused,) = pieces([path], ReadLimits(piece=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(refused, Skipped)
    assert "has no line that opens a game in 2 MB" in refused.reason
    assert peak < 8 << 20


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("cut.gz", gzip.compress(GAME * 99)[:-10], "cannot be read"),
        ("cut.xz", lzma.compress(GAME * 99)[:-20], "cannot be read"),
        ("cut.zip", zip_of(FILES)[:60], "cannot be read"),
        ("bad.zip", bytes(byte ^ (at == 40) for at, byte in enumerate(zip_of(FILES))), "cannot be read: it is damaged"),
        ("a.rar", b"Rar!\x1a\x07\x00", "is a rar archive"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c", "is a 7z archive"),
        ("many.tar", tar_of({f"{i}.sgf": GAME for i in range(9)}), "has more than 5 files"),
        ("many.zip", zip_of({f"{i}.sgf": GAME for i in range(9)}), "has 9 files"),
    ],
    ids=["cut.gz", "cut.xz", "cut.zip", "bad.zip", "rar", "7z", "many.tar", "many.zip"],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    skipped = [piece for piece in pieces([path], SMALL) if isinstance(piece, Skipped)]
    assert any(reason in piece.reason for piece in skipped), skipped


@pytest.mark.parametrize(
    ("old", "new"), [(b"\xc3\xa9", b"\xff\xff"), (b"\x05\x00", b"\x00\x00")], ids=["name", "length"]
)
def test_a_damaged_archive_is_told(tmp_path: Path, old: bytes, new: bytes) -> None:
    """The name of a member in the directory of a zip is no text, or has no letters."""
    data = zip_of({"\xe9.sgf" if old[0] == 0xC3 else "a.sgf": GAME})
    at = data.rindex(old, data.rindex(b"PK\x01\x02"))
    (tmp_path / "a.zip").write_bytes(data[:at] + new + data[at + 2 :])
    (found,) = pieces([tmp_path / "a.zip"])
    assert isinstance(found, Skipped)
    assert found.reason == "cannot be read: it is damaged"


def test_a_missing_file_and_a_spoilt_name(tmp_path: Path) -> None:
    (missing,) = pieces([tmp_path / "no\nthing"])
    assert isinstance(missing, Skipped)
    assert "\n" not in missing.name
    assert missing.reason == "cannot be read: No such file or directory"
