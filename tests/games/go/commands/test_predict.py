"""kibitz go train, games-file, predict and evaluate at the terminal."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from games.go.commands.running import refused, run, told
from games.go.go_games import few_games, random_game, write_records
from kibitz.core.errors import BadOption, BadText
from kibitz.games.go.patterns.listing import Examples
from kibitz.games.go.players.mcts import windows
from kibitz.games.go.predict.fit.course import moments
from kibitz.games.go.records.store import GameStore


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with records of two players, a store of them, and a model fitted to it."""
    made: Path = tmp_path_factory.mktemp("predict")
    stream = random.Random(5)
    games = [random_game(stream, 19, 60) for _ in range(30)]
    write_records(made / "games.sgf", games, 19, ["PB[Bob]PW[Ann]", "PB[Ann]PW[Bob]"])
    run("import", made / "games.sgf", "--store", made / "store")
    trained = told("train --games 20 --factors 2 --least 2 --store", made / "store", "--out", made / "model.npz")
    assert (trained["games"], trained["interrupted"]) == (20, False)
    assert trained["patterns"] > 20
    return made


def test_predict_draws_numbers_and_gives_reasons(folder: Path) -> None:
    asked = ("predict --move 20", folder / "games.sgf", "--file", folder / "model.npz", "--store", folder / "store")
    found = told(*asked)
    assert (found["model"], found["after"], found["to_move"]) == ("patterns", 20, "B")
    shares = [one["probability"] for one in found["candidates"]]
    assert (len(shares), shares) == (9, sorted(shares, reverse=True))
    assert 0 < sum(shares) <= 1
    assert all(one["reasons"] for one in found["candidates"])
    assert 0 < found["played_probability"] < 1
    known = [game for one in found["candidates"] for game in one.get("games", [])]
    assert all("Ann" in game["text"] and 1 <= game["game"] <= 30 for game in known)
    drawn = run(*asked)
    assert "After move 20, Black to move; predicted by patterns" in drawn
    board = drawn.splitlines()[1:22]
    for number in range(1, 10):
        assert sum(f"{number}" in line[3:42].split() for line in board) >= 1
    assert f"{found['played']} was played" in drawn


def test_the_examples_show_the_pattern(folder: Path) -> None:
    """A position of the store itself finds its own game."""
    store = GameStore(folder / "store")
    now = list(moments(19, store.plays_of(29)))[30]
    found = Examples(folder / "store").of_move(now.board, now.colour, now.played, "circle14", 99)
    assert (30, 31) in [(one["game"], one["move"]) for one in found]
    elsewhere = next(point for point, code in enumerate(now.board.points) if code == 0 and point != now.played)
    other = Examples(folder / "store").of_move(now.board, now.colour, elsewhere, "circle17", 99)
    assert (30, 31) not in [(one["game"], one["move"]) for one in other]


def test_predict_leans_towards_a_player(folder: Path) -> None:
    asked = ("predict --move 21", folder / "games.sgf", "--file", folder / "model.npz", "--store", folder / "store")
    plain, leaning = told(*asked), told(*asked, "--player", "ann")
    assert leaning["player"] == "ann"
    assert plain["candidates"] != leaning["candidates"]
    refused(BadOption, "No player in the store", *asked, "--player", "Nobody")


