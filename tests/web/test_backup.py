"""Backups are made while everything goes on, restored whole or not at all, and never trusted."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import kibitz
from clocks import PATIENCE
from games.go.go_games import random_game, record
from inside import run
from kibitz.arena import runner
from kibitz.arena import store as arena_store
from kibitz.arena.tournament import Tournament
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import GameStore, StoreWriter
from kibitz.web.backup import FORMAT, MANIFEST, VERSION, BackupManifest, back_up, find_sources, read, restore
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.table import Table
from web.server.test_serve import create, hear_table, open_table, serving
from web.talking import ANN, TestClient, agent, hear

SMALL = Tournament("uttt", ("random", "reflex"), format="match", games=2, seed=1)


def quiet(done: int, total: int) -> None:
    assert 0 <= done <= total


def save(path: Path, data: Path) -> BackupManifest:
    return back_up(path, find_sources(data, [], [], []), quiet)


def new_table(data: Path) -> str:
    seats = (Seat("person", "Ann"), Seat("person", "Bob"))
    return TableFiles(data / "tables").create(Table(Setup("", kibitz.game("dots", rows=1, cols=2), seats))).setup.id


def add_games(folder: Path, seed: int, number: int = 3) -> None:
    stream = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder.parent / f"{seed}.sgf"
    file.write_text("\n".join(record(random_game(stream, 9, 20), 9) for _ in range(number)))
    import_records([file], folder)
    file.unlink()


def tournament(folder: Path) -> None:
    store = arena_store.TournamentFolder.create(folder, SMALL)
    with ThreadPoolExecutor(1) as executor:
        runner.run(store, executor, 1)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    kept = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: data for name, data in kept.items() if name.split("/")[-1] not in ("lock", "address")}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something of every kind."""
    folder = tmp_path_factory.mktemp("data")
    new_table(folder)
    tournament(folder / "arena" / "T1")
    add_games(folder / "go", 1)
    (folder / "before-now").mkdir()
    (folder / "before-now" / "x").write_text("is not backed up")
    return folder


