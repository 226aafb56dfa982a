"""kibitz go train, games-file, predict and evaluate at the terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from games.go.go_games import random_game, record
from kibitz.cli.app import app
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.listing import Examples
from kibitz.games.go.players.mcts import windows
from kibitz.games.go.predict.fit.course import moments
from kibitz.games.go.records.store import GameStore


def run(*args: str | Path | int) -> str:
    result = CliRunner().invoke(app, ["go", *map(str, args)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout  # compiling is told on the error stream


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with records of two players, a store of them, and a model fitted to it."""
    made: Path = tmp_path_factory.mktemp("predict")
    stream = random.Random(5)
    texts = [
        record(random_game(stream, 19, 60), 19, f"PB[{'Ann' if at % 2 else 'Bob'}]PW[{'Bob' if at % 2 else 'Ann'}]")
        for at in range(30)
    ]
    (made / "games.sgf").write_text("".join(texts))
    run("import", made / "games.sgf", "--store", made / "store")
    options = ("--games", 20, "--factors", 2, "--least", 2, "--store", made / "store")
    told = json.loads(run("train", "--out", made / "model.npz", *options, "--json"))
    assert (told["games"], told["interrupted"]) == (20, False)
    assert told["patterns"] > 20
    return made


def test_predict_draws_numbers_and_gives_reasons(folder: Path) -> None:
    asked = ("predict", folder / "games.sgf", "--move", 20, "--file", folder / "model.npz", "--store", folder / "store")
    told = json.loads(run(*asked, "--json"))
    assert (told["model"], told["after"], told["to_move"]) == ("patterns", 20, "B")
    shares = [one["probability"] for one in told["candidates"]]
    assert len(shares) == 9
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1
    assert all(one["reasons"] for one in told["candidates"])
    assert 0 < told["played_probability"] < 1
    known = [game for one in told["candidates"] for game in one.get("games", [])]
    assert all("Ann" in game["text"] and 1 <= game["game"] <= 30 for game in known)
    drawn = run(*asked)
    assert "After move 20, Black to move; predicted by patterns" in drawn
    board = drawn.splitlines()[1:22]
    for number in range(1, 10):
        assert sum(f"{number}" in line[3:42].split() for line in board) >= 1
    assert f"{told['played']} was played" in drawn


def test_the_examples_show_the_pattern(folder: Path) -> None:
    """A position of the store itself finds its own game."""
    store = GameStore(folder / "store")
    now = list(moments(19, store.plays_of(29)))[30]
    found = Examples(folder / "store").of(now.board, now.colour, now.played, "circle14", 99)
    assert (30, 31) in [(one["game"], one["move"]) for one in found]
    elsewhere = next(point for point, code in enumerate(now.board.points) if code == 0 and point != now.played)
    other = Examples(folder / "store").of(now.board, now.colour, elsewhere, "circle17", 99)
    assert (30, 31) not in [(one["game"], one["move"]) for one in other]


def test_predict_leans_towards_a_player(folder: Path) -> None:
    asked = ("predict", folder / "games.sgf", "--move", 21, "--file", folder / "model.npz", "--store", folder / "store")
    plain, leaning = json.loads(run(*asked, "--json")), json.loads(run(*asked, "--player", "ann", "--json"))
    assert leaning["player"] == "ann"
    assert plain["candidates"] != leaning["candidates"]
    with pytest.raises(BadOption, match="No player in the store"):
        run(*asked, "--player", "Nobody")


