"""Hints, analyses, graphs and reviews over the websocket, on positions whose values are known."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import OURS
from kibitz.analysis.points import final_points, first_points
from kibitz.core import registry
from kibitz.core.agent import Counted
from kibitz.games.dots.evaluate import BOXES
from kibitz.search.agents import agent_entries
from kibitz.web.server.app import make_app
from kibitz.web.server.engines import Thinker
from kibitz.web.server.guard import ServerLimits
from kibitz.web.tables import analysis
from kibitz.web.tables import seats as agents
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient, WebSocketTestSession, agent, at_new_table, create, hear, hear_table, move, tell

ONE_BOX = {"rows": 1, "cols": 1}
ONE_UNIT = {"one": "box", "many": "boxes"}
WON_BY_X = "xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -"
"""X wins the game with the last cell of the top row of the top right board, 20, and with no other at once."""


@pytest.fixture(autouse=True)
def enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all can be solved at once, time does not matter; on a busy machine there is enough of it."""
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (60.0,))
    monkeypatch.setattr(analysis, "GRAPH_SECONDS", 60.0)
    monkeypatch.setattr(analysis, "REVIEW_SECONDS", 60.0)


def hear_done(socket: WebSocketTestSession) -> dict[str, Any]:
    """Return the last report of an analysis."""
    return hear(socket, "analysis", "done")


def test_an_analysis_of_one_box(client: TestClient) -> None:
    with at_new_table(client, options=ONE_BOX) as (_, socket):
        tell(socket, "analyse", on=True)
        told = hear_done(socket)
        # who moves second draws the fourth side
        assert (told["ply"], told["value"], told["unit"], told["exact"]) == (0, -1, ONE_UNIT, True)
        assert {(each["value"], each["exact"]) for each in told["moves"]} == {(-1, True)}
        assert {each["move"] for each in told["moves"]} == {"0", "1", "2", "3"}
        assert all(each["words"] for each in told["moves"])
        assert told["points"] == pytest.approx(1 / (1 + math.e), abs=1e-4)  # one box of one, squeezed
        assert {tuple(each["steps"]) for each in told["moves"]} == {("0",), ("1",), ("2",), ("3",)}
        assert told["overlay"]["facts"]
        move(socket, 0, "0")
        told = hear_done(socket)  # it follows the game
        assert (told["ply"], told["value"], told["points"]) == (1, 1, pytest.approx(1 / (1 + math.e), abs=1e-4))
        tell(socket, "analyse", on=True, ply=0)
        assert hear_done(socket)["ply"] == 0
        tell(socket, "analyse", on=False)
        for ply in range(1, 4):
            move(socket, ply, str(ply))
        tell(socket, "analyse", on=True)
        told = hear_done(socket)
        assert (told["ply"], told["value"], told["moves"], told["words"]) == (4, None, [], "Blue wins, 1 box to 0.")
        while len(points := hear(socket, "graph")["points"]) < 5:
            pass
        assert [point[0] for point in points] == [0, 1, 2, 3, 4]
        assert {(point[1], point[2]) for point in points} == {(told["points"], True)}  # nobody ever had a choice


def test_a_win_at_once_in_uttt(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    # the first will do, unless the machine is busy
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.1, 0.5, 5.0, 60.0))
    with at_new_table(client, game="uttt", options={}, start=WON_BY_X) as (_, socket):
        tell(socket, "hint")
        hint = hear(socket, "hint")
        assert (hint["ply"], hint["move"], hint["label"], hint["steps"]) == (0, "20", "i1", ["20"])
        assert hint["words"] == "Wins the game with the top row of boards."
        tell(socket, "analyse", on=True)
        told = hear(socket, "analysis", "exact")
        assert (told["best"], told["points"]) == (["20"], 1.0)
        assert told["line"][0] == {"move": "20", "label": "i1", "steps": ["20"]}
        assert told["moves"][0]["move"] == "20"
        assert told["overlay"]["facts"][0][1] == "X 2, O 0"


