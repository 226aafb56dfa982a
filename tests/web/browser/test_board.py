"""The page's board in a real browser, with pictures of a game that nobody plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Browser, BrowserContext, Page, expect

from kibitz.picture import COVERED, Circle, Group, LegalMove, Mark, Overlay, Path, Picture, Place, Rect, Use
from kibitz.picture.marks import mark_shapes
from kibitz.picture.wire import overlay_json, shapes_json, to_json
from web.browser.board_page import CELLS, DECK, HAND, HANDLERS, BoardPage, paint, points
from web.browser.fixtures import note_complaints
from web.browser.looking import AXE

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)
HALFWAY = """() => document.getAnimations().map((each) => {
  each.pause();
  each.currentTime = each.effect.getComputedTiming().endTime / 2;
}).length"""
BEGINNING = "() => document.getAnimations().forEach((each) => { each.pause(); each.currentTime = 0; })"
LAST = "() => Math.max(...document.getAnimations().map((each) => each.effect.getComputedTiming().endTime))"
FINISH = "() => document.getAnimations().forEach((each) => each.finish())"
WHERE = "(key) => { const m = new DOMMatrix(getComputedStyle(board.shapes.get(key)).transform); return [m.e, m.f]; }"

NewBoard = Callable[..., BoardPage]
Point = tuple[float, float]


@pytest.fixture(scope="module")
def screens(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Return contexts by what their screens are like, each made once: to start a process that draws takes long."""
    made: dict[str, BrowserContext] = {}

    def find(**screen: Any) -> BrowserContext:
        key = repr(sorted(screen.items()))
        if key not in made:
            made[key] = browser.new_context(**screen)
            made[key].new_page()  # keeps the process
        return made[key]

    yield find
    for context in made.values():
        context.close()


@pytest.fixture
def board(screens: Callable[..., BrowserContext]) -> Iterator[NewBoard]:
    """Return boards that show a picture and must not complain; nothing moves on them, unless `moving` is given."""
    complaints, pages = list[str](), list[Page]()

    def make(
        shown: Picture | None = None, moving: bool = False, handlers: tuple[str, ...] = HANDLERS, **screen: Any
    ) -> BoardPage:
        motion = "no-preference" if moving else "reduce"
        pages.append(screens(reduced_motion=motion, viewport={"width": 400, "height": 700}, **screen).new_page())
        note_complaints(pages[-1], complaints)
        here = BoardPage(pages[-1], handlers)
        if shown is not None:
            here.show(shown)
        return here

    yield make
    for page in pages:
        page.close()
    assert not complaints


# Shapes


def test_a_change_keeps_the_elements_of_shapes_that_stay(board: NewBoard) -> None:
    here, before, after = board(), paint(), paint({"red": "b2"}, ("blue", "green"))
    here.show(before)
    here.page.evaluate("window.kept = new Map(board.shapes.elements())")
    here.apply(before, after)
    assert here.keys() == ["blue", "green", "red"]
    assert here.page.evaluate("board.shapes.elements().every(([key, el]) => kept.get(key) === el)")
    assert here.page.evaluate(WHERE, "red") == list(CELLS["b2"])
    here.show(paint({"blue": "a1"}, ("red",)))
    assert here.keys() == ["red", "blue"]
    assert here.page.evaluate("board.shapes.elements().every(([key, el]) => kept.get(key) === el)")
    here.apply(paint({"blue": "a1"}, ("red",)), paint({"red": "a1"}, ("blue",)))
    assert here.page.evaluate("document.getAnimations().length") == 0, "nothing moves for those who asked for less"
    assert here.colour(*CELLS["a1"]) == RED
    expect(here.page.locator("[data-leave], [data-enter]")).to_have_count(0)


def test_the_first_picture_is_there_at_once(board: NewBoard) -> None:
    here = board(moving=True)
    here.show(paint(shapes=(Circle("spot", "red fill", 60, 340, 20),)))
    assert here.page.evaluate("document.getAnimations().length") == 0, "nothing fades in from black either"
    assert here.page.locator("[data-enter]").count() == 0
    assert here.colour(60, 340) == RED


