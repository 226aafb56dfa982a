"""Go at a table: dead stones are marked and agreed on at the end, and what was agreed on is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from games.go.go_games import KO, OVER, SMALL, WALLS
from games.go.page.serving import refusal_of
from kibitz.core import registry
from kibitz.core.errors import BadText
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import to_json
from kibitz.web.server.app import make_app
from kibitz.web.tables import seats as seated
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.new import read_new_table
from kibitz.web.tables.setup import Seat, Setup
from kibitz.web.tables.snapshot import snapshot, view_table
from kibitz.web.tables.table import Event, Refused, Table, event_json
from web.talking import ANN, TestClient, agent, create, hear, hear_table, move, new_table, sit, styles, tell


def table_of(*moves: str, seats: tuple[Seat, Seat] | None = None, seconds: float | None = None, **more: Any) -> Table:
    people = (Seat("person", "Ann"), Seat("person", "Bob"))
    table = Table(Setup("id", registry.game("go", **{**SMALL, **more}), seats or people, seconds, 7))
    for text in moves:
        table.commit(table.make_move(table.game.parse_move(text), 0.5))
    return table


def refused(words: str, act: Callable[..., Event], *given: object) -> None:
    """Expect a table to refuse something in words that match."""
    with pytest.raises(Refused, match=words):
        act(*given)


def test_two_passes_ask_for_the_dead_stones() -> None:
    assert not table_of(*WALLS, "pass").is_settling
    table = table_of(*OVER)
    assert (table.is_settling, table.outcome, table.record().result) == (True, None, "*")
    told = snapshot(table, (0, 1))
    assert told["settling"] == {"ask": "Mark the dead stones", "marks": [], "words": "Bob wins, 6.5 points to 6"}
    assert (told["legal"], told["scores"]) == ([], [6, 6.5])
    refused("take back a move", table.move, "A1", 14)


def test_marks_change_the_count_and_the_result_is_agreed_on() -> None:
    table = table_of(*OVER)
    table.commit(table.mark("E3"))
    assert table.result_words(table.settlement) == "Bob wins, 11.5 points to 5"
    table.commit(table.mark("A3"))
    told = snapshot(table, (0, 1))
    assert told["settling"]["words"] == "Ann wins, 15 points to 10.5"
    assert sorted(told["settling"]["marks"]) == ["A3", "E3"]
    assert told["scores"] == [15, 10.5]
    picture = to_json(view_table(table, 0).picture)
    assert [key for key, words in styles(picture).items() if "dead" in words] == ["A3", "E3"]
    owners = [words for words in styles(picture).values() if "owner" in words]
    assert sum("black" in words for words in owners) == 10  # of 15 points, 5 with stones of their owner
    assert sum("white" in words for words in owners) == 5
    table.commit(table.settle(["E3", "A3"]))
    assert (table.result_words(), table.is_settling) == ("Ann wins, 15 points to 10.5", False)
    assert snapshot(table, (0, 1))["scores"] == [15, 10.5]


def test_a_mark_is_of_a_whole_chain_and_taken_away_again() -> None:
    table = table_of(*OVER)
    table.commit(table.mark("D2"))
    assert sorted(table.marks) == ["D1", "D2", "D3", "D4", "D5"]
    table.commit(table.mark("D5"))
    assert table.marks == ()
    with pytest.raises(BadText, match="no stone"):
        table.mark("B1")
    table.commit(table.resign(1))
    assert table.result_words() == "Ann wins, Bob resigned", "even while the result is agreed on"


def test_the_record_replays_with_what_was_agreed_on() -> None:
    table = table_of(*OVER)
    unsettled = GameRecord.from_json(table.record().to_json())
    assert (unsettled.result, len(replay(unsettled))) == ("*", len(OVER) + 1)
    for mark in ("E3", "A3"):
        table.commit(table.mark(mark))
    table.commit(table.settle(table.marks))
    record = table.record()
    assert (record.result, record.marks) == ("1-0", ("A3", "E3"))
    again = GameRecord.from_json(record.to_json())
    assert again == record
    replay(again)
    told = json.loads(record.to_json())
    wrongs: list[dict[str, Any]] = [{"marks": []}, {"marks": ["B1"]}, {"result": "0-1"}, {"moves": WALLS}]
    for wrong in wrongs:
        with pytest.raises(BadText):
            replay(GameRecord.from_object({**told, **wrong}))
    made, _ = read_new_table(json.dumps({"record": told}).encode(), 0)
    assert made.result_words() == "human (Black) wins, 15 points to 10.5"


def test_a_table_is_the_sum_of_its_events() -> None:
    table, events = table_of(), list[dict[str, Any]]()

    def happen(event: Event) -> None:
        events.append(json.loads(json.dumps(event_json(event))))
        table.commit(event)

    for text in OVER:
        happen(table.move(text, table.ply))
    happen(table.mark("E3"))
    happen(table.settle(["E3"]))
    happen(table.undo())
    assert snapshot(table, (0, 1))["settling"]["marks"] == ["E3"]
    happen(table.undo())
    assert snapshot(table, (0, 1))["settling"] is None
    assert (table.ply, len(table.marks)) == (13, 0)
    happen(table.redo())
    happen(table.mark("A3"))
    happen(table.settle(["A3"]))
    again = table_of()
    for event in events:
        again.commit(again.read(event))
    assert again.result_words() == table.result_words() == "Ann wins, 16 points to 5.5"  # 10 points, 5 stones, E3


def test_what_cannot_be_agreed_on_is_refused() -> None:
    table = table_of(*WALLS)
    refused("no result to agree", table.mark, "E3")
    refused("no result to agree", table.settle, [])
    with pytest.raises(BadText):
        table.read({"do": "settle", "marks": []})
    over = table_of(*OVER)
    over.commit(over.mark("E3"))
    refused("marks have changed", over.settle, [])
    over.commit(over.settle(["E3"]))
    refused("no result to agree", over.mark, "E3")
    other = Table(Setup("id", registry.game("dots", rows=1, cols=1), (Seat("person", "Ann"), Seat("person", "Bob"))))
    for text in "0123":
        other.commit(other.move(text, other.ply))
    assert other.outcome is not None
    refused("no result to agree", other.settle, [])


def test_agents_take_the_board_as_it_is_and_no_clock_runs_while_people_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    bots = (Seat("agent", "Level 1", "level1"), Seat("agent", "Level 2", "level2"))
    assert table_of(*OVER, seats=bots).result_words() == "Level 2 wins, 6.5 points to 6"
    for moves, late in ((WALLS, True), (OVER, False)):
        timed = table_of(*moves, seconds=0.05)
        monkeypatch.setattr(timed.clock, "elapsed", lambda: 10.0)
        assert timed.is_late() == late


# Over the websocket


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(seated, "MOVE_PAUSE_SECONDS", 0.0)
    with TestClient(make_app(TableFiles(tmp_path))) as made:
        yield made


def go(client: TestClient, moves: list[str], **wish: Any) -> str:
    return create(client, **{"game": "go", "options": SMALL, "moves": moves, **wish})


def hear_until(socket: Any, holds: Callable[[JsonObject], object]) -> JsonObject:
    """Return the next message about the table of which something holds."""
    while not holds(told := hear(socket, "table")):
        pass
    return told


def test_two_people_by_link_both_agree(client: TestClient) -> None:
    made, (first, second) = new_table(client, game="go", options=SMALL, moves=OVER, link=True)
    path = f"/ws/tables/{made}"
    with client.websocket_connect(path) as ann, client.websocket_connect(path) as bob:
        sit(ann, first)
        sit(bob, second)
        tell(ann, "mark", mark="E3")
        told = hear_until(bob, lambda told: told["settling"]["marks"])
        assert told["settling"]["words"] == "Bob wins, 11.5 points to 5"
        tell(bob, "settle", marks=["E3"])
        assert hear_until(ann, lambda told: told["asked"])["asked"] == {"what": "settle", "seat": 1}
        tell(ann, "mark", mark="A3")  # takes Bob's wish back
        assert hear_until(bob, lambda told: len(told["settling"]["marks"]) == 2)["asked"] is None
        tell(bob, "agree")
        assert "not asked" in hear(bob, "refused")["words"]
        tell(bob, "settle", marks=["E3"])  # what he saw before
        assert "marks have changed" in hear(bob, "refused")["words"]
        tell(bob, "settle", marks=["A3", "E3"])
        hear_until(ann, lambda told: told["asked"])
        tell(ann, "agree")
        outcome = hear_until(bob, lambda told: told["outcome"])["outcome"]
        assert outcome == {"result": "1-0", "winner": 0, "words": "Ann wins, 15 points to 10.5"}
    record = GameRecord.from_json(client.get(f"/api/tables/{made}/record").text)
    replay(record)
    assert record.marks == ("A3", "E3")


def test_against_an_agent_the_person_decides(client: TestClient) -> None:
    made = go(client, OVER, seats=[ANN, agent("level1")])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        told = hear(socket, "table")
        assert told["settling"]
        assert told["busy"] is None  # it is the agent's turn by the rules, but there is nothing to think about
        tell(socket, "settle", marks=[])
        assert hear(socket, "table")["outcome"]["words"] == "Level 1 wins, 6.5 points to 6"
        tell(socket, "restart")
        again = hear(socket, "again")["id"]
    with client.websocket_connect(f"/ws/tables/{again}") as socket:
        assert hear_table(socket, 0)["before"] == made
    assert client.get(f"/api/tables/{made}/record").json()["result"] == "0-1"


@pytest.mark.parametrize(
    ("moves", "wrong", "words"),
    [
        (["C3", "A2", "C4", "B1"], "A1", "A stone on A1 has no liberties and captures nothing."),
        (["C3", "A2"], "C3", "There is a stone on C3 already."),
        (["C3", "A2"], "Z9", "'Z9' is not a move"),
    ],
)
def test_refusals_are_in_words(client: TestClient, moves: list[str], wrong: str, words: str) -> None:
    made = go(client, moves)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        hear(socket, "table")
        tell(socket, "move", ply=len(moves), move=wrong)
        assert words in hear(socket, "refused")["words"]
        assert "black" in styles(move(socket, len(moves), "E5")["picture"])["E5"]


@pytest.mark.parametrize(("ko", "words"), [("simple", "retakes the ko"), ("positional", "superko")])
def test_a_ko_is_refused_in_words_and_marked(client: TestClient, ko: str, words: str) -> None:
    made = go(client, KO, options={**SMALL, "ko": ko})
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        told = hear(socket, "table")
        assert told["notes"] == ["0 prisoners", "1 prisoner, komi 0.5"]
        marked = [key for key, words in styles(told["picture"]).items() if "ko" in words]
        assert marked == (["ko C2"] if ko == "simple" else [])
        tell(socket, "move", ply=len(KO), move="C2")
        assert words in hear(socket, "refused")["words"]


def test_a_game_is_exported_as_sgf_and_read_again(client: TestClient) -> None:
    made = go(client, OVER)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        hear(socket, "table")
        for mark in ("E3", "A3"):
            tell(socket, "mark", mark=mark)
        tell(socket, "settle", marks=["A3", "E3"])
        hear_until(socket, lambda told: told["outcome"])
    text = client.get(f"/api/tables/{made}/export?notation=sgf").text
    assert text.startswith("(;FF[4]GM[1]CA[UTF-8]AP[kibitz]SZ[5]KM[0.5]RU[Chinese]PB[Ann]PW[Bob]RE[B+4.5];B[ce];W[de]")
    assert text.rstrip().endswith(";B[];W[])")
    read = client.post("/api/import", json={"game": "go", "text": text, "notation": None}).json()
    assert read["moves"] == OVER
    assert read["options"]["komi"] == 0.5


def test_records_with_handicap_and_setup_are_imported(client: TestClient) -> None:
    def read(text: str) -> Any:
        return client.post("/api/import", json={"game": "go", "text": text, "notation": "sgf"})

    fixed, free = (read(f"(;SZ[9]HA[2]KM[0]AB{stones};W[ee])").json() for stones in ("[gc][cg]", "[aa][bb]"))
    assert (fixed["start"], fixed["options"]["handicap"]) == (None, 2)
    assert free["start"].startswith("X8/1X7/9")
    assert "Move 2" in refusal_of(read("(;SZ[9];B[cc];W[cc])"))


def test_the_editor_passes_through_what_is_not_possible(client: TestClient) -> None:
    def edit(position: str, do: JsonObject) -> JsonObject:
        body = {"game": "go", "options": {"size": 3}, "position": position, "do": do}
        found: JsonObject = client.post("/api/edit", json=body).json()
        return found

    position = ""
    for point, stone in (("A3", "black"), ("B3", "white"), ("A2", "white")):
        told = edit(position, {"tool": stone, "place": point})
        position = told["position"]
    assert position.split()[0] == "XO1/O2/3"
    assert "no liberties" in told["problem"]
    stones = {key: words[-1] for key, words in styles(told["picture"]).items() if "stone" in words}
    assert stones == {"A3": "black", "B3": "white", "A2": "white"}
    told = edit(position, {"tool": "nothing", "place": "A3"})
    assert told["problem"] is None
    assert edit(told["position"], {"setting": "to_move", "value": "1"})["to_move"] == 1
    assert edit(position, {"clear": True})["position"].split()[0] == "3/3/3"
    assert "error" in edit(position, {"point": "Z9", "stone": 0})
