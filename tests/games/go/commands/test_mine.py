"""kibitz go mine, patterns, templates, clusters, match, fuseki, joseki, similar and preset at the terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from games.go.commands.running import refused, run, told
from games.go.go_games import random_game, write_records
from kibitz.cli import show
from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of 19x19 games between two players, mined."""
    folder: Path = tmp_path_factory.mktemp("mine")
    stream = random.Random(8)
    games = [random_game(stream, 19, 120) for _ in range(12)]
    write_records(folder / "games.sgf", games, 19, ["PB[Bob]PW[Ann]RE[B+R]", "PB[Ann]PW[Bob]RE[B+R]"])
    run("import", folder / "games.sgf", "--store", folder / "store")
    mined = told("mine --store", folder / "store")
    assert (mined["games"], mined["new"], mined["interrupted"]) == (12, 12, False)
    assert [one["shape"] for one in mined["patterns"]] == ["3x3", "5x5", "diamond2", "3x3", "diamond2"]
    return folder / "store"


def test_mine_again_finds_nothing_new(store: Path) -> None:
    assert "12 games, 0 of them new" in run("mine --store", store)
    assert "12 forms" in run("mine --shape 3x3 --source final --forms 12 --store", store)
    shown = told("patterns --source final --forms 12 --store", store)
    assert (shown["forms"], shown["source"]) == (12, "final")
    refused(BadOption, "Unknown shape", "mine --shape round --store", store)


def test_patterns_are_listed_drawn_and_written(store: Path, tmp_path: Path) -> None:
    listed = told("patterns --limit 5 --min-bits 2 --store", store)["listed"]
    assert [one["stones"] >= 2 for one in listed] == [True] * 5
    there = told("patterns --limit 999 --store", store, "--key", listed[0]["key"])
    assert len(there["occurrences"]) == listed[0]["count"]
    found = run("patterns --store", store, "--key", listed[0]["key"])
    assert found.startswith(f"game {listed[0]['game']}, move ")
    drawn = run("patterns --meaning stretch --sort won --no-edge --store", store)
    assert "*" in drawn
    assert "stretch 100%" in drawn
    for end in ("csv", "parquet", "svg", "db", "spat", "mm"):
        out = tmp_path / f"p.{end}"
        assert "wrote" in run("patterns --games 1 --limit 9 --store", store, "--out", out)
        assert out.stat().st_size > 100
    for end in ("csv", "spat"):
        written = f"wrote {told('patterns --store', store)['patterns']:,} patterns"
        assert written in run("patterns --store", store, "--out", tmp_path / f"all.{end}")
    refused(BadOption, "must end in", "patterns --store", store, "--out", tmp_path / "p.txt")
    refused(BadOption, "was not mined", "patterns --shape diamond3 --store", store)
    refused(BadText, "no store", "patterns --store", tmp_path / "none")


def test_larger_shapes_are_drawn_from_their_example(store: Path) -> None:
    run("mine --shape 7x7 --shape full --store", store)
    rows = told("patterns --shape 7x7 --limit 3 --store", store)["listed"][0]["rows"]
    assert ([len(row) for row in rows], rows[3][3]) == ([7] * 7, "*")
    rows = told("patterns --shape full --limit 3 --store", store)["listed"][0]["rows"]
    assert "".join(rows).count("*") == 1


def test_templates_clusters_and_matches(store: Path, tmp_path: Path) -> None:
    found = told("templates --no-edge --store", store)
    assert found["templates"] > 100
    assert all("".join(one["rows"]).count("?") == 1 for one in found["listed"])
    assert "?" in run("templates --source moves --limit 3 --store", store)
    clusters = told("clusters --store", store, "--chart", tmp_path / "c.svg")["clusters"]
    assert sum(one["windows"] for one in clusters) > 1000
    assert (tmp_path / "c.svg").read_text().startswith("<svg")
    assert "patterns" in run("clusters --shape 3x3 --source final --store", store)
    matched = told("match 1 --move 50 --shape 3x3 --store", store)
    assert matched["to_move"] in "BW"
    assert len(matched["matches"]) == 10
    assert "to move" in run("match 1 --move 50 --store", store)


