"""All tables on disk: nothing acknowledged is lost, whatever moment the process ends at."""

from __future__ import annotations

import errno
import os
import time
from itertools import accumulate
from pathlib import Path

import pytest

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import lock_folder
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.table import Event, SteppedTo, Table

SEATS = (Seat("person", "Ann"), Seat("agent", "Level 1", "level1"))


def setup(game: str = "dots") -> Setup:
    return Setup("", registry.game(game), SEATS, 1.0, 5)


def move(tables: TableFiles, table: Table, *moves: str) -> None:
    for text in moves:
        event = table.move(text, table.ply)
        tables.save(table, event)
        table.commit(event)


def go(tables: TableFiles, table: Table, ply: int) -> None:
    tables.save(table, SteppedTo(ply))
    table.commit(SteppedTo(ply))


def shape(table: Table) -> tuple[object, ...]:
    return table.setup, table.states, table.moves, table.times, table.ply, table.ended, table.seats


def test_a_restart_finds_everything_as_it_was(tmp_path: Path) -> None:
    tables = TableFiles(tmp_path / "new" / "folder")
    made = {}
    for game in ("dots", "uttt"):
        table = tables.create(Table(setup(game)))
        assert tables.find(table.setup.id) is table  # one object while it is in use
        move(tables, table, "40", "36", "0" if game == "uttt" else "1")
        go(tables, table, 1)
        made[table.setup.id] = table
    again = TableFiles(tmp_path / "new" / "folder")
    for name, table in made.items():
        found = again.find(name)
        assert found is not table
        assert (found.ply, found.redoable) == (1, 2)
        assert shape(found) == shape(table)


def test_a_table_may_begin_in_the_middle(tmp_path: Path) -> None:
    table, events = Table(setup()), list[Event]()
    for line in (3, 4):
        events.append(table.make_move(line, 0.0))
        table.commit(events[-1])
    assert TableFiles(tmp_path).create(table, events) is table
    assert TableFiles(tmp_path).find(table.setup.id).moves == [3, 4]


def test_ids_cannot_be_guessed_and_lead_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "secret.jsonl").write_text("{}\n")
    folder = tmp_path / "tables"
    tables = TableFiles(folder)
    ids = {tables.create(Table(setup())).setup.id for _ in range(50)}
    assert len(ids) == 50
    assert min(map(len, ids)) >= 16  # 12 random bytes
    for name in ("", ".", "..", "../secret", "..%2fsecret", "a" * 5000, "\0", next(iter(ids))[:-1], "lock"):
        with pytest.raises(BadOption, match="Game not found"):
            tables.find(name)


def test_a_file_cut_off_anywhere_keeps_what_was_whole(tmp_path: Path) -> None:
    tables = TableFiles(tmp_path / "whole")
    table = tables.create(Table(setup()))
    path = tmp_path / "whole" / f"{table.setup.id}.jsonl"
    move(tables, table, "12", "30", "7")
    go(tables, table, 2)
    content = path.read_bytes()
    sizes = list(accumulate(map(len, content.splitlines(keepends=True))))
    for cut in range(sizes[0], len(content) + 1):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        (folder / path.name).write_bytes(content[:cut])
        found = TableFiles(folder).find(table.setup.id)
        # a line that lacks only its end is whole
        whole = max(i for i, size in enumerate(sizes) if size <= cut or size - 1 == cut)
        assert (len(found.moves), found.ply) == [(0, 0), (1, 1), (2, 2), (3, 3), (3, 2)][whole], cut
        later = TableFiles(folder)
        cut_table = later.find(table.setup.id)
        move(later, cut_table, "50")  # play goes on, on a line of its own
        assert shape(TableFiles(folder).find(table.setup.id)) == shape(cut_table)


def test_a_disk_that_is_full_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = TableFiles(tmp_path)
    table = tables.create(Table(setup()))
    move(tables, table, "3")
    path = tmp_path / f"{table.setup.id}.jsonl"
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(BadText, match=r"cannot be saved: No space left on device. Nothing was changed"):
            tables.save(table, table.move("4", 1))
        with pytest.raises(BadText, match="cannot be saved"):
            tables.create(Table(setup()))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    move(tables, table, "5")
    assert TableFiles(tmp_path).find(table.setup.id).moves == [3, 5]


def test_a_game_whose_rules_fail_is_left_out_of_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = TableFiles(tmp_path)
    good, bad = (tables.create(Table(setup(game))).setup.id for game in ("dots", "uttt"))

    def start(self: object, seed: int = 0) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(registry.game_class("uttt"), "start", start)
    again = TableFiles(tmp_path)
    assert [each.id for each in again.newest()] == [good]
    with pytest.raises(KeyError):
        again.find(bad)


def test_the_list_is_newest_first_and_follows_changes(tmp_path: Path) -> None:
    tables = TableFiles(tmp_path)
    first, second = (tables.create(Table(setup())) for _ in range(2))
    for age, table in ((100, first), (50, second)):
        os.utime(tmp_path / f"{table.setup.id}.jsonl", (time.time() - age,) * 2)
    assert [each.id for each in tables.newest()] == [second.setup.id, first.setup.id]
    move(tables, first, "3")
    first_now = tables.newest()[0]
    assert (first_now.id, first_now.moves, first_now.result) == (first.setup.id, 1, "*")
    tables.save(first, first.resign(0))
    first.commit(first.resign(0))
    told = tables.newest()[0]
    assert (told.result, told.reason, told.names) == ("0-1", "Ann resigned", ("Ann", "Level 1"))
    assert tables.newest() == TableFiles(tmp_path).newest()


def test_a_file_that_makes_no_sense_is_passed_over(tmp_path: Path) -> None:
    tables = TableFiles(tmp_path)
    table = tables.create(Table(setup()))
    good, line = (tmp_path / f"{table.setup.id}.jsonl").read_bytes(), b'{"do":"move","move":"0","seconds":0}\n'
    broken = {"broken": b"\xff\xfe\x00", "empty": b"", "cut": good[:40], "twice": good + line + line}
    for name, content in broken.items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    later = TableFiles(tmp_path)
    assert [each.id for each in later.newest()] == [table.setup.id]
    for name in broken:
        with pytest.raises(BadText):
            later.find(name)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadOption, match="Cannot store games"):
        TableFiles(tmp_path / "file" / "tables")


def test_one_server_a_folder(tmp_path: Path) -> None:
    second = lock_folder(tmp_path, "http://127.0.0.1:8001/")
    told = pytest.raises(BadOption, match=r"open http://127\.0\.0\.1:8000/, or name another folder")
    with lock_folder(tmp_path, "http://127.0.0.1:8000/"), told, second:
        pass
    with lock_folder(tmp_path, "http://127.0.0.1:8001/"):
        assert (tmp_path / "address").read_text() == "http://127.0.0.1:8001/\n"
