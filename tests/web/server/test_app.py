"""The server over HTTP and websockets, in this process: games, two tabs, agents that think, fail and are hurried."""

from __future__ import annotations

import gc
import json
import random
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from clocks import wait_until
from kibitz.compiled.notice import announce
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import Resigned
from kibitz.core.game import View
from kibitz.core.parts import AgentEntry
from kibitz.core.record import GameRecord, replay
from kibitz.search.agents import agent_entries
from kibitz.web.bots import PREFIX
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from web.talking import ANN, TestClient, agent, at_new_table, create, hear, hear_table, labels, move, refusal, tell

# Agents for the tests


class Sleeper(Agent):
    """Thinks until it is stopped, then plays the last legal move."""

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        assert watch is not None
        watch.depth, watch.nodes, watch.value, watch.move = 7, 99, 1.0, view.legal_moves()[0]
        while not watch.stopped:
            threading.Event().wait(0.01)
        return Choice(view.legal_moves()[-1], note="Woken up.")


class Stumbler(Agent):
    """Fails at its first call, names an illegal move at its second, and then plays."""

    calls = 0

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        Stumbler.calls += 1
        if Stumbler.calls == 1:
            raise RuntimeError("no idea")
        return Choice(0 if Stumbler.calls == 2 else view.legal_moves()[0])


class Quitter(Agent):
    """Resigns where four moves are left, and plays the first legal move elsewhere and when it is asked again."""

    has_resigned = False

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        if len(view.legal_moves()) == 4 and not self.has_resigned:
            self.has_resigned = True
            raise Resigned("quitter resigns.")
        return Choice(view.legal_moves()[0])


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Sleeper, Stumbler, Quitter):
        monkeypatch.setitem(agent_entries("dots"), kind.__name__.lower(), AgentEntry(kind))
    Stumbler.calls = 0


# The lobby


def test_the_catalogue_has_what_the_lobby_needs(client: TestClient) -> None:
    games = {game["name"]: game for game in client.get("/api/games").json()["games"]}
    assert set(games) >= {"battleline", "dots", "go", "uttt"}  # and those that somebody has installed
    for name in ("battleline", "dots", "go", "uttt"):
        game = games[name]
        specs = [each["spec"] for each in game["agents"]]
        assert specs[:10] == [f"level{n}" for n in range(1, 11)]
        own = {spec for spec in specs if not spec.startswith(PREFIX)}  # Go also offers the collections that are mined
        assert own == set(agent_entries(name))
        assert all(each["about"] and each["label"] for each in game["agents"])
        assert game["agents"][0]["label"] == "Level 1"
        assert game["editor"] == (name != "battleline")
        assert client.get(f"/api/games/{name}/cover").json()["shapes"]
        assert game["links"] == ([["Explore games", "/explore"]] if name == "go" else [])
        assert {each["kind"] for each in game["notations"]} == {"game", "position"}
        assert all(each["label"] and each["about"] for each in game["options"])
    assert client.get("/api/games/chess/cover").status_code == 400
    assert games["dots"]["problems"]
    assert not games["uttt"]["problems"]
    options = {each["name"]: each for each in games["dots"]["options"]}
    assert (options["rows"]["kind"], options["rows"]["least"], options["rows"]["most"]) == ("int", 1, 9)
    assert options["start"]["choices"] == ["empty", "icelandic", "swedish"]
    assert options["graph"]["kind"] == "file"


@pytest.mark.parametrize("path", ["/", "/games", "/play/abc", "/new/dots", "/edit/uttt", "/problems/dots/3"])
def test_pages_are_one_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.content == client.get("/").content


# Games


