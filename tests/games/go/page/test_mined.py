"""What was mined, over HTTP: a few games worked out by hand, what is not mined, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.go.go_games import FEW_GAMES
from games.go.page.serving import answer_of, import_text, refusal_of, serving
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server import openings
from kibitz.games.go.page.server.mined import search_for
from kibitz.games.go.patterns.mining.mined import Kind
from kibitz.games.go.patterns.mining.mining import mine
from kibitz.games.go.records.store import GameStore
from web.talking import ANN, TestClient, agent, at_new_table, hear, move

RECORDS = """
(;SZ[19]PB[Ann]PW[Bob]DT[1995-03-01]RE[B+R]EV[Cup];B[pd];W[dd];B[pq];W[dp];B[qk])
(;SZ[19]PB[Cid]PW[Dan]DT[1996-05-05]RE[W+3.5];B[dp];W[dd];B[qp];W[pd];B[kq])
(;SZ[19]PB[Ann]PW[Eve]DT[2001]RE[W+R];B[pd];W[pe];B[qe];W[oe])
"""
"""The second game is the first, turned and mirrored: a Chinese opening of Black's. In the third White attaches, Black
plays hane and White stretches."""
EMPTY_3X3 = ["...", ".*.", "..."]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("mined")
    import_text("(;SZ[19];B[pd])", folder / "bare" / "go")
    with serving(folder, RECORDS) as made:
        mine(GameStore(folder / "go"))
        made.bare = folder / "bare"
        yield made


def ask(client: TestClient, path: str = "", **wish: Any) -> JsonObject:
    return answer_of(client.get(f"/api/patterns{path}", params={"store": "collection", **wish}))


def refused(client: TestClient, path: str, **wish: Any) -> str:
    return refusal_of(client.get(f"/api/patterns{path}", params=wish))


def moves(client: TestClient, **wish: Any) -> list[dict[str, Any]]:
    found = ask(client, "/list", kind="moves-3x3-8-19", **wish)
    patterns: list[dict[str, Any]] = found["patterns"]
    return patterns


def test_what_was_mined_is_told(client: TestClient) -> None:
    told = ask(client)
    assert (told["store"], told["games"], told["mined"], told["how"]) == ("collection", 3, 3, None)
    assert [each["name"] for each in told["kinds"]][:2] == ["moves-3x3-8-19", "moves-5x5-8-19"]
    assert told["kinds"][0]["windows"] == 5 + 5 + 4
    assert told["board"]["size"] == 19


def test_patterns_have_their_figures(client: TestClient) -> None:
    first = moves(client)[0]
    assert first["rows"] == EMPTY_3X3
    assert first["count"] == 5 + 5 + 1  # all moves of two games, and the first of the third
    assert (first["won"], first["decided"]) == (3 + 2 + 0, 11)  # Ann's three, Dan's two, none of Ann's
    assert (first["first_year"], first["last_year"]) == (1995, 2001)
    assert first["share"] == pytest.approx(11 / 14)
    (touching,) = moves(client, stones=1, meaning="attachment")
    assert (touching["count"], touching["meanings"], touching["win_rate"]) == (1, [["attachment", 1.0]], 1.0)
    assert moves(client, count=12) == []
    assert [each["stones"] for each in moves(client, sort="stones")] == sorted(
        (each["stones"] for each in moves(client)), reverse=True
    )


def test_a_pattern_leads_to_its_games_and_to_the_search(client: TestClient) -> None:
    (touching,) = moves(client, meaning="attachment")
    one = ask(client, "/one", kind="moves-3x3-8-19", key=touching["key"])
    (game,) = one["games"]
    assert (game["game"], game["move"], game["places"], game["white"]) == (3, 1, [2], "Eve")
    assert one["all"] is True
    found = client.post("/api/explorer/search", json={"store": "collection", **one["search"]}).json()
    assert 3 in {each["game"] for each in found["occurrences"]}
    empty = ask(client, "/one", kind="moves-3x3-8-19", key=moves(client)[0]["key"])
    assert [(each["game"], each["places"]) for each in empty["games"]] == [
        (1, [1, 2, 3, 4, 5]),
        (2, [1, 2, 3, 4, 5]),
        (3, [1]),
    ]


def test_a_window_is_searched_for_where_it_lies() -> None:
    side = search_for(["###", ".*.", "XO."], 19)
    assert side == {"size": 19, "top": 0, "left": 8, "rows": ["...", "XO."], "anchor": "side", "next": "X"}
    corner = search_for(["..#", ".X#", "###"], 9)
    assert corner == {"size": 9, "top": 7, "left": 7, "rows": ["..", ".X"], "anchor": "corner", "next": ""}
    diamond = search_for(["  #  ", " ... ", "?.*.O", " ... ", "  .  "], 19)
    assert diamond["rows"] == ["*...*", "*...O", "*...*", "**.**"]
    assert (diamond["anchor"], diamond["top"], diamond["left"]) == ("side", 0, 7)
    assert search_for(EMPTY_3X3, 19)["anchor"] == "anywhere"


def test_templates_lead_to_the_patterns_they_cover(client: TestClient) -> None:
    listed = ask(client, "/templates", store="masters", kind="moves-3x3-8-19")
    counts = [each["count"] for each in listed["templates"]]
    assert counts == sorted(counts, reverse=True)
    assert listed["more"] is True
    first = listed["templates"][0]
    assert sum(row.count("?") for row in first["rows"]) == 1
    one = ask(client, "/template", store="masters", template=first["template"])
    assert len(one["covers"]) == first["patterns"] == 3
    assert sum(each["count"] for each in one["covers"]) == first["count"]
    fillings = {sign for each in one["covers"] for row in each["rows"] for sign in row}
    assert fillings >= {"X", "O", "."}
    assert "Unknown template" in refused(client, "/template", store="masters", template=10**9)


def test_openings_are_one_however_they_are_turned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "FUSEKI_MOVES", 5)  # the third game is shorter
    with serving(tmp_path, RECORDS) as client:
        mine(GameStore(tmp_path / "go"))
        node, line = ask(client, "/fuseki"), list[int]()
        assert (node["count"], node["won"], node["decided"], node["lean"]) == (2, 1, 2, None)
        for name in ("Q16", None, None, None, None):
            (only,) = node["children"]
            assert (only["count"], only["share"], only["win_rate"]) == (2, 1.0, 0.5)
            assert name in (None, only["name"])
            line.append(only["code"])
            before, node = node, ask(client, "/fuseki", line=",".join(map(str, line)))
        assert before["names"] == ["White nirensei"]
        assert before["children"][0]["names"] == ["Black Chinese"]
        assert set(node["names"]) == {"Black Chinese", "White nirensei"}
        assert (node["lean"], node["children"], node["game"]) == ("influence", [], 1)
        assert (node["first_year"], node["last_year"]) == (1995, 1996)


def test_corners_are_counted_whoever_comes_first(client: TestClient) -> None:
    root = ask(client, "/joseki")
    assert root["count"] == 4 + 4 + 1
    star = root["children"][0]
    assert (star["name"], star["count"], star["colour"]) == ("Q16", 3 + 3 + 1, "X")
    assert star["share"] == pytest.approx(7 / 9)
    assert star["win_rate"] == pytest.approx((1 + 2 + 0) / 7)  # Ann's one, Dan's two, and Ann lost the third


def test_the_games_of_masters_are_mined_at_once_and_their_openings_lead_on(client: TestClient) -> None:
    root = ask(client, "/fuseki", store="masters")
    assert root["count"] >= sum(each["count"] for each in root["children"]) > 3600
    assert root["children"][0]["share"] == pytest.approx(root["children"][0]["count"] / root["count"])
    node, line = root, list[int]()
    for _ in range(3):
        line.append(node["children"][0]["code"])
        node = ask(client, "/fuseki", store="masters", line=",".join(map(str, line)))
    assert [each["colour"] for each in node["line"]] == ["X", "O", "X"]
    assert (node["board"].count("X"), node["board"].count("O")) == (2, 1)
    found = client.post("/api/explorer/search", json={"store": "masters", **node["search"]}).json()
    assert found["games"] >= node["count"] >= 1
    assert "not played in this store" in refused(client, "/fuseki", store="masters", line="1,2")


def test_joseki_know_tenuki(client: TestClient) -> None:
    root = ask(client, "/joseki", store="masters")
    node = ask(client, "/joseki", store="masters", line=str(root["children"][0]["code"]))
    assert node["line"][0]["tenuki"] is False
    assert {each["tenuki"] for each in node["children"] if each["colour"] == "X"} <= {True}
    assert {each["tenuki"] for each in node["children"] if each["colour"] == "O"} == {False}
    assert all(each["point"] % 19 >= 10 and each["point"] // 19 < 9 for each in node["children"])


def test_players_are_compared(client: TestClient, tmp_path: Path) -> None:
    with serving(tmp_path, FEW_GAMES.read_text("utf-8")) as small:
        mine(GameStore(tmp_path / "go"), [Kind("moves", "3x3", 8)])
        told = ask(small, "/players")
        names = [name for name, _ in told["players"]]
        assert told["player"] == names[0]
        assert told["few"] is True
        assert {each["name"] for each in told["similar"]} == set(names[1:])
        two = ask(small, "/players", player=names[0], **{"with": names[1]})
        assert two["similarity"] == next(each["similarity"] for each in told["similar"] if each["name"] == names[1])
        assert "No player" in refused(small, "/players", store="collection", player="nobody at all")
    told = ask(client, "/players", store="masters", player="Yasuda Shusaku")
    assert (told["player"], told["few"]) == ("Honinbo Shusaku", False)
    assert "No two players" in refused(client, "/players", store="collection")


def test_a_collection_is_an_opponent(client: TestClient) -> None:
    assert ask(client)["opponent"] == "bot:Your collection"
    stores = {each["name"]: each for each in answer_of(client.get("/api/explorer"))["stores"]}
    assert stores["collection"]["opponent"] == "bot:Your collection"
    games = client.get("/api/games")
    (go,) = (game for game in games.json()["games"] if game["name"] == "go")
    offered = [each["label"] for each in go["agents"] if each["group"] == "bots"]
    assert "Your collection" in offered
    assert "Games dropped here" not in offered  # there are none
    assert "pattern(store" not in games.text
    seats = [ANN, agent("bot:Your collection")]
    with at_new_table(client, game="go", options={"size": 19}, seats=seats) as (made, socket):
        assert [seat["name"] for seat in hear(socket, "table")["seats"]] == ["Ann", "Your collection"]
        move(socket, 0, "Q16")
        while not (thought := hear(socket, "thought"))["note"]:
            pass
        assert "times it could be" in thought["note"]
    assert client.get(f"/api/tables/{made}/record").json()["agents"] == ["human", "bot:Your collection"]


@pytest.mark.parametrize(
    "spec",
    ["pattern(store=/tmp)", "mcts(priors=/etc/passwd)", "predictor(file=/etc/passwd)", "pattern(store=collection)",
     "bot:Games dropped here", "bot:/etc"],
)  # fmt: skip
def test_visitors_cannot_name_files(client: TestClient, spec: str) -> None:
    wish = {"game": "go", "options": {}, "seats": [ANN, agent(spec)]}
    words = refusal_of(client.post("/api/tables", json=wish))
    assert "one of the agents of go, which" in words
    assert "No such file" not in words


def test_a_player_whose_patterns_are_gone_hides_the_folder(tmp_path: Path) -> None:
    with serving(tmp_path, RECORDS) as there:
        (tmp_path / "go" / "mined.duckdb").write_bytes(b"no tables")
        seats = [agent("bot:Your collection"), ANN]
        with at_new_table(there, game="go", options={"size": 19}, seats=seats) as (_, socket):
            words = hear(socket, "notice")["words"]
        assert "Your collection cannot play" in words
        assert str(tmp_path) not in words


def test_where_nothing_was_mined_the_command_is_told(client: TestClient) -> None:
    folder: Path = client.bare
    with serving(folder) as bare:
        told = ask(bare)
        assert (told["kinds"], told["opponent"]) == ([], None)
        assert "kibitz go mine" in told["how"]
        assert str(folder) not in str(told)
        words = refused(bare, "/list", store="collection", kind="moves-3x3-8-19")
        assert "kibitz go mine" in words
        (folder / "go" / "mined.duckdb").write_bytes(b"no tables")
        assert str(folder) not in refused(bare, "/list", store="collection", kind="moves-3x3-8-19")


@pytest.mark.parametrize(
    ("path", "wish", "words"),
    [
        ("", {"store": "../etc"}, "There is no store"),
        ("/list", {"store": "collection"}, "lacks the field 'kind'"),
        ("/list", {"store": "collection", "kind": "moves-9x9-8-19"}, "not mined here"),
        ("/list", {"store": "collection", "kind": "moves-3x3-8-19", "start": "-1"}, "whole number"),
        ("/list", {"store": "collection", "kind": "moves-3x3-8-19", "sort": "luck"}, "Unknown sort order"),
        ("/list", {"store": "collection", "kind": "moves-3x3-8-19", "colour": "X"}, "unknown field"),
        ("/one", {"store": "collection", "kind": "moves-3x3-8-19", "key": "99999999999999999999"}, "whole number"),
        ("/one", {"store": "collection", "kind": "moves-3x3-8-19", "key": "-7"}, "Unknown pattern"),
        ("/fuseki", {"store": "masters", "line": "a"}, "whole number"),
        ("/joseki", {"store": "masters", "line": ",".join(["1"] * 61)}, "at most 60"),
    ],
)
def test_what_is_wrong_is_told(client: TestClient, path: str, wish: dict[str, str], words: str) -> None:
    assert words in refused(client, path, **wish)
