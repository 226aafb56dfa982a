"""kibitz analyse and kibitz review of games of Go, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import complaint, output
from inside import run

GAME = "(;SZ[9]KM[6.5];B[ee];W[cc];B[gc])"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_text(GAME, encoding="utf-8")
    return path


def test_an_analysis_as_json_has_candidates_score_and_ownership(game: Path) -> None:
    told = json.loads(output("analyse", "go", "--record", game, "--playouts", "60", "--json"))
    first = told["moves"][0]
    assert told["best"] == [first["move"]]
    assert (told["value"], told["score"], told["line"]) == (first["value"], first["score"], first["line"])
    assert told["playouts"] == 60
    assert told["unit"] == "probability"
    assert len(told["ownership"]) == 81
    assert set(first) == {"move", "value", "exact", "visits", "score", "line", "reasons"}
    counts = [each["visits"] for each in told["moves"]]
    assert counts == sorted(counts, reverse=True)
    assert not {"E5", "C7", "G7"} & {each["move"] for each in told["moves"]}
    again = json.loads(output("analyse", "go", "--record", game, "--move", "3", "--playouts", "60", "--json"))
    assert again["moves"] == told["moves"], "the last move is the default, and playouts make it repeatable"


def test_an_analysis_is_printed_as_a_table(game: Path) -> None:
    shown = output("analyse", "go", "--record", game, "--move", "2", "--playouts", "60").splitlines()
    at = next(i for i, line in enumerate(shown) if line.split() == ["move", "win", "rate", "score", "visits", "line"])
    move, rate, score, visits, *line = shown[at + 1].split()
    assert (rate[-1], score[:2] in ("B+", "W+"), int(visits) > 2, line[0]) == ("%", True, True, move)
    assert any(each.startswith("Value") and score in each for each in shown)


@pytest.mark.parametrize(
    ("text", "args", "words"),
    [
        ("", (), "is empty"),
        ("\x00\x7fELF;", (), "This is not SGF"),
        ("(;GM[2]SZ[8];B[ab])", (), "is another game"),
        ("(;SZ[9];B[ee];W[ee])", (), "Move 2 of the record is illegal"),
        ("(;SZ[9];B[ee];W[];B[])", (), "over after move 3: choose an earlier one by --move"),
        (GAME, ("--move", "4"), "Move 4 does not exist"),
        (GAME, ("--move", "-1"), "Move -1 does not exist"),
        (GAME, ("--playouts", "0"), "more than 0"),
    ],
)
def test_bad_input_is_told_in_a_sentence(tmp_path: Path, text: str, args: tuple[str, ...], words: str) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(text, encoding="utf-8")
    assert words in complaint(run("analyse", "go", "--record", path, *args))


def test_a_review_tells_lost_points_and_is_repeatable(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    output("play", "go", "random", "greedy", "-o", "size=5", "--seed", "3", "--save", path)
    args, page = ("review", path, "--playouts", "20"), tmp_path / "review.html"
    told = json.loads(output(*args, "--json"))
    assert json.loads(output(*args, "--json")) == told
    assert len(told["score_curve"]) == len(told["curve"]) == len(told["moves"]) + 1
    assert all(each["score_loss"] >= 0 for each in told["moves"])
    assert all(each["score_loss"] >= 0 for each in told["players"])
    shown = output(*args, "--out", page)
    assert "points a move" in shown
    assert "points lost" in page.read_text(encoding="utf-8")
