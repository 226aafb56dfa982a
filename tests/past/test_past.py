"""Version 0.1.0 made the data of tests/data/v0.1: this version reads them, and its searches do what they did then."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kibitz
from past import questions
from past.questions import DATA, Server, command, differences, serving, stored, without


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a copy of the data, which may be written to."""
    return shutil.copytree(DATA, tmp_path / "past")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a copy of the data folder, for tests that change nothing."""
    with serving(shutil.copytree(DATA / "server", tmp_path_factory.mktemp("past") / "server")) as made:
        yield made


# Tables


def test_tables_are_shown_as_they_were(server: Server) -> None:
    tables = stored("tables.json")
    for table_id, made in tables.items():
        then, now = made["shown"], questions.describe_table(server, table_id, made["tokens"])
        for exports in (then["exports"], now["exports"]):  # 0.1.0 left players and resignations out of this one
            if exports.get("record"):
                exports["record"] = without(exports["record"], {"agents", "result"})
        assert not differences(then, now), made["about"]
    listed = {each["id"]: each for each in server.get_json("/api/tables")["tables"]}
    assert listed.keys() == tables.keys()
    for table_id, each in listed.items():
        shown = tables[table_id]["shown"]
        assert (each["game"], each["moves"]) == (shown["game"]["name"], shown["ply"])
        assert each["names"] == [seat["name"] for seat in shown["seats"]]
        assert each["result"] == (shown["outcome"]["result"] if shown["outcome"] else "*")


def find(about: str) -> tuple[str, dict[str, Any]]:
    """Return the table that was made to show something."""
    ((table_id, made),) = (
        (table_id, made) for table_id, made in stored("tables.json").items() if made["about"] == about
    )
    return table_id, made


def test_unfinished_games_go_on(data: Path) -> None:
    with serving(data / "server") as server:
        resign_with_hidden_cards(server)
        agree_on_dead_stones(server)
        play_on_after_a_torn_line(server)


def resign_with_hidden_cards(server: Server) -> None:
    table_id, made = find("battleline with hidden cards")
    with server.table(table_id) as table:
        assert table.seen["position"] is None
        table.tell("resign", seat=0)
        table.wait_for(lambda seen: seen["outcome"])
    record = server.get_json(f"/api/tables/{table_id}/record")
    known = {ply: move["text"] for ply, move in enumerate(made["shown"]["moves"]) if move["player"] == 0}
    assert known == {ply: record["moves"][ply] for ply in known}
    assert len(record["moves"]) == made["shown"]["ply"]
    kibitz.replay(kibitz.GameRecord.from_json(json.dumps(record)))


def agree_on_dead_stones(server: Server) -> None:
    table_id, made = find("go being settled, by link")
    with server.table(table_id, made["tokens"][0]) as ann, server.table(table_id, made["tokens"][1]) as bob:
        bob.tell("settle", marks=["E3"])
        ann.wait_for(lambda seen: seen["asked"])
        ann.tell("agree")
        assert ann.wait_for(lambda seen: seen["outcome"])["outcome"]["result"] == "0-1"


def play_on_after_a_torn_line(server: Server) -> None:
    table_id, made = find("torn: uttt killed while a move was written")
    with server.table(table_id) as table:
        moved = table.play(made["shown"]["legal"][0])
    assert [move["text"] for move in moved["moves"]] == [
        *(move["text"] for move in made["shown"]["moves"]),
        made["shown"]["legal"][0],
    ]


def test_notations_are_read_as_they_were(server: Server) -> None:
    texts = stored("notations.json")
    assert {(each["game"], each["notation"]) for each in texts} > {("go", "sgf"), ("dots", "trmph"), ("uttt", "fen")}
    for each in texts:
        game, options, name, text = (each[key] for key in ("game", "options", "notation", "text"))
        for notation in {name, None} if each["guessed"] else {name}:
            read = questions.read_notation(server, game, options, notation, text)
            assert not differences(each["read"], read), (game, notation, text)


# Tournaments


@pytest.mark.parametrize("name", sorted(path.name for path in (DATA / "arena").iterdir()))
def test_tournaments_have_the_same_report(name: str, data: Path, tmp_path: Path) -> None:
    folder, out = data / "arena" / name, tmp_path / "out"
    command("arena", "report", folder, "--out", out)
    then, now = results_of(folder), results_of(out)
    assert list(now) == list(then)
    assert not differences(then, now)
    assert (out / "results.csv").read_text(encoding="utf-8") == (folder / "results.csv").read_text(encoding="utf-8")
    assert (out / "report.html").stat().st_size
    assert bool(now.get("study_2014")) == (name == "study-2014")
    assert bool(now.get("temperatures")) == (name == "temperatures")


def results_of(folder: Path) -> dict[str, Any]:
    """Return the results of a tournament, without the sections of another game, which 0.1.0 wrote as null."""
    results: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return results if results["game"] == "uttt" else without(results, {"study_2014", "temperatures"})


def test_a_tournament_of_the_page_is_shown(server: Server) -> None:
    (folder,) = (DATA / "server" / "arena").iterdir()
    then = results_of(folder)
    shown = server.get_json(f"/api/arena/{folder.name}")
    assert (shown["state"], shown["played"]) == ("complete", then["games"])
    assert not differences(then, server.get_json(f"/api/arena/{folder.name}/results.json"))


def test_a_tournament_that_was_stopped_goes_on_with_the_same_games(data: Path) -> None:
    games = data / "arena" / "battleline" / "games.jsonl"
    lines = games.read_text(encoding="utf-8").splitlines(keepends=True)
    games.write_text("".join(lines[:1]), encoding="utf-8")
    command("arena", "resume", games.parent, "--jobs", "1")
    then, now = (
        [json.loads(line) for line in text] for text in (lines, games.read_text(encoding="utf-8").splitlines())
    )
    keys = ("id", "seed", "agents", "moves", "result")
    assert [[game[key] for key in keys] for game in now] == [[game[key] for key in keys] for game in then]


# Backups and Go


def test_a_backup_is_restored_and_its_store_of_go_answers_as_it_did(data: Path) -> None:
    command("restore", data / "backup.tar.gz", "--data", data / "restored")
    for path in (DATA / "server").rglob("*"):
        if path.is_file():
            restored = data / "restored" / path.relative_to(DATA / "server")
            assert restored.read_bytes() == path.read_bytes()
    assert (data / "restored" / "games" / "records.jsonl").read_bytes() == (DATA / "records.jsonl").read_bytes()
    then, now = stored("go.json"), questions.go_answers(data / "restored" / "go", data / "go")
    for answers in (then, now):  # go match chooses a move since 0.2, and lists the patterns in that order
        assert answers.pop("match 1 --move 30 --shape 3x3 --limit 5")["matches"]
    listed = [answers.pop("games --player mcts(playouts=100) --result B --limit 5")["count"] for answers in (then, now)]
    assert listed == [9, 17]  # 0.1.0 listed only 19x19 unless a size was named
    assert not differences(then, now)


def test_records_of_go_are_imported_and_mined_as_they_were(data: Path) -> None:
    """The stored answers are of a store made then; those of a new one are the same."""
    store, then = data / "store", stored("go.json")
    assert questions.ask_json("go", "import", data / "go" / "records.sgf", "--store", store)["imported"] == 48
    mined = questions.ask_json("go", "mine", "--store", store)
    assert mined["patterns"] == [kind for kind in then["mine"]["patterns"] if kind["size"] == 19]


# Records


def test_records_replay_to_the_same_end() -> None:
    records, ends = kibitz.read_records(DATA / "records.jsonl"), stored("records.json")
    assert not records.bad
    assert {record.game for record in records.good} == {"battleline", "dots", "go", "uttt"}
    assert any(record.marks for record in records.good)
    assert any(record.start for record in records.good)
    now = []
    for record in records.good:
        state = kibitz.replay(record)[-1]
        outcome = state.outcome()
        now.append(
            {
                "game": record.game,
                "options": state.game.options,
                "agents": list(record.agents),
                "moves": len(record.moves),
                "result": record.result,
                "marks": None if record.marks is None else list(record.marks),
                "winner": None if outcome is None else outcome.winner,
                "position": state.game.position_text(state),
            }
        )
    assert not differences(ends, now)


def test_records_are_written_as_they_were() -> None:
    lines = (DATA / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [kibitz.GameRecord.from_json(line).to_json() for line in lines] == lines


# Commands and agents


def sections() -> dict[str, str]:
    """Return what version 0.1.0 printed: words of a command -> its output."""
    parts = re.split(r"^\$ kibitz (.*)$", (DATA / "help.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


HIDDEN = {"learn"}
"""Commands with another name now; the old one works but is not listed."""


def test_every_command_and_option_is_still_there() -> None:
    helped = {words: text for words, text in sections().items() if words.endswith("--help")}
    assert len(helped) == 56
    assert {"--store", "--json"} < questions.options_in(helped["go search --help"])
    for words, then in helped.items():
        now = command(*words.split())
        assert not questions.options_in(then) - questions.options_in(now), words
        assert not set(questions.commands_in(then)) - set(questions.commands_in(now)) - HIDDEN, words


def agents_in(text: str) -> set[str]:
    """Return the agents that a list names below its heading, and the names of their options; no outside programs."""
    _, _, rows = text.strip().partition("\n")
    return set(re.findall(r"^([^\s:]+)  ", rows, re.MULTILINE)) | set(re.findall(r"^ +(\w+=)", rows, re.MULTILINE))


@pytest.mark.parametrize("game", ["battleline", "dots", "go", "uttt"])
def test_every_agent_is_still_there(game: str) -> None:
    then = agents_in(sections()[f"agents {game}"])
    assert {"random", "level10", "champion"} < then
    assert not then - agents_in(command("agents", game))


@pytest.mark.parametrize(
    ("game", "prefix"), [("dots", "exec"), ("uttt", "codingame"), ("go", "gtp"), ("uttt", "openspiel")]
)
def test_every_kind_of_outside_program_is_still_there(game: str, prefix: str) -> None:
    assert re.search(rf"^{prefix}:[A-Z]+  ", command("agents", game), re.MULTILINE)


# Searches


@pytest.mark.parametrize("game", ["battleline", "dots", "go", "uttt"])
def test_searches_do_what_they_did(game: str) -> None:
    for then, limits in zip(stored("signatures.json"), questions.LIMITS, strict=True):
        if then["game"] == game:
            assert not differences(then["searches"], questions.signatures(then, limits)), then["options"]