def test_evaluate_prints_figures_and_draws(folder: Path) -> None:
    asked = ("evaluate", "--games", folder / "games.sgf", "--model", "patterns", "--file", folder / "model.npz")
    told = json.loads(run(*asked, "--limit", 4, "--chart", folder / "calibration.svg", "--json"))
    store = GameStore(folder / "store")
    evenly = [i * len(store) // 4 for i in range(4)]
    course = [now for game in evenly for now in moments(19, store.plays_of(game))]
    asked_for = sum(now.moves > 0 and now.played >= 0 and now.played != now.ko for now in course)
    assert (told["model"], told["games"], told["n"]) == ("patterns", 4, asked_for)
    assert 0 <= told["top1"] <= told["top5"] <= told["top10"] <= 1
    low, high = told["intervals"]["top10"]
    assert low <= told["top10"] <= high
    assert sum(part["n"] for part in told["phases"]) == sum(one["n"] for one in told["calibration"]) == told["n"]
    assert (folder / "calibration.svg").read_text().startswith("<svg xmlns=")
    shown = run(
        "evaluate", "--games", folder / "store", "--held-out", "--model", "patterns", "--file", folder / "model.npz"
    )
    assert "top10 %" in shown
    assert "moves 2 to 30" in shown


def test_a_games_file_stands_for_the_store(folder: Path, tmp_path: Path) -> None:
    told = json.loads(run("games-file", "--out", tmp_path / "games.npz", "--store", folder / "store", "--json"))
    assert (told["games"], told["to_learn_from"] + told["held_out"]) == (30, 30)
    options = ("--games", 20, "--factors", 2, "--least", 2)
    run("train", "--out", tmp_path / "model.npz", "--from", tmp_path / "games.npz", *options)
    assert (tmp_path / "model.npz").read_bytes() == (folder / "model.npz").read_bytes()
    asked = ("--file", folder / "model.npz", "--limit", 3, "--json")
    figures = [
        json.loads(run("evaluate", "--games", path, *asked)) for path in (tmp_path / "games.npz", folder / "store")
    ]
    for one in figures:
        one.pop("positions_per_second")
    assert figures[0] == figures[1]


def test_windows_are_weighed_by_records(folder: Path, tmp_path: Path) -> None:
    asked = ("train", "--model", "windows", "--out", tmp_path / "windows.json", "--from", folder / "games.sgf")
    told = json.loads(run(*asked, "--json"))
    made = json.loads((tmp_path / "windows.json").read_text())
    assert (made["format"], made["version"]) == (windows.FORMAT, windows.VERSION)
    assert made["made"].startswith(f"kibitz go train --model windows: {told['positions']} positions on 19x19, ")
    assert len(made["weights"]) == told["kept"] <= told["windows"]
    assert all(windows.parse_window(text) >= 0 and 0 < weight < 256 for text, weight in made["weights"].items())
    few = json.loads(run(*asked, "--games", 3, "--positions", 50, "--json"))
    assert (few["games"], few["positions"]) == (3, 50)
    assert f"learned from 50 positions of 3 games in 0 s; {few['answered']:.1%} answered" in run(
        *asked, "--games", 3, "--positions", 50
    )


def test_options_of_another_model_are_refused(folder: Path, tmp_path: Path) -> None:
    asked = ("train", "--out", tmp_path / "m", "--from", folder / "games.sgf")
    with pytest.raises(BadOption, match=r"^--blocks is an option of --model net, not of --model patterns\.$"):
        run(*asked, "--blocks", 2)
    with pytest.raises(BadOption, match="--factors is an option of --model patterns, not of --model windows"):
        run(*asked, "--model", "windows", "--factors", 2)
    with pytest.raises(BadOption, match="--from or --store, not both"):
        run(*asked, "--store", folder / "store")
    with pytest.raises(BadOption, match=r"must end with \.npz"):
        run("games-file", "--out", tmp_path / "games.zip", "--from", folder / "games.sgf")
    with pytest.raises(BadOption, match="Cannot write the weights"):
        run("train", "--model", "windows", "--out", tmp_path / "no" / "w.json", "--from", folder / "games.sgf")
    (tmp_path / "half.npz").write_bytes(b"PK")
    with pytest.raises(BadText, match="is not a file of games, or is damaged"):
        run("train", "--out", tmp_path / "m.npz", "--from", tmp_path / "half.npz")


def test_a_net_is_trained_from_a_games_file(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    run("games-file", "--out", tmp_path / "games.npz")  # the demo games: the others have none held out
    small = ("--cpu", "--blocks", 1, "--channels", 4, "--batch", 16, "--minutes", 30, "--steps")
    asked = ("train", "--model", "net", "--from", tmp_path / "games.npz", "--out", tmp_path / "net", *small)
    told = json.loads(run(*asked, 2, "--json"))
    assert (told["games"], told["steps"], told["interrupted"]) == (32, 2, False)
    assert (tmp_path / "net" / "net.onnx").exists()
    shown = run(*asked, 4)  # goes on
    assert "in 4 steps; " in shown
    assert "of 290 moves of games held out predicted" in shown
    with pytest.raises(BadOption, match="give --channels 4"):
        run(*asked, 6, "--channels", 8)


def test_bad_input_is_told_in_words(folder: Path, tmp_path: Path) -> None:
    game, model = folder / "games.sgf", ("--file", folder / "model.npz")
    for number in (61, 9999):
        with pytest.raises(BadOption, match=f"has 60 moves: there is no position after move {number}"):
            run("predict", game, "--move", number, *model)
    with pytest.raises(BadOption, match="has 30 games: there is no game 31"):
        run("predict", game, "--move", 1, "--game", 31, *model)
    with pytest.raises(BadOption, match="There is no file"):
        run("predict", tmp_path / "none.sgf", "--move", 1)
    (tmp_path / "text.sgf").write_text("hello")
    with pytest.raises(BadText, match="cannot be read as a record"):
        run("predict", tmp_path / "text.sgf", "--move", 1)
    (tmp_path / "large.sgf").write_text("(;SZ[25];B[aa];W[bb])")
    with pytest.raises(BadOption, match="cannot predict moves on size 25"):
        run("predict", tmp_path / "large.sgf", "--move", 1, *model)
    with pytest.raises(BadOption, match="on size 25"):
        run("evaluate", "--games", tmp_path / "large.sgf", *model)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadOption, match="no game of Go that can be read"):
        run("evaluate", "--games", tmp_path / "empty", *model)
    with pytest.raises(BadOption, match="There is no file or folder"):
        run("evaluate", "--games", tmp_path / "nowhere", *model)
    (tmp_path / "half.npz").write_bytes((folder / "model.npz").read_bytes()[:2000])
    with pytest.raises(BadText, match="damaged"):
        run("evaluate", "--games", game, "--file", tmp_path / "half.npz")
    with pytest.raises(BadOption, match="no model 'oracle'"):
        run("train", "--out", tmp_path / "m.npz", "--model", "oracle", "--store", folder / "store")