def test_what_is_new_appears_and_what_changes_fades(board: NewBoard) -> None:
    here = board(moving=True)
    before = paint(shapes=(Circle("one", "red", 60, 340, 20),))
    after = paint(shapes=(Circle("one", "blue", 60, 340, 20), Circle("two", "red fill", 140, 340, 20)))
    here.show(before)
    here.page.evaluate("window.drawing = board.shapes.get('one').firstChild")
    assert here.apply(before, after, HALFWAY) >= 2
    red, _, blue = here.colour(60, 340)
    assert 20 < red < 235
    assert 20 < blue < 235
    red, green, _ = here.colour(140, 340)
    assert red == 255
    assert 2 < green < 253
    assert here.page.evaluate("board.shapes.get('one').firstChild === drawing")


def test_many_shapes_appear_and_leave_within_half_a_second(board: NewBoard) -> None:
    here, before = board(moving=True), paint()
    spots = tuple(Circle(f"spot {i}", "red fill", 5 + i, 5, 2) for i in range(300))
    here.show(before)
    assert 400 < here.apply(before, replace(before, shapes=spots), LAST) <= 500, "one after the other, but soon"
    here.page.evaluate(FINISH)
    assert 400 < here.apply(replace(before, shapes=spots), replace(before, shapes=()), LAST) <= 500


def test_a_card_is_painted_above_all_others_on_its_way(board: NewBoard) -> None:
    here, before = board(moving=True), paint({"blue": "a2"}, ("red", "green"))
    after = paint({"red": "a1", "blue": "a2"}, ("green",))  # its way leads over the blue card, which lies above it
    here.show(before)
    assert here.apply(before, after, HALFWAY) > 0
    x, y = here.page.evaluate(WHERE, "red")
    assert x == HAND["red"][0]
    assert CELLS["a1"][1] + 60 < y < HAND["red"][1] - 60
    top, bottom = CELLS["a2"][1] - 20, CELLS["a2"][1] + 20
    assert top < y + 25
    assert y - 25 < bottom, "half of the way must lie above the blue card"
    assert here.colour(x, y) == RED
    assert here.colour(x, max(y - 25, top)) == RED
    assert here.colour(*HAND["red"]) == WHITE
    assert here.colour(5, 5) == WHITE, "Chromium once painted travelling cards in the corner"
    assert here.keys()[-1] == "red"
    here.page.evaluate(FINISH)
    here.page.wait_for_function(
        "board.shapes.layer.children.length === 3 && board.shapes.layer.childNodes.length === 3"
    )
    assert here.keys() == ["green", "red", "blue"]
    assert here.colour(*CELLS["a1"]) == RED


def test_a_new_change_lands_what_is_still_on_its_way(board: NewBoard) -> None:
    here, first = board(moving=True), paint()
    second, third = paint({"red": "a1"}, ("blue", "green")), paint({"red": "a1", "blue": "c3"}, ("green",))
    here.show(first)
    here.apply(first, second, HALFWAY)
    kept = here.apply(second, third, "() => board.shapes.layer.childNodes.length")
    assert kept == 4, "a comment keeps the place of one card"
    here.page.evaluate(FINISH)
    here.page.wait_for_function("board.shapes.layer.childNodes.length === 3")
    assert here.keys() == ["green", "red", "blue"]
    assert here.page.evaluate(WHERE, "blue") == list(CELLS["c3"])


def test_new_shapes_come_from_where_they_are_born_and_old_ones_fade(board: NewBoard) -> None:
    here, deck = board(moving=True), Place("deck", *DECK, 50, 50, "deck")
    plain = (paint(hand=hand) for hand in (("red", "green"), ("blue", "green")))
    before, after = (replace(picture, places=(*picture.places, deck)) for picture in plain)
    here.show(before)
    here.apply(before, after, BEGINNING)
    assert here.page.evaluate(WHERE, "blue") == list(DECK)
    assert here.colour(*DECK) == BLUE
    assert here.page.locator("[data-leave]").count() == 1
    here.page.evaluate(FINISH)
    expect(here.page.locator("[data-leave]")).to_have_count(0)
    expect(here.page.locator("[data-enter]")).to_have_count(0)
    assert sorted(here.keys()) == ["blue", "green"]


