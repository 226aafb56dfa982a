"""Only changes of a picture travel: every client that applies them has what a newcomer is sent whole."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, ClassVar
from unittest.mock import Mock

import pytest
from starlette.websockets import WebSocketDisconnect

from kibitz.core.defaults.grid import EMPTY, GridGame, GridState
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import View
from kibitz.core.package import GamePackage
from kibitz.picture import Picture, wire
from kibitz.testing.changes import with_sorted_parts
from kibitz.web.tables import clients, snapshot
from web.talking import (
    TestClient,
    WebSocketTestSession,
    at_new_table,
    connect,
    hear,
    hear_table,
    move,
    new_table,
    receive,
    sit,
    tell,
)

MOST_MOVES = 40


@dataclass(frozen=True)
class Cells(GridState):
    """Nobody wins."""

    def winner(self) -> None:
        return None


@dataclass(frozen=True)
class Rules(GridGame):
    """A game with rules and nothing else."""

    name: ClassVar[str] = "rules"
    title: ClassVar[str] = "Rules"
    rows: int = 3
    cols: int = 3
    state = Cells


@dataclass(frozen=True)
class Unpainted(Rules):
    """A game with a page that fails."""

    name: ClassVar[str] = "unpainted"


class FailingPage(PlainPage[Cells, Cells]):
    """Cannot draw a board that has a piece on it."""

    def picture(self, view: Cells, *more: Any, **others: Any) -> Picture:
        if any(cell != EMPTY for cell in view.cells):
            raise KeyError("no such piece")
        return super().picture(view, *more, **others)


@dataclass(frozen=True)
class Uncounted(Rules):
    """A game whose rules fail."""

    name: ClassVar[str] = "uncounted"

    def scores(self, view: View, marks: Collection[str] | None = None) -> tuple[float, float] | None:
        raise ValueError("cannot count")


@pytest.fixture(autouse=True)
def rules(add_game: Callable[[GamePackage], None]) -> None:
    add_game(GamePackage(Rules))


def fresh(client: TestClient, made: str, *tokens: str) -> dict[str, Any]:
    """Return the table as somebody gets it who comes now, with its whole picture."""
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        table = hear(socket, "table")
        return sit(socket, *tokens) if tokens else table


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two tables show the same; the order of places and moves means nothing."""
    return with_sorted_parts(one["picture"]) == with_sorted_parts(other["picture"]) and all(
        one[key] == other[key] for key in ("panels", "notes", "scores", "legal", "moves", "ply", "outcome", "settling")
    )


@pytest.mark.parametrize(
    ("game", "options"),
    [("uttt", {}), ("dots", {"rows": 2, "cols": 3}), ("go", {"size": 5}), ("battleline", {}), ("rules", {})],
)
def test_changes_lead_to_what_a_newcomer_is_sent(client: TestClient, game: str, options: dict[str, Any]) -> None:
    rng, wholes = random.Random(game), 0
    with at_new_table(client, game=game, options=options) as (made, socket):
        table = hear(socket, "table")
        assert "picture" in table
        for ply in range(MOST_MOVES):
            if table["outcome"] is not None or not table["legal"]:
                break
            if ply % 7 == 6 and game != "battleline":
                tell(socket, "undo")
                hear_table(socket, ply - 1)
                tell(socket, "redo")
                table = hear_table(socket, ply)
            table = move(socket, ply, rng.choice(table["legal"]))
            wholes += "change" not in table
            assert same(table, fresh(client, made))
        tell(socket, "name", seat=0, name="Zoe")
        assert same(hear(socket, "table"), fresh(client, made))
        tell(socket, "resign", seat=0)
        told = hear(socket, "table" if table["outcome"] is None else "refused")
        assert table["outcome"] is not None or same(told, fresh(client, made))
    assert wholes == 0
    assert table["ply"] > 8


