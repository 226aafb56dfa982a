"""The commands as a user runs them: what they print, and one plain sentence for each mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kibitz
from cli.conftest import complaint as complaint  # the tests of games import both from here
from cli.conftest import output as output
from inside import run
from kibitz.cli.show import show_choice
from kibitz.core import registry
from kibitz.core.agent import Choice, MoveValue
from kibitz.core.package import GamePackage
from kibitz.core.parts import AgentEntry, AgentTable
from kibitz.games.dots.evaluate import BOXES
from kibitz.search.agents import agent_entries, agent_table, make_agent
from kibitz.search.defaults import Random
from search.naive import perft
from toy.package import TOY

DECIDED = "xxx6/3o5/1o7/9/9/9/9/9/9 o 1"
WINNING = "xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -"
FINISHED = "xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/9/9 o -"


@pytest.fixture(scope="module")
def analysis() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output("analyse", "uttt", "--nodes", "2000", "--json"))
    return found


def test_version_games_and_agents_are_listed() -> None:
    assert output("--version") == f"kibitz {kibitz.__version__}\n"
    listed = output("games")
    assert all(name in listed for name in registry.names())
    assert "variant=closed|open (default closed)" in listed
    listed = output("agents", "uttt")
    assert listed == output("games", "uttt")
    names = {line.split()[0] for line in listed.splitlines() if line[:1].strip()}
    assert {"human", *agent_entries("uttt")} <= names
    assert "depth=int|none" in listed
    assert "= alphabeta(depth=2)" in listed


def test_played_games_are_saved_as_the_library_plays_them(saved: Path) -> None:
    records = kibitz.read_records(saved)
    assert records.bad == []
    first, second = records.good
    assert first.agents == ("random", "reflex")
    assert (second.agents, second.options["variant"]) == (("reflex", "random"), "open")
    for record in records.good:
        game = kibitz.game(record.game, **record.options)
        again = kibitz.play(game, [kibitz.agent(game, spec) for spec in record.agents], seed=record.seed)
        assert (again.moves, again.result, again.reason) == (record.moves, record.result, record.reason)


def labels(moves: tuple[str, ...]) -> str:
    game = kibitz.game("uttt")
    return ", ".join(game.move_label(game.parse_move(move)) for move in moves)


def test_replay_shows_every_game(saved: Path) -> None:
    shown = output("replay", saved)
    for number, record in enumerate(kibitz.read_records(saved).good, 1):
        options = " (variant=open)" if number == 2 else ""
        assert f"Game {number}: uttt{options}, {record.agents[0]} v {record.agents[1]}" in shown
        assert f"{record.result}  {record.reason}" in shown
        assert labels(record.moves) in " ".join(shown.split())


def test_draw_says_what_it_wrote(tmp_path: Path) -> None:
    for kind, start in (("svg", "<svg"), ("txt", "  ")):
        path = tmp_path / f"board.{kind}"
        assert output("draw", "uttt", "--out", path) == f"Written: {path}\n"
        assert path.read_text(encoding="utf-8").startswith(start)
    assert output("draw", "uttt").startswith("<svg")


def test_replay_shows_one_game_after_one_move(saved: Path) -> None:
    record = kibitz.read_records(saved).good[1]
    shown = output("replay", saved, "--game", "2", "--move", "3")
    assert "Game 1" not in shown
    assert f"after move 3 of {len(record.moves)}" in shown
    assert labels(record.moves[:3]) in shown.splitlines()
    assert sum(line.count("x") + line.count("o") for line in shown.splitlines() if "│" in line) == 3


def test_analysis_has_its_keys_and_types_and_values_every_move(analysis: dict[str, Any]) -> None:
    kinds = {
        "value": float, "unit": str, "exact": bool, "best": list, "moves": list, "line": list,
        "nodes": int, "playouts": int, "depth": int, "seconds": float, "note": str,
    }  # fmt: skip
    assert {key: type(value) for key, value in analysis.items()} == kinds
    assert all(type(move) is str for move in [*analysis["best"], *analysis["line"]])
    for entry in analysis["moves"]:
        kinds = {"move": str, "value": float, "exact": bool, "line": list, "reasons": list}
        assert {key: type(value) for key, value in entry.items()} == kinds
    values = {entry["move"]: entry["value"] for entry in analysis["moves"]}
    assert sorted(map(int, values)) == list(range(81))
    assert (analysis["unit"], analysis["exact"]) == ("probability", False)
    assert all(0 <= value <= 1 for value in values.values())
    assert analysis["line"][0] in analysis["best"]
    assert values[analysis["best"][0]] == analysis["value"] == max(values.values())
    assert 0 < analysis["nodes"] < 2100


def test_analysis_says_why_in_words(analysis: dict[str, Any]) -> None:
    words = {entry["move"]: entry["reasons"] for entry in analysis["moves"]}
    assert words["1"] == ["sends O to the empty top middle board"]
    best = words[analysis["best"][0]]
    assert analysis["note"].lower().startswith(best[0].lower())
    shown = " ".join(output("analyse", "uttt", "--position", WINNING, "--nodes", "1000").split())
    assert "0 8 Wins the game with the top row of boards." in shown


def test_a_proved_win_is_exact_as_a_whole_only_when_every_move_is() -> None:
    found = json.loads(output("analyse", "uttt", "--position", WINNING, "--nodes", "100000", "--json"))
    assert (found["value"], found["unit"], found["exact"]) == (1, "probability", False)
    assert found["best"] == ["20"]
    assert [m["value"] for m in found["moves"] if m["move"] == "20" and m["exact"]] == [1]
    assert not all(m["exact"] for m in found["moves"])
    assert "Value  win (proved)" in output("analyse", "uttt", "--position", WINNING, "--nodes", "100000")


def test_one_move_proves_no_margin(capsys: pytest.CaptureFixture[str]) -> None:
    state = kibitz.game("dots", rows=1, cols=1).start()
    moves = tuple(MoveValue(move, 1 if move == 0 else 0, exact=move == 0) for move in state.legal_moves())
    show_choice(state, Choice(0, 1, BOXES, moves=moves))
    shown = capsys.readouterr().out
    assert re.search(r"^Value  \+1 box$", shown, re.MULTILINE)  # another move may still be better
    assert shown.count("(proved)") == 1


def test_analysis_by_an_agent_is_shown_with_the_board() -> None:
    shown = output("analyse", "uttt", "--agent", "reflex")
    assert shown.count("│") == 9 * 4
    assert "Best   0 0" in shown


def test_perft_follows_position_and_variant() -> None:
    counted = json.loads(output("uttt", "perft", "--depth", "4", "--json"))
    assert (set(counted), counted["leaves"]) == ({"leaves", "seconds"}, 55080)
    counted = json.loads(output("uttt", "perft", "--depth", "3", "-o", "variant=open", "--position", DECIDED, "--json"))
    assert counted["leaves"] == perft(kibitz.game("uttt", variant="open").parse_position(DECIDED), 3)


@pytest.mark.parametrize("options", [(), ("-o", "variant=open")], ids=["closed", "open"])
def test_convert_prints_both_notations_of_one_position(options: tuple[str, ...]) -> None:
    printed = output("uttt", "convert", DECIDED, *options)
    digits, fen = printed.splitlines()
    assert len(digits) == 93
    assert fen.startswith(DECIDED)
    assert output("uttt", "convert", digits, *options) == output("uttt", "convert", fen, *options) == printed


def test_warmup_compiles_the_searches_of_a_game() -> None:
    *lines, last = output("warmup", "uttt").splitlines()
    specs = agent_table("uttt").warmup
    expected = [f"{number} of {len(specs)}, uttt: {spec}" for number, spec in enumerate(specs, 1)]
    assert [line.partition(" ... ")[0] for line in lines] == expected
    assert "ready in" in last


@pytest.mark.parametrize("name", registry.packages())
def test_what_is_warmed_up_can_be_made(name: str) -> None:
    for spec in agent_table(name).warmup:
        make_agent(registry.game(name), spec)


class Heavy(Random):
    """Has something to prepare."""

    prepared = 0

    def prepare(self) -> None:
        Heavy.prepared += 1


def test_without_a_list_to_warm_up_every_class_is_prepared_once(
    monkeypatch: pytest.MonkeyPatch, add_game: Callable[[GamePackage], None]
) -> None:
    entries = {"one": AgentEntry(Heavy), "two": AgentEntry("one"), "light": AgentEntry(Random)}
    add_game(replace(TOY, agents=lambda: AgentTable(entries, analyst="one")))
    monkeypatch.setattr(registry, "packages", lambda: {"toy": registry.package("toy")})
    lines = output("warmup").splitlines()
    assert [line.partition(" ... ")[0] for line in lines[:-1]] == ["1 of 1, toy: one"]
    assert Heavy.prepared == 1


BAD_POSITIONS = {
    "9/9": "is not a position",
    "9/9/9 x -": "3 mini-boards",
    "7" * 93: "The digit of cell 0 is 7",
    "9/9/9/9/9/9/9/9/9 x 4": "choice of board is free",
    "9/9/9/9/xx7/9/9/9/9 o -": "X has 2 marks and O 0",
    "9/9/9/9/4x4/9/9/9/9 x 4": "it is O's turn",
    "9/9/9/9/4x4/9/9/9/9 o 3": "No last move of X",
    "xxxooo3/9/9/9/9/9/9/9/9 x -": "lines of both X and O",
    "0" * 90 + "191": "The result is given as 1",
    FINISHED: "The game is over (1-0, three boards in a row)",
}
BAD_OPTIONS = {
    "size=9": "variant=closed|open, tiebreak=draw|count",
    "variant=half": "must be closed or open",
    "variant": "KEY=VALUE",
    "name=uttt": "no option 'name'",
    "variant=a\nb": "must be closed or open",
}
BAD_PLAYERS = {
    "stockfish random": "its agents are random, reflex",
    "random mcts(c=0.7": "closing bracket",
    "random mcts(speed=3)": "it takes playouts=int|none",
    "random mcts(c=nan)": "must be a number",
    "random random random": "2 players, got 3",
    "random random --time -1": "more than 0",
    "random random --nodes 0": "more than 0",
}
BAD_COMMANDS = {
    ("play", "chess", "random", "random"): "There is no game 'chess'; the games are",
    ("agents", "chess"): "There is no game 'chess'",
    ("warmup", "chess"): "There is no game 'chess'",
    ("analyse", "uttt", "--agent", "oracle"): "no agent 'oracle'",
    ("analyse", "uttt", "--time", "nan"): "more than 0",
    ("uttt", "convert", "9/9"): "is not a position",
    ("uttt", "perft", "--depth", "82"): "0 to 81",
    ("replay", "/no/such/file"): "Cannot read /no/such/file",
}
MISTAKES = [
    *BAD_COMMANDS.items(),
    *((("analyse", "uttt", "--position", text), said) for text, said in BAD_POSITIONS.items()),
    *((("play", "uttt", "random", "random", "-o", text), said) for text, said in BAD_OPTIONS.items()),
    *((("play", "uttt", *text.split()), said) for text, said in BAD_PLAYERS.items()),
]


@pytest.mark.parametrize(("command", "said"), MISTAKES, ids=[" ".join(command) for command, _ in MISTAKES])
def test_mistake_is_told_in_one_sentence(command: tuple[str, ...], said: str) -> None:
    ran = run(*command)
    assert said in complaint(ran)
    assert ran.stdout == ""


@pytest.mark.parametrize("choice", [("--game", "3"), ("--move", "-1")], ids=" ".join)
def test_replay_names_what_a_file_does_not_hold(saved: Path, choice: tuple[str, str]) -> None:
    assert (
        f"{choice[0][2:]} {choice[1]} does not exist" in complaint(run("replay", saved, "--game", "1", *choice)).lower()
    )


def test_replay_shows_the_good_games_of_a_corrupt_file(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    good = saved.read_bytes()
    path.write_bytes(b"\x00\xff\n" + good + b'{"game": "uttt"}\n' + good[:40])
    ran = run("replay", path)
    assert ran.returncode == 2
    assert ran.stdout == output("replay", saved)
    told = [line.split(": ")[1] for line in ran.stderr.splitlines()]
    assert told == [f"{path}, line {number}" for number in (1, 4, 5)]
    assert ran.stderr.endswith("the line is cut off; skipped.\n")


def test_replay_tells_of_an_empty_file_and_of_an_illegal_move(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.touch()
    assert "it holds no games" in complaint(run("replay", path))
    game = kibitz.read_records(saved).good[0]
    kibitz.append_record(path, replace(game, moves=("40", "40")))
    assert "Move 2 of the record ('40') cannot be played" in complaint(run("replay", path))


@pytest.mark.parametrize("text", ["[/X] [bold]odd[/bold]", "half a letter \ud800"])
def test_replay_shows_any_text_of_a_record(saved: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "games.jsonl"
    game = replace(kibitz.read_records(saved).good[0], reason="REASON").to_json()
    path.write_text(game.replace('"REASON"', json.dumps(text)), encoding="utf-8")
    ran = run("replay", path)
    assert "Traceback" not in ran.stderr
    assert text in ran.stdout or complaint(ran)


def test_reader_may_leave_early() -> None:
    command = [sys.executable, "-m", "kibitz", "play", "uttt", "random", "random", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as left:
        assert left.stdout is not None
        assert left.stderr is not None
        left.stdout.close()
        assert b"Traceback" not in left.stderr.read()


def test_a_position_of_a_game_in_a_file_is_analysed(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9]KM[6.5];B[ee];W[cc];B[gc])")
    told = json.loads(
        output("analyse", "go", "-o", "size=9", "--record", file, "--move", "2", "--nodes", "50", "--json")
    )
    assert told["best"][0] not in ("E5", "C7")
    assert "Move 9 does not exist" in complaint(run("analyse", "go", "--record", file, "--move", "9"))
    assert "needs a game" in complaint(run("analyse", "go", "--move", "1"))
    assert "not both" in complaint(run("analyse", "go", "--record", file, "--position", "x"))
    assert "Cannot read" in complaint(run("analyse", "go", "--record", tmp_path / "none"))
    games = tmp_path / "games.jsonl"
    output("play", "uttt", "random", "random", "--seed", "1", "--save", games)
    told = json.loads(output("analyse", "uttt", "--record", games, "--move", "40", "--nodes", "100", "--json"))
    assert told["best"]
    assert "is a game of Ultimate Tic-Tac-Toe, not Go" in complaint(run("analyse", "go", "--record", games))


def test_what_a_game_sees_is_shown_while_it_is_played() -> None:
    told = output("play", "dots", "level1", "level1", "-o", "rows=1", "-o", "cols=2", "--insight", "--seed", "1")
    assert "Phase     " in told
    assert "Phase     " not in output("play", "dots", "level1", "level1", "-o", "rows=1", "-o", "cols=2", "--seed", "1")
