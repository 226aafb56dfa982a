"""The model in the browser: predicted moves at a table, why, games that open; the opinion beside a record; a review."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from web.browser.looking import SHOWN_BOARD, expect_moves, look, press
from web.browser.serving import Server, serve_records
from web.talking import ANN, BOB

RECORDS = """
(;SZ[19]PB[Ann]PW[Bob]DT[1995]RE[B+R];B[qd];W[dd];B[pp];W[dp];B[fq])
(;SZ[19]PB[Cid]PW[Dan]DT[1996]RE[W+R];B[qd];W[dd];B[pq];W[dp];B[fq];W[ka])
"""
"""The corners at the left are alike, and so is the approach at F3."""
HEAT = ".board .over .likely"
PHONE = 360
OPENING = ["R16", "D16", "Q4", "D4"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two games, whose models are ready."""
    server = serve_records(tmp_path_factory.mktemp("predicted"), RECORDS)
    httpx.get(f"{server.url}/api/explorer/games/collection/1/predict/4/F3", timeout=600)  # compiles, if need be
    yield server
    server.stop()


def test_a_heat_map_with_reasons_and_games_that_open(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], seconds=None, moves=OPENING))
    page.get_by_role("tab", name="Predict").click()
    expect(page.locator(HEAT)).to_have_count(0)  # nothing unless it is asked for
    page.get_by_label("Predicted moves").check()
    expect(page.get_by_text(re.compile("By the (policy net|pattern model)"))).to_be_visible()
    first = page.locator(".likely-moves button").first
    share = re.search(r"(\d+) %", first.inner_text())
    assert share is not None
    expect(page.locator(".board .over .likely-text").first).to_have_text(share[1])  # the same on the board
    first.click()
    why = page.locator(".why")
    expect(why.locator(".why-window svg")).to_be_visible()
    expect(why.locator(".reasons li").first).to_contain_text(re.compile(r"\+\d+\.\d"))
    expect(page.locator(".board .marks .spot")).to_have_count(1)
    games = why.locator(".found-games a")
    expect(games.first).to_be_visible()
    page.get_by_label("Territory estimate").check()
    expect(page.get_by_text(re.compile("ahead by about|Even"))).to_be_visible()
    look(page, PHONE)
    press(page, "F3")
    expect(page.locator(".board .marks .spot")).to_have_count(0)  # another position
    expect(page.locator(HEAT).first).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect_moves(page, len(OPENING))
    expect(page.locator(".why")).to_have_count(0)
    first.click()
    number = re.search(r"move (\d+)", games.first.inner_text())
    assert number is not None
    games.first.click()
    expect(page.locator(SHOWN_BOARD)).to_have_attribute("aria-label", re.compile(f"Move {number[1]}: "))


def test_the_models_opinion_beside_a_professionals_move(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore?store=collection&game=2&move=4")
    page.get_by_label("Show predictions").check()
    said = page.locator(".told-line")
    expect(said).to_have_text(re.compile(r"^Black played F3: the model's .+ choice, [\d.]+ %\."))
    expect(page.locator(HEAT).first).to_be_visible()
    page.get_by_label("Show on the board").uncheck()
    expect(page.locator(HEAT)).to_have_count(0)
    page.get_by_label("Show on the board").check()
    page.get_by_role("button", name="Next move").click()
    expect(said).to_have_text(re.compile(r"^White played L19: the model's \d+\w\w choice.* It expected [A-T]\d+, "))
    expect(page.locator(".why h2")).to_have_count(2)  # of the move played, and of the first choice
    expect(page.get_by_role("region", name="Why L19")).to_contain_text("L19, played")
    expect(page.locator(".likely-moves button", has_text="L19")).to_contain_text("played")
    look(page, PHONE)
    page.get_by_role("button", name="Last position").click()
    expect(said).to_have_text("The record ends here.")


def test_surprising_moves_and_sizes_that_are_not_known(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], seconds=None, moves=[*OPENING, "F3", "L19"]))
    page.get_by_role("tab", name="Review").click()
    page.get_by_role("button", name="Find surprising moves").click()
    worst = page.locator(".likely-part .verdict").first
    expect(worst).to_contain_text("6. Bob: L19")
    expect(page.locator(".likely-part .accuracy")).to_contain_text("moves of Ann were its first choice")
    look(page, PHONE)
    worst.get_by_role("button").click()
    expect(page.locator(".status-detail")).to_contain_text(re.compile(r"Expected: [A-T]\d+\. The model gives it"))
    page.goto(server.table("go", [ANN, BOB], options={"size": 5}, seconds=None))
    page.get_by_role("tab", name="Predict").click()
    page.get_by_label("Predicted moves").check()
    expect(page.get_by_text("so no move is predicted on 5x5")).to_be_visible()