@pytest.fixture(scope="module")
def good(data: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "good.tar.gz"
    save(path, data)
    return path.read_bytes()


def test_all_kinds_come_back(data: Path, tmp_path: Path) -> None:
    add_games(tmp_path / "pro", 2)
    tournament(tmp_path / "study")
    (tmp_path / "mine.jsonl").write_text("a line without an end")
    extra = [tmp_path / "pro", data / "go"], [tmp_path / "study"], [tmp_path / "mine.jsonl"]  # the second is known
    path, new = tmp_path / "all.tar.gz", tmp_path / "new" / "data"
    made = back_up(path, find_sources(data, *extra), quiet)
    assert made.summary().startswith("tables 1, tournaments 2, stores of Go 2, files of games 1, ")
    assert restore(path, new, False, quiet) == (made, None)
    expected = {name: kept for name, kept in contents(data).items() if not name.startswith("before")}
    expected |= {f"stores/pro/{name}": kept for name, kept in contents(tmp_path / "pro").items()}
    expected |= {f"arena/study/{name}": kept for name, kept in contents(tmp_path / "study").items()}
    assert contents(new) == {**expected, "games/mine.jsonl": b"a line without an end"}
    table = next((new / "tables").iterdir())
    assert int(table.stat().st_mtime) == int((data / "tables" / table.name).stat().st_mtime)
    assert path.stat().st_mode & 0o077 == 0
    assert save(tmp_path / "again.tar.gz", new).files == made.files
    assert sorted(each.name for each in tmp_path.glob("*.tar.gz*")) == ["again.tar.gz", "all.tar.gz"]


def test_the_commands_and_a_server_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def told(*words: str) -> str:
        ran = run(*words)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    with serving(tmp_path / "old") as (_, address):
        made = create(address, seats=[ANN, agent("level1")])
        with open_table(address, made) as socket:
            table = hear_table(socket)
            socket.send(json.dumps({"do": "move", "ply": 0, "move": table["legal"][0]}))
            while hear_table(socket)["ply"] < 2:
                pass
            saved = told("backup", "b.tar.gz", "--data", "old")
        before = (tmp_path / "old" / "tables" / f"{made}.jsonl").read_bytes()
        assert saved.startswith("b.tar.gz holds tables 1, tournaments 0, ")
        with pytest.raises(BadOption, match=f"Another kibitz serve keeps its games in .*: open {address}"):
            restore(tmp_path / "b.tar.gz", tmp_path / "old", True, quiet)
    assert told("restore", "b.tar.gz", "--data", "new").endswith("new is restored.\n")
    assert before.startswith((tmp_path / "new" / "tables" / f"{made}.jsonl").read_bytes())
    assert TableFiles(tmp_path / "new" / "tables").find(made).ply >= 2
    with pytest.raises(BadOption, match=r"b\.tar\.gz already exists"):
        save(tmp_path / "b.tar.gz", tmp_path / "new")


def test_what_is_there_is_kept_aside(good: bytes, tmp_path: Path) -> None:
    path, folder = tmp_path / "good.tar.gz", tmp_path / "data"
    path.write_bytes(good)
    mine = new_table(folder)
    add_games(folder / "go-own", 3, 1)
    before = contents(folder)
    with pytest.raises(BadOption, match=r"already contains tables, go-own. Use --force"):
        restore(path, folder, False, quiet)
    assert contents(folder) == before
    _, aside = restore(path, folder, True, quiet)
    assert aside is not None
    assert contents(aside) == before
    assert mine not in TableFiles(folder / "tables")._ids
    assert not (folder / "go-own").exists()
    assert len(GameStore(folder / "go")) == 3


def test_a_folder_in_use_is_left_alone(good: bytes, tmp_path: Path) -> None:
    path, folder = tmp_path / "good.tar.gz", tmp_path / "data"
    path.write_bytes(good)
    add_games(folder / "go", 4, 1)
    before = contents(folder)
    with StoreWriter(folder / "go"), pytest.raises(BadOption, match="is in use by another process"):
        restore(path, folder, True, quiet)
    (folder / "tables").write_text("not a folder, so nothing can be put in its place")
    with pytest.raises(BadOption, match="Nothing was changed"):
        restore(path, folder, True, quiet)
    (folder / "tables").unlink()
    assert contents(folder) == before
    assert not list(folder.glob(".restore-*"))


def refused(path: Path, written: bytes, folder: Path) -> str:
    """Return why a backup is refused, which leaves nothing behind."""
    path.write_bytes(written)
    with pytest.raises(BadText) as told:
        restore(path, folder, True, quiet)
    assert str(path) in str(told.value)
    assert contents(folder) == {}
    assert {each.name for each in folder.iterdir()} == {"lock", "address"}
    return str(told.value)


def test_damaged_backups_are_refused(good: bytes, tmp_path: Path) -> None:
    stream, path, plain = random.Random(1), tmp_path / "bad.tar.gz", gzip.decompress(good)
    end = len(plain.rstrip(b"\0"))
    cut = [good[:size] for size in (0, 1, 9, 18, len(good) - 1, len(good) - 9)]
    cut += [good[: stream.randrange(len(good))] for _ in range(20)]
    cut += [gzip.compress(plain[:size]) for size in (*range(0, 2048, 256), end, end + 512, stream.randrange(end))]
    more = [good + b"more", good + good, gzip.compress(plain + b"\0" * 512 + b"x"), b"(;GM[1])"]
    for written in cut + more:
        path.write_bytes(written)
        with pytest.raises(BadText, match=r"bad\.tar\.gz is not a complete backup: ."):
            read(path)
    refused(path, cut[-1], tmp_path / "data")


def test_no_bit_can_be_changed_unnoticed(good: bytes, tmp_path: Path) -> None:
    stream, path, noticed = random.Random(2), tmp_path / "bad.tar.gz", 0
    path.write_bytes(good)
    known = read(path).files
    for _ in range(40):
        at = stream.randrange(10, len(good))  # before that stand things like a time
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << stream.randrange(8)]) + good[at + 1 :])
        try:
            assert read(path).files == known  # a few bits fill up the last byte of what is packed
        except BadText:
            noticed += 1
    assert noticed >= 38


Member = tuple[str, bytes, dict[str, Any]]


def packed(members: list[Member], form: int = tarfile.USTAR_FORMAT, listed: bool = True, **about: Any) -> bytes:
    """Return a backup that someone made by hand; its manifest has what is in it."""
    files = {name: (len(data), sha256(data).hexdigest()) for name, data, _ in members} if listed else {}
    kept = {"format": FORMAT, "version": VERSION, "made": "now", "kibitz": "1", "files": files, **about}
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz", format=form) as archive:
        for name, data, more in [*members, (MANIFEST, json.dumps(kept).encode(), {})]:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in more.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(data))
    return written.getvalue()


LINE = b'{"a":1}\n'


