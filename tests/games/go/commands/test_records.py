"""kibitz go: import, search, games, show and sql at the terminal."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import complaints
from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText

CROSSCUT = "(;GM[1]SZ[9]PB[Ann]PW[Bob]RE[B+R]DT[2001-05-06]KM[6.5]EV[2nd Cup];B[dd];W[ed];B[ee];W[de];B[df];W[ce])\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "a.sgf").write_text(CROSSCUT + "(;GM[1]SZ[9];B[aa];W[aa])\n")
    return tmp_path / "store"


def run(*args: str | Path) -> str:
    result = CliRunner().invoke(app, ["go", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout + complaints(result.stderr)


def test_import_prints_what_it_did(store: Path, tmp_path: Path) -> None:
    told = json.loads(run("import", tmp_path / "a.sgf", "--store", store, "--json"))
    assert (told["imported"], told["duplicates"], told["skipped"], told["illegal"]) == (2, 0, 0, 1)
    assert "move 2 is illegal" in told["reports"][0]["reason"]
    again = run("import", tmp_path / "a.sgf", "--store", store)
    assert again.startswith("imported 0, duplicates 2, skipped 0")
    with pytest.raises(BadOption, match="no file or folder"):
        run("import", tmp_path / "nowhere", "--store", store)


def test_search_in_json_and_drawn(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    (tmp_path / "cut.json").write_text(json.dumps({"name": "cut", "anchor": "centre", "rows": ["XO.", "OX."]}))
    found = json.loads(run("search", "--pattern", tmp_path / "cut.json", "--size", "9", "--store", store, "--json"))
    assert (found["games"], found["hits"]) == (1, found["hits"])
    assert {"continuations", "seconds", "timeline"} <= set(found)
    assert found["occurrences"][0]["move"] == 4
    drawn = run("search", "XO", "OX", "--size", "9", "--store", store, "--since", "2001", "--moves", "4-")
    assert "1 of 1 games" in drawn
    assert "2001" in drawn
    assert "Ann - Bob" in drawn
    with pytest.raises(BadOption, match="rows of a pattern"):
        run("search", "--store", store)
    with pytest.raises(BadOption, match="like 10-50"):
        run("search", "X", "--moves", "ten", "--store", store)
    with pytest.raises(BadText, match="no store"):
        run("search", "X", "--store", tmp_path / "none")


def test_without_a_store_the_demo_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(app, ["go", "search", "XO", "OX", "--json"], catch_exceptions=False)
    assert "demo games" in result.stderr
    assert json.loads(result.stdout)["games"] > 0


def test_games_are_listed_and_shown(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    listed = json.loads(run("games", "--size", "9", "--player", "bob", "--store", store, "--json"))
    assert [(game["id"], game["event"], game["edition"]) for game in listed["games"]] == [(1, "Cup", 2)]
    assert "Ann" in run("games", "--size", "9", "--store", store)
    shown = run("show", "1", "--move", "4", "--store", store)
    assert "after move 4 of 6: White D5" in shown
    assert "komi 6.5" in shown
    with pytest.raises(BadOption, match="no game 7"):
        run("show", "7", "--store", store)


def test_sql_answers_and_refuses(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    assert json.loads(run("sql", "SELECT count(*) AS n FROM moves", "--store", store, "--json"))["rows"] == [{"n": 7}]
    assert "Ann" in run("sql", "SELECT name FROM players", "--store", store)
    with pytest.raises(BadText, match="Only one SELECT"):
        run("sql", "DROP TABLE games", "--store", store)
    with pytest.raises(BadText, match="The query failed"):
        run("sql", "\udcff", "--store", store)  # a byte that is no text
    assert json.loads(run("games", "--event", "\udcff", "--store", store, "--json"))["count"] == 0
    wide = run("sql", "SELECT * FROM games", "--store", store).splitlines()  # too wide for a table: each row by itself
    assert {"black: Ann", "size: 9"} <= set(wide)


BAD = {
    "junk.sgf": (b"(;" + bytes(range(256)) * 99, "no moves in it"),
    "noise.bin": (bytes(range(256)) * 99, "This is not SGF"),
    "bomb.gz": (gzip.compress(b" " * (40 << 20)), "far more than its size; the rest is skipped"),
    "odd.sgf": (b"(;GM[1]SZ[9];B[aa];W[bb];B[bb];W[cc])", "move 3 is illegal"),
}
"""File -> what is in it, and a part of what is said of it."""


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named_and_spoil_nothing(store: Path, tmp_path: Path, name: str) -> None:
    data, words = BAD[name]
    (tmp_path / name).write_bytes(data)
    told = run("import", tmp_path / name, tmp_path / "a.sgf", "--store", store)
    (line,) = (line for line in told.splitlines() if name in line)
    assert words in line
    assert json.loads(run("games", "--size", "9", "--player", "Ann", "--store", store, "--json"))["count"] == 1
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
    heads = (
        "KM[1e999]HA[99999999999]",
        "KM[nan]HA[-7]",
        "KM[-99999999]DT[99999-99-99]RE[B+1e400]",
        "RE[W+99999999999]",
    )
    text = "".join(f"(;GM[1]SZ[9]PB[{i}]{head};B[aa];W[bb])" for i, head in enumerate(heads))
    (tmp_path / "a.sgf").write_text(text)
    run("import", tmp_path / "a.sgf", "--store", tmp_path / "store")
    query = "SELECT count(*) AS n, count(komi) AS komi, max(handicap) AS stones, count(margin) AS margin FROM games"
    (row,) = json.loads(run("sql", query, "--store", tmp_path / "store", "--json"))["rows"]
    assert row == {"n": len(heads), "komi": 0, "stones": 0, "margin": 0}


def test_stores_that_cannot_be_used_are_told(store: Path, tmp_path: Path) -> None:
    run("import", tmp_path / "a.sgf", "--store", store)
    manifest = store / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"version": 1', '"version": 2'))
    for command in (("import", tmp_path / "a.sgf"), ("search", "X"), ("games",), ("show", "1"), ("sql", "SELECT 1")):
        with pytest.raises(BadText, match=r"version 2, but .* up to 1; update kibitz, or name another"):
            run(*command, "--store", store)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadOption, match=r"cannot be written to: .*; name another folder with --store"):
        run("import", tmp_path / "a.sgf", "--store", tmp_path / "file")