def test_match_chooses_a_move(store: Path) -> None:
    found = told("match 1 --move 50 --limit 400 --store", store)
    assert {one["shape"] for one in found["matches"]} >= {"3x3", "diamond2", "5x5"}
    rates = [round(one["rate"], 2) for one in found["matches"]]
    assert rates == sorted(rates, reverse=True)
    assert found["pattern"] in found["matches"]
    assert found["pattern"]["point"] == found["chosen"]
    assert all(one["played"] <= one["chances"] for one in found["matches"])
    assert "times it could be" in found["note"]
    shown = run("match 1 --move 50 --store", store)
    assert f"Chosen: {found['chosen']}" in shown
    assert " ".join(shown.split()).count(found["note"]) == 1
    assert (store / "chances-5x5-19.npz").exists()
    last = told("match 1 --min-bits 3 --store", store)
    assert all(one["stones"] >= 3 for one in last["matches"])
    rows = "/".join(["19"] * 18 + ["9X9"])
    empty = told("match --shape 3x3 --store", store, "--position", f"{rows} O")
    assert (empty["to_move"], len(empty["matches"])) == ("W", 10)
    nowhere = told("match --store", store, "--position", "1 X")
    assert (nowhere["chosen"], nowhere["pattern"]) == ("pass", None)
    refused(BadOption, "Name a game of the store", "match --store", store)
    refused(BadOption, "Name a game of the store", "match 1 --position 9 --store", store)
    refused(BadOption, "leave it out with --position", "match --position 1 --move 3 --store", store)
    refused(BadOption, "there is no game 99", "match 99 --store", store)
    refused(BadOption, "has 120 moves, so there is no move 121", "match 1 --move 121 --store", store)
    refused(BadOption, "No patterns of shape 9x9 around", "match 1 --shape 9x9 --store", store)


def test_openings(store: Path) -> None:
    listed = told("fuseki --moves 1 --min-count 1 --store", store)["listed"]
    assert sum(one["count"] for one in listed) <= 12
    assert "openings of 2 moves" in run("fuseki --moves 2 --by state --min-count 1 --store", store)
    assert told("fuseki --name Chinese --store", store)["fuseki"] == 0
    drawn = run("fuseki --moves 3 --min-count 1 --limit 1 --draw --store", store, "--out", store / "f.svg")
    board = "".join(drawn.splitlines()[3:22])
    assert (board.count("X"), board.count("O")) == (2, 1)
    assert (store / "f.svg").read_text().count("<circle") == 3
    file = store.parent / "games.sgf"
    assert told("fuseki --moves 1 --min-count 1 --file", file)["games"] == 8  # the others have setup stones
    refused(BadOption, "filtered only by size", "fuseki --player Ann --file", file)
    refused(BadOption, "no file", "fuseki --file", store / "nothing.sgf")
    first = told("joseki --min-count 1 --store", store)["continuations"][0]
    assert first["side"] == "X"
    drawn = run("joseki --min-count 1 --store", store, first["move"])
    assert "X, the first to play there, won" in drawn
    refused(BadOption, "fewer than", "joseki T19 R18 --min-count 9 --store", store)


def test_similar_and_preset(store: Path) -> None:
    similar = told("similar ann --min-games 5 --min-seen 40 --store", store)["similar"]
    assert [one["name"] for one in similar] == ["Bob"]
    shown = run("similar ann --with bob --min-games 5 --min-seen 40 --store", store)
    assert "differs most from Bob" in shown
    assert "other " in shown
    refused(BadOption, "No two players", "similar ann --store", store)
    shown = run("preset singh-2013 --store", store)
    assert "as published" in shown
    assert "11,512" in shown
    assert told("preset singh-2013 --store", store)["games"] == 12
    refused(BadOption, "Unknown preset", "preset else --store", store)


@pytest.mark.parametrize(
    "command",
    ["patterns", "templates", "clusters", "match 1 --move 50", "preset singh-2013", "joseki --min-count 1",
     "fuseki --moves 30 --min-count 1", "similar ann --min-games 5 --min-seen 40"],
)  # fmt: skip
def test_lines_fit_a_terminal_of_80_columns(store: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(show.console, "_width", 80)
    lines = run(command, "--store", store).splitlines()
    assert len(lines) > 3
    assert max(len(line.rstrip()) for line in lines) <= 80


def test_without_a_store_masters_are_searched_and_mined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    for command, least in ((["search", "XO", "OX"], 3000), (["patterns"], 3000)):
        result = CliRunner().invoke(app, ["go", *command, "--json"], catch_exceptions=False)
        assert "games of masters, 1625 to 1945" in result.stderr
        assert json.loads(result.stdout)["games"] >= least