def test_evaluate_prints_figures_and_draws(folder: Path) -> None:
    asked = ("evaluate --model patterns --file", folder / "model.npz", "--games")
    found = told(*asked, folder / "games.sgf", "--limit", 4, "--chart", folder / "calibration.svg")
    store = GameStore(folder / "store")
    evenly = [i * len(store) // 4 for i in range(4)]
    course = [now for game in evenly for now in moments(19, store.plays_of(game))]
    asked_for = sum(now.moves > 0 and now.played >= 0 and now.played != now.ko for now in course)
    assert (found["model"], found["games"], found["n"]) == ("patterns", 4, asked_for)
    assert 0 <= found["top1"] <= found["top5"] <= found["top10"] <= 1
    low, high = found["intervals"]["top10"]
    assert low <= found["top10"] <= high
    assert sum(part["n"] for part in found["phases"]) == sum(one["n"] for one in found["calibration"]) == found["n"]
    assert (folder / "calibration.svg").read_text().startswith("<svg xmlns=")
    shown = run(*asked, folder / "store", "--held-out")
    assert "top10 %" in shown
    assert "moves 2 to 30" in shown


def test_a_games_file_stands_for_the_store(folder: Path, tmp_path: Path) -> None:
    made = told("games-file --out", tmp_path / "games.npz", "--store", folder / "store")
    assert (made["games"], made["to_learn_from"] + made["held_out"]) == (30, 30)
    run("train --games 20 --factors 2 --least 2 --out", tmp_path / "model.npz", "--from", tmp_path / "games.npz")
    assert (tmp_path / "model.npz").read_bytes() == (folder / "model.npz").read_bytes()
    asked = ("evaluate --limit 3 --file", folder / "model.npz", "--games")
    figures = [told(*asked, path) for path in (tmp_path / "games.npz", folder / "store")]
    for one in figures:
        one.pop("positions_per_second")
    assert figures[0] == figures[1]


def test_windows_are_weighed_by_records(folder: Path, tmp_path: Path) -> None:
    asked = ("train --model windows --out", tmp_path / "windows.json", "--from", folder / "games.sgf")
    found = told(*asked)
    made = json.loads((tmp_path / "windows.json").read_text())
    assert (made["format"], made["version"]) == (windows.FORMAT, windows.VERSION)
    assert made["made"].startswith(f"kibitz go train --model windows: {found['positions']} positions on 19x19, ")
    assert len(made["weights"]) == found["kept"] <= found["windows"]
    assert all(windows.parse_window(text) >= 0 and 0 < weight < 256 for text, weight in made["weights"].items())
    few = told(*asked, "--games", 3, "--positions", 50)
    assert (few["games"], few["positions"]) == (3, 50)
    shown = run(*asked, "--games", 3, "--positions", 50)
    assert f"learned from 50 positions of 3 games in 0 s; {few['answered']:.1%} answered" in shown


def test_options_of_another_model_are_refused(folder: Path, tmp_path: Path) -> None:
    games, half = folder / "games.sgf", tmp_path / "half.npz"
    half.write_bytes(b"PK")
    blocks = r"^--blocks is an option of --model net, not of --model patterns\.$"
    factors = "--factors is an option of --model patterns, not of --model windows"
    refused(BadOption, blocks, "train --blocks 2 --out", tmp_path / "m", "--from", games)
    refused(BadOption, factors, "train --model windows --factors 2 --out", tmp_path / "m", "--from", games)
    refused(BadOption, "--from or --store, not both", "train --out m --from", games, "--store", folder / "store")
    refused(BadOption, r"must end with \.npz", "games-file --out games.zip --from", games)
    unwritable = tmp_path / "no" / "w.json"
    refused(BadOption, "Cannot write the weights", "train --model windows --out", unwritable, "--from", games)
    refused(BadText, "is not a file of games, or is damaged", "train --out m.npz --from", half)
    refused(BadOption, "Unknown model 'oracle'", "train --model oracle --out m.npz --store", folder / "store")


def test_a_net_is_trained_from_a_games_file(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    run("games-file --out", tmp_path / "games.npz", "--store", few_games().folder)  # which has a game held out
    small = "train --model net --cpu --blocks 1 --batch 16 --minutes 30"
    asked = (small, "--from", tmp_path / "games.npz", "--out", tmp_path / "net", "--steps")
    found = told(*asked, 2, "--channels", 4)
    assert (found["games"], found["steps"], found["interrupted"]) == (32, 2, False)
    assert (tmp_path / "net" / "net.onnx").exists()
    shown = run(*asked, 4, "--channels", 4)  # goes on
    assert "in 4 steps; " in shown
    assert "of 290 moves of held-out games predicted" in shown
    refused(BadOption, "give --channels 4", *asked, 6, "--channels", 8)


def test_bad_input_is_told_in_words(folder: Path, tmp_path: Path) -> None:
    game, model = folder / "games.sgf", ("--file", folder / "model.npz")
    for name, text in {"text": "hello", "large": "(;SZ[25];B[aa];W[bb])"}.items():
        (tmp_path / f"{name}.sgf").write_text(text)
    (tmp_path / "empty").mkdir()
    (tmp_path / "half.npz").write_bytes((folder / "model.npz").read_bytes()[:2000])
    for number in (61, 9999):
        words = f"has 60 moves: there is no position after move {number}"
        refused(BadOption, words, f"predict --move {number}", game, *model)
    refused(BadOption, "has 30 games: there is no game 31", "predict --move 1 --game 31", game, *model)
    refused(BadOption, "There is no file", "predict --move 1", tmp_path / "none.sgf")
    refused(BadText, "cannot be read as a game record", "predict --move 1", tmp_path / "text.sgf")
    refused(BadOption, "supports board sizes 7 to 19, not 25", "predict --move 1", tmp_path / "large.sgf", *model)
    refused(BadOption, "these games have size 25", "evaluate --games", tmp_path / "large.sgf", *model)
    refused(BadOption, "No readable Go games", "evaluate --games", tmp_path / "empty", *model)
    refused(BadOption, "There is no file or folder", "evaluate --games", tmp_path / "nowhere", *model)
    refused(BadText, "damaged", "evaluate --games", game, "--file", tmp_path / "half.npz")
