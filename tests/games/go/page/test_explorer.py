"""The explorer over HTTP: what is found in a small store, games, own records, and what is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.go.page.serving import answer_of, import_text, refusal_of, serving
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server import explorer
from kibitz.games.go.page.server.explorer import DrawnRegion, Explorer
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient

RECORDS = """
(;SZ[19]PB[Ann]PW[Bob]DT[1995-03-01]RE[B+R]EV[Cup];B[qd];W[dd];B[pp];W[dp])
(;SZ[19]PB[Cid]PW[Dan]DT[1995-05-05]RE[W+3.5];B[qd];W[oc];B[dd])
(;SZ[19]PB[Ann]PW[Eve]DT[2001]RE[W+R];B[pp];W[cp];B[eq];W[jj])
(;SZ[9]PB[Eve]PW[Ann];B[ee];W[ec];B[];W[dd];B[de];W[ed];B[dc];W[fd])
"""
"""R16 is played in the first two, and White then plays P17 in the second. In the third White's C4, bottom left, is R16
of Black's turned and with other colours; Black then plays E3, which is P17. Black wins none of the last two."""
CORNER = [".......", ".......", ".......", "....X..", ".......", ".......", "......."]
"""The top right 7 by 7 points with a stone on R16."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path, RECORDS) as made:
        yield made


def ask(client: TestClient, **more: Any) -> Any:
    wish = {"store": "collection", "size": 19, "top": 0, "left": 12, "rows": CORNER, **more}
    return client.post("/api/explorer/search", json=wish)


def search(client: TestClient, **more: Any) -> JsonObject:
    return answer_of(ask(client, **more))


def refused(client: TestClient, **more: Any) -> str:
    return refusal_of(ask(client, **more))


def test_the_stores_are_told_without_paths(client: TestClient, tmp_path: Path) -> None:
    told = client.get("/api/explorer").json()
    facts = {"name": "collection", "title": "Your collection", "games": 4, "years": [1995, 2001], "sizes": [19, 9]}
    assert told["stores"][0] == {**facts, "opponent": None}  # nothing is mined yet
    assert (told["stores"][-1]["name"], told["drop"]) == ("masters", True)
    assert str(tmp_path) not in client.get("/api/explorer").text


def test_a_corner_is_found_in_every_guise(client: TestClient) -> None:
    found = search(client)
    assert (found["anchor"], found["games"], found["hits"], found["searched"]) == ("corner", 3, 3, 3)
    (went_on,) = found["continuations"]
    assert (went_on["name"], went_on["colour"], went_on["count"]) == ("P17", "O", 2)
    assert went_on["win_rate"] == 0.5  # White won the second game; in the third the mover is Black, who lost
    assert went_on["share"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["timeline"] == [[1995, 2, 2], [2001, 1, 1]]
    newest = found["occurrences"][0]
    assert (newest["game"], newest["move"], newest["black"], newest["date"]) == (3, 2, "Ann", "2001")
    assert newest["at"] == [12, 0, 7, 7]
    assert search(client, fixed=True)["games"] == 2
    assert search(client, next="X")["hits"] == 0
    # what is drawn in another corner is answered there
    rows = [*["......."] * 3, "..O....", *["......."] * 3]  # C4 in the bottom left
    found = search(client, top=12, left=0, rows=rows)
    assert found["games"] == 3
    assert [(each["name"], each["colour"]) for each in found["continuations"]] == [("E3", "X")]


def test_moves_in_the_order_they_were_played(client: TestClient) -> None:
    rows = [*["......."] * 2, "..X....", "....O..", *["......."] * 3]  # P17 and R16: White's R16 came first
    first, second = 3 * 19 + 16, 2 * 19 + 14
    assert search(client, rows=rows)["games"] == 2
    assert search(client, rows=rows, sequence=[first, second])["games"] == 2
    assert search(client, rows=rows, sequence=[second])["games"] == 2
    assert search(client, rows=rows, sequence=[second, first])["games"] == 0
    turned = [*["......."] * 3, "..O....", "....X..", *["......."] * 2]  # C4, then E3, in the bottom left
    order = {"sequence": [15 * 19 + 2, 16 * 19 + 4]}
    assert search(client, top=12, left=0, rows=turned, **order)["games"] == 2
    assert "outside the region" in refused(client, rows=rows, sequence=[0])
    assert "appears twice" in refused(client, rows=rows, sequence=[first, first])
    assert "needs a stone" in refused(client, rows=["x", *["."] * 6], left=18, sequence=[18])
    assert "at most 40 points" in refused(client, sequence=[0] * 41)


def test_filters_and_ranges(client: TestClient) -> None:
    assert search(client, filters={"player": "ann"})["games"] == 2
    assert search(client, filters={"since": "1996"})["games"] == 1
    assert search(client, filters={"until": "1995-03", "result": "B"})["games"] == 1
    assert search(client, filters={"event": "cup"})["games"] == 1
    assert search(client, high=1)["games"] == 2
    assert search(client, low=2, high=2)["games"] == 2  # it has gone by then in the second
    assert "No player" in refused(client, filters={"player": "Zoe"})
    assert "not a date" in refused(client, filters={"since": "yore"})


@pytest.mark.parametrize(
    ("top", "left", "height", "width", "anchor"),
    [
        (0, 0, 19, 19, "full"),
        (0, 12, 7, 7, "corner"),
        (12, 0, 7, 9, "corner"),
        (0, 5, 4, 6, "side"),
        (6, 15, 6, 4, "side"),
        (5, 5, 3, 3, "centre"),
        (0, 9, 19, 10, "corner"),
        (0, 5, 19, 3, "anywhere"),
    ],
)
def test_the_anchor_is_where_the_region_lies(top: int, left: int, height: int, width: int, anchor: str) -> None:
    drawn = DrawnRegion(19, top, left, ("." * width,) * height)
    assert drawn.anchor() == anchor
    rows, points = drawn.oriented(anchor)
    inside = [19 * (top + i) + left + j for i in range(height) for j in range(width)]
    assert sorted(point for row in points for point in row) == inside
    assert len(rows) * len(rows[0]) == height * width
    if anchor == "corner":
        assert points[0][-1] in (0, 18, 342, 360)


def test_more_occurrences_can_be_had(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "OCCURRENCES_PER_PAGE", 2)
    found = search(client)
    more = client.get(f"/api/explorer/found/{found['id']}?start=2").json()["occurrences"]
    assert sorted(each["game"] for each in [*found["occurrences"], *more]) == [1, 2, 3]
    assert client.get(f"/api/explorer/found/{found['id']}?start=x").status_code == 400
    assert "expired" in client.get("/api/explorer/found/nothing?start=0").json()["error"]


def test_a_long_search_answers_with_what_it_has_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "ANSWER_SECONDS", 0)
    records = "".join(f"(;SZ[9]PB[{i}]PW[b]DT[{1900 + i % 100}];B[ee];W[cc])\n" for i in range(1500))
    with serving(tmp_path, records) as client:
        first = search(client, size=9, top=3, left=3, rows=["...", ".X.", "..."])
        assert 0 < first["share_done"] < 1
        assert (first["games"], first["occurrences"][0]["date"]) == (1024, "1999")
        whole = client.post(f"/api/explorer/found/{first['id']}").json()
        assert (whole["id"], whole["share_done"], whole["games"]) == (first["id"], 1, 1500)
        assert client.post(f"/api/explorer/found/{first['id']}").json() == whole
        assert refusal_of(client.post("/api/explorer/found/nothing")) == "This search has expired: please search again."


def test_a_game_is_told_move_by_move(client: TestClient) -> None:
    game = client.get("/api/explorer/games/collection/4").json()
    assert (game["size"], game["black"], len(game["moves"]), game["start"]) == (9, "Eve", 8, [])
    assert game["moves"][2] == {"player": 0, "point": None, "name": "pass", "changes": []}
    assert game["moves"][0]["changes"] == [[40, "X"]]
    for path in ("collection/0", "collection/5", "own/1", "nothing/1", "collection/999999999999999999999"):
        assert client.get(f"/api/explorer/games/{path}").status_code == 404


def test_a_capture_takes_stones_off(client: TestClient, tmp_path: Path) -> None:
    answer = client.post("/api/explorer/drop", content=b"(;SZ[3];B[aa];W[ba];B[cc];W[ab];B[])")
    assert answer.json() == {"imported": 1, "duplicates": 0, "skipped": 0, "problems": []}
    game = client.get("/api/explorer/games/own/1").json()
    assert game["moves"][3]["changes"] == [[3, "O"], [0, "."]]


def test_a_continuation_tells_which_drawn_stones_it_takes(client: TestClient) -> None:
    client.post("/api/explorer/drop", content=b"(;SZ[5];B[bd];W[ae];B[be];W[cc];B[ad])")
    corner = {"store": "own", "size": 5, "top": 2, "left": 0}
    (went_on,) = search(client, **corner, rows=["...", ".X.", "OX."])["continuations"]
    assert (went_on["name"], went_on["colour"], went_on["taken"]) == ("C3", "O", [])
    (went_on,) = search(client, **corner, rows=["..O", ".X.", "OX."])["continuations"]
    assert (went_on["name"], went_on["colour"], went_on["taken"]) == ("A2", "X", [20])
    (after,) = search(client, **corner, rows=["..O", "XX.", ".X."])["occurrences"]
    assert after["move"] == 5


def test_own_records_are_dropped(client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = client.post("/api/explorer/drop", content=RECORDS.encode())
    assert (first.status_code, first.json()["imported"]) == (201, 4)
    again = client.post("/api/explorer/drop", content=RECORDS.encode() + b"\n(;SZ[9];B[aa];W[bb])")
    assert (again.json()["imported"], again.json()["duplicates"]) == (1, 4)
    assert [each["name"] for each in client.get("/api/explorer").json()["stores"]] == ["collection", "own", "masters"]
    assert search(client, store="own")["games"] == 3
    junk = client.post("/api/explorer/drop", content=b"\x00\x01 no record").json()
    (problem,) = junk["problems"]
    assert (junk["skipped"], problem[:10], "/" in problem) == (1, "the file: ", False)
    monkeypatch.setattr(explorer, "MAX_DROPPED_BYTES", 100)
    large = client.post("/api/explorer/drop", content=b"x" * 101)
    assert large.status_code == 413
    assert "too large" in large.json()["error"]


def test_nothing_can_be_dropped_where_others_come(tmp_path: Path) -> None:
    with TestClient(make_app(TableFiles(tmp_path), is_open=False)) as client:
        answer = client.post("/api/explorer/drop", content=RECORDS.encode())
        assert answer.status_code == 403
        assert "no other machine can reach" in answer.json()["error"]
        assert not (tmp_path / "go-own").exists()
        assert client.get("/api/explorer").json()["drop"] is False


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rows": []}, "1 to 25 rows"),
        ({"rows": [".", ".."]}, "same length"),
        ({"rows": ["?"]}, "a point is one of"),
        ({"rows": [""]}, "same length"),
        ({"left": 13}, "does not lie on a board"),
        ({"size": 0}, "a whole number from 1 to 25"),
        ({"size": 26}, "invalid 'size'"),
        ({"anchor": "nowhere"}, "invalid 'anchor'"),
        ({"next": "B"}, 'one of "", X, O, or null'),
        ({"top": 5, "left": 5, "anchor": "corner"}, "does not lie in a corner"),
        ({"low": 5, "high": 4}, "empty"),
        ({"store": "../../etc"}, "There is no store"),
        ({"path": "/etc"}, "unknown field"),
        ({"filters": {"sql": "1"}}, "unknown field"),
        ({"filters": {"rank": "a lot"}}, "not a rank"),
    ],
)
def test_nonsense_is_refused_in_words(client: TestClient, more: dict[str, Any], words: str) -> None:
    assert words in refused(client, **more)


def test_a_new_search_takes_the_place_of_the_one_before(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    running, go_on, real = threading.Event(), threading.Event(), Explorer.search

    def slow(self: Explorer, asked: Any) -> Any:
        if asked["rows"] == ["X"]:
            running.set()
            assert go_on.wait(60)
        return real(self, asked)

    monkeypatch.setattr(Explorer, "search", slow)
    answers: dict[str, int] = {}

    def note(name: str, tab: str, rows: list[str]) -> None:
        answers[name] = ask(client, rows=rows, left=0, tab=tab).status_code

    first = threading.Thread(target=note, args=("first", "one", ["X"]))
    first.start()
    assert running.wait(60)
    assert client.get("/health").json()["thinking"] == 1  # the event loop does not wait for it
    others = [threading.Thread(target=note, args=(name, "one", ["."])) for name in ("second", "third")]
    others[0].start()
    while client.get("/health").json()["waiting"] < 1:
        pass
    others[1].start()
    while client.get("/health").json()["waiting"] < 2:
        pass
    go_on.set()
    for thread in (first, *others):
        thread.join(60)
    assert answers == {"first": 409, "second": 409, "third": 200}


def test_a_store_that_grows_is_seen(client: TestClient, tmp_path: Path) -> None:
    assert search(client)["searched"] == 3
    import_text("(;SZ[19]DT[2010];B[dc];W[qq])", tmp_path / "go")
    assert search(client)["searched"] == 4


def test_a_store_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "go").mkdir()
    (tmp_path / "go" / "manifest.json").write_text("{")
    with serving(tmp_path) as client:
        told = client.get("/api/explorer").json()
        assert "damaged" in told["trouble"]
        assert [each["name"] for each in told["stores"]] == ["masters"]