@pytest.mark.parametrize(
    ("written", "told"),
    [
        *((packed([(name, LINE, {})]), "no place") for name in
          ("/etc/passwd", "tables/../../x.jsonl", "tables/a/b", "elsewhere/a", "lock")),
        *((packed([(name, LINE, {})]), "not a valid file name") for name in
          ("tables/..", "arena/../x", "tables/a\\b", "tables/C:x", "tables/a\x1bb", "tables/")),
        (packed([("tables/a", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"})]), "not a plain file"),
        (packed([("tables/a", b"", {"type": tarfile.LNKTYPE, "linkname": "tables/b"})]), "not a plain file"),
        (packed([("tables/a", b"", {"type": tarfile.FIFOTYPE})]), "not a plain file"),
        (packed([("tables", b"", {"type": tarfile.DIRTYPE})]), "not a plain file"),
        (packed([("tables/" + "a" * 200, LINE, {})], tarfile.PAX_FORMAT), "not a plain file"),
        (packed([("tables/" + "a" * 200, LINE, {})], tarfile.GNU_FORMAT), "not a plain file"),
        (packed([("tables/a", LINE, {}), ("tables/a", LINE, {})]), "twice"),
        (packed([("tables/a", LINE, {"mtime": 1 << 80})], tarfile.GNU_FORMAT), "has an invalid time"),
        (packed([("tables/a", LINE, {})], listed=False), "is not in its manifest.json"),
        (packed([], files={"tables/a": [8, "x"]}), "is missing"),
        (packed([("tables/a", LINE, {})], files={"tables/a": [8, "x"]}), "was changed after the backup was made"),
        (packed([], version=VERSION + 1), "it has format version 2"),
        (packed([], version="1"), "is damaged"),
        (packed([], files=[1]), "is damaged"),
        (packed([], format="other"), "is damaged"),
        (packed([(MANIFEST, b"[" * 100_000, {})]), "is damaged"),
        (packed([(MANIFEST, b"{}", {})]), "is damaged"),
    ],
)  # fmt: skip
def test_hostile_backups_are_refused(written: bytes, told: str, tmp_path: Path) -> None:
    assert told in refused(tmp_path / "bad.tar.gz", written, tmp_path / "data")
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize("blank", ["", " "])
def test_a_table_of_somebody_else_starts_no_program(tmp_path: Path, blank: str) -> None:
    tables, never = TableFiles(tmp_path / "tables"), tmp_path / "never"
    seats = (Seat("agent", "Bot", f"{blank}exec:touch {never}"), Seat("person", "Bob"))
    made = tables.create(Table(Setup("", kibitz.game("dots", rows=1, cols=2), seats))).setup.id
    with TestClient(make_app(tables)) as client, client.websocket_connect(f"/ws/tables/{made}") as socket:
        assert "needs an outside program or a file that is not offered" in hear(socket, "notice")["words"]
    assert not never.exists()


def test_what_would_fill_the_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.web.backup.MIN_EXPANSION_BYTES", 1 << 20)  # or this would take a second
    bomb = packed([("tables/a", bytes(8 << 20), {})])
    assert "far more than its size" in refused(tmp_path / "bad.tar.gz", bomb, tmp_path / "data")


def test_what_cannot_be_backed_up_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.gz"
    with pytest.raises(BadOption, match="Nothing to back up"):
        find_sources(tmp_path, [], [], [])
    here, no = [tmp_path], list[Path]()
    for extra, noun in {
        (0, 1, 1): "a store of Go",
        (1, 0, 1): "the folder of a tournament",
        (1, 1, 0): "a file",
    }.items():
        with pytest.raises(BadOption, match=f"is not {noun}"):
            find_sources(tmp_path, *(no if each else here for each in extra))
    new_table(tmp_path)
    (tmp_path / "tables" / ("x" * 180)).write_text("")
    with pytest.raises(BadOption, match="cannot be backed up"):
        save(path, tmp_path)
    (tmp_path / "tables" / ("x" * 180)).unlink()
    add_games(tmp_path / "go", 5, 1)
    (tmp_path / "go" / "changes.bin").write_bytes(b"")
    with pytest.raises(BadText, match=r"is damaged: changes\.bin is too short"):
        save(path, tmp_path)
    with pytest.raises(BadOption, match="cannot be written"):
        save(tmp_path / "none" / "b.tar.gz", tmp_path)
    with pytest.raises(KibitzError, match="none"):
        restore(tmp_path / "none", tmp_path / "data", False, quiet)
    assert not list(tmp_path.glob("*b.tar.gz*"))


def test_backups_under_writers_are_of_one_moment(tmp_path: Path) -> None:
    """One thread adds to a table and another to a store while backups are made: each has a beginning of both."""
    folder, stop, grown = tmp_path / "data", threading.Event(), threading.Event()
    table = TableFiles(folder / "tables")._path(new_table(folder))
    add_games(folder / "go", 0, 1)

    def write_lines() -> None:
        with table.open("ab", buffering=0) as file:
            while not stop.is_set():
                file.write(b'{"do":"name","seat":0,"name":"' + b"x" * 50)
                stop.wait(0.001)
                file.write(b'"}\n')

    def add() -> None:
        seed = 1
        while not stop.is_set():
            add_games(folder / "go", seed, 1)
            grown.set()
            seed += 1

    writers = [threading.Thread(target=work) for work in (write_lines, add)]
    for writer in writers:
        writer.start()
    try:
        for i in range(5):
            save(tmp_path / f"{i}.tar.gz", folder)
            grown.clear()
            assert grown.wait(PATIENCE)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    counts = []
    for i in range(5):
        restore(tmp_path / f"{i}.tar.gz", tmp_path / str(i), False, quiet)
        store = GameStore(tmp_path / str(i) / "go")
        counts.append(len(store))
        assert store.column("digests").tolist() == GameStore(folder / "go").column("digests").tolist()[: len(store)]
        assert [len(store.plays_of(game)) for game in range(len(store))]
        kept = (tmp_path / str(i) / "tables" / table.name).read_bytes()
        assert table.read_bytes().startswith(kept)
        assert TableFiles(tmp_path / str(i) / "tables").find(table.stem).ply == 0
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]


def test_reading_says_how_far_it_is(good: bytes, tmp_path: Path) -> None:
    path, told = tmp_path / "good.tar.gz", list[tuple[int, int]]()
    path.write_bytes(good)
    read(path, None, lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (len(good), len(good))
