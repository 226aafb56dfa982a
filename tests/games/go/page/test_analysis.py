"""The analysis of Go over the websocket: it grows, stops, and says score, visits and ownership; the review, points."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from games.go.go_games import OVER, SMALL
from kibitz.web.server.app import make_app
from kibitz.web.tables import analysis
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient, at_new_table, hear, move, tell

LONG = 300.0
"""Seconds: more than any test takes."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A server without tables."""
    with TestClient(make_app(TableFiles(tmp_path))) as client:
        yield client


def test_an_analysis_grows_until_it_is_stopped(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (LONG,))
    with at_new_table(client, game="go", options=SMALL) as (_, socket):
        tell(socket, "analyse", on=True)
        first, second = hear(socket, "analysis"), hear(socket, "analysis")
        assert not first["done"]
        assert 0 < first["visits"] < second["visits"]
        best = second["moves"][0]
        assert second["best"] == [best["move"]]
        assert best["score_words"] == second["score_words"]
        assert second["score_words"][:2] in ("B+", "W+", "ev")
        assert second["unit"] == "probability"
        assert len(second["moves"]) <= 10
        assert best["line_words"] or len(best["line"]) == 1
        tell(socket, "analyse", on=False)
        monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.05,))
        tell(socket, "hint")  # waits for the search to end
        assert hear(socket, "hint")["ply"] == 0


def test_ownership_and_score_are_shown_and_drawn(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "SEARCH_SECONDS", (0.2,))
    with at_new_table(client, game="go", options=SMALL) as (_, socket):
        for ply, text in enumerate(OVER[:-2]):
            move(socket, ply, text)
        tell(socket, "analyse", on=True)
        told = hear(socket, "analysis", "done")
        assert {shape[0] for shape in told["overlay"]["over"]} == {"r"}
        assert told["overlay"]["legend"]
        assert told["overlay"]["facts"]
        while len(points := hear(socket, "graph")["points"]) < len(OVER) - 1:
            pass
        assert all(0 <= share <= 1 and not exact and isinstance(score, float) for _, share, exact, score in points)


def test_a_review_says_how_many_points_were_lost(client: TestClient) -> None:
    with at_new_table(client, game="go", options={"size": 3, "komi": 0.5}) as (_, socket):
        for ply, text in enumerate(("A1", "B2", "pass")):
            move(socket, ply, text)
        tell(socket, "review")
        told = hear(socket, "review")
        while told["done"] < 3:
            told = hear(socket, "review")
        assert told["unit"] == "probability"
        assert all(each["score_loss"] >= 0 for each in told["moves"])
        assert all(loss >= 0 for loss in told["score_loss"])
