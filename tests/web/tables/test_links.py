"""Two people at two screens: tokens give seats, others look on, and what concerns both must be agreed on."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from clocks import StoppedClock, wait_until
from kibitz.web.server import app
from kibitz.web.server.app import make_app
from kibitz.web.server.guard import RequestLimit, ServerLimits
from kibitz.web.tables import table as table_module
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.setup import key_of
from web.talking import ANN, TestClient, agent, connect, hear, hear_table, move, new_table, refusal, seated, sit, tell


@pytest.fixture
def public(tmp_path: Path) -> Iterator[TestClient]:
    """A server that other machines can reach."""
    with TestClient(make_app(TableFiles(tmp_path), is_open=False)) as made:
        yield made


def make(client: TestClient, **wish: Any) -> tuple[str, list[str]]:
    """Return the id and the tokens of a new table, by link if nothing else is wished for."""
    return new_table(client, **{"link": True, **wish})


def test_each_acts_for_the_own_seat_and_others_look_on(client: TestClient) -> None:
    made, (first, second) = make(client)
    with connect(client, made, 3) as (ann, bob, eve):
        assert hear(ann, "table")["you"] == []
        assert sit(ann, first)["you"] == [0]
        table = sit(bob, second)
        assert (table["you"], table["here"], table["watching"], table["link"]) == ([1], [True, True], 1, True)
        assert refusal(eve, "move", ply=0, move="0") == "You are watching this game. Only its players can do this."
        assert refusal(bob, "move", ply=0, move="0") == "It is Ann's turn."
        assert move(ann, 0, "0")["to_move"] == 1
        hear_table(bob, 1)
        assert refusal(bob, "resign", seat=0) == "Only Ann can do this."
        assert refusal(bob, "name", seat=0, name="Eve") == "Only Ann can do this."
        move(bob, 1, "1")
        assert [each["text"] for each in hear_table(eve, 2)["moves"]] == ["0", "1"]
        for do in ("undo", "restart", "pause", "now", "hint", "agree", "decline"):
            assert refusal(eve, do).startswith("You are watching this game")
        tell(bob, "resign", seat=1)
        outcome = hear(eve, "table", "outcome")["outcome"]
        assert outcome["winner"] == 0


def test_a_wrong_token_gives_no_seat(client: TestClient) -> None:
    made, _ = make(client)
    _, others = make(client)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        for tokens in (others, [""], ["x" * 64]):
            assert refusal(socket, "sit", tokens=tokens).startswith("This link gives no seat")
        for wrong in ([], "x", [1], ["a", "b", "c"], ["x" * 65], None):
            assert "'tokens'" in refusal(socket, "sit", tokens=wrong)
        assert refusal(socket, "move", ply=0, move="0").startswith("You are watching this game")


def test_what_is_kept_and_shown_has_no_token(client: TestClient, tmp_path: Path) -> None:
    made, tokens = make(client)
    assert len(set(tokens)) == 2
    assert min(map(len, tokens)) >= 32
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        shown = json.dumps([hear(socket, "table"), sit(socket, *tokens)])
    kept = (tmp_path / f"{made}.jsonl").read_text()
    for token in tokens:
        assert token not in shown + kept
        assert key_of(token) in kept
        assert key_of(token) not in shown


def test_who_comes_back_goes_on(client: TestClient, tmp_path: Path) -> None:
    made, (first, second) = make(client)
    with client.websocket_connect(f"/ws/tables/{made}") as ann:
        sit(ann, first)
        with client.websocket_connect(f"/ws/tables/{made}") as bob:
            assert sit(bob, second)["here"] == [True, True]
            move(ann, 0, "0")
        while hear(ann, "table")["here"] != [True, False]:
            pass
    with TestClient(make_app(TableFiles(tmp_path))) as again, again.websocket_connect(f"/ws/tables/{made}") as bob:
        assert sit(bob, second)["ply"] == 1
        assert move(bob, 1, "1")["ply"] == 2


def test_undo_is_agreed_on(client: TestClient) -> None:
    with seated(client) as (_, (_, second), (ann, bob)):
        assert refusal(ann, "undo") == "There is no move to take back."
        move(ann, 0, "0")
        hear_table(bob, 1)
        tell(ann, "undo")
        table = hear(bob, "table")
        assert (table["ply"], table["asked"]) == (1, {"what": "undo", "seat": 0})
        assert refusal(ann, "agree") == "Your opponent has not asked for anything."
        tell(bob, "decline")
        assert hear(bob, "table")["asked"] is None
        assert refusal(bob, "agree") == "Your opponent has not asked for anything."
        tell(ann, "undo")
        assert hear(bob, "table")["asked"] is not None
        tell(bob, "agree")
        assert hear(bob, "table")["ply"] == 0
        move(ann, 0, "3")
        hear_table(bob, 1)
        tell(ann, "restart")
        assert hear(bob, "table")["asked"] == {"what": "restart", "seat": 0}
        assert move(bob, 1, "1")["asked"] is None  # a move is an answer too
        tell(bob, "restart")
        hear(ann, "table", "asked")
        tell(ann, "restart")  # the same wish
        again = hear(bob, "again")["id"]
    with client.websocket_connect(f"/ws/tables/{again}") as bob:
        assert sit(bob, second)["you"] == [1]  # with the same link


def test_nothing_is_analysed_while_two_people_play(client: TestClient) -> None:
    made, (first, _) = make(client)
    with connect(client, made) as (ann, eve):
        sit(ann, first)
        move(ann, 0, "0")
        for socket, do in ((ann, "hint"), (ann, "review"), (eve, "review")):
            assert "Analysis is off until the game" in refusal(socket, do)
        for socket in (ann, eve):
            assert "Analysis is off until the game" in refusal(socket, "analyse", on=True, ply=0)
        tell(ann, "resign", seat=0)
        hear(eve, "table", "outcome")
        tell(eve, "analyse", on=True)
        assert hear(eve, "analysis")["ply"] == 1


def test_a_link_may_lead_to_a_seat_against_an_agent(client: TestClient) -> None:
    made, (first, _) = make(client, seats=[ANN, agent("level1")])
    with client.websocket_connect(f"/ws/tables/{made}") as ann:
        sit(ann, first)
        move(ann, 0, "0")
        assert hear_table(ann, 2)["you"] == [0]
        tell(ann, "undo")  # nobody has to agree
        assert hear_table(ann, 0)["ply"] == 0
    seats = [agent("level1"), agent("level1")]
    refused = client.post("/api/tables", json={"game": "dots", "options": {}, "seats": seats, "link": True})
    assert (refused.status_code, refused.json()["error"][:24]) == (400, "A link invites a person:")


def test_where_others_come_a_table_is_its_makers(public: TestClient) -> None:
    made, tokens = make(public, link=False)
    with connect(public, made) as (eve, ann):
        assert refusal(eve, "move", ply=0, move="0").startswith("You are watching this game")
        assert sit(ann, *tokens)["you"] == [0, 1]
        move(ann, 0, "0")
        move(ann, 1, "1")
    assert public.get("/api/tables").json() == {"tables": []}
    listed = public.get("/api/tables", params={"ids": f"{made},nobody"}).json()["tables"]
    assert [(each["id"], each["moves"]) for each in listed] == [(made, 2)]
    assert public.get("/api/house").json()["open"] is False


def test_a_visitor_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once: by the clock of the limits no time passes."""
    monkeypatch.setattr(app, "RequestLimit", partial(RequestLimit, now=StoppedClock().monotonic))
    limits = ServerLimits(clients_each=2, tables=3, messages=5, engine_seconds=2)
    with TestClient(make_app(TableFiles(tmp_path), limits=limits)) as client:
        slow = {"game": "dots", "options": {}, "seats": [ANN, agent("level1")], "seconds": 3}
        error = client.post("/api/tables", json=slow).json()["error"]
        assert error == "Agents may think for at most 2 seconds per turn on this server, not 3."
        (made, (first, _)), _ = make(client), make(client)
        assert client.post("/api/tables", json=slow).status_code == 429
        with connect(client, made) as (ann, _):
            with pytest.raises(WebSocketDisconnect) as refused:
                client.websocket_connect(f"/ws/tables/{made}").__enter__()
            assert (refused.value.code, refused.value.reason[:8]) == (4429, "Too many")
            sit(ann, first)
            move(ann, 0, "0")
            for _ in range(3):
                tell(ann, "now")
            assert "Too many" in refusal(ann, "now")


