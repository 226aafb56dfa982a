"""Go in the browser: whole games with scoring by mouse and by keyboard, a phone, two browsers, the editor."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from games.go.go_games import KO, SMALL, WALLS
from web.browser.fixtures import NewPerson
from web.browser.looking import OPEN, WIDE, expect_moves, look, place, press, shapes, weigh
from web.browser.serving import Server
from web.talking import ANN, BOB, agent


def test_a_whole_game_by_mouse_with_dead_stones(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], options=SMALL, seconds=None))
    for number, name in enumerate(WALLS, 1):
        press(page, name)
        expect_moves(page, number)
    press(page, "C1")
    expect(page.locator(".refusal")).to_have_text("There is a stone on C1 already.")
    for number in (13, 14):
        page.get_by_role("button", name="Pass", exact=True).click()
        expect_moves(page, number)
    status = page.locator(".status-line")
    expect(status).to_have_text("Mark the dead stones")
    expect(page.locator(".status-detail")).to_contain_text("Bob wins, 6.5 points to 6")
    expect(shapes(page, "owner")).to_have_count(0)
    press(page, "E3")
    expect(shapes(page, "owner white")).to_have_count(5)
    press(page, "A3")
    expect(shapes(page, "owner black")).to_have_count(10)
    expect(shapes(page, "stone dead")).to_have_count(2)
    expect(page.locator(".score")).to_have_text(["15", "10.5"])
    expect(place(page, "E3")).to_have_attribute("aria-label", "E3, black stone, dead")
    look(page)
    page.get_by_role("button", name="Agree", exact=True).click()
    result = page.get_by_role("dialog")
    expect(result).to_contain_text("Ann wins")
    expect(result).to_contain_text("15 : 10.5")
    result.get_by_role("button", name="View board").click()
    page.reload()
    expect(status).to_have_text("Ann wins, 15 points to 10.5")


def test_what_to_do_at_the_end_is_said_once(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], options={"size": 5}, seconds=None, moves=["C3", "pass", "pass"]))
    expect(page.locator(".status-line")).to_contain_text("ark the dead stones")
    expect(page.get_by_text("ark the dead stones").and_(page.locator(":visible"))).to_have_count(1)


def test_a_whole_game_by_keyboard(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], options={"size": 3, "komi": 0.5}, seconds=None))
    page.wait_for_selector(OPEN)
    page.locator(".board .place[tabindex='0']").focus()  # A3, the first point
    for keys, number in ((["ArrowRight", "ArrowDown"], 1), (["ArrowUp"], 2), (["ArrowRight", "ArrowDown"], 3)):
        for key in [*keys, "Enter"]:
            page.keyboard.press(key)
        expect_moves(page, number)
    expect(page.locator(".chip")).to_have_text(["1B2", "2B3", "3C2"])
    for number in (4, 5):
        page.keyboard.press("p")
        expect_moves(page, number)
    place(page, "B3").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".status-detail")).to_contain_text("Ann wins, 9 points to 0.5")
    page.keyboard.press("Enter")
    expect(page.locator(".status-detail")).to_contain_text("2 points to 1.5")  # every empty point touches both
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".status-line")).to_have_text("Ann to move")


def test_a_phone_plays_with_two_touches(person: NewPerson, server: Server) -> None:
    page = person(viewport={"width": 320, "height": 640}, has_touch=True)
    page.goto(server.table("go", [ANN, BOB], seconds=None))
    page.wait_for_selector(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    place(page, "Q16").tap(force=True)
    expect(page.locator(".board .ghosts .stone")).not_to_have_count(0)
    expect(page.locator(".board .lens *").first).to_be_attached()
    expect_moves(page, 0)
    place(page, "D4").tap(force=True)  # thinks again
    place(page, "D4").tap(force=True)
    expect_moves(page, 1)
    place(page, "Q4").tap(force=True)
    page.get_by_role("button", name="Play Q4").click()
    expect_moves(page, 2)
    expect(page.locator(".board .ghosts *")).to_have_count(0)


def test_a_ko_and_prisoners_are_shown(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, BOB], options=SMALL, seconds=None, moves=KO))
    expect(shapes(page, "ko")).to_have_count(1)
    expect(page.locator(".seat-note")).to_have_text(["0 prisoners", "1 prisoner, komi 0.5"])
    press(page, "C2")
    expect(page.locator(".refusal")).to_contain_text("retakes the ko")
    expect(shapes(page, "last on-white")).to_have_count(1)


def test_a_game_against_a_machine(page: Page, server: Server) -> None:
    page.goto(server.table("go", [ANN, agent("level1")], options={"size": 3, "komi": 0.5}))
    press(page, "B2")
    expect_moves(page, 2)
    expect(page.locator(".status-line")).to_have_text("Ann to move")


def test_the_editor_sets_stones_and_an_address_shows_them(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/go?size=3")
    press(page, "A3")
    expect(shapes(page, "stone black")).to_have_count(1)
    page.get_by_label("White", exact=True).first.check(force=True)
    for number, name in enumerate(("B3", "A2"), 1):
        press(page, name)
        expect(shapes(page, "stone white")).to_have_count(number)
    expect(page.locator(".trouble")).to_contain_text("no liberties")
    press(page, "A2")  # a second click takes it away
    expect(page.locator(".trouble")).to_have_count(0)
    page.get_by_role("link", name="View position").click()
    page.wait_for_url(re.compile("/position/go"))
    expect(shapes(page, "stone")).to_have_count(2)


def test_nothing_is_wrong_with_the_pages(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": WIDE, "height": 1000})
    table = server.table("go", [ANN, BOB], options=SMALL, seconds=None, moves=["C3", "B2", "C4", "E5"])
    for address in (f"{server.url}/new/go?size=5", f"{server.url}/edit/go?size=5", table):
        page.goto(address)
        expect(page.locator(".board .stone" if address == table else "main h1").first).to_be_visible()
        look(page)


def test_the_page_is_light(person: NewPerson, server: Server) -> None:
    weigh(person(), server.table("go", [ANN, BOB], seconds=None), OPEN)
