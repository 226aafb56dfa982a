"""The explorer in the browser: from drawing a region to stepping through a game, own records, narrow and dark."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from web.browser.fixtures import NewPerson
from web.browser.looking import NARROW, SHOWN_BOARD, WIDE, fits, look, shapes, weigh
from web.browser.serving import Server, serve_records

RECORDS = """
(;SZ[19]PB[Ann]PW[Bob]DT[1995-03-01]RE[B+R]EV[Cup];B[qd];W[dd];B[pp];W[dp])
(;SZ[19]PB[Cid]PW[Dan]DT[1996-05-05]RE[W+3.5];B[qd];W[oc];B[dd])
(;SZ[19]PB[Ann]PW[Eve]DT[2001]RE[W+R];B[pp];W[cp];B[eq];W[jj])
(;SZ[9]PB[Cid]PW[Eve]DT[2003-02]RE[B+2.5];B[gc];W[ec];B[cg];W[gg])
(;SZ[7]PB[Fay]PW[Gus];B[ab];W[aa];B[ba];W[bb];B[aa];W[gg])
"""
"""As in ../test_explorer.py: R16 in three games, and in two of them P17 next. In the last a corner stone is
taken, and its point is played on again."""
OWN = "(;SZ[19]PB[Me]PW[You];B[qd];W[oc];B[pd])"
DRAWN = "/explore?size=19&at=0,12&rows=7/7/7/4X2/7/7/7"
ORDER_BACKWARDS = f"{4 * 19 + 16},{2 * 19 + 15}"
"""R15 before Q17."""
DRAWN_9 = "/explore?size=9&at=0,4&rows=5/5/2X2/5/5"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a small collection."""
    server = serve_records(tmp_path_factory.mktemp("records"), RECORDS)
    wish = {"store": "collection", "size": 19, "top": 5, "left": 5, "rows": ["X"]}
    httpx.post(f"{server.url}/api/explorer/search", json=wish, timeout=600)  # compiles the search, if need be
    yield server
    server.stop()


def spot(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{name}, "))


def drag(page: Page, first: str, last: str) -> None:
    """Draw a region from one point to another."""
    for name, press in ((first, True), (last, False)):
        box = spot(page, name).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=1 if press else 4)
        page.mouse.down() if press else page.mouse.up()