def test_a_whole_game_between_two_persons(client: TestClient) -> None:
    with at_new_table(client) as (made, socket):
        table = hear(socket, "table")
        assert (table["id"], table["ply"], table["to_move"], table["outcome"]) == (made, 0, 0, None)
        assert table["game"]["options"] == {"rows": 1, "cols": 2, "start": "empty"}
        assert [seat["name"] for seat in table["seats"]] == ["Ann", "Bob"]
        assert table["legal"] == [str(line) for line in range(7)]
        for ply, line in enumerate(["0", "2", "4", "5", "1", "3", "6"]):
            table = move(socket, ply, line)
        assert table["outcome"] == {"result": "0-1", "winner": 1, "words": "Bob wins, 2 boxes to 0"}
        assert table["scores"] == [0, 2]
        assert [each["player"] for each in table["moves"]] == [0, 1, 0, 1, 1, 0, 1]
        assert table["legal"] == []
    record = client.get(f"/api/tables/{made}/record")
    assert "attachment" in record.headers["content-disposition"]
    assert len(replay(GameRecord.from_json(record.text))) == 8
    exported = client.get(f"/api/tables/{made}/export", params={"notation": "lines"}).text
    assert exported.splitlines() == ["h 0 0", "h 1 0", "v 0 0", "v 0 1", "h 0 1", "h 1 1", "v 0 2"]
    earlier = client.get(f"/api/tables/{made}/at/4").json()
    assert (earlier["ply"], earlier["to_move"], earlier["scores"]) == (4, 1, [0, 1])
    shapes = [key for _, key, *_ in earlier["picture"]["shapes"]]
    assert [key for key in shapes if key.startswith(("box", "last"))] == ["box 0", "last 5"]
    assert labels(earlier["picture"])["5"] == "b1–b2, drawn by Blue"
    assert client.get(f"/api/tables/{made}/at/8").status_code == 400
    [listed] = client.get("/api/tables").json()["tables"]
    assert (listed["id"], listed["moves"], listed["result"], listed["names"]) == (made, 7, "0-1", ["Ann", "Bob"])
    again = client.post("/api/tables", json={"record": json.loads(record.text)}).json()["id"]
    assert client.get(f"/api/tables/{again}/export", params={"notation": "lines"}).text == exported


@pytest.mark.parametrize(("game", "spec"), [("dots", "level5"), ("uttt", "level1")])
def test_a_whole_game_against_an_agent(client: TestClient, game: str, spec: str) -> None:
    with at_new_table(client, game=game, options={}, seats=[ANN, agent(spec)]) as (made, socket):
        table = hear(socket, "table")
        while table["outcome"] is None:
            if table["to_move"] == 0:
                tell(socket, "move", ply=table["ply"], move=table["legal"][0])
            else:
                assert table["busy"] == 1
            table = hear(socket, "table")
    states = replay(GameRecord.from_json(client.get(f"/api/tables/{made}/record").text))
    assert states[-1].outcome() is not None


def test_two_tabs_see_one_game_which_a_restart_keeps(client: TestClient, tmp_path: Path) -> None:
    made = create(client)
    with client.websocket_connect(f"/ws/tables/{made}") as one, client.websocket_connect(f"/ws/tables/{made}") as two:
        hear(two, "table")
        move(one, 0, "0")
        assert hear_table(two, 1)["moves"][0]["text"] == "0"
        assert "position has changed" in refusal(two, "move", ply=0, move="1")  # as if it had not seen the move
        tell(two, "name", seat=0, name="Anna")
        assert hear(one, "table")["seats"][0]["name"] == "Anna"
        move(one, 1, "2")
        tell(one, "undo")
        hear_table(one, 1)
    with TestClient(make_app(TableFiles(tmp_path))) as again, again.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        assert (table["ply"], table["redo"], table["seats"][0]["name"]) == (1, 1, "Anna")
        tell(socket, "redo")
        assert [each["text"] for each in hear_table(socket, 2)["moves"]] == ["0", "2"]


def test_what_cannot_be_done_is_refused_and_changes_nothing(client: TestClient) -> None:
    with at_new_table(client, seats=[ANN, agent("level1")]) as (made, socket):
        before = hear(socket, "table")
        for raw in ("", "{}", "[]", "x" * 5000, '{"do":"move","ply":0,"move":"99"}', '{"do":"undo"}', '{"do":"redo"}'):
            socket.send_text(raw)
            assert hear(socket, "refused")["words"]
        socket.send_bytes(b'{"do":"undo"}')
        assert "text" in hear(socket, "refused")["words"]
        assert refusal(socket, "resign", seat=1) == "Level 1 is an agent: nobody can resign for it."
        assert refusal(socket, "review") == "There is no move to review yet."
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        after = hear(socket, "table")
    for key in ("ply", "moves", "picture", "panels", "seats", "position", "redo"):
        assert after[key] == before[key]


