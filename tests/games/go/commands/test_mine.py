"""kibitz go mine, patterns, templates, clusters, match, fuseki, joseki, similar and preset at the terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from games.go.go_games import random_game, record
from kibitz.cli import show
from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText


def run(*args: str | Path | int) -> str:
    result = CliRunner().invoke(app, ["go", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout  # compiling is told on the error stream


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of 19x19 games between two players, mined."""
    folder: Path = tmp_path_factory.mktemp("mine")
    stream = random.Random(8)
    heads = ["PB[Bob]PW[Ann]RE[B+R]", "PB[Ann]PW[Bob]RE[B+R]"] * 6
    texts = [record(random_game(stream, 19, 120), 19, head) for head in heads]
    (folder / "games.sgf").write_text("".join(texts))
    run("import", folder / "games.sgf", "--store", folder / "store")
    told = json.loads(run("mine", "--store", folder / "store", "--json"))
    assert (told["games"], told["new"], told["interrupted"]) == (12, 12, False)
    assert [one["shape"] for one in told["patterns"]] == ["3x3", "5x5", "diamond2", "3x3", "diamond2"]
    return folder / "store"


def test_mine_again_finds_nothing_new(store: Path) -> None:
    assert "12 games, 0 of them new" in run("mine", "--store", store)
    assert "12 forms" in run("mine", "--shape", "3x3", "--source", "final", "--forms", "12", "--store", store)
    shown = json.loads(run("patterns", "--source", "final", "--forms", "12", "--store", store, "--json"))
    assert (shown["forms"], shown["source"]) == (12, "final")
    with pytest.raises(BadOption, match="Unknown shape"):
        run("mine", "--shape", "round", "--store", store)


def test_patterns_are_listed_drawn_and_written(store: Path, tmp_path: Path) -> None:
    told = json.loads(run("patterns", "--store", store, "--limit", "5", "--min-bits", "2", "--json"))
    assert len(told["listed"]) == 5
    assert all(one["stones"] >= 2 for one in told["listed"])
    first = told["listed"][0]
    there = json.loads(run("patterns", "--store", store, "--key", first["key"], "--limit", "999", "--json"))
    assert len(there["occurrences"]) == first["count"]
    assert run("patterns", "--store", store, "--key", first["key"]).startswith(f"game {first['game']}, move ")
    drawn = run("patterns", "--store", store, "--meaning", "stretch", "--sort", "won", "--no-edge")
    assert "*" in drawn
    assert "stretch 100%" in drawn
    for end in ("csv", "parquet", "svg", "db", "spat", "mm"):
        out = tmp_path / f"p.{end}"
        assert "wrote" in run("patterns", "--store", store, "--out", out, "--games", "1", "--limit", "9")
        assert out.stat().st_size > 100
    with pytest.raises(BadOption, match="must end in"):
        run("patterns", "--store", store, "--out", tmp_path / "p.txt")
    with pytest.raises(BadOption, match="was not mined"):
        run("patterns", "--store", store, "--shape", "diamond3")
    with pytest.raises(BadText, match="no store"):
        run("patterns", "--store", tmp_path / "none")


def test_larger_shapes_are_drawn_from_their_example(store: Path) -> None:
    run("mine", "--shape", "7x7", "--shape", "full", "--store", store)
    told = json.loads(run("patterns", "--shape", "7x7", "--limit", "3", "--store", store, "--json"))
    assert [len(row) for row in told["listed"][0]["rows"]] == [7] * 7
    assert told["listed"][0]["rows"][3][3] == "*"
    told = json.loads(run("patterns", "--shape", "full", "--limit", "3", "--store", store, "--json"))
    assert "".join(told["listed"][0]["rows"]).count("*") == 1


