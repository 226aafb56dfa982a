"""kibitz go: import, search, games, show and sql at the terminal."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from games.go.commands.running import refused, run, told
from kibitz.core.errors import BadOption, BadText

CROSSCUT = "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+R]DT[2001-05-06]KM[6.5]EV[2nd Cup];B[dd];W[ed];B[ee];W[de];B[df];W[ce])\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "a.sgf").write_text(CROSSCUT + "(;GM[1]SZ[9];B[aa];W[aa])\n")
    return tmp_path / "store"


def test_import_prints_what_it_did(store: Path, tmp_path: Path) -> None:
    done = told("import", tmp_path / "a.sgf", "--store", store)
    assert (done["imported"], done["duplicates"], done["skipped"], done["illegal"]) == (2, 0, 0, 1)
    assert "move 2 is illegal" in done["reports"][0]["reason"]
    again = run("import", tmp_path / "a.sgf", "--store", store)
    assert again.startswith("imported 0, duplicates 2, skipped 0")
    refused(BadOption, "no file or folder", "import", tmp_path / "nowhere", "--store", store)


def test_search_in_json_and_drawn(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    (tmp_path / "cut.json").write_text(json.dumps({"name": "cut", "anchor": "centre", "rows": ["XO.", "OX."]}))
    found = told("search --size 9 --pattern", tmp_path / "cut.json", "--store", store)
    assert (found["games"], found["hits"]) == (1, found["hits"])
    assert {"continuations", "seconds", "timeline"} <= set(found)
    assert found["occurrences"][0]["move"] == 4
    drawn = run("search XO OX --size 9 --since 2001 --moves 4- --store", store)
    assert [words in drawn for words in ("1 of 1 games", "2001", "Ann - Bob")] == [True] * 3
    assert drawn.index("players") < drawn.index("Ann - Bob") < drawn.index("1 of 1 games")  # the hits come first
    assert "Ann - Bob" not in run("search XO OX --size 9 --limit 0 --store", store)
    refused(BadOption, "rows of a pattern", "search --store", store)
    refused(BadOption, "like 10-50", "search X --moves ten --store", store)
    refused(BadText, "no store", "search X --store", tmp_path / "none")


def test_games_are_listed_and_shown(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    listed = told("games --size 9 --player bob --store", store)["games"]
    assert [(game["id"], game["event"], game["edition"]) for game in listed] == [(1, "Cup", 2)]
    assert "Ann" in run("games --size 9 --store", store)
    shown = run("show 1 --move 4 --store", store)
    assert "after move 4 of 6: White D5" in shown
    assert "komi 6.5" in shown
    refused(BadOption, "no game 7", "show 7 --store", store)


def test_sql_answers_and_refuses(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    assert told("sql", "SELECT count(*) AS n FROM moves", "--store", store)["rows"] == [{"n": 7}]
    assert "Ann" in run("sql", "SELECT name FROM players", "--store", store)
    refused(BadText, "Only one SELECT", "sql", "DROP TABLE games", "--store", store)
    refused(BadText, "The query failed", "sql", "\udcff", "--store", store)  # a byte that is no text
    assert told("games --event", "\udcff", "--store", store)["count"] == 0
    wide = run("sql", "SELECT * FROM games", "--store", store).splitlines()  # too wide for a table: each row by itself
    assert {"black: Ann", "size: 9"} <= set(wide)


BAD = {
    "junk.sgf": (b"(;" + bytes(range(256)) * 99, "it has no moves"),
    "noise.bin": (bytes(range(256)) * 99, "This is not SGF"),
    "bomb.gz": (gzip.compress(b" " * (40 << 20)), "far more than its size; the rest is skipped"),
    "odd.sgf": (b"(;GM[1]SZ[9];B[aa];W[bb];B[bb];W[cc])", "move 3 is illegal"),
}
"""File -> what is in it, and a part of what is said of it."""


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named_and_spoil_nothing(store: Path, tmp_path: Path, name: str) -> None:
    data, words = BAD[name]
    (tmp_path / name).write_bytes(data)
    done = run("import", tmp_path / name, tmp_path / "a.sgf", "--store", store)
    (line,) = (line for line in done.splitlines() if name in line)
    assert words in line
    assert told("games --size 9 --player Ann --store", store)["count"] == 1
    again = run("import", tmp_path / name, tmp_path / "a.sgf", "--store", store)
    assert again.startswith("imported 0")


def test_what_is_skipped_for_one_reason_is_told_together(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    for at in range(9):
        (folder / f"note{at}.md").write_text("no record")
    (folder / "game.sgf").write_text("(;SZ[9];B[aa];W[bb])")
    lines = run("import", folder, "--store", tmp_path / "store").splitlines()
    assert lines[0].startswith("imported 1, duplicates 0, skipped 9")
    assert ["note" in line for line in lines[1:]] == [True, True, True, False]
    assert lines[-1].strip().startswith("6 more like these: is neither an archive")


def test_absurd_heads_are_left_out_and_the_game_kept(tmp_path: Path) -> None:
    heads = [
        "KM[1e999]HA[99999999999]",
        "KM[nan]HA[-7]",
        "KM[-99999999]DT[99999-99-99]RE[B+1e400]",
        "RE[W+99999999999]",
    ]
    text = "".join(f"(;GM[1]SZ[9]PB[{i}]{head};B[aa];W[bb])" for i, head in enumerate(heads))
    (tmp_path / "a.sgf").write_text(text)
    run("import", tmp_path / "a.sgf", "--store", tmp_path / "store")
    query = "SELECT count(*) AS n, count(komi) AS komi, max(handicap) AS stones, count(margin) AS margin FROM games"
    (row,) = told("sql", query, "--store", tmp_path / "store")["rows"]
    assert row == {"n": len(heads), "komi": 0, "stones": 0, "margin": 0}


def test_stores_that_cannot_be_used_are_told(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    manifest = store / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 2', '"version": 3'))
    version = r"version 3, but .* up to 2; update kibitz, or name another"
    refused(BadText, version, "import", tmp_path / "a.sgf", "--store", store)
    for command in ("search X", "games", "show 1", "sql select"):
        refused(BadText, version, command, "--store", store)
    (tmp_path / "file").write_text("")
    unwritable = r"cannot be written to: .*; name another folder with --store"
    refused(BadOption, unwritable, "import", tmp_path / "a.sgf", "--store", tmp_path / "file")


def test_nothing_is_added_to_the_games_of_masters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text("(;SZ[9];B[aa];W[bb])")
    refused(BadOption, "Cannot add to masters", "import a.sgf --store masters")