def test_undo_redo_resign_restart(client: TestClient) -> None:
    with at_new_table(client) as (made, socket):
        for ply, line in enumerate(["0", "2"]):
            move(socket, ply, line)
        tell(socket, "undo")
        assert hear_table(socket, 1)["redo"] == 1
        tell(socket, "redo")
        assert hear_table(socket, 2)["redo"] == 0
        tell(socket, "resign", seat=0)
        assert hear(socket, "table")["outcome"]["words"] == "Bob wins, Ann resigned"
        for _ in range(2):  # asked twice, there is still one game that follows
            tell(socket, "restart")
            again = hear(socket, "again")["id"]
    with client.websocket_connect(f"/ws/tables/{again}") as socket:
        table = hear_table(socket, 0)
        assert (table["outcome"], table["redo"], table["before"]) == (None, 0, made)
    listed = {each["id"]: each for each in client.get("/api/tables").json()["tables"]}
    assert listed.keys() == {made, again}  # the finished game stays where it is
    kept = listed[made]
    assert (kept["result"], kept["reason"], kept["moves"]) == ("0-1", "Ann resigned", 2)


def test_who_has_no_time_left_loses(client: TestClient) -> None:
    with at_new_table(client, seconds=0.3) as (_, socket):
        first = hear(socket, "table")
        assert first["clock"]["limit"] == 0.3
        assert hear(socket, "table")["outcome"]["words"] == "Bob wins, Ann ran out of time"