def test_a_group_is_drawn_anew_only_if_it_differs(board: NewBoard) -> None:
    here, before = board(), paint()
    here.show(before)
    here.page.evaluate("window.inner = board.shapes.get('red').querySelector('rect')")
    after = paint({"red": "a1"}, ("blue", "green"))
    here.apply(before, after)
    assert here.page.evaluate("board.shapes.get('red').querySelector('rect') === inner")
    changed = Group("red", "card", 60, 60, (Circle("", "blue", 0, 0, 30), Use("", "blue", 0, 0, "toy-star")))
    last = paint({"red": "a1"}, ("blue", "green"), shapes=(*after.shapes[:2], changed))
    here.apply(after, last)
    assert here.colour(60, 60) == BLUE
    here.apply(last, paint({"red": "a1"}, ("blue", "green"), shapes=(*after.shapes[:2], replace(changed, style=""))))
    assert here.page.evaluate("board.shapes.get('red').firstChild.getAttribute('class')") in (None, "")


# Steps


def test_a_move_of_two_steps_by_mouse(board: NewBoard) -> None:
    here = board(paint())
    assert here.heard("say")[-1] == ["Choose a card"]
    here.click(*HAND["blue"])
    assert here.heard("say")[-1] == ["blue card: choose a cell."]
    expect(here.page.locator("[data-place='blue']")).to_have_attribute("aria-pressed", "true")
    expect(here.page.locator("[data-key='blue']")).to_have_attribute("data-picked", "")
    here.click(*HAND["green"])  # another card instead
    expect(here.page.locator(".place[data-picked]")).to_have_attribute("aria-label", "green card")
    here.click(*HAND["green"])  # and back
    expect(here.page.locator(".place[data-picked]")).to_have_count(0)
    here.click(*HAND["red"])
    here.click(CELLS["c2"][0] + 42, CELLS["c2"][1])  # beside the cell, but near enough
    assert here.heard("play") == [["red to c2"]]
    assert here.heard("refuse") == []


def test_another_beginning_can_be_pressed_though_no_place_has_a_prompt(board: NewBoard) -> None:
    here, plain = board(), paint()
    here.show(paint(places=tuple(replace(place, prompt="") for place in plain.places)))
    here.click(*HAND["blue"])
    here.click(*HAND["green"])
    expect(here.page.locator(".place[data-picked]")).to_have_attribute("aria-label", "green card")
    here.click(*CELLS["a1"])
    assert here.heard("play") == [["green to a1"]]
    assert here.heard("refuse") == []


def test_dragging_is_pressing_both(board: NewBoard) -> None:
    here, before = board(moving=True), paint()
    here.show(before)
    here.drag(HAND["red"], (120, 280), release=False)
    assert here.keys()[-1] == "red"
    assert here.colour(120, 280) == RED
    here.page.mouse.move(*here.spot(*CELLS["b2"]), steps=3)
    here.page.mouse.up()
    assert here.heard("play") == [["red to b2"]]
    here.apply(before, paint({"red": "b2"}, ("blue", "green")), BEGINNING)
    assert here.colour(*CELLS["b2"]) == RED, "the card goes on from where it was dropped"
    here.page.evaluate(FINISH)
    assert here.page.evaluate(WHERE, "red") == list(CELLS["b2"])


def test_a_card_dropped_nowhere_goes_back(board: NewBoard) -> None:
    here = board(paint())
    here.drag(HAND["red"], (300, 280))
    assert here.heard("play") == []
    assert here.colour(*HAND["red"]) == RED
    assert here.heard("say")[-1] == ["Choose a card"]
    assert here.keys() == ["red", "blue", "green"]


def test_a_move_by_keyboard(board: NewBoard) -> None:
    here = board(paint())
    page = here.page
    page.keyboard.press("Tab")
    assert here.focused() == "red"  # the first place that can be pressed
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert here.heard("say")[-1] == ["blue card: choose a cell."]
    page.keyboard.press("Escape")
    assert here.heard("say")[-1] == ["Choose a card"]
    page.keyboard.press(" ")
    page.keyboard.press("ArrowUp")
    assert here.focused() == "b3"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert here.focused() == "c2"
    page.keyboard.press("Home")
    assert here.focused() == "a1"
    page.keyboard.press("Enter")
    assert here.heard("play") == [["blue to a1"]]
    page.keyboard.press("Tab")
    assert here.focused() is None, "one stop of the Tab key is enough for a board"


def test_a_screen_reader_presses_by_clicks_of_its_own(board: NewBoard) -> None:
    here = board(paint())
    for key in ("red", "a1"):
        here.page.locator(f"[data-place='{key}']").dispatch_event("click")
    assert here.heard("play") == [["red to a1"]]


