"""Positions over HTTP: shown, read from other notations, edited; and problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kibitz.web.app import make_app
from kibitz.web.tables import Tables
from web.talking import SMALL, TestClient


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(make_app(Tables(tmp_path))) as made:
        yield made


def post(client: TestClient, path: str, **body: Any) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_positions(client: TestClient) -> None:
    start = post(client, "/api/position", game="dots", options=SMALL, text=None)
    assert (start["position"], len(start["legal"]), start["outcome"]) == ("0 .. 1", 7, None)
    told = post(client, "/api/position", game="dots", options=SMALL, text="+-+ +\n| | |\n+-+-+", notation="hex")
    assert told["position"] == told["text"] == "7d -. 1"  # all but line 1; the left box is nobody's
    assert told["legal"] == ["1"]
    assert told["scene"]["boxes"] == [2, None]
    end = post(client, "/api/position", game="dots", options={"rows": 1, "cols": 1}, text="f 2 1")
    assert end["outcome"]["words"] == "Blue wins, 1 box to 0"
    for text in ("zz", "ffff", "1 2", "0 .. 3"):
        answer = client.post("/api/position", json={"game": "dots", "options": SMALL, "text": text})
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_imports(client: TestClient) -> None:
    told = post(client, "/api/import", game="dots", options={}, text="2,2\n(0, 0) - (1, 0)\n(0, 0) - (0, 1)\n")
    assert told["options"] == {"rows": 2, "cols": 2, "start": "empty"}  # the text tells the size
    assert (told["moves"], told["start"], told["position"]) == (["0", "6"], None, "41 .... 1")
    told = post(client, "/api/import", game="uttt", options={}, notation="moves", text="4 4\n3 3\n")
    assert told["moves"] == ["40", "36"]
    assert told["scene"]["open"] == [0]
    answer = client.post("/api/import", json={"game": "uttt", "options": {}, "notation": "sgf", "text": "x"})
    assert answer.status_code == 400


def test_the_editor_passes_through_impossible_positions(client: TestClient) -> None:
    one = post(client, "/api/edit", game="uttt", options={}, position=None, do={"cell": 40, "mark": "O"})
    assert "X" in one["problem"]
    assert one["legal"] == []
    assert one["scene"]["cells"][40] == "O"
    two = post(client, "/api/edit", game="uttt", options={}, position=one["position"], do={"cell": 4, "mark": "X"})
    assert two["problem"] is not None  # the last move, O's, sends X to the centre board
    three = post(client, "/api/edit", game="uttt", options={}, position=two["position"], do={"forced": 4})
    assert three["problem"] is None
    assert three["legal"] == [str(cell) for cell in range(36, 45) if cell != 40]
    dots = post(client, "/api/edit", game="dots", options=SMALL, position="", do={"line": "h 0 1"})
    assert (dots["position"], dots["problem"]) == ("2 .. 1", None)
    answer = client.post("/api/edit", json={"game": "dots", "options": SMALL, "position": "", "do": {"fill": 1}})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("game", "do"),
    [
        ("uttt", {"to_move": 1.0}),
        ("go", {"to_move": 0.0}),
        ("go", {"point": "A1", "stone": 1.0}),
        ("dots", {"to_move": 1.0}),
        ("dots", {"box": 0, "owner": 1.0}),
    ],
)
def test_a_player_is_a_whole_number(client: TestClient, game: str, do: dict[str, Any]) -> None:
    answer = client.post("/api/edit", json={"game": game, "options": {}, "position": "", "do": do})
    assert (answer.status_code, answer.json()["error"][:10]) == (400, "The editor")


def test_problems(client: TestClient) -> None:
    listed = client.get("/api/problems/dots").json()["problems"]
    assert [each["number"] for each in listed] == list(range(1, 89))
    shown = client.get("/api/problems/dots/1").json()
    assert shown["title"] == listed[0]["title"]
    assert shown["layer"] is None  # its advice could be the answer
    assert "best" not in shown
    answer = post(client, "/api/problems/dots/1", answer=True)
    assert (answer["right"], answer["best"][0] in shown["legal"]) == (None, True)
    right = post(client, "/api/problems/dots/1", move=answer["best"][0])
    assert right["right"] is True
    assert right["words"].startswith("Right.")
    wrong = next(move for move in shown["legal"] if move not in answer["best"])
    told = post(client, "/api/problems/dots/1", move=wrong)
    assert told["right"] is False
    assert "best" not in told
    assert told["scene"]["last"] == [int(wrong)]
    for path in ("/api/problems/dots/0", "/api/problems/dots/89", "/api/problems/uttt", "/api/problems/chess"):
        assert client.get(path).status_code == 400
    assert client.post("/api/problems/dots/1", json={}).status_code == 400
