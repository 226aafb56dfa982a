"""Every page of the site: accessible, light, and asking nobody but its own server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from games.battleline.page.test_browser import MIDDLE
from web.browser.fixtures import NewPerson
from web.browser.looking import NARROW, OPEN, WIDE, click, fits, look, press, shapes, weigh
from web.browser.serving import Server
from web.talking import ANN, BOB, agent

ADDRESSES = {
    "lobby": "/",
    "a new game of dots": "/new/dots",
    "a new game of uttt": "/new/uttt",
    "games kept": "/games",
    "all problems": "/problems",
    "problems": "/problems/dots",
    "a problem": "/problems/dots/1",
    "editor of dots": "/edit/dots",
    "editor of uttt": "/edit/uttt",
    "editor with a draft": "/edit/uttt?text=9/9/9/9/xx7/9/9/9/9 o -",
    "a position": "/position/dots?rows=3&cols=3&text=a31433",
}
LINES = {"h 0 0": "0", "v 1 2": "11"}
TABLE = (
    "turn=40 stage=play flags=r8,r9,r10/b4,b7|g5,y5/o2,o3,o4|-/p7|y8,g8/b9,b10+FOG|AL,p4,p5/r6,g6,y6*1|o9/r3,r4|"
    "b1,b2/g10,p10+MUD|y1,g7/o6,o7,CC:1|g2,g3/- discard=r1,DESERTER played=AL,FOG/CC,DESERTER,MUD "
    "hands=r2,r5,o1,o5,g1,TRAITOR,b3/y2,y3,y4,p2,p3,g4,b5"
)
"""Battle Line with claimed flags, Fog, Mud, discards and Tactics."""
MOVES = {"dots": ["h 0 0", "h 1 0", "h 0 1", "h 1 1", "h 2 0"], "uttt": ["40", "36"]}


def address(server: Server, what: str) -> str:
    """Return where a page is; a game is made for the table pages."""
    if what in ADDRESSES:
        return f"{server.url}{ADDRESSES[what]}"
    options = {"rows": 2, "cols": 2} if what == "dots" else {}
    return server.table(what, [ANN, BOB], options=options, seconds=None, moves=MOVES[what])


@pytest.mark.parametrize("what", [*ADDRESSES, "dots", "uttt"])
def test_nothing_is_wrong_with_a_page(page: Page, server: Server, what: str) -> None:
    page.goto(address(server, what))
    expect(page.locator("main h1").first).to_be_attached()  # a page is shown when all is there
    if what in MOVES:
        expect(page.locator(".board .place").first).to_be_attached()
        fits(page, NARROW, WIDE)
        page.get_by_role("tab", name="Analysis").click()
        page.get_by_label("Analyse the position on the board").check()
        expect(page.locator(".board .marks .pill").first).to_be_visible()
    look(page)


def test_a_page_that_takes_long_says_so(page: Page, server: Server) -> None:
    held: list[Route] = []
    page.route("**/api/games", lambda route: held.append(route))
    page.goto(f"{server.url}/new/dots")
    expect(page.get_by_role("main")).to_contain_text("Preparing this page")
    for route in held:
        route.continue_()
    expect(page.locator("main h1")).to_have_text("Dots-and-Boxes")
    expect(page.get_by_role("main")).not_to_contain_text("Preparing")


def test_nothing_is_wrong_at_the_end_of_a_game(page: Page, server: Server) -> None:
    moves = ["4", "0", "2", "6", "1", "5"]  # both had something to decide, or neither would have an accuracy
    page.goto(server.table("dots", [ANN, BOB], options={"rows": 1, "cols": 2}, seconds=None, moves=moves))
    page.get_by_role("button", name="Rename Bob").click()
    look(page)
    click(page.locator(OPEN))
    expect(page.get_by_role("dialog")).to_contain_text("Bob wins")
    look(page)
    page.get_by_role("dialog").get_by_role("button", name="Review").click()
    expect(page.locator(".accuracy")).to_contain_text("accuracy of Bob")
    look(page)


STRAY = """() => [...document.styleSheets]
  .filter((sheet) => !/\\/(picture|games|board)\\//.test(sheet.href))
  .flatMap((sheet) => {
    const flat = (rules) => [...rules].flatMap((rule) => [rule, ...flat(rule.cssRules ?? [])]);
    return flat(sheet.cssRules).map((rule) => rule.selectorText).filter((text) => text && text.includes("."));
  })
  .map((text) => text.replaceAll(/::(after|before)/g, ""))
  .filter((text) => document.querySelector(`svg.board :is(${text})`))
"""
"""The rules of the page with classes that hit something drawn on a board."""


@pytest.mark.parametrize("game", ["battleline", "dots", "go", "uttt"])
def test_no_rule_of_the_page_restyles_a_board(page: Page, server: Server, game: str) -> None:
    page.goto(server.table(game, [ANN, BOB], seconds=None, start=TABLE if game == "battleline" else None))
    if game == "battleline":
        page.get_by_role("button", name="Show my cards").click()
        page.get_by_role("tab", name="Cards").click()
    expect(page.locator(".stage svg.board")).to_be_visible()
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_label("Analyse the position on the board").check()
    expect(page.locator(".board .marks .pill").first).to_be_attached()
    assert page.evaluate(STRAY) == []


@pytest.mark.parametrize("game", MOVES)
def test_a_game_page_is_light(person: NewPerson, server: Server, game: str) -> None:
    weigh(person(), address(server, game), OPEN)


@pytest.mark.parametrize("game", ["battleline", "go", "uttt"])
def test_a_large_board_and_all_below_it_fit_on_the_screen(page: Page, server: Server, game: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 860})
    start = MIDDLE if game == "battleline" else None
    page.goto(server.table(game, [ANN, agent("random")], start=start))
    board = page.locator(".stage svg.board")
    expect(board).to_be_visible()
    box = board.bounding_box()
    assert box is not None
    assert max(box["width"], box["height"]) >= 690
    assert page.evaluate("document.documentElement.scrollHeight") <= 860


def test_an_edited_position_survives_the_round_trip(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/edit/dots?rows=2&cols=2")
    for number, line in enumerate(("h 0 0", "v 1 2"), 1):
        press(page, LINES[line])
        expect(shapes(page, "trace")).to_have_count(12 - number)
    page.get_by_role("link", name=re.compile("Play from here|Play")).or_(
        page.get_by_role("button", name=re.compile("Play from here"))
    ).last.click()
    page.wait_for_url(re.compile("/new/dots"))
    expect(page.locator(".preview .board .shapes .trace")).to_have_count(10)


@pytest.mark.complains
@pytest.mark.parametrize(
    "path",
    ["/position/dots?text=zz", "/position/uttt?text=nonsense", "/play/no-such-table", "/new/chess", "/nowhere", "/%ff"],
)
def test_bad_addresses_are_explained(page: Page, server: Server, path: str) -> None:
    page.goto(f"{server.url}{path}")
    expect(page.locator("main")).to_contain_text(re.compile("[A-Za-z]{4,} .*[.:]"))
    assert not page.locator(".board [role=button]").count()
    look(page)


@pytest.mark.complains  # of the answer that refuses the option
@pytest.mark.parametrize("address", ["/new/dots", "/arena/new?game=dots"])
def test_an_option_out_of_range_is_explained_by_the_server(page: Page, server: Server, address: str) -> None:
    page.goto(f"{server.url}{address}")
    rows, start = page.get_by_label("Rows"), page.get_by_role("button", name=re.compile("^Start (game|tournament)$"))
    rows.fill("50")
    expect(
        page.get_by_role("status").filter(has_text="A board must have 1 to 9 rows of boxes, not 50.")
    ).to_be_visible()
    expect(start).to_be_disabled()
    rows.fill("")
    expect(page.get_by_role("status").filter(has_text="Enter a number for Rows.")).to_be_visible()
    rows.fill("3")
    expect(page.get_by_text("it must be 1 to 9")).to_have_count(0)
    expect(page.get_by_text("Enter a number for Rows.")).to_have_count(0)


OUTSIDE = """() => [...document.querySelectorAll(".game-card .picture svg.board")].filter((board) => {
  const inner = board.getBoundingClientRect(), outer = board.closest(".picture").getBoundingClientRect();
  return inner.top < outer.top || inner.bottom > outer.bottom || inner.left < outer.left || inner.right > outer.right;
}).length"""
"""The number of covers that leave their frame; asked at once, because fonts that arrive move everything."""


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_a_cover_stays_in_its_frame(page: Page, server: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 860})
    page.goto(server.url)
    expect(page.locator(".game-card .picture svg.board").nth(3)).to_be_visible()
    assert page.evaluate(OUTSIDE) == 0