def test_a_hint_does_not_wait_for_a_long_look(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis alone would look for five minutes; the hint comes, and the analysis goes on."""
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.1, 300.0))
    with at_new_table(client, options={"rows": 9, "cols": 9}) as (_, socket):
        tell(socket, "analyse", on=True)
        hear(socket, "analysis")
        tell(socket, "hint")
        assert hear(socket, "hint")["ply"] == 0
        tell(socket, "move", ply=0, move="0")  # ends the look; the analysis may come before the table
        while hear(socket, "analysis")["ply"] != 1:
            pass


@pytest.mark.parametrize(("longest", "looks"), [(0.2, 2), (0.05, 1)])
def test_no_look_takes_longer_than_an_engine_may_think(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longest: float, looks: int
) -> None:
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.1, 0.2, 300.0))
    with TestClient(make_app(TableFiles(tmp_path), limits=ServerLimits(engine_seconds=longest))) as client:
        made = create(client, options={"rows": 9, "cols": 9})
        with client.websocket_connect(f"/ws/tables/{made}") as socket:
            tell(socket, "analyse", on=True)
            told = [hear(socket, "analysis") for _ in range(looks)]
            assert [each["done"] for each in told] == [False] * (looks - 1) + [True]


def test_an_analysis_ends_with_its_client(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (300.0,))
    with at_new_table(client, options={"rows": 9, "cols": 9}) as (made, socket):
        hear(socket, "table")
        tell(socket, "analyse", on=True)
        hear(socket, "graph")
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.05,))
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        tell(socket, "analyse", on=True)
        assert hear(socket, "analysis")["ply"] == 0


def test_a_review_finds_the_mistake(client: TestClient) -> None:
    """On 1x2, after 0 2 1, Bob's 3 leaves Ann nothing but to give both boxes away.

    His 4 gives the left box: Ann takes it with 5, must draw 3 or 6, and Bob takes the other box.
    """
    with at_new_table(client) as (made, socket):
        for ply, line in enumerate(["0", "2", "1", "4", "5", "3", "6"]):
            move(socket, ply, line)
        tell(socket, "review")
        first = hear(socket, "review")
        assert (first["done"], first["of"], first["moves"]) == (0, 7, [])
        told = first
        while told["done"] < 7:
            told = hear(socket, "review")
        mistake = told["moves"][3]
        assert (mistake["ply"], mistake["player"], mistake["verdict"], mistake["loss"]) == (4, 1, "mistake", 2.0)
        assert (mistake["best"], mistake["best_label"], mistake["exact"]) == ("3", "b2–c2", True)
        assert mistake["best_steps"] == ["3"]
        assert mistake["words"]
        assert mistake["best_words"]
        assert 4 in told["turning"]
        assert told["unit"] == ONE_UNIT
        assert told["accuracy"][1] < 1
        graphs = [hear(socket, "graph")["points"]]  # it grows with the review
        while len(graphs[-1]) < 8:
            graphs.append(hear(socket, "graph")["points"])
        points = graphs[-1]
        assert [point[0] for point in points] == list(range(8))
        assert points[3][1] < 0.5  # Bob was winning
        assert points[4][1] == points[7][1] == 0.5
        tell(socket, "review")  # asked again: told again, not found again
        assert hear(socket, "review")["done"] == 7
        assert client.post(f"/api/review/{made}").status_code == 202
    assert client.post(f"/api/review/{made}").status_code == 409
    assert client.post("/api/review/nope").status_code == 404


def test_what_was_found_of_other_moves_is_forgotten(client: TestClient) -> None:
    with at_new_table(client, options=ONE_BOX) as (_, socket):
        move(socket, 0, "0")
        tell(socket, "analyse", on=True)
        while len(hear(socket, "graph")["points"]) < 2:
            pass
        tell(socket, "undo")
        hear_table(socket, 0)
        assert [point[0] for point in hear(socket, "graph")["points"]] == [0]
        tell(socket, "analyse", on=False)
        tell(socket, "redo")
        hear_table(socket, 1)


def test_a_fault_of_the_analyst_is_reported(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("out of ideas")

    monkeypatch.setattr(Thinker, "analyse", fail)
    with at_new_table(client) as (_, socket):
        for do, fields in (("hint", {}), ("analyse", {"on": True})):
            tell(socket, do, **fields)
            assert hear(socket, "notice")["words"] == "The analysis failed (RuntimeError: out of ideas)."
        move(socket, 0, "0")
        tell(socket, "review")
        while "review" not in hear(socket, "notice")["words"]:
            pass
        assert move(socket, 1, "2")["ply"] == 2


def test_two_agents_wait_for_the_analysis_of_each_position(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """With such a pace only one who hurries them sees another move; every position is analysed before it."""
    monkeypatch.setattr(agents, "ANALYSED_MOVE_PAUSE_SECONDS", 600.0)
    monkeypatch.setattr(agents, "MOVE_PAUSE_SECONDS", 600.0)
    with at_new_table(client, options=ONE_BOX, seats=[agent("level1"), agent("level2")]) as (_, socket):
        tell(socket, "analyse", on=True)
        hear(socket, "graph")  # it has begun
        monkeypatch.setattr(agents, "MOVE_PAUSE_SECONDS", 0.0)
        for ply in range(1, 5):
            while (told := hear_done(socket))["ply"] != ply:
                pass
            assert (told["value"] is None) == (ply == 4)
            tell(socket, "now")


@pytest.mark.parametrize("game", OURS)
def test_every_agent_is_described_in_plain_words(game: str) -> None:
    known = agent_entries(game)
    labels = [entry.label for entry in known.values() if entry.label]
    assert labels
    assert len(set(labels)) == len(labels)
    for name, entry in known.items():
        assert entry.about.endswith("."), name
        assert not set("()=_") & set(entry.about)
        if isinstance(entry.make, str) and (limit := re.search(r"(?:playouts|nodes)=(\d{2,})", entry.make)):
            assert f"{int(limit[1]):,}" in entry.about, name


def test_points_of_the_first_player() -> None:
    uttt, dots = registry.game("uttt"), registry.game("dots", rows=4, cols=4)
    assert [first_points(uttt, 0.75, "probability", player) for player in (0, 1)] == [0.75, 0.25]
    assert [first_points(uttt, -1, "result", player) for player in (0, 1)] == [0.0, 1.0]
    assert first_points(uttt, 0, "result", 1) == first_points(dots, 0, BOXES, 1) == 0.5
    assert first_points(dots, 2, BOXES, 0) == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-4)  # an eighth of 16
    values = [first_points(dots, margin, BOXES, 0) for margin in range(-16, 17)]
    assert values == sorted(values)
    assert values == [pytest.approx(1 - value, abs=1e-4) for value in reversed(values)]
    assert first_points(dots, 1e9, Counted("point", "points"), 0) == 1.0
    one_box = registry.game("dots", rows=1, cols=1)
    assert final_points(one_box.parse_position("f 1 2")) > 0.7
    assert final_points(one_box.parse_position("f 2 1")) < 0.3
    won = registry.game("uttt").parse_position("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/9/9 o -")
    assert final_points(won) == 1.0
