"""An agent that resigns at a table: the game is over, the other player has won, and a move may be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.errors import Resigned
from kibitz.core.game import View
from kibitz.core.parts import AgentEntry
from kibitz.search.agents import agent_entries
from kibitz.web.server.app import make_app
from kibitz.web.tables import seats as seated
from kibitz.web.tables.files import TableFiles
from web.talking import ANN, TestClient, agent, create, hear, hear_table, move, tell


class Quitter(Agent):
    """Resigns where four moves are left, and plays the first legal move elsewhere and when it is asked again."""

    has_resigned = False

    def choose(self, view: View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        if len(view.legal_moves()) == 4 and not self.has_resigned:
            self.has_resigned = True
            raise Resigned("quitter resigns.")
        return Choice(view.legal_moves()[0])


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(seated, "MOVE_PAUSE_SECONDS", 0.0)
    monkeypatch.setitem(agent_entries("dots"), "quitter", AgentEntry(Quitter))
    with TestClient(make_app(TableFiles(tmp_path))) as made:
        yield made


def test_a_resignation_ends_the_game_and_can_be_taken_back(client: TestClient) -> None:
    made = create(client, seats=[ANN, agent("quitter")])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        move(socket, 0, "0")
        hear_table(socket, 2)
        tell(socket, "move", ply=2, move="6")
        while not (told := hear(socket, "table"))["outcome"]:
            pass
        assert told["outcome"] == {"result": "1-0", "winner": 0, "words": "Ann wins, quitter resigned"}
        assert (told["ply"], told["busy"]) == (3, None)
        tell(socket, "undo")
        assert hear_table(socket, 4)["outcome"] is None  # it plays on
    record = client.get(f"/api/tables/{made}/record").json()
    assert record["result"] == "*"


def test_two_agents_at_a_table_end_it_too(client: TestClient) -> None:
    made = create(client, seats=[agent("level1"), agent("quitter")])
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        while not (told := hear(socket, "table"))["outcome"]:
            pass
        assert told["outcome"]["words"].endswith("wins, quitter resigned")
    record = client.get(f"/api/tables/{made}/record").json()
    assert (record["result"], record["reason"]) == ("1-0", "quitter resigned")
