"""Games out of a store and back: SGF that has all of their heads and moves, and tables of queries."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import duckdb
import numpy as np
import pytest
from typer.testing import CliRunner

from games.go.commands.running import refused, run, told
from games.go.go_games import random_games, store_of
from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.games.go.records.export import ordinal, sgf_lines
from kibitz.games.go.records.importing import import_records
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import ask
from kibitz.games.go.sgf.heads import parse_result
from kibitz.games.go.sgf.reader import read

HEADS = (
    r"PB[Ann \[a\\b\]]PW[李世石]BR[3d]WR[9p]DT[1999-03-12]EV[21st Honinbo]RO[3 (final)]PC[Nara]KM[6.5]RE[B+R]RU[AGA]",
    "PB[Bob]PW[Cid]HA[3]RE[W+2.5]DT[2001]",
    "",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GameStore:
    """Random games with captures, passes, setup stones and colours that do not alternate."""
    return store_of(tmp_path_factory.mktemp("export"), random_games(31, 20), 9, HEADS)


def _heads(store: GameStore) -> list[tuple[object, ...]]:
    return ask(store, "SELECT * EXCLUDE (source) FROM games ORDER BY id").rows


def test_exported_games_are_imported_as_they_were(store: GameStore, tmp_path: Path) -> None:
    (tmp_path / "out.sgf").write_text("".join(sgf_lines(store, range(len(store)))), encoding="utf-8")
    import_records([tmp_path / "out.sgf"], tmp_path / "again")
    again = GameStore(tmp_path / "again")
    assert _heads(again) == _heads(store)
    for game in range(len(store)):
        assert again.changes_of(game).tolist() == store.changes_of(game).tolist()
    assert np.array_equal(again.column("digests"), store.column("digests"))


def test_setup_during_a_game_stays_where_it_is(tmp_path: Path) -> None:
    text = "(;GM[1]FF[4]CA[UTF-8]SZ[9]AB[cc][gg]AW[cg];W[gc];B[ee];AE[cc]AW[dd][de];B[ff];W[])\n"
    (tmp_path / "a.sgf").write_text(text)
    import_records([tmp_path / "a.sgf"], tmp_path / "store")
    assert list(sgf_lines(GameStore(tmp_path / "store"), [0])) == [text]


def test_numbers_of_events() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip


def test_commands_export_games(store: GameStore, tmp_path: Path) -> None:
    at, out = ("--store", store.folder), tmp_path / "out.sgf"
    assert run("games --size 9 --player Bob --out", out, *at) == f"wrote 7 games to {out}\n"
    assert out.read_text().count("PW[Cid]") == len(out.read_text().splitlines()) == 7
    assert run("show 1 --out", out, *at) == f"wrote 1 game to {out}\n"
    assert out.read_text("utf-8") == next(sgf_lines(store, [0]))
    found = run("search XO OX --size 9 --out", out, *at)
    games = {hit["game"] for hit in told("search XO OX --size 9 --limit 999", *at)["occurrences"]}
    assert found == f"wrote {len(games)} games to {out}\n"
    refused(BadOption, r"must end in \.sgf", "games --out x.txt", *at)
    refused(BadOption, "there is no game 21", "show 21 --out", out, *at)
    refused(BadOption, "writes the whole game", "show 2 --move 3 --out", out, *at)


def test_all_rows_of_a_query_are_written(store: GameStore, tmp_path: Path) -> None:
    at, query = ("--store", store.folder), "SELECT game, number, colour FROM moves ORDER BY ALL;  -- all of them"
    moves = sum(len(store.moves_of(game)) for game in range(len(store)))
    for name in ("a.csv", "b.PARQUET"):
        for _ in range(2):  # the second time it is replaced
            assert run("sql", query, "--out", tmp_path / name, *at) == f"wrote {moves:,} rows to {tmp_path / name}\n"
    with open(tmp_path / "a.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert (rows[0], len(rows)) == (["game", "number", "colour"], 1 + moves)
    with duckdb.connect() as connection:
        read = connection.execute(f"SELECT * FROM '{tmp_path / 'b.PARQUET'}'").fetchall()
    assert [list(map(str, row)) for row in read] == rows[1:]
    refused(BadOption, r"must end in \.csv or \.parquet", "sql", "SELECT 1", "--out", tmp_path / "a.txt", *at)
    refused(BadText, "Only one SELECT", "sql", "DROP TABLE games", "--out", tmp_path / "c.csv", *at)
    refused(BadText, "query failed", "sql", "SELECT * FROM read_text('/etc/passwd')", "--out", tmp_path / "c.csv", *at)


def test_show_tables_shows_all(store: GameStore, tmp_path: Path) -> None:
    tables = ["games", "moves", "players", "spellings"]
    assert ask(store, "SHOW TABLES").rows == [(name,) for name in tables]
    run("sql", "SHOW TABLES", "--out", tmp_path / "tables.csv", "--store", store.folder)
    assert (tmp_path / "tables.csv").read_text().split() == ["name", *tables]


FAILING_EXPORTS = {
    "x.sgf": ("show 99 --out {}", BadOption, "no game 99"),
    "q.csv": ("sql", BadText, "boom"),
    "q.parquet": ("sql", BadText, "boom"),
}


@pytest.mark.parametrize("name", FAILING_EXPORTS)
def test_an_export_that_fails_leaves_the_old_file(name: str, store: GameStore, tmp_path: Path) -> None:
    command, kind, words = FAILING_EXPORTS[name]
    out = tmp_path / name
    out.write_text("precious")
    query = ("SELECT CASE WHEN id > 15 THEN error('boom') END FROM games", "--out", out) if command == "sql" else ()
    refused(kind, words, command.format(out), *query, "--store", store.folder)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "precious")]


@pytest.mark.parametrize("name", ["x.sgf", "q.csv"])
def test_an_export_that_cannot_be_written_says_so(name: str, store: GameStore, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    for out in (tmp_path / "no" / name, tmp_path / name):
        command = ("show 1",) if name == "x.sgf" else ("sql", "SELECT 1")
        refused(
            KibitzError, rf"{re.escape(str(out))} cannot be written", *command, "--out", out, "--store", store.folder
        )
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_games_of_all_sizes_are_listed_and_exported(tmp_path: Path) -> None:
    text = "".join(f"(;GM[1]FF[4]CA[UTF-8]SZ[{size}];B[cc];W[dd])\n" for size in (19, 9, 13))
    (tmp_path / "a.sgf").write_text(text)
    import_records([tmp_path / "a.sgf"], tmp_path / "store")
    at = ("--store", tmp_path / "store")
    assert told("games", *at)["count"] == 3
    assert told("games --size 9", *at)["count"] == 1
    assert run("games", *at).splitlines()[0].split() == [
        "id",
        "date",
        "black",
        "white",
        "result",
        "size",
        "moves",
        "event",
    ]
    run("games --out", tmp_path / "out.sgf", *at)
    assert (tmp_path / "out.sgf").read_text() == text


def test_games_played_at_the_terminal_are_saved_as_sgf(tmp_path: Path) -> None:
    for seed in ("3", "4"):
        play = ["play", "go", "random", "greedy", "-o", "size=5", "--seed", seed, "--save", str(tmp_path / "x.sgf")]
        assert CliRunner().invoke(app, play, catch_exceptions=False).exit_code == 0
    first, second = read((tmp_path / "x.sgf").read_bytes())
    assert (first.root.value("PB"), second.root.value("PW"), first.root.value("SZ")) == ("random", "greedy", "5")
    assert parse_result(first.root.value("RE") or "").how == "points"
    assert import_records([tmp_path / "x.sgf"], tmp_path / "store").imported == 2
    play = ["play", "go", "-o", "size=5", "--save", str(tmp_path / "resigned.sgf")]
    CliRunner().invoke(app, play, input="resign\n", catch_exceptions=False)
    assert "PB[human]PW[level5]RE[W+R]" in (tmp_path / "resigned.sgf").read_text()
    with pytest.raises(BadText, match="there is no folder"):
        CliRunner().invoke(app, ["play", "go", "--save", str(tmp_path / "no" / "x.sgf")], catch_exceptions=False)