def test_places_are_in_reading_order_and_say_what_they_are(board: NewBoard) -> None:
    here, before = board(), paint(hand=("blue", "green"))
    here.show(before)
    here.apply(before, paint(hand=("red", "blue", "green")))
    cells = [f"{col}{row}, free" for row in (1, 2, 3) for col in "abc"]
    labels = here.page.get_by_role("button").evaluate_all("all => all.map((each) => each.getAttribute('aria-label'))")
    assert labels == [*cells, "red card", "blue card", "green card"]
    svg = here.page.get_by_role("group", name="Toy. 0 cards lie on the board")
    expect(svg).to_be_visible()
    expect(here.page.get_by_role("button", name="a1, free")).to_have_attribute("aria-disabled", "true")
    expect(here.page.get_by_role("button", name="red card")).not_to_have_attribute("aria-disabled", "true")


def test_the_focus_is_never_lost(board: NewBoard) -> None:
    here, before, after = board(), paint(), paint({"blue": "a1"}, ("red", "green"))
    here.show(before)
    here.page.locator("[data-place='blue']").focus()
    here.apply(before, after)
    assert here.focused() in ("red", "green")  # those beside it
    here.apply(after, paint({"blue": "a1"}, ("red", "green"), places=()), playable=False)
    assert here.page.evaluate("document.activeElement === board.svg")
    here.show(before)
    assert here.focused() is not None


def test_steps_are_kept_while_the_moves_are_the_same(board: NewBoard) -> None:
    here, before = board(), paint()
    here.show(before)
    here.click(*HAND["red"])
    here.apply(before, paint(label="Something else"))
    expect(here.page.locator(".place[data-picked]")).to_have_count(1)
    here.show(before)
    expect(here.page.locator(".place[data-picked]")).to_have_count(1)
    here.apply(before, paint({"blue": "a1"}, ("red", "green")))
    expect(here.page.locator(".place[data-picked]")).to_have_count(0)


def test_what_is_not_allowed_is_refused_in_words(board: NewBoard) -> None:
    here = board(locale="en-GB")  # a screen of its own, for the clock is that of all its pages
    here.page.clock.install()
    here.show(paint())
    here.click(*CELLS["b2"])  # no card is chosen yet
    assert here.heard("refuse") == [["b2, free", "b2"]]
    refused = here.page.locator(".refused")
    expect(refused).to_have_count(2)
    assert here.colour(CELLS["b2"][0] + 33, CELLS["b2"][1]) == (161, 42, 28)
    here.page.clock.run_for(600)
    expect(refused).to_have_count(0)
    here.page.evaluate("board.set({ playable: false })")
    here.click(*CELLS["b2"])
    assert len(here.heard("refuse")) == 1, "who is not to move is not scolded"
    assert here.heard("say")[-1] == [""]


@pytest.mark.parametrize(
    ("picture", "closed", "open_at", "move"),
    [
        pytest.param(points(40), ((70, 110), "B2"), (88, 110), "C2", id="a closed point; nearly its neighbour"),
        pytest.param(points(), ((360, 200), "box"), (318, 170), "line", id="a line along its length, in a box"),
        pytest.param(
            paint(moves=(LegalMove("a1"), LegalMove("b1", "Put it there"))), None, CELLS["a1"], "a1", id="steps"
        ),
    ],
)
def test_a_press_hits_what_is_meant(
    board: NewBoard, picture: Picture, closed: tuple[Point, str] | None, open_at: Point, move: str
) -> None:
    here = board(picture)
    if closed:
        here.click(*closed[0])
    assert here.heard("play") == []
    assert here.heard("refuse") == ([[closed[1], closed[1]]] if closed else [])
    here.click(*open_at)
    assert here.heard("play") == [[move]]


def test_the_mouse_shows_what_a_press_would_do(board: NewBoard) -> None:
    here = board(points(40))
    ghosts = here.page.locator(".ghosts > *")
    here.page.mouse.move(*here.spot(30, 70))
    expect(ghosts).to_have_count(1)
    expect(here.page.locator("svg.board")).to_have_css("cursor", "pointer")
    here.page.mouse.move(*here.spot(70, 110))  # B2
    expect(ghosts).to_have_count(0)
    expect(here.page.locator("svg.board")).to_have_css("cursor", "default")