def test_each_viewer_has_changes_of_what_he_sees(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two players and two spectators: a picture and a change are made once for each view, not for each client."""
    diff = Mock(wraps=wire.diff)
    monkeypatch.setattr(clients, "diff", diff)
    made, tokens = new_table(client, game="battleline", options={}, link=True)
    with connect(client, made, 4) as sockets:
        for socket in sockets:
            hear(socket, "table")
        given: list[tuple[str, ...]] = [(tokens[0],), (tokens[1],), (), ()]
        for socket, own in zip(sockets[:2], given, strict=False):
            sit(socket, *own)
        rng = random.Random(1)
        for ply in range(12):
            legal = fresh(client, made, tokens[0])["legal"] or fresh(client, made, tokens[1])["legal"]
            mover = int(not fresh(client, made, tokens[0])["legal"])
            before = [last_table(socket) for socket in sockets]
            diff.reset_mock()
            tell(sockets[mover], "move", ply=ply, move=rng.choice(legal))
            tables = [hear_table(socket, ply + 1) for socket in sockets]
            assert diff.call_count <= 3
            assert all(one["number"] > other["number"] for one, other in zip(tables, before, strict=True))
            for table, own in zip(tables, given, strict=True):
                assert same(table, fresh(client, made, *own))
            assert with_sorted_parts(tables[2]["picture"]) == with_sorted_parts(tables[3]["picture"])
            assert tables[0]["picture"]["secret"] != tables[1]["picture"]["secret"]


def test_only_new_moves_are_made_for_the_list(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo and redo keep the moves before; another move replaces one."""
    make = Mock(wraps=snapshot._move)
    monkeypatch.setattr(snapshot, "_move", make)

    def asked() -> list[int]:
        return [call.args[1] for call in make.call_args_list]

    with at_new_table(client, options={"rows": 3, "cols": 3}) as (_, socket):
        hear(socket, "table")
        for ply, text in enumerate(("0", "1", "2", "3")):
            move(socket, ply, text)
        assert asked() == [0, 1, 2, 3]
        tell(socket, "undo")
        assert [each["text"] for each in hear_table(socket, 3)["moves"]] == ["0", "1", "2"]
        tell(socket, "undo")
        hear_table(socket, 2)
        assert [each["text"] for each in move(socket, 2, "5")["moves"]] == ["0", "1", "5"]
        assert asked() == [0, 1, 2, 3, 2]
        tell(socket, "name", seat=0, name="Zoe")
        assert len(hear(socket, "table")["moves"]) == 3
        assert asked() == [0, 1, 2, 3, 2]


def last_table(socket: WebSocketTestSession) -> dict[str, Any]:
    """Return the newest table that waits at a socket: asked for anew, so that one comes."""
    tell(socket, "sync")
    while "change" in (table := hear(socket, "table")):
        pass
    return table


def test_somebody_who_missed_a_change_is_sent_the_whole(client: TestClient) -> None:
    with at_new_table(client) as (_, socket):
        hear(socket, "table")
        table = move(socket, 0, "0")
        assert "change" in table
        assert "ground" not in json.dumps({**table["change"], "views": None})
        tell(socket, "sync")
        whole = hear(socket, "table")
        assert ("change" in whole, whole["number"] > table["number"]) == (False, True)
        assert whole["picture"]["ground"]
        assert same(whole, table)
        assert "change" in move(socket, 1, "1")


class SlowDiff:
    """Compares pictures, but not before it may finish."""

    def __init__(self) -> None:
        self.building, self.finish = threading.Event(), threading.Event()

    def __call__(self, before: Picture, after: Picture) -> Any:
        self.building.set()
        assert self.finish.wait(120)
        return wire.diff(before, after)


def test_who_asks_while_a_table_is_built_is_sent_the_whole(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowDiff()
    with at_new_table(client) as (_, socket):
        hear(socket, "table")
        monkeypatch.setattr(clients, "diff", slow)
        tell(socket, "move", ply=0, move="0")
        assert slow.building.wait(120)
        tell(socket, "sync")
        tell(socket, "decline")
        hear(socket, "refused")  # messages are dealt with in turn
        slow.finish.set()
        table = hear(socket, "table")
        assert ("change" in table, table["ply"]) == (False, 1)


def test_who_sits_down_while_a_table_is_built_is_there(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowDiff()
    made, (first, second) = new_table(client, link=True)
    with client.websocket_connect(f"/ws/tables/{made}") as ann:
        sit(ann, first)
        monkeypatch.setattr(clients, "diff", slow)
        with client.websocket_connect(f"/ws/tables/{made}") as bob:
            assert slow.building.wait(120)  # the table for Ann, now that Bob looks on
            tell(bob, "sit", tokens=[second])
            tell(bob, "decline")
            hear(bob, "refused")  # messages are dealt with in turn
            slow.finish.set()
            table = hear(bob, "table", "you")
            assert table["here"] == [True, True]


def test_a_game_with_rules_alone_is_played_on_the_page(client: TestClient) -> None:
    entry = next(each for each in client.get("/api/games").json()["games"] if each["name"] == "rules")
    assert (entry["editor"], entry["problems"], entry["links"]) == (False, False, [])
    assert [each["label"] for each in entry["options"]] == ["rows", "cols"]
    assert client.get("/api/games/rules/cover").json()["places"]
    with at_new_table(client, game="rules", options={}) as (made, socket):
        table = hear(socket, "table")
        assert (table["scores"], table["notes"], table["panels"]) == (None, ["", ""], [])
        while table["outcome"] is None:
            table = move(socket, table["ply"], table["legal"][0])
        assert table["outcome"]["words"] == "It's a tie, no moves are left"
    assert len(client.get(f"/api/tables/{made}/export", params={"notation": "moves"}).text.split()) == 9
    shown = client.post("/api/position", json={"game": "rules", "text": "3/1x1/3 o"}).json()
    assert (len(shown["legal"]), shown["overlay"]) == (8, {})


def test_a_game_goes_on_as_text_when_its_picture_fails(
    client: TestClient, add_game: Callable[[GamePackage], None], caplog: pytest.LogCaptureFixture
) -> None:
    add_game(GamePackage(Unpainted, page=lambda: FailingPage(Unpainted)))
    with at_new_table(client, game="unpainted", options={}) as (made, socket):
        assert hear(socket, "table")["picture"]["moves"]
        tell(socket, "move", ply=0, move="a1")
        table, notice = hear(socket, "table"), hear(socket, "notice")
        assert notice["words"] == "The page of Rules failed (KeyError: 'no such piece'). The board is shown as text."
        assert ["a2", "a2"] in table["picture"]["buttons"]
        tell(socket, "move", ply=1, move="a2")
        assert hear_table(socket, 2)["picture"]["buttons"]
        tell(socket, "undo")
        assert receive(socket)["is"] == "table", "the same failure is reported once"
        assert "no such piece" in caplog.text
    assert client.get(f"/api/tables/{made}/at/1").status_code == 200
    assert client.get("/health").json()["tables"] == 0


def test_a_table_that_cannot_be_shown_is_let_go(client: TestClient, add_game: Callable[[GamePackage], None]) -> None:
    add_game(GamePackage(Uncounted))
    with at_new_table(client, game="uncounted", options={}) as (_, socket):
        assert hear(socket, "notice")["words"] == "The game cannot be shown: Rules failed (ValueError: cannot count)."
        with pytest.raises(WebSocketDisconnect):
            receive(socket)
    assert client.get("/health").json()["tables"] == 0