def test_there_is_no_such_table(client: TestClient) -> None:
    for path in ("/api/tables/nope", "/api/tables/nope/record", "/api/tables/..%2f..%2fetc/record"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect("/ws/tables/nope"):
        pass
    assert closed.value.code == 4404


# Agents


@pytest.mark.usefixtures("agents")
def test_nobody_waits_for_an_agent_that_thinks(client: TestClient) -> None:
    slow, other = create(client, seats=[ANN, agent("sleeper")]), create(client)
    with client.websocket_connect(f"/ws/tables/{slow}") as socket:
        hear(socket, "table")
        table = move(socket, 0, "0")
        assert table["busy"] == 1
        thinking = hear(socket, "thinking")
        assert (thinking["player"], thinking["spec"], thinking["depth"], thinking["nodes"]) == (1, "sleeper", 7, 99)
        assert (thinking["move"], thinking["value"], thinking["compiling"]) == ("1", 1.0, False)
        assert refusal(socket, "move", ply=1, move="1") == "It is sleeper's turn."
        with client.websocket_connect(f"/ws/tables/{other}") as elsewhere:
            assert move(elsewhere, 0, "0")["ply"] == 1
        tell(socket, "undo")
        table = hear(socket, "table")
        assert (table["ply"], table["busy"]) == (0, None)
        move(socket, 0, "2")
        tell(socket, "now")
        table = hear_table(socket, 2)
        assert [each["text"] for each in table["moves"]] == ["2", "6"]  # not a move of the thought that was ended
        assert hear(socket, "thought")["note"] == "Woken up."


@pytest.mark.usefixtures("agents")
def test_compiling_is_reported(client: TestClient) -> None:
    with at_new_table(client, seats=[agent("sleeper"), ANN]) as (_, socket):
        assert not hear(socket, "thinking")["compiling"]
        announce("deepen")
        hear(socket, "thinking", "compiling")
        announce(None)
        while hear(socket, "thinking")["compiling"]:
            pass
        tell(socket, "now")
        assert hear_table(socket, 1)["busy"] is None


@pytest.mark.usefixtures("agents")
def test_an_agent_that_fails_is_reported_and_may_try_again(client: TestClient) -> None:
    with at_new_table(client, seats=[ANN, agent("stumbler")]) as (_, socket):
        tell(socket, "move", ply=0, move="0")  # not move(): the notice may come before the table
        assert hear(socket, "notice")["words"].startswith("stumbler could not move. It failed (RuntimeError: no idea).")
        hear(socket, "table", "paused")
        tell(socket, "resume")
        assert "Line 0 has already been drawn" in hear(socket, "notice")["words"]
        assert hear(socket, "table")["paused"]
        tell(socket, "undo")  # the game goes on for the person
        assert not hear_table(socket, 0)["paused"]
        move(socket, 0, "3")
        assert hear_table(socket, 2)["moves"][1]["text"] == "0"


@pytest.mark.usefixtures("agents")
def test_an_agent_still_answers_when_the_person_has_gone(client: TestClient) -> None:
    made = create(client, seats=[ANN, agent("stumbler")])
    Stumbler.calls = 2  # it plays now
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        hear(socket, "table")
        tell(socket, "move", ply=0, move="3")
        hear_table(socket, 1)
    wait_until(lambda: client.get("/api/tables").json()["tables"][0]["moves"] == 2, "the agent's move")


def test_what_an_agent_remembers_goes_with_the_last_visitor(client: TestClient) -> None:
    """At once: the collector of garbage, which is off here, goes by the number of objects, not by their size."""
    made = create(client, seats=[ANN, agent("random")])
    gc.disable()
    try:
        with client.websocket_connect(f"/ws/tables/{made}") as socket:
            hear_table(socket, 0)
            tell(socket, "move", ply=0, move="0")
            hear_table(socket, 2)
            room = client.app.state.server.rooms[made]  # type: ignore[attr-defined]  # a Starlette
            remembered = weakref.ref(room.agents._thinkers[1]._agent)
            assert remembered() is not None
        wait_until(lambda: remembered() is None, "the end of the agent")
    finally:
        gc.enable()


def test_two_agents_play_pause_and_go_on(client: TestClient) -> None:
    with at_new_table(client, options={"rows": 2, "cols": 2}, seats=[agent("level1"), agent("level5")]) as (_, socket):
        hear_table(socket, 2)
        tell(socket, "pause")
        table = hear(socket, "table", "paused")
        at = table["ply"]
        tell(socket, "undo")
        table = hear(socket, "table")
        assert (table["ply"], table["paused"], table["busy"]) == (at - 1, True, None)
        tell(socket, "resume")
        while (table := hear(socket, "table"))["outcome"] is None:
            assert not table["paused"]
        assert sum(table["scores"]) == 4


@pytest.mark.usefixtures("agents")
def test_a_resignation_ends_the_game_and_can_be_taken_back(client: TestClient) -> None:
    with at_new_table(client, seats=[ANN, agent("quitter")]) as (made, socket):
        move(socket, 0, "0")
        hear_table(socket, 2)
        tell(socket, "move", ply=2, move="6")
        told = hear(socket, "table", "outcome")
        assert told["outcome"] == {"result": "1-0", "winner": 0, "words": "Ann wins, quitter resigned"}
        assert (told["ply"], told["busy"]) == (3, None)
        tell(socket, "undo")
        assert hear_table(socket, 4)["outcome"] is None  # it plays on
    record = client.get(f"/api/tables/{made}/record").json()
    assert record["result"] == "*"


@pytest.mark.usefixtures("agents")
def test_two_agents_at_a_table_end_it_too(client: TestClient) -> None:
    with at_new_table(client, seats=[agent("level1"), agent("quitter")]) as (made, socket):
        told = hear(socket, "table", "outcome")
        assert told["outcome"]["words"].endswith("wins, quitter resigned")
    record = client.get(f"/api/tables/{made}/record").json()
    assert (record["result"], record["reason"]) == ("1-0", "quitter resigned")


def test_random_messages_leave_memory_and_disk_alike(client: TestClient, tmp_path: Path) -> None:
    rng = random.Random(8)
    for wish in ({}, {"seats": [ANN, agent("level1")]}, {"seats": [agent("level1"), agent("level1")]}):
        made = create(client, options={"rows": 2, "cols": 2}, **wish)
        with client.websocket_connect(f"/ws/tables/{made}") as socket:
            for number in range(300):
                choices: dict[str, dict[str, Any]] = {
                    "move": {"ply": rng.randrange(12), "move": str(rng.randrange(13))},
                    "resign": {"seat": rng.randrange(2)},
                    "name": {"seat": rng.randrange(2), "name": f"N{number}"},
                    **{do: {} for do in ("undo", "redo", "restart", "now", "pause", "resume")},
                }
                do = rng.choices(list(choices), [8, 1, 1, 3, 2, 1, 1, 1, 1])[0]
                fields = choices[do]
                if rng.random() < 0.1:
                    fields[rng.choice(["ply", "seat", "x"])] = rng.choice([None, -1, "0", [], {}])
                tell(socket, do, **fields)
            tell(socket, "pause")
            tell(socket, "analyse")  # which lacks a field: the last answer of all
            while "'on'" not in (said := hear(socket, "refused"))["words"]:
                assert said["words"]
        with client.websocket_connect(f"/ws/tables/{made}") as socket:
            tell(socket, "pause")
            shown = hear(socket, "table", "paused")
            kept = TableFiles(tmp_path).find(made)  # as after a restart
            assert [move["text"] for move in shown["moves"]] == [str(line) for line in kept.moves[: kept.ply]]
            assert (shown["redo"], shown["position"]) == (kept.redoable, kept.game.position_text(kept.state))
            assert [seat["name"] for seat in shown["seats"]] == [seat.name for seat in kept.seats]
            assert (shown["outcome"] or {}).get("words", "") == kept.result_words()
