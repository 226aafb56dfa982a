"""What was mined, in the browser: from a small board to its games and the search, trees, players; narrow and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from web.browser.looking import SHOWN_BOARD, look
from web.browser.serving import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the games of masters alone, which are mined by now."""
    server = Server(tmp_path_factory.mktemp("mined"))
    for path in ("", "/players"):
        httpx.get(f"{server.url}/api/patterns{path}?store=masters", timeout=600)  # compiles, if need be
    yield server
    server.stop()


def test_from_a_small_board_to_a_game_and_to_the_search(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server.url}/explore")
    page.get_by_role("link", name="Browse mined patterns").click()
    boards = page.locator("button.small-board")
    expect(boards).to_have_count(60)
    expect(page.get_by_text("1,012 patterns in 732,272 windows")).to_be_visible()  # one window around every move
    boards.nth(1).focus()
    page.keyboard.press("Enter")
    expect(boards.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".window-facts")).to_contain_text("Win rate")
    expect(page).to_have_url(re.compile("key="))
    look(page)
    chosen = page.url
    page.locator(".found-games a").first.click()
    expect(page.locator(SHOWN_BOARD)).to_have_attribute("aria-label", re.compile("^Move "))
    page.goto(chosen)  # the address leads to the same pattern
    page.get_by_role("link", name="Search games").click()
    expect(page.locator(".standing")).to_contain_text(re.compile(r"games?, "))
    expect(page.get_by_text("Searched anywhere")).to_be_visible()


def test_one_press_starts_a_game_against_the_patterns(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore/patterns")
    button = page.get_by_role("button", name="Play against games of masters")
    expect(button).to_be_visible()
    look(page)
    page.goto(f"{server.url}/explore")
    button.click()
    expect(page).to_have_url(re.compile("/play/"))
    expect(page.get_by_text("Games of masters", exact=True)).to_be_visible()  # at the other seat
    expect(page.locator(SHOWN_BOARD)).to_be_visible()


def test_templates_and_trees(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore/patterns?see=templates")
    page.locator("button.small-board").first.click()
    expect(page.locator("a.small-board")).to_have_count(3)
    page.get_by_role("tab", name="Templates").press("ArrowRight")
    expect(page.get_by_role("tab", name="Fuseki")).to_be_focused()
    rows = page.locator(".tree .went-on tbody tr")
    rows.first.get_by_role("button").click()
    expect(page.locator(".trail:visible li")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"see=fuseki.*line=\d+"))
    letter = page.locator(".tree text.letter").first
    expect(letter).to_be_visible()
    page.locator(".tree .place[aria-label*='continuation A']").first.press("Enter")
    expect(page.locator(".trail:visible li")).to_have_count(2)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".trail:visible li")).to_have_count(1)


@pytest.mark.parametrize("see", ["fuseki", "joseki", "players"])
def test_nothing_is_wrong_with_the_pages(page: Page, server: Server, see: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{server.url}/explore/patterns?store=masters&see={see}")
    expect(page.locator(".went-on tbody tr:visible").first).to_be_visible()
    look(page, 360)