def test_from_drawing_to_a_game_and_on_from_there(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore")
    drag(page, "N19", "T13")
    page.get_by_label("Black", exact=True).first.check(force=True)
    spot(page, "R16").click()
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".standing")).to_have_text("3 games, 3 times")
    expect(page.get_by_text("Searched in a corner in 3 games")).to_be_visible()
    row = page.locator(".went-on tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(re.compile(r"AP17\s*2\s*67 %\s*50 %"))
    expect(page.locator("text.letter.white")).to_have_text("A")
    row.get_by_role("button").click()  # plays it and searches on
    expect(page.locator(".standing")).to_have_text("2 games, 2 times")
    page.get_by_role("tab", name="By year").click()
    expect(page.locator(".timeline")).to_have_attribute("aria-label", re.compile("from 1995 to 2001"))
    page.get_by_role("tab", name="Games").click()
    entry = page.locator(".found-games button").first
    expect(entry).to_contain_text("Ann – Evemove 3 · W+R2001")  # the newest first; turned, and White for Black
    entry.click()
    expect(page.get_by_role("heading", name="Ann – Eve")).to_be_visible()
    board = page.locator(SHOWN_BOARD)
    expect(board).to_have_attribute("aria-label", "Move 3: Black E3 of Ann – Eve")
    expect(page.locator(f"{SHOWN_BOARD} .shapes .stone")).to_have_count(3)
    expect(page.locator(f"{SHOWN_BOARD} .region")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(board).to_have_attribute("aria-label", "Move 4: White K10 of Ann – Eve")
    for key in ("ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    expect(board).to_have_attribute("aria-label", "Move 2: White C4 of Ann – Eve")
    assert "game=3" in page.url
    assert "move=2" in page.url
    page.get_by_role("button", name="Search from here").click()  # the region is empty in this game: any empty corner
    expect(page.locator(".standing")).to_contain_text("3 games")
    page.go_back()
    expect(page.locator(".standing")).to_have_text("2 games, 2 times")


def test_moves_are_played_out_and_taken_back(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore?size=19&at=0,12&rows=7/7/7/7/7/7/7")
    row = page.locator(".went-on tbody tr")
    back = page.get_by_role("button", name="Take back")
    expect(page.locator(".standing")).to_contain_text("3 games")
    expect(back).to_be_hidden()
    for name, number in (("Q17", 1), ("R15", 2)):  # R16 and P17, mirrored: an empty corner is symmetric
        row.filter(has_text=name).first.get_by_role("button").click()
        expect(spot(page, name)).to_have_attribute("aria-label", re.compile(f"^{name}, (black|white), move {number}"))
        answered(page)
    expect(page.locator(".standing")).to_have_text("2 games, 2 times")
    expect(page.locator(f"{SHOWN_BOARD} .move-number")).to_have_text(["1", "2"])
    page.get_by_label("In this move order only").check(force=True)
    expect(page).to_have_url(re.compile("ordered=true"))
    expect(page.locator(".standing")).to_have_text("2 games, 2 times")
    backwards = re.sub("played=[^&]*", lambda found: "played=" + ORDER_BACKWARDS, page.url)
    assert backwards != page.url
    back.click()
    expect(page.locator(".standing")).to_have_text("3 games, 3 times")
    expect(page.locator(f"{SHOWN_BOARD} .move-number")).to_have_text(["1"])
    page.goto(backwards)
    expect(page.locator(".standing")).to_have_text("No games found")


def answered(page: Page) -> None:
    """Wait until the search after a move is answered: until then what was found before cannot be used."""
    expect(page.locator("[inert]")).to_have_count(0)


def later(route: Route) -> None:
    """Let a search take so long that a second click comes before its answer."""
    time.sleep(0.3)
    route.continue_()


def test_a_double_click_plays_one_move(page: Page, server: Server) -> None:
    page.goto(f"{server.url}{DRAWN}")
    expect(page.locator(".standing")).to_have_text("3 games, 3 times")
    page.route("**/api/explorer/search", later)
    spot(page, "P17").dblclick()
    expect(page.locator(".standing")).to_have_text("2 games, 2 times")
    expect(spot(page, "P17")).to_have_attribute("aria-label", "P17, white, move 1")
    expect(page.locator(f"{SHOWN_BOARD} .region")).to_have_count(1)
    assert "at=0,12" in page.url.replace("%2C", ",")


def test_captured_stones_leave_the_drawing(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore?size=7&at=0,0&rows=3/X2/3")
    row, found = page.locator(".went-on tbody tr"), page.locator(".standing")
    for name in ("A7", "B7", "B6", "A7"):
        expect(row).to_have_count(1)
        row.filter(has_text=name).get_by_role("button").click()
        expect(spot(page, name)).to_have_attribute("aria-label", re.compile("move"))
        answered(page)
        expect(found).to_have_text("1 game, once")
        if name == "B7":
            expect(spot(page, "A7")).to_have_attribute("aria-label", "A7, empty")
    expect(page.locator(f"{SHOWN_BOARD} .move-number")).to_have_text(["4", "2", "3"])
    page.get_by_label("In this move order only").check(force=True)
    expect(page).to_have_url(re.compile("ordered=true"))
    expect(found).to_have_text("1 game, once")
    page.reload()  # the address knows what was taken
    for name, label in (("A7", "A7, empty"), ("B6", "B6, empty"), ("A7", "A7, white, move 1")):
        expect(found).to_have_text("1 game, once")
        page.get_by_role("button", name="Take back").click()
        expect(spot(page, name)).to_have_attribute("aria-label", re.compile(f"^{label}"))
        answered(page)
    expect(spot(page, "B7")).to_have_attribute("aria-label", re.compile("^B7, empty"))
    expect(row).to_contain_text("B7")


def test_a_pattern_is_drawn_by_keyboard(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/explore")
    spot(page, "N19").focus()
    page.keyboard.press("Enter")
    spot(page, "T13").focus()
    page.keyboard.press("Enter")
    expect(spot(page, "M16")).to_have_attribute("aria-label", "M16, empty, outside the region")
    page.get_by_label("White", exact=True).first.focus()
    page.keyboard.press("Space")
    spot(page, "R16").focus()
    page.keyboard.press("Enter")
    expect(spot(page, "R16")).to_have_attribute("aria-label", "R16, white")
    page.keyboard.press("ArrowLeft")
    expect(spot(page, "Q16")).to_be_focused()
    page.get_by_role("button", name="Search", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".standing")).to_have_text("3 games, 3 times")


@pytest.mark.parametrize(
    ("address", "points", "side"),
    [
        ("size=3", 9, 1 * 48),
        ("size=9.5", 81, 3 * 48),
        ("size=9&at=-1,-1&rows=2/2", 81, 3 * 48),
        ("size=99&rows=X&at=0,x", 625, 11 * 36),
    ],
)
def test_any_address_has_a_region_on_its_board(
    page: Page, server: Server, address: str, points: int, side: int
) -> None:
    page.goto(f"{server.url}/explore?{address}")
    expect(page.locator(f"{SHOWN_BOARD} .place")).to_have_count(points)
    expect(page.locator(f"{SHOWN_BOARD} .region")).to_have_attribute("width", str(side))


def test_filters_and_what_cannot_be_searched(page: Page, server: Server) -> None:
    page.goto(f"{server.url}{DRAWN}")
    expect(page.locator(".standing")).to_have_text("3 games, 3 times")
    page.get_by_text("Filter games", exact=True).click()
    page.get_by_label("Player").fill("ann")
    page.get_by_label("To year").fill("1999")
    page.keyboard.press("Enter")
    expect(page.locator(".standing")).to_have_text("1 game, once")
    assert "player=ann" in page.url


@pytest.mark.complains
def test_a_wrong_filter_is_explained(page: Page, server: Server) -> None:
    page.goto(f"{server.url}{DRAWN}&player=nobody")
    expect(page.locator(".trouble")).to_contain_text("No player in the store is called 'nobody'")


def test_own_records_are_dropped_and_searched(page: Page, server: Server, tmp_path: Path) -> None:
    (tmp_path / "mine.sgf").write_text(OWN)
    (tmp_path / "junk.bin").write_bytes(b"\x00\x01\x02")
    page.goto(f"{server.url}{DRAWN}")
    page.get_by_label("Or choose files").set_input_files([tmp_path / "mine.sgf", tmp_path / "junk.bin"])
    expect(page.locator(".drop-said")).to_contain_text("mine.sgf: 1 added.")
    expect(page.locator(".drop-said")).to_contain_text("junk.bin: 1 unreadable.")
    expect(page.get_by_label("Search in")).to_have_value("own")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.locator(".standing")).to_have_text("1 game, once")
    page.get_by_role("tab", name="Games").click()
    page.locator(".found-games button").click()
    expect(page.get_by_role("heading", name="Me – You")).to_be_visible()
    page.get_by_role("link", name="Open position").click()
    page.wait_for_url(re.compile("/position/go"))
    expect(shapes(page, "stone")).to_have_count(1)


def test_it_is_light_and_fits_a_phone(person: NewPerson, server: Server) -> None:
    page = person(viewport={"width": NARROW, "height": 640})
    weigh(page, f"{server.url}{DRAWN}", ".went-on tbody tr")
    fits(page, NARROW)
    page.get_by_role("tab", name="Games").click()
    page.locator(".found-games button").first.click()
    expect(page.locator("input[type=range]")).to_be_visible()
    fits(page, NARROW)


def test_nothing_is_wrong_with_the_pages(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": WIDE, "height": 1000})
    page.goto(f"{server.url}{DRAWN_9}")
    expect(page.locator(".standing")).to_have_text("1 game, 3 times")  # in three corners
    page.get_by_text("Filter games", exact=True).click()
    for tab in ("Continuations", "By year"):
        page.get_by_role("tab", name=tab).click()
        look(page)
    page.get_by_role("tab", name="Games").click()
    page.locator(".found-games button").first.click()
    expect(page.get_by_role("heading", name="Cid – Eve")).to_be_visible()
    look(page)
