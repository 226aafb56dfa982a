"""Battle Line in the browser: a whole game by mouse, moves by keyboard, a phone, a shared screen, axe."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from web.browser.looking import expect_moves, look
from web.browser.serving import Server
from web.talking import ANN, BOB, agent

BOARD = "svg.board.battleline"
ORDER = ("claim", "flag", "at", "discard", "deck", "card", "pass", "done")
STANDING = """(board) => {
  const el = document.querySelector(board);
  return [el.getAttribute("aria-label"), el.querySelectorAll(".picked").length];
}"""
"""How many moves were made, and how many steps of the next one."""
WENT_ON = f"""([board, label, steps]) => {{
  const [now, picked] = ({STANDING})(board);
  return now !== label || picked > steps;
}}"""
FONT = "el => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a"
SIZES = {".side .bl-card .face": 30, "[data-key^='card '] .face": 36, "[data-key^='flag '] .hit": 32}
"""The least widths, in pixels, on a phone."""
MIDDLE = (
    "turn=40 stage=play flags=r8,r9,r10/b4,b7|g5,y5/o2,o3,o4|-/p7|y8,g8/b9,b10+FOG|AL,p4,p5/r6,g6,y6*1|o9/r3,r4|"
    "b1,b2/g10,p10+MUD|y1,g7/o6,o7,CC:1|g2,g3/- discard=r1,DESERTER played=AL,FOG/CC,DESERTER,MUD "
    "hands=r2,r5,o1,o5,g1,TRAITOR,b3/y2,y3,y4,p2,p3,g4,b5"
)
"""The first player is to move: he can claim flag 1, and play Traitor."""


def next_key(page: Page) -> str:
    """Return what is pressed next, of all that can be; empty if there is nothing."""
    keys = page.locator(f"{BOARD} [data-key]").evaluate_all("all => all.map((each) => each.dataset.key)")
    return next((key for start in ORDER for key in keys if key.startswith(start)), "")


def press(page: Page, which: str) -> None:
    page.locator(f'{BOARD} [data-key="{which}"]').first.click(force=True)


def test_a_whole_game_by_mouse(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, agent("random")]))
    steps = 0
    while steps < 600:
        page.wait_for_selector(f"{BOARD} [data-key], dialog[open]")
        if page.get_by_role("dialog").count():
            break
        before = page.evaluate(STANDING, BOARD)
        chosen = next_key(page)
        if not chosen:  # the other is to move
            continue
        press(page, chosen)
        page.wait_for_function(WENT_ON, arg=[BOARD, *before])
        steps += 1
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("wins|tie"))
    assert steps >= 20
    page.get_by_role("button", name="Look at the board").click()
    expect(page.locator(f"{BOARD} .bl-back")).to_have_count(
        page.locator(f"{BOARD} [aria-label*='deck,'] .bl-back").count()
    )


def test_moves_by_keyboard(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, BOB], seconds=None))
    reveal = page.get_by_role("button", name="Show my cards")
    reveal.focus()
    page.keyboard.press("Enter")
    hand = page.locator(f"{BOARD} [data-key^='card ']")
    expect(hand).to_have_count(7)
    hand.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    picked = page.locator(f"{BOARD} .picked")
    expect(picked).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".prompt")).to_contain_text("choose a flag")
    page.keyboard.press("Escape")
    expect(picked).to_have_count(0)
    page.keyboard.press("Enter")
    expect(picked).to_have_count(1)
    page.keyboard.press("ArrowUp")
    focused = page.locator(f"{BOARD} [data-key^='flag ']:focus")
    expect(focused).to_have_attribute("aria-label", re.compile(r"to Flag \d"))
    expect(focused.locator(".hit")).to_have_css("stroke-width", "0.09px")  # the frame around what has the focus
    page.keyboard.press("Enter")
    expect_moves(page, 1)
    expect(page.locator("#live")).to_have_text(re.compile(r"^Ann: \w+ \d+ to flag \d$"))
    page.locator(f"{BOARD} [data-key='deck 0']").focus()
    page.keyboard.press(" ")
    expect_moves(page, 2)
    expect(page.locator(f"{BOARD} [data-key]")).to_have_count(0)  # Bob's cards are covered until he says so
    expect(page.locator(".prompt")).to_contain_text("Bob, it is your turn")


def test_two_at_one_screen_do_not_see_each_other_s_cards(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, BOB], seconds=None, start=MIDDLE))
    expect(page.locator(f"{BOARD} .bl-back")).to_have_count(7 + 7 + 2)
    page.get_by_role("tab", name="Cards").click()
    expect(page.locator(".card-table")).to_have_count(0)
    page.get_by_role("button", name="Show my cards").click()
    expect(page.locator(f"{BOARD} .bl-back")).to_have_count(7 + 2)
    expect(page.locator(".card-table td.at-mine")).to_have_count(6)
    press(page, "claim 1")
    expect_moves(page, 1)
    expect(page.locator(f"{BOARD} .bl-back")).to_have_count(7 + 2)  # the same turn
    press(page, "card TRAITOR")
    expect(page.locator(".prompt")).to_contain_text("choose a card at a flag")
    expect(page.locator(f"{BOARD} .side .lit")).to_have_count(13)  # Bob's Troops at flags 2 to 7
    press(page, "at p7")
    press(page, "flag 3")
    expect_moves(page, 2)
    expect(page.locator(f"{BOARD} [aria-label^='Flag 3']")).to_have_attribute("aria-label", re.compile("Ann: p7"))


def test_a_phone_shows_all_nine_flags(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    press(page, "card r2")
    expect(page.locator(f"{BOARD} [data-key^='flag ']").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for what, least in SIZES.items():
        box = page.locator(f"{BOARD} {what}").first.bounding_box()
        assert box is not None
        assert box["width"] >= least, what
    assert page.locator(f"{BOARD} .side .bl-card text").first.evaluate(FONT) >= 12
    press(page, "flag 3")
    expect(page.locator(f"{BOARD} [aria-label^='Flag 3']")).to_have_attribute("aria-label", re.compile("Ann: r2"))


def test_nothing_is_wrong_with_the_pages(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/battleline")
    expect(page.locator(BOARD)).to_be_visible()
    look(page)
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    expect(page.locator(f"{BOARD} [data-key='claim 1']")).to_be_visible()
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_label("Analyse the position on the board").check()
    expect(page.locator(f"{BOARD} .pill").first).to_be_visible()
    look(page)
    page.get_by_role("tab", name="Cards").click()
    expect(page.locator(".proof.sure").first).to_contain_text("Ann can claim it with wedge 27")
    press(page, "card r2")
    look(page)