# Touch


def test_a_finger_aims_at_small_points_first(board: NewBoard) -> None:
    here = board(points(), has_touch=True)
    tap = here.page.touchscreen.tap
    tap(*here.spot(30 + 14 * 3, 30 + 14 * 3))
    assert here.heard("play") == []
    assert here.heard("hold")[-1] == ["D3", "D3"]
    expect(here.page.locator(".lens > svg")).to_have_count(1)
    expect(here.page.locator("svg.board > .scene > .ghosts[data-aim] > *")).to_have_count(1)
    ghost = here.colour(30 + 14 * 3, 30 + 14 * 3)
    assert ghost[0] < ghost[1], "it is green"
    box = here.page.locator(".lens-frame").bounding_box()
    assert box is not None
    assert 100 < box["width"] < 120
    assert here.colour_on_screen(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == ghost
    tap(*here.spot(30 + 14 * 5, 30 + 14 * 5))  # thinks again
    assert here.heard("hold")[-1] == ["F5", "F5"]
    tap(*here.spot(30 + 14 * 5, 30 + 14 * 5))
    assert here.heard("play") == [["F5"]]
    assert here.heard("hold")[-1] == [None, ""]
    expect(here.page.locator(".lens > *")).to_have_count(0)


def test_a_finger_presses_large_places_at_once(board: NewBoard) -> None:
    here = board(points(40), has_touch=True)
    here.page.touchscreen.tap(*here.spot(30, 70))
    assert here.heard("play") == [["A1"]]
    assert here.heard("hold") == []


def test_a_card_that_can_be_dragged_does_not_scroll_the_page(board: NewBoard) -> None:
    here = board(paint(), has_touch=True)
    expect(here.page.locator("[data-place='red']")).to_have_css("touch-action", "none")
    expect(here.page.locator("[data-place='a1']")).not_to_have_css("touch-action", "none")


def test_arrows_stop_only_where_something_can_be_pressed(board: NewBoard) -> None:
    here, free = board(), ("A1", "D1", "F1", "H7")
    here.show(points(30, moves=tuple(map(LegalMove, free))))
    here.page.locator("[data-place='A1']").focus()
    for key, place in (("ArrowRight", "D1"), ("ArrowRight", "F1"), ("End", "H7"), ("Home", "A1")):
        here.page.keyboard.press(key)
        assert here.focused() == place
    here.show(points(30), playable=False)
    here.page.keyboard.press("ArrowRight")
    assert here.focused() == "B1", "who only looks on can read every place"


# Views, marks, overlays, covers


def test_views_show_the_same_position_in_another_way(board: NewBoard) -> None:
    here = board()
    other = Picture((0, 0, 200, 200), (), (Circle("coin", "blue", 100, 100, 50),), label="Coins")
    more = Picture((0, 0, 200, 200), (), (Circle("coin", "red", 100, 100, 50),), label="Coins")
    before, after = paint(views={"Coins": other}), paint({"red": "a1"}, ("blue", "green"), views={"Coins": more})
    here.show(before)
    here.page.evaluate("board.view('Coins')")
    assert here.colour(100, 100) == BLUE
    here.apply(before, after)
    assert here.colour(100, 100) == RED
    expect(here.page.get_by_role("group", name="Toy. Coins")).to_be_visible()
    here.page.evaluate("board.view(null)")
    assert here.colour(*CELLS["a1"]) == RED
    assert here.keys() == ["blue", "green", "red"]


MARKS = (
    Mark("value", ("a1", "red"), "62%", "best"),
    Mark("value", ("a1", "blue"), "58%", "fair"),
    Mark("hint", ("blue", "b1")),
    Mark("hint", ("blue", "c3")),
    Mark("value", ("b1", "red"), "58%"),
    Mark("line", ("red", "c1"), "1"),
    Mark("value", ("a2", "red"), "A\n48", "poor"),
    Mark("value", ("b2", "red"), "a very long text"),
    Mark("spot", ("green", "c2")),
    Mark("value", ("line",), "-3"),
    Mark("value", ("nowhere",), "0"),
)
MARK_ARRAYS = [[mark.kind, list(mark.places), mark.text, mark.tone] for mark in MARKS]


def test_marks_are_those_of_pictures_in_files(board: NewBoard) -> None:
    here, line = board(), Place("line", 300, 200, 44, 44, "line", "", "", (300, 150, 300, 250))
    picture = paint(places=(*paint().places, line))
    found = here.page.evaluate("([marks, found]) => markArrays(marks, found)", [MARK_ARRAYS, to_json(picture)])
    wanted = shapes_json(mark_shapes(MARKS, picture.places))
    assert [_rounded(each) for each in found] == [_rounded(each) for each in wanted]


def _rounded(shape: list[Any]) -> list[Any]:
    """Return a shape with its numbers rounded, those of a path too."""
    kind, *fields = shape
    if kind == "p":
        fields[-1] = re.sub(r"-?[\d.]+", lambda found: f"{float(found[0]):.1f}", fields[-1])
    return [kind, *(round(each, 1) if isinstance(each, float) else each for each in fields)]


def test_values_follow_the_steps(board: NewBoard) -> None:
    here = board(paint())
    here.marks([["value", ["red", "a1"], "3"], ["value", ["red", "b1"], "2"], ["value", ["blue", "a1"], "1"]])
    texts = here.page.locator(".marks text")
    expect(texts).to_have_text(["3", "1"])  # the best of each card
    here.click(*HAND["red"])
    expect(texts).to_have_text(["3", "2"])  # at the cells
    here.click(*HAND["blue"])
    expect(texts).to_have_text(["1"])
    here.click(*HAND["blue"])
    expect(texts).to_have_text(["3", "1"])


def test_values_stand_wherever_there_is_room(board: NewBoard) -> None:
    here, small = board(), [f"{col}{row}" for col in "ABCDEFGH" for row in range(8)]
    places = tuple(Place(str(i), 35 * (i % 11), 35 * (i // 11), 35, 35, str(i)) for i in range(121))
    large, keys = paint(places=places, moves=()), [place.key for place in places]
    for picture, marked, tone, number in (
        (points(14), small, "poor", 5),
        (points(14), small, "good", 1),
        (points(30), small, "good", 64),
        (large, keys[:100], "fair", 100),
        (large, keys[:101], "fair", 5),  # more numbers would hide a large board
    ):
        here.show(picture)
        here.marks([["value", [key], "0", tone if i else "best"] for i, key in enumerate(marked)])
        expect(here.page.locator(".marks rect.pill")).to_have_count(number)


def test_marks_on_small_places_can_be_read(board: NewBoard) -> None:
    here = board(points())
    here.marks([["value", ["A1"], "5"], ["line", ["C3"], "1"]])
    sizes = here.page.locator(".marks text").evaluate_all(
        "all => all.map((el) => parseFloat(getComputedStyle(el).fontSize) * el.getScreenCTM().a)"
    )
    assert min(sizes) > 11
    here.page.evaluate("board.marks([])")
    expect(here.page.locator(".marks > *")).to_have_count(0)


def test_overlays_lie_under_and_over_the_shapes(board: NewBoard) -> None:
    here = board(paint())
    overlay = Overlay((Rect("", "green", 30, 310, 60, 60),), (Path("", "blue", 140, 340, "M-5 -5h10v10h-10z"),))
    here.page.evaluate("(overlay) => board.overlay(overlay)", overlay_json(overlay))
    assert here.colour(*HAND["red"]) == RED
    assert here.colour(140, 340) == BLUE
    here.page.evaluate("board.overlay(null)")
    expect(here.page.locator(".under > *, .over > *")).to_have_count(0)


def test_a_covered_board_leaves_no_trace_of_the_cards(board: NewBoard) -> None:
    here = board()
    here.show(paint(), covered=True)
    here.marks(MARK_ARRAYS)
    here.page.evaluate("(overlay) => board.overlay(overlay)", overlay_json(Overlay((Circle("", "red", 9, 9, 9),))))
    secrets = "red|blue|green|card |cell, |lie on"
    assert not re.search(secrets, here.html())
    assert here.heard("say") == [[""]]
    reveal = here.page.get_by_role("button", name="Show my cards")
    reveal.focus()
    here.page.keyboard.press("Enter")
    assert here.heard("reveal") == [[]]
    here.page.evaluate("board.set({ covered: false })")
    assert here.focused() == "red", "who uncovered the board goes on there"
    assert here.colour(*HAND["red"]) == RED
    expect(reveal).to_be_hidden()
    here.page.evaluate("board.set({ covered: true })")
    expect(reveal).to_be_focused()
    assert not re.search(secrets, here.html())


def test_a_covered_board_shows_what_is_no_secret(board: NewBoard) -> None:
    here, free = board(moving=True), paint({"red": "a1"}, ())
    before, after = (paint({"red": "a1"}, hand, views={COVERED: free}) for hand in (("blue",), ("green",)))
    here.show(before)
    here.marks(MARK_ARRAYS)
    here.apply(before, after, covered=True)
    assert here.colour(*CELLS["a1"]) == RED
    assert not re.search("blue|green", here.html().replace("ghost green", "")), (
        "neither the old nor the new card is there"
    )
    expect(here.page.locator(".marks > *")).to_have_count(0)
    expect(here.page.locator(".place[data-open]")).to_have_count(0)
    here.page.evaluate("board.set({ covered: false })")
    assert here.keys() == ["green", "red"]


def test_cards_do_not_fade_away_when_they_are_covered(board: NewBoard) -> None:
    here, first, second = board(moving=True), paint(), paint(hand=("red", "blue"))
    here.show(first)
    here.apply(first, second)  # a card fades
    here.apply(second, paint(hand=("red",)), covered=True)
    assert not re.search("red|blue|green|card", here.page.locator("svg.board").inner_html())


# Boards that nobody plays on


def test_a_board_without_handlers_is_a_still_picture(board: NewBoard) -> None:
    here = board(paint(), handlers=())
    expect(here.page.get_by_role("img", name="Toy. 0 cards lie on the board")).to_be_visible()
    expect(here.page.locator(".place")).to_have_count(0)
    here.click(*HAND["red"])
    assert here.page.evaluate("heard") == []
    for titles in (False, True):
        here.show(paint(), titles=titles)
        expect(here.page.get_by_role("button")).to_have_count(0)
        expect(here.page.locator("[tabindex]")).to_have_count(0)
    expect(here.page.get_by_role("img", name="red card")).to_be_visible()
    assert here.page.locator("[data-place='red'] title").text_content() == "red card"


def test_signs_of_a_legend_look_as_on_the_board(board: NewBoard) -> None:
    here = board(paint(), handlers=())
    here.page.evaluate("(shapes) => addIcon(shapes)", shapes_json((Circle("", "red", 0, 0, 10),)))
    box = here.page.locator(".board-icon").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (24, 24)
    assert here.colour_on_screen(box["x"] + 12, box["y"] + 12) == RED


def test_an_editor_hears_what_the_pointer_sweeps_over(board: NewBoard) -> None:
    here = board(paint(), handlers=("press", "sweep"))
    here.drag(CELLS["a1"], CELLS["b2"], (399, 399))  # beside the board, where the last cell is the nearest place
    assert here.heard("press") == []
    *swept, last = here.heard("sweep")
    assert [place for _, place, _ in swept][-2:] == ["c3", "green"]
    assert ["a1", "b2", False] in swept
    assert last == ["a1", "green", True]


def test_an_editor_hears_of_every_place(board: NewBoard) -> None:
    here, before = board(handlers=("press",)), paint(moves=())
    here.show(before, playable=False)
    here.click(*CELLS["b2"])
    here.page.locator("[data-place='a1']").focus()
    here.page.keyboard.press("Enter")
    here.page.mouse.move(*here.spot(*HAND["red"]))
    here.page.mouse.down()
    here.apply(before, paint({"red": "b2"}, ("blue", "green"), moves=(), places=before.places))
    here.page.mouse.up()  # a press counts though the board was drawn anew under it
    assert here.heard("press") == [["b2"], ["a1"], ["red"]]
    expect(here.page.get_by_role("button", disabled=True)).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(board: NewBoard, scheme: str) -> None:
    here = board(color_scheme=scheme)
    here.show(paint({"red": "a1"}, ("blue", "green")))
    here.marks(MARK_ARRAYS)
    here.click(*HAND["blue"])
    here.page.evaluate(AXE_SCRIPT)
    for covered in ("false", "true"):
        here.page.evaluate(f"board.set({{ covered: {covered} }})")
        found = AxeResults(here.page.evaluate(AXE))
        assert not found.violations_count, found.generate_report()
