"""The arena in the browser: a tournament from the first choice to its report, stopped and resumed, and a replay."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from clocks import PATIENCE
from web.browser.looking import look
from web.browser.serving import Server

QUICK: dict[str, Any] = {
    "game": "dots",
    "options": {"rows": 3, "cols": 3},
    "agents": ["random", "greedy"],
    "format": "match",
    "games": 6,
    "openings": 0,
}


AS_MANY_MARKS_AS_MOVES = """() => {
  const board = document.querySelector(".live-game svg.board");
  const moves = Number(/after (\\d+) move/.exec(board.ariaLabel)[1]);
  return moves > 0 && board.querySelectorAll(".shapes .mark").length === moves;
}"""


@pytest.fixture(scope="module")
def complete(server: Server) -> str:
    """The name of a tournament that is over soon."""
    wish = {**QUICK, "agents": ["random", "greedy", "level1"], "format": "round-robin"}
    return str(ask(server, "", wish)["id"])


def ask(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = httpx.post(f"{server.url}/api/arena{path}", json=body, headers={"origin": server.url}, timeout=PATIENCE)
    assert answer.status_code in (200, 201), answer.text
    told: dict[str, Any] = answer.json()
    return told


def played(page: Page) -> int:
    """Return how many games the page says were played."""
    found = re.match(r"(\d+)", page.locator(".arena-head b").inner_text())
    assert found
    return int(found[1])


def badge(page: Page) -> Any:
    return expect(page.locator(".arena-head .badge"))


def with_a_seed(route: Route) -> None:
    """Have the games of a tournament that is asked for decided by the test, so that the same player wins."""
    asked = route.request.post_data  # None for the list of tournaments
    route.continue_(post_data=asked and json.dumps({**json.loads(asked), "seed": 5}))


def test_a_tournament_from_start_to_report(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/arena")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Dots-and-Boxes").check(force=True)
    for level in ("3", "5"):
        page.get_by_label(f"Level {level}", exact=True).uncheck(force=True)
    start = page.get_by_role("button", name="Start tournament", exact=True)
    expect(start).to_be_disabled()
    page.get_by_label("Other players").select_option("greedy")
    expect(page.locator(".chosen li")).to_contain_text(["Level 1", "Greedy"])
    page.get_by_label("Games per pair").fill("7")
    expect(page.locator(".sum")).to_contain_text("must be even")
    page.route("**/api/arena", with_a_seed)
    page.get_by_label("Start from").select_option("0")
    page.get_by_label("Rows").fill("2")
    page.get_by_label("Columns").fill("2")
    expect(page.locator(".sum")).to_have_text("2 players, 7 games.")
    start.click()
    page.wait_for_url(re.compile("/arena/T"))
    badge(page).to_have_text("Complete")
    expect(page.locator(".standings tbody tr")).to_have_count(2)
    expect(page.locator(".standings tbody tr").first).to_contain_text("Greedy")
    expect(page.locator(".game-row.played")).to_have_count(7)
    page.get_by_role("link", name="All tournaments").click()
    expect(page.locator(".arena-row").first).to_contain_text("Level 1, Greedy")
    expect(page.locator(".arena-row").first).to_contain_text("Greedy won")


def test_the_report_runs_its_own_script_and_asks_nobody(page: Page, server: Server, complete: str) -> None:
    page.goto(f"{server.url}/arena/{complete}")
    badge(page).to_have_text("Complete")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Report").click()
    report = opened.value
    expect(report.get_by_role("heading", name="Cross table")).to_be_visible()
    expect(report.locator("#caption")).to_have_text("start")
    report.get_by_role("button", name="Next").click()
    expect(report.locator("#caption")).to_contain_text("after move 1")
    outside = report.evaluate("fetch('/api/games').then(() => 'answered', () => 'refused')")
    assert outside == "refused"
    report.close()


def test_stop_and_go_on(page: Page, server: Server) -> None:
    long = {**QUICK, "options": {"rows": 9, "cols": 9}, "games": 2000}  # a minute of work
    name = ask(server, "", long)["id"]
    page.goto(f"{server.url}/arena/{name}")
    badge(page).to_have_text("Running")
    expect(page.locator(".game-row.played").first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    badge(page).to_have_text("Stopped")
    page.reload()
    badge(page).to_have_text("Stopped")
    before = played(page)
    assert 0 < before < 2000
    page.get_by_role("button", name="Resume").click()
    badge(page).to_have_text("Running")
    expect(page.locator(".arena-head b")).not_to_have_text(re.compile(f"^{before} of"))
    assert played(page) > before
    page.get_by_role("button", name="Stop").click()
    badge(page).to_have_text("Stopped")


def test_live_games_are_seen(page: Page, server: Server) -> None:
    slow = {**QUICK, "game": "uttt", "options": {}, "agents": ["random", "plain-mcts"], "seconds": 5}
    name = ask(server, "", slow)["id"]
    page.goto(f"{server.url}/arena/{name}")
    board = page.locator(".live-game svg.board")
    expect(board).to_have_attribute("aria-label", re.compile("Random against Monte Carlo.*after [1-9]"))
    page.wait_for_function(AS_MANY_MARKS_AS_MOVES)
    look(page)
    page.get_by_role("button", name="Stop").click()
    expect(board).to_be_hidden()


def test_a_game_is_replayed_at_a_table(page: Page, server: Server, complete: str) -> None:
    page.goto(f"{server.url}/arena/{complete}")
    badge(page).to_have_text("Complete")
    row = page.locator(".game-row.played").last
    moves = int(re.findall(r"(\d+) moves", row.inner_text())[0])
    row.click()
    page.wait_for_url(re.compile(rf"/play/{complete}\.\d"))
    label = re.compile(f"after {moves} moves")
    expect(page.locator("svg.board").first).to_have_attribute("aria-label", label)
    expect(page.locator(".chip")).to_have_count(moves)
    page.locator(".chip").nth(3).click()
    lines = page.locator(".board .place[aria-label*='drawn by']")
    expect(lines).to_have_count(4)


def test_nothing_is_wrong_with_the_pages(page: Page, server: Server, complete: str) -> None:
    page.goto(f"{server.url}/arena/{complete}")
    badge(page).to_have_text("Complete")
    for address in (f"/arena/{complete}", "/arena", "/arena/new"):
        page.goto(f"{server.url}{address}")
        expect(page.locator("main h1")).to_be_visible()
        for width in (360, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            look(page, width)


@pytest.mark.complains
def test_a_tournament_that_is_not_there_is_told(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/arena/nothing")
    expect(page.locator("main")).to_contain_text("Tournament not found.")
