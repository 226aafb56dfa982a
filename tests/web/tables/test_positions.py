"""Positions over HTTP: shown, read from other notations, edited; and problems."""

from __future__ import annotations

from typing import Any

import pytest

from web.talking import SMALL, TestClient, labels, styles


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
    assert "box 0" in styles(told["picture"])
    assert "box 1" not in styles(told["picture"])
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
    assert [key for key in styles(told["picture"]) if key.startswith("open")] == ["open 0"]
    answer = client.post("/api/import", json={"game": "uttt", "options": {}, "notation": "sgf", "text": "x"})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("head", "names", "komi", "end"),
    [
        ("PB[Go Seigen]BR[9d]PW[Kitani]KM[4.5]RE[W+R]", ("Go Seigen (9d)", "Kitani"), 4.5, "Go Seigen (9d) resigned"),
        ("PW[O'Neil]KM[0]RE[B+T]", ("Black", "O'Neil"), 0, "O'Neil ran out of time"),
        ("PB[A]PW[B]RE[B+3.5]", ("A", "B"), 7.5, "B lost by 3.5 points"),
        ("PB[A]PW[B]RE[W+F]", ("A", "B"), 7.5, "A forfeited the game"),
        ("PB[A]PW[B]RE[Void]", ("A", "B"), 7.5, None),
    ],
)
def test_an_imported_game_keeps_its_players_and_its_end(
    client: TestClient, head: str, names: tuple[str, str], komi: float, end: str | None
) -> None:
    told = post(client, "/api/import", game="go", options={}, text=f"(;SZ[9]{head};B[ee];W[cc])")
    assert told["options"]["komi"] == komi
    seats = [{"kind": "person", "name": name or side} for name, side in zip(told["players"], names, strict=True)]
    assert [seat["name"] for seat in seats] == list(names)
    table = {"game": "go", **{key: told[key] for key in ("options", "start", "moves", "ended")}, "seats": seats}
    made = client.post("/api/tables", json=table)
    record = client.get(f"/api/tables/{made.json()['id']}/record").json()
    winner = {None: "*", "W": "0-1", "B": "1-0"}[None if end is None else head.partition("RE[")[2][0]]
    assert (record["result"], record["reason"]) == (winner, end or "not finished")
    text = client.get(f"/api/tables/{made.json()['id']}/export?notation=sgf").text
    assert end is None or head[-5:].strip("[]E").rstrip("F") in text


def test_an_end_that_makes_no_sense_is_refused(client: TestClient) -> None:
    seats = [{"kind": "person", "name": name} for name in "AB"]
    for ended in ({"loser": 2, "why": "x"}, {"loser": True, "why": "x"}, {"loser": 0}, "W+R"):
        answer = client.post("/api/tables", json={"game": "go", "options": {}, "seats": seats, "ended": ended})
        assert answer.status_code == 400
        assert "ended" in answer.json()["error"]


def test_the_editor_passes_through_impossible_positions(client: TestClient) -> None:
    def edit(game: str, position: str | None, do: dict[str, Any] | None, **options: int) -> Any:
        return post(client, "/api/edit", game=game, options=options, position=position, do=do)

    start = edit("uttt", None, None)
    assert [name for name, *_ in start["tools"]] == ["X", "O", "nothing"]
    assert {each["name"] for each in start["settings"]} == set(start["chosen"]) == {"to_move", "forced"}
    assert start["chosen"]["to_move"] == "0"
    one = edit("uttt", None, {"tool": "O", "place": "40"})
    assert "X" in one["problem"]
    assert one["legal"] == []
    assert labels(one["picture"])["40"].endswith(", O")
    two = edit("uttt", one["position"], {"tool": "X", "place": "4"})
    assert two["problem"] is not None  # the last move, O's, sends X to the centre board
    three = edit("uttt", two["position"], {"setting": "forced", "value": "4"})
    assert three["problem"] is None
    assert three["legal"] == [str(cell) for cell in range(36, 45) if cell != 40]
    dots = edit("dots", "", {"tool": "", "place": "1"}, **SMALL)
    assert (dots["position"], dots["problem"], dots["tools"]) == ("2 .. 1", None, [])
    cleared = edit("dots", dots["position"], {"clear": True}, **SMALL)
    assert cleared["position"] == "0 .. 1"
    white = edit("go", edit("go", None, {"tool": "white", "place": "C3"}, size=5)["position"], None, size=5)
    assert "white" in labels(white["picture"])["C3"]


@pytest.mark.parametrize("game", ["uttt", "go", "dots"])
@pytest.mark.parametrize(
    "do",
    [
        *({}, {"fill": 1}, {"clear": 1}, {"tool": "X"}, {"tool": "X", "place": "0", "clear": True}),
        *({"tool": "dynamite", "place": "0"}, {"tool": 0, "place": "0"}, {"tool": "X", "place": ["0"]}),
        *({"tool": tool, "place": "nowhere"} for tool in ("", "X", "black")),
        *({"setting": "to_move", "value": value} for value in (1, "2", "-1")),
        *({"setting": setting, "value": "1"} for setting in ("size", "__class__")),
    ],
)
def test_an_edit_is_a_known_tool_at_a_known_place_or_a_known_setting(
    client: TestClient, game: str, do: dict[str, Any]
) -> None:
    answer = client.post("/api/edit", json={"game": game, "options": {}, "position": "", "do": do})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(("The edit ", "Unknown "))


def test_problems(client: TestClient) -> None:
    listed = client.get("/api/problems/dots").json()["problems"]
    assert [each["number"] for each in listed] == list(range(1, 89))
    shown = client.get("/api/problems/dots/1").json()
    assert shown["title"] == listed[0]["title"]
    assert shown["overlay"] is None  # its advice could be the answer
    assert "best" not in shown
    answer = post(client, "/api/problems/dots/1", answer=True)
    best = [each["move"] for each in answer["best"]]
    assert (answer["right"], best[0] in shown["legal"]) == (None, True)
    assert answer["best"][0]["steps"] == [best[0]]
    right = post(client, "/api/problems/dots/1", move=best[0])
    assert right["right"] is True
    assert right["words"].startswith("Right.")
    wrong = next(move for move in shown["legal"] if move not in best)
    told = post(client, "/api/problems/dots/1", move=wrong)
    assert told["right"] is False
    assert told["best"] == []
    assert f"last {wrong}" in styles(told["picture"])
    for path in ("/api/problems/dots/0", "/api/problems/dots/89", "/api/problems/uttt", "/api/problems/chess"):
        assert client.get(path).status_code == 400
    assert client.post("/api/problems/dots/1", json={}).status_code == 400
