"""Battle Line in the browser: a whole game by mouse, moves by keyboard, a phone, a shared screen, axe."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from web.browser.looking import OPEN, expect_moves, look, place, press
from web.browser.serving import Server
from web.talking import ANN, BOB, agent

BOARD = ".stage svg.board.battleline"
ORDER = ("claim", *"123456789", "deck", "discard")
"""What is pressed before cards: a flag is the column of its number."""
BACKS = f"{BOARD} .shapes > :is([data-key^='theirs '], [data-key^='own '])"
STANDING = """(board) => {
  const el = document.querySelector(board);
  return [el.getAttribute("aria-label"), el.querySelectorAll(".place[data-picked]").length];
}"""
"""How many moves were made, and how many steps of the next one."""
WENT_ON = f"""([board, label, steps]) => {{
  const [now, picked] = ({STANDING})(board);
  return now !== label || picked > steps;
}}"""
FONT = "el => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a"
SIZES = {".shapes > [data-key='r9'] .paper": 30, ".shapes > [data-key='r2'] .paper": 36, "[data-place='3']": 32}
"""The least widths, in pixels, on a phone: of a card at a flag, a card of the hand, a column."""
MIDDLE = (
    "turn=40 stage=play flags=r8,r9,r10/b4,b7|g5,y5/o2,o3,o4|-/p7|y8,g8/b9,b10+FOG|AL,p4,p5/r6,g6,y6*1|o9/r3,r4|"
    "b1,b2/g10,p10+MUD|y1,g7/o6,o7,CC:1|g2,g3/- discard=r1,DESERTER played=AL,FOG/CC,DESERTER,MUD "
    "hands=r2,r5,o1,o5,g1,TRAITOR,b3/y2,y3,y4,p2,p3,g4,b5"
)
"""The first player is to move: he can claim flag 1, and play Traitor."""


def next_key(page: Page) -> str:
    """Return what is pressed next, of all that leads on; empty if there is nothing."""
    keys: list[str] = page.locator(OPEN).evaluate_all(
        "all => all.filter((each) => !each.hasAttribute('data-picked')).map((each) => each.dataset.place)"
    )
    last = keys[-1] if keys else ""
    return next((key for start in ORDER for key in keys if key.split()[0] == start), last)


def test_a_whole_game_by_mouse(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, agent("random")]))
    steps = 0
    while steps < 600:
        page.wait_for_selector(f"{OPEN}, .board-buttons button:enabled, dialog[open]", state="attached")
        if page.get_by_role("dialog").count():
            break
        before = page.evaluate(STANDING, BOARD)
        chosen = next_key(page)
        if chosen:
            press(page, chosen)
        elif page.locator(".board-buttons button:enabled").count():  # pass, or nothing more to claim
            page.locator(".board-buttons button:enabled").first.click()
        else:  # the other is to move
            continue
        page.wait_for_function(WENT_ON, arg=[BOARD, *before])
        steps += 1
    expect(page.get_by_role("dialog")).to_contain_text(re.compile("wins|tie"))
    assert steps >= 20
    page.get_by_role("button", name="View board").click()
    expect(page.locator(BACKS)).to_have_count(0)


def test_moves_by_keyboard(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, BOB], seconds=None))
    reveal = page.get_by_role("button", name="Show my cards")
    reveal.focus()
    page.keyboard.press("Enter")
    hand = page.locator(OPEN)
    expect(hand).to_have_count(7)
    hand.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    picked = page.locator(f"{BOARD} .place[data-picked]")
    expect(picked).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".prompt")).to_contain_text("choose a flag")
    page.keyboard.press("Escape")
    expect(picked).to_have_count(0)
    page.keyboard.press("Enter")
    expect(picked).to_have_count(1)
    page.keyboard.press("ArrowUp")
    focused = page.locator(f"{BOARD} .place:focus")
    expect(focused).to_have_attribute("aria-label", re.compile(r"Flag \d"))
    expect(focused).to_have_css("stroke-width", "4px")  # the frame around what has the focus
    page.keyboard.press("Enter")
    expect_moves(page, 1)
    expect(page.locator("#live")).to_have_text(re.compile(r"^Ann: \w+ \d+ to flag \d$", re.IGNORECASE))
    place(page, "deck 0").focus()
    page.keyboard.press(" ")
    expect_moves(page, 2)
    expect(page.locator(BACKS)).to_have_count(14)  # Bob's cards are covered until he says so
    expect(page.locator(OPEN)).to_have_count(0)
    expect(reveal).to_be_visible()
    expect(page.locator(".status-line")).to_have_text("Bob to move")


def test_a_card_is_dragged_to_a_flag(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    expect(page.locator(BOARD)).to_be_visible()
    place(page, "r2").drag_to(place(page, "3"), force=True)
    expect(place(page, "3")).to_have_attribute("aria-label", re.compile("r2|red 2"))


def test_two_at_one_screen_do_not_see_each_other_s_cards(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, BOB], seconds=None, start=MIDDLE))
    expect(page.get_by_role("button", name="Show my cards")).to_be_visible()
    expect(page.locator(".prompt")).to_have_text("Ann, it is your turn. Make sure nobody else is looking.")
    expect(page.locator(BACKS)).to_have_count(14)
    expect(page.locator(f"{BOARD} .shapes > [data-key='r8']")).to_be_visible()  # what lies on the table
    expect(page.locator(f"{BOARD} [data-key='r2'], {BOARD} [data-place='r2']")).to_have_count(0)
    expect(page.locator(f"{BOARD} .shapes > [data-key^='pill'], .board-buttons button")).to_have_count(0)
    expect(page.get_by_label("Sort hand by value")).to_have_count(0)
    page.get_by_role("tab", name="Cards").click()
    held = page.locator(".panel-note .place[aria-label$='in your hand']")
    expect(held).to_have_count(0)
    page.get_by_role("button", name="Show my cards").click()
    expect(page.locator(BACKS)).to_have_count(7)
    expect(held).to_have_count(6)
    press(page, "claim 1")
    expect_moves(page, 1)
    expect(page.locator(BACKS)).to_have_count(7)  # the same turn
    press(page, "TRAITOR")
    expect(page.locator(".prompt")).to_contain_text("choose a Troop of your opponent's")
    leading = page.locator(f"{BOARD} .shapes > [data-open]")
    expect(leading).to_have_count(13)  # Bob's Troops at flags 2 to 7
    press(page, "p7")
    press(page, "3")
    expect_moves(page, 2)
    expect(place(page, "3")).to_have_attribute("aria-label", re.compile("purple 7"))


def test_a_phone_shows_all_nine_flags(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    press(page, "r2")
    expect(place(page, "3")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for what, least in SIZES.items():
        box = page.locator(f"{BOARD} {what}").first.bounding_box()
        assert box is not None
        assert box["width"] >= least, what
    assert page.locator(f"{BOARD} [data-key='r9'] .figure").first.evaluate(FONT) >= 12
    press(page, "3")
    expect(place(page, "3")).to_have_attribute("aria-label", re.compile("red 2"))


def test_nothing_on_a_phone_is_too_small_to_read(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    expect(page.locator(f"{BOARD} [data-key='AL'] .letters")).to_be_visible()
    sizes = page.locator(f"{BOARD} .scene text:visible").evaluate_all(
        f"all => all.map((el) => [el.textContent, ({FONT})(el)])"
    )
    assert len(sizes) > 40
    assert [text for text, size in sizes if size < 8.5] == []


def test_the_flag_below_the_mouse_lights_up(page: Page, server: Server) -> None:
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    press(page, "r2")
    place(page, "4").hover(force=True)  # Fog lies there
    slots = page.locator(f"{BOARD} .shapes > [data-key='4']")
    expect(slots).to_have_attribute("data-hover", "")
    expect(slots.locator(".slots")).to_have_css("fill-opacity", "0.45")
    place(page, "3").hover(force=True)
    expect(page.locator(f"{BOARD} .shapes > [data-hover]")).to_have_attribute("data-key", "3")


def test_nothing_is_wrong_with_the_pages(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/new/battleline")
    expect(page.locator(".preview svg.board")).to_be_visible()
    look(page)
    page.goto(server.table("battleline", [ANN, agent("random")], start=MIDDLE))
    expect(place(page, "claim 1")).to_be_attached()
    page.get_by_role("tab", name="Analysis").click()
    page.get_by_label("Analyse the position on the board").check()
    expect(page.locator(f"{BOARD} .marks .pill").first).to_be_visible()
    look(page)
    page.get_by_role("tab", name="Cards").click()
    expect(page.get_by_role("heading", name="Claims")).to_be_visible()
    expect(page.locator(".panel-note.good b").first).to_have_text("You can claim it with wedge 27. ")
    press(page, "r2")
    look(page)