def test_templates_clusters_and_matches(store: Path, tmp_path: Path) -> None:
    told = json.loads(run("templates", "--store", store, "--no-edge", "--json"))
    assert told["templates"] > 100
    assert all("".join(one["rows"]).count("?") == 1 for one in told["listed"])
    assert "?" in run("templates", "--source", "moves", "--store", store, "--limit", "3")
    told = json.loads(run("clusters", "--store", store, "--chart", tmp_path / "c.svg", "--json"))
    assert sum(one["windows"] for one in told["clusters"]) > 1000
    assert (tmp_path / "c.svg").read_text().startswith("<svg")
    assert "patterns" in run("clusters", "--shape", "3x3", "--source", "final", "--store", store)
    told = json.loads(run("match", "1", "--move", "50", "--shape", "3x3", "--store", store, "--json"))
    assert told["to_move"] in "BW"
    assert len(told["matches"]) == 10
    assert "to move" in run("match", "1", "--move", "50", "--store", store)


def test_openings(store: Path) -> None:
    told = json.loads(run("fuseki", "--moves", "1", "--min-count", "1", "--store", store, "--json"))
    assert sum(one["count"] for one in told["listed"]) <= 12
    assert "openings of 2 moves" in run("fuseki", "--moves", "2", "--by", "state", "--min-count", "1", "--store", store)
    assert json.loads(run("fuseki", "--name", "Chinese", "--store", store, "--json"))["fuseki"] == 0
    drawn = run(
        *["fuseki", "--moves", "3", "--min-count", "1", "--limit", "1", "--draw", "--store"],
        store,
        "--out",
        store / "f.svg",
    )
    board = drawn.splitlines()[3:22]
    assert sum(line.count("X") for line in board) == 2
    assert sum(line.count("O") for line in board) == 1
    assert (store / "f.svg").read_text().count("<circle") == 3
    file = store.parent / "games.sgf"
    told = json.loads(run("fuseki", "--moves", "1", "--min-count", "1", "--file", file, "--json"))
    assert told["games"] == 12
    with pytest.raises(BadOption, match="by their size only"):
        run("fuseki", "--file", file, "--player", "Ann")
    with pytest.raises(BadOption, match="no file"):
        run("fuseki", "--file", store / "nothing.sgf")
    told = json.loads(run("joseki", "--min-count", "1", "--store", store, "--json"))
    first = told["continuations"][0]
    assert first["side"] == "X"
    drawn = run("joseki", first["move"], "--min-count", "1", "--store", store)
    assert "X, the player who came first, won" in drawn
    with pytest.raises(BadOption, match="fewer than"):
        run("joseki", "T19", "R18", "--min-count", "9", "--store", store)


def test_similar(store: Path) -> None:
    told = json.loads(run("similar", "ann", "--min-games", "5", "--min-seen", "40", "--store", store, "--json"))
    assert [one["name"] for one in told["similar"]] == ["Bob"]
    shown = run("similar", "ann", "--with", "bob", "--min-games", "5", "--min-seen", "40", "--store", store)
    assert "differs most from Bob" in shown
    assert "other " in shown
    with pytest.raises(BadOption, match="No two players"):
        run("similar", "ann", "--store", store)


def test_preset(store: Path) -> None:
    shown = run("preset", "singh-2013", "--store", store)
    assert "as reported" in shown
    assert "11,512" in shown
    assert json.loads(run("preset", "singh-2013", "--store", store, "--json"))["games"] == 12
    with pytest.raises(BadOption, match="no preset"):
        run("preset", "else", "--store", store)


@pytest.mark.parametrize(
    "words",
    ["patterns", "templates", "clusters", "match 1 --move 50", "preset singh-2013", "joseki --min-count 1",
     "fuseki --moves 30 --min-count 1", "similar ann --min-games 5 --min-seen 40"],
)  # fmt: skip
def test_lines_fit_a_terminal_of_80_columns(store: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr(show.console, "_width", 80)
    lines = run(*words.split(), "--store", store).splitlines()
    assert len(lines) > 3
    assert max(len(line.rstrip()) for line in lines) <= 80


def test_the_demo_is_mined_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(app, ["go", "patterns", "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["games"] >= 3
