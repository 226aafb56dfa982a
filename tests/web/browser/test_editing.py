"""The editor in the browser: quick clicks, keyboard, drafts that are not possible yet, and what fits on the screen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from web.browser.looking import place, shapes
from web.browser.serving import Server

CELLS = ("36", "37", "41", "42", "44")
"""Cells of the centre board, no three of them in a row: top left, top, right, bottom left, bottom right."""


def slow_down(page: Page, seconds: float = 0.15) -> None:
    """Let every change of the editor take a while, so that clicks come before the answer to the one before."""

    def later(route: Route) -> None:
        page.wait_for_timeout(1000 * seconds)
        route.continue_()

    page.route("**/api/edit", later)


def centre(page: Page, key: str) -> tuple[float, float]:
    """Return the middle of a place, once it is there."""
    expect(place(page, key)).to_be_attached()
    expect(page.locator(".stage svg.board")).to_be_visible()
    box = place(page, key).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_every_quick_click_counts(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/uttt")
    places = [centre(page, cell) for cell in CELLS]
    slow_down(page)
    for at in places:
        page.mouse.click(*at)
    expect(shapes(page, "mark first")).to_have_count(5)
    expect(page.get_by_label("Position as text")).to_have_value(re.compile("^9/9/9/9/xx3xx1x/9/9/9/9 "))


def test_a_line_clicked_twice_is_taken_away_again(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/dots?rows=2&cols=2")
    first, second = (centre(page, line) for line in ("0", "1"))
    slow_down(page)
    for at in (first, second, first):
        page.mouse.click(*at)
    expect(shapes(page, "trace")).to_have_count(11)
    expect(page.get_by_label("Position as text")).to_have_value(re.compile("^2 "))  # line 1 alone


def test_the_choice_of_who_moves_keeps_the_focus(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/dots?rows=2&cols=2")
    page.get_by_role("radio", name="Red").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".status-line")).to_have_text("Blue to move")
    expect(page.get_by_role("radio", name="Blue")).to_be_focused()


def test_a_draft_that_is_not_possible_survives_a_reload(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/uttt")
    for at in [centre(page, cell) for cell in CELLS[:2]]:
        page.mouse.click(*at)
    expect(shapes(page, "mark first")).to_have_count(2)
    why = page.locator(".trouble")
    expect(why).to_contain_text("X has 2 marks and O 0")
    page.reload()
    expect(shapes(page, "mark first")).to_have_count(2)
    expect(why).to_contain_text("X has 2 marks and O 0")
    expect(page.locator(".status-line")).to_have_text("Not a legal position yet")
    for at in [centre(page, cell) for cell in CELLS[:2]]:
        page.mouse.click(*at)
    expect(page.locator(".status-line")).to_have_text("X to move")


@pytest.mark.complains
def test_nonsense_in_the_address_of_the_editor_is_explained(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/uttt?text=nonsense")
    expect(page.locator(".trouble")).to_contain_text("is not a position")
    expect(page.locator(".board .place")).to_have_count(81)


@pytest.mark.parametrize("path", ["/edit/dots", "/edit/uttt", "/edit/dots?rows=9&cols=9", "/problems/dots/5"])
def test_board_and_controls_fit_on_the_screen(page: Page, server: Server, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto(f"{server.url}{path}")
    page.wait_for_selector(".board .place", state="attached")
    for part in ("svg.board", ".split .row >> nth=0"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 860
    assert page.evaluate("document.documentElement.scrollHeight") <= 860


@pytest.mark.parametrize("game", ["dots", "uttt"])
def test_the_board_and_its_tools_fit_on_a_phone(page: Page, server: Server, game: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{server.url}/edit/{game}")
    page.wait_for_selector(".board .place", state="attached")
    board, tools = page.locator(".stage svg.board").bounding_box(), page.locator(".edit-tools").bounding_box()
    assert board is not None
    assert tools is not None
    assert board["width"] >= 300
    assert tools["y"] + tools["height"] <= 740