def test_health(client: TestClient) -> None:
    with seated(client) as (made, _, _):
        told = client.get("/health").json()
    assert (told["status"], told["tables"], told["clients"]) == ("ok", 1, 2)
    assert {"version", "uptime", "thinking", "waiting"} <= set(told)
    assert made not in json.dumps(told)


def test_a_reload_gives_nobody_more_time(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    time = StoppedClock()
    monkeypatch.setattr(table_module, "time", time)
    made, (first, _) = make(client, seconds=60)
    rooms = client.app.state.server.rooms  # type: ignore[attr-defined]  # a Starlette
    for visit in range(2):  # alone at the table, so that nobody keeps it in memory
        with client.websocket_connect(f"/ws/tables/{made}") as ann:
            assert spent(sit(ann, first)) == pytest.approx(20_000 * visit, abs=1)
            time.now += 20
        wait_until(lambda: made not in rooms, "the clock to notice that nobody is there")
        gc.collect()
        time.now += 1000  # nobody is there who could move
    with client.websocket_connect(f"/ws/tables/{made}") as ann:
        assert spent(sit(ann, first)) == pytest.approx(40_000, abs=1)
        assert spent(move(ann, 0, "0")) == pytest.approx(0, abs=1)


def spent(table: dict[str, Any]) -> int:
    """Return the milliseconds that the player to move has used."""
    found: int = table["now"] - table["clock"]["since"]
    return found


def test_a_table_has_room_for_some_clients_only(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_CLIENTS_PER_TABLE", 2)
    made, _ = make(client)
    with connect(client, made) as sockets:
        for socket in sockets:
            hear(socket, "table")
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"/ws/tables/{made}") as third:
            hear(third, "table")
