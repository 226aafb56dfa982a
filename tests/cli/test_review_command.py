"""kibitz review as a user runs it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer

import kibitz
from cli.conftest import complaint, output
from conftest import complaints
from inside import run
from kibitz.cli.review import review

FEW = ("--nodes", "500")


def test_a_game_is_reviewed_in_the_terminal(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "review.html"
    shown = output("review", saved, "--game", "1", *FEW, "--out", path)
    assert "Game 1: uttt, random v reflex" in shown
    assert "accuracy" in shown
    assert "█" in shown
    assert "blunder" in shown
    assert "Better was" in shown
    assert shown.endswith(f"Written: {path}\n") or f"Written: {path}" in shown.replace("\n", "")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_has_every_move_of_the_last_game(saved: Path) -> None:
    found = json.loads(output("review", saved, *FEW, "--json"))
    record = kibitz.read_records(saved).good[1]
    assert [move["move"] for move in found["moves"]] == list(record.moves)
    assert (found["complete"], found["result"]) == (True, record.result)
    assert len(found["curve"]) == len(record.moves) + 1
    assert all(move["loss"] >= 0 and move["reasons"] for move in found["moves"])
    for player, told in enumerate(found["players"]):
        own = [move["verdict"] for move in found["moves"] if move["player"] == player]
        assert {verdict: told[verdict] for verdict in set(own)} == {verdict: own.count(verdict) for verdict in own}
    accuracies = [told["accuracy"] for told in found["players"]]
    assert 0 <= min(accuracies) < max(accuracies) < 1  # one player lost no less than random moves would have


def test_an_unfinished_game_and_one_without_moves(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    game = kibitz.read_records(saved).good[0]
    kibitz.append_record(path, replace(game, moves=game.moves[:5], times=(), result="*", reason="not finished"))
    kibitz.append_record(path, replace(game, moves=(), times=(), result="*", reason="not finished"))
    assert len(json.loads(output("review", path, "--game", "1", *FEW, "--json"))["moves"]) == 5
    assert "not finished" in output("review", path, *FEW)


def test_help_states_the_thresholds() -> None:
    told = " ".join(output("review", "--help").replace("│", " ").split())
    assert "A loss of 5 is an inaccuracy, 10 a mistake, 20 a blunder" in told


def test_mistakes_are_told_as_replay_tells_them(saved: Path, tmp_path: Path) -> None:
    assert "Cannot read /no/such/file" in complaint(run("review", "/no/such/file"))
    assert "Game 3 does not exist" in complaint(run("review", saved, "--game", "3"))
    assert "more than 0" in complaint(run("review", saved, "--time", "0"))
    assert "does not exist" in complaint(run("review", saved, *FEW, "--out", tmp_path / "no" / "page.html"))
    assert "Cannot write" in complaint(run("review", saved, "--nodes", "200", "--json", "--out", tmp_path))
    path = tmp_path / "games.jsonl"
    path.touch()
    assert "holds no games" in complaint(run("review", path))
    game = kibitz.read_records(saved).good[0]
    kibitz.append_record(path, replace(game, moves=("40", "40")))
    said = complaint(run("review", path))
    assert f"{path}, line 1, game 1: Move 2 of the record ('40') cannot be played" in said


def test_bad_lines_are_named_and_the_good_game_is_reviewed(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(b"\x00\xff\n" + saved.read_bytes() + b'{"game": "uttt"}\n')
    ran = run("review", path, "--nodes", "200", "--json")
    assert ran.returncode == 2
    assert json.loads(ran.stdout)["complete"]
    told = [line.split(": ")[1] for line in complaints(ran.stderr).splitlines()]
    assert told == [f"{path}, line {number}" for number in (1, 4)]


def test_ctrl_c_shows_what_was_found(
    saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = list[kibitz.State]()

    def look(state: kibitz.State, budget: kibitz.Budget, agent: kibitz.Agent) -> kibitz.Choice:
        calls.append(state)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return kibitz.Choice(0, 0.5, "probability", moves=tuple(kibitz.MoveValue(m, 0.5, False) for m in range(81)))

    monkeypatch.setattr("kibitz.analysis.review.analyse", look)
    monkeypatch.setattr("kibitz.analysis.review.reasons", lambda state, move, line=(): ())
    moves = len(kibitz.read_records(saved).good[1].moves)
    with pytest.raises(typer.Exit) as ended:
        review(saved, as_json=True)
    assert ended.value.exit_code == 130
    printed = capsys.readouterr()
    assert f"Stopped after 3 of {moves} moves" in printed.err
    found = json.loads(printed.out)
    assert (found["complete"], len(found["moves"])) == (False, 3)


def test_a_game_in_a_notation_is_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "x.sgf"
    path.write_text("(;SZ[5]AB[bb][dd]HA[2]PB[Ann]BR[3k]RE[W+R];W[cc];B[bc];W[cb])")
    found = json.loads(output("review", path, "--playouts", "10", "--json"))
    assert [move["move"] for move in found["moves"]] == ["C3", "B3", "C4"]
    assert ([told["agent"] for told in found["players"]], found["result"]) == (["Ann (3k)", "?"], "0-1")
    path.write_text("(;SZ[5];B[cc];W[cc])")
    assert "x.sgf" in complaint(run("review", path, *FEW))
    assert "Cannot read" in complaint(run("review", tmp_path / "no.sgf", *FEW))
