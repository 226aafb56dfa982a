"""Predicted moves and territory over HTTP: at a table, beside a stored game, and where nothing is told."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.go.go_games import WALLS
from games.go.page.serving import answer_of, import_text, serving
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.server.predictions import count_top_choices, expected_score, moment_of, most_surprising
from kibitz.games.go.predict import models
from kibitz.games.go.predict.fit.course import Moment
from kibitz.games.go.predict.model.model import PatternModel
from kibitz.games.go.rules import Go, GoState, Scoring
from web.talking import ANN, BOB, TestClient, create

RECORDS = """
(;SZ[19]PB[Ann]PW[Bob]DT[1995]RE[B+R];B[qd];W[dd];B[pp];W[dp];B[fq])
(;SZ[19]PB[Cid]PW[Dan]DT[1996]RE[W+R];B[qd];W[dd];B[pq];W[dp];B[fq];W[])
"""
"""Both corners at the left are alike in both games, and so is the approach at F3."""
KNOWN = {"size": 9, "komi": 5.5}


class Fixed:
    """A model that prefers points in the order of their numbers, so that every answer can be worked out by hand."""

    name = "net"
    asked = 0

    def shares(self, moment: Moment) -> Any:
        """Return 1/2, 1/4, 1/8 ... for the empty points from the first on, occupied ones left out."""
        Fixed.asked += 1
        shares = np.zeros(len(moment.board.points))
        empty = [point for point, code in enumerate(moment.board.points) if code == 0]
        for place, point in enumerate(empty[:20]):
            shares[point] = 0.5 ** (place + 1)
        return shares


class Silent:
    """A pattern model, and its ranking, that explains no candidate."""

    candidates = ()

    @classmethod
    def load(cls) -> Silent:
        return cls()

    def rank_moment(self, *given: Any) -> Silent:
        return self


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> type[Fixed]:
    """Have the page ask a model whose answers are known; nothing is compiled then."""
    Fixed.asked = 0
    monkeypatch.setattr(models, "open_model", lambda: Fixed())
    monkeypatch.setattr("kibitz.games.go.predict.model.model.PatternModel", Silent)
    return Fixed


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path) as made:
        yield made


def table(client: TestClient, moves: list[str], **options: Any) -> str:
    return create(client, game="go", options={**KNOWN, **options}, moves=moves)


def told(client: TestClient, path: str) -> JsonObject:
    return answer_of(client.get(path))


def test_the_likeliest_moves_of_a_position(client: TestClient, fixed: type[Fixed]) -> None:
    game = table(client, ["A9", "C9", "J1"])
    first = told(client, f"/api/tables/{game}/predict/1")
    assert (first["model"], first["to_move"], first["played"]) == ("net", 1, "C9")
    assert "learned from 19x19 only" in first["note"]
    named = [(each["name"], each["share"], each["rank"]) for each in first["candidates"]]
    assert named[:3] == [("B9", 0.5, 1), ("C9", 0.25, 2), ("D9", 0.125, 3)]
    assert first["heat"][0] == [1, 0.5]
    late = told(client, f"/api/tables/{game}/predict/2")
    assert late["played"] == "J1"
    assert "J1" not in [each["name"] for each in late["candidates"]]  # the model gave it nothing
    last = told(client, f"/api/tables/{game}/predict/3")
    assert (last["played"], last["candidates"][0]["name"]) == (None, "B9")
    told(client, f"/api/tables/{game}/predict/3")
    assert fixed.asked == 3  # what was said of a position is remembered


def test_what_the_rules_forbid_is_not_predicted(client: TestClient, fixed: type[Fixed]) -> None:
    game = table(client, ["B9", "E5", "A8", "E4", "J1"])  # White has no liberty on A9
    assert [each["name"] for each in told(client, f"/api/tables/{game}/predict/5")["candidates"]][:2] == ["C9", "D9"]


def test_a_whole_game_by_likelihood(client: TestClient, fixed: type[Fixed]) -> None:
    game = table(client, ["A9", "B9", "E9", "C9", "J1", "pass"])
    found = told(client, f"/api/tables/{game}/predict")
    assert [(each["ply"], each["rank"], each["share"]) for each in found["moves"]] == [
        (2, 1, 0.5),  # the first move, on an empty board, and the pass are left out
        (3, 3, 0.125),
        (4, 1, 0.5),
        (5, 21, 0.0),  # behind all twenty
    ]
    assert found["moves"][1]["best"] == {"point": 2, "name": "C9", "share": 0.5}
    assert found["players"] == [{"n": 2, "first": 0, "five": 1}, {"n": 2, "first": 2, "five": 2}]
    assert (found["surprises"], found["of"]) == ([5, 3], 6)


def test_surprises_are_few_and_the_least_likely_come_first() -> None:
    ranked = [{"ply": ply, "player": 0, "rank": ply, "share": 1 / ply} for ply in range(1, 20)]
    assert most_surprising(ranked) == [19, 18, 17, 16, 15, 14, 13, 12]
    assert count_top_choices(ranked, 0) == {"n": 19, "first": 1, "five": 5}
    assert count_top_choices(ranked, 1) == {"n": 0, "first": 0, "five": 0}


def test_sizes_that_no_model_knows_are_told_in_words(client: TestClient, fixed: type[Fixed]) -> None:
    for size in (5, 21):
        game = table(client, [], size=size)
        for path in ("predict/0", "predict"):
            found = told(client, f"/api/tables/{game}/{path}")
            assert found["model"] is None
            assert f"no move is predicted on {size}x{size}" in found["words"]
        assert "no move is predicted" in client.get(f"/api/tables/{game}/predict/0/A1").json()["error"]
    assert fixed.asked == 0


def test_nothing_is_predicted_where_it_would_help_one_of_two(client: TestClient, fixed: type[Fixed]) -> None:
    game = create(client, game="go", options=KNOWN, seats=[ANN, BOB], link=True, moves=["E5"])
    for path in ("predict", "predict/1", "predict/1/C3", "territory/1"):
        answer = client.get(f"/api/tables/{game}/{path}")
        assert answer.status_code == 403
        assert "until the game between two people is over" in answer.json()["error"]
    assert fixed.asked == 0


def test_what_is_not_there_is_refused(client: TestClient, fixed: type[Fixed]) -> None:
    game = table(client, ["E5", "pass", "pass"])
    assert "there is no next move" in told(client, f"/api/tables/{game}/predict/3")["words"]
    assert "has 3 moves" in client.get(f"/api/tables/{game}/predict/4").json()["error"]
    assert client.get(f"/api/tables/{game}/territory/4").status_code == 404
    assert client.get(f"/api/tables/{game}/predict/1/Z9").status_code == 400
    assert "A pass has no pattern" in client.get(f"/api/tables/{game}/predict/1/pass").json()["error"]
    assert client.get(f"/api/tables/{create(client)}/predict/0").status_code == 404
    for path in ("collection/1/predict/0", "masters/0/predict/0", "nothing/1/predict/0", "masters/1/predict/99999"):
        assert client.get(f"/api/explorer/games/{path}").status_code == 404


def test_territory_by_random_games_and_the_true_score(client: TestClient) -> None:
    game = table(client, [*WALLS, "pass", "pass"], size=5, komi=0.5)  # a dead stone behind each wall
    before = told(client, f"/api/tables/{game}/territory/12")
    assert (before["counted"], before["rule"]) == (None, "area counting, komi 0.5")
    assert before["owners"][0] > 0.2 > -0.2 > before["owners"][4]  # A5 lies behind Black's wall, E5 behind White's
    assert before["black"] + before["white"] == pytest.approx(25.5, abs=0.11)
    assert before["words"].startswith("Black ahead by about ")
    end = told(client, f"/api/tables/{game}/territory/14")
    assert end["counted"] == {"black": 6.0, "white": 6.5, "words": "White wins by 0.5"}  # nothing is marked yet


@pytest.mark.parametrize(
    ("scoring", "settled", "dead"),
    [
        ("area", (6.0, 3.5), (7.5, 2.0)),
        ("territory", (3.0, 2.5), (5.5, 2.0)),  # without the stones; the dead one is a prisoner and leaves its point
    ],
)
def test_an_estimate_follows_the_rules(
    scoring: Scoring, settled: tuple[float, float], dead: tuple[float, float]
) -> None:
    state = Go(3, 0.5, scoring=scoring).parse_position("X2/X1O/X2 X - 0 0:0 4")
    assert expected_score(state, [1, 1, -1] * 3, ()) == settled
    assert expected_score(state, [1, 1, 0] * 3, {5}) == dead  # the right column is half Black's


def test_a_table_is_seen_as_a_record_is() -> None:
    moves = [40, 10, Go(9).pass_move, 11]
    states = list(accumulate(moves, GoState.play, initial=Go(9).start()))
    now = moment_of(states, moves, 3)
    assert (now.recent, now.played, now.colour, now.moves, now.ko) == ((-1, 10, 40), 11, 2, 3, -1)
    assert moment_of(states, moves, 4).played == -1
    assert moment_of(states, moves, 2).played == -1  # a pass


def test_the_pattern_model_explains_and_finds_games(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models that are shipped, the patterns alone: as where onnxruntime is not installed."""
    monkeypatch.setattr(models, "has_net", lambda: False)
    import_text(RECORDS, tmp_path / "go")
    found = told(client, "/api/explorer/games/collection/1/predict/4")
    assert (found["model"], found["played"], found["note"]) == ("patterns", "F3", "")
    played = next(each for each in found["candidates"] if each["name"] == "F3")
    model, state = PatternModel.load(), Go().start().play(73).play(60).play(300).play(288)
    exact = model.rank(state, (288, 300, 60, 73), explain=361)
    late = exact.candidates[99]
    some = model.rank_moment(Moment(state.board, 1, (288, 300, 60, 73), -1, 4, -1), [late.point, 60])
    assert some.candidates == (late,)  # 60 has a stone
    assert played["share"] == pytest.approx(exact.shares[16 * 19 + 5], abs=1e-5)
    assert played["rank"] == exact.order.index(16 * 19 + 5) + 1
    assert played["by_patterns"] is None
    assert played["reasons"][0][0].startswith("pattern")
    assert "*" in "".join(played["rows"])
    games = told(client, "/api/explorer/games/collection/1/predict/4/F3")
    assert (games["store"], games["whole"]) == ("collection", True)
    assert [(each["game"], each["move"], each["black"]) for each in games["games"]] == [(2, 5, "Cid")]  # not itself
    end = told(client, "/api/explorer/games/collection/2/predict/6")
    assert (end["last"], end["played"]) == (True, None)
    assert told(client, "/api/explorer/games/collection/2/predict/5")["played"] is None  # a pass
