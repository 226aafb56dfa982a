"""What must be true of every page, however it is looked at: in light and in dark, narrow and wide."""

from __future__ import annotations

import re
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Locator, Page, Response, expect

Scheme = Literal["light", "dark"]
NARROW, WIDE = 320, 1920
MOST_BYTES = 300_000
AXE = """async () => {
  const run = async (where, rules) => (await axe.run(where, { resultTypes: ["violations"], ...rules })).violations;
  const contrast = { "color-contrast": { enabled: false } };
  return { violations: [
    ...await run(document, { rules: contrast }),
    ...await run({ exclude: ["svg.board"] }, { runOnly: ["color-contrast"] }),
  ] };
}"""
"""Contrast is looked for outside boards only: axe takes the page for the ground of a text, not the card under it."""
AT_REST = "() => document.getAnimations().every((each) => each.playState !== 'running')"
"""Colours that are on their way from one scheme to the other are those of neither."""
OPEN = ".stage .board .place[data-open]"
"""The places that can be pressed."""
SHOWN_BOARD = ".stage .board-box:not([hidden]) svg.board"
"""The one of two boards that is shown."""
ROOMY = "links => links.scrollWidth <= links.clientWidth"


def expect_moves(page: Page, number: int) -> None:
    """Wait until the board says that so many moves were made."""
    expect(page.locator("svg.board").first).to_have_attribute("aria-label", re.compile(f"after {number} moves"))


def place(page: Page, key: str) -> Locator:
    """Return a place of the board."""
    return page.locator(f'.stage .board .place[data-place="{key}"]')


def click(spot: Locator) -> None:
    """Click a place of a board, as soon as the board can be seen."""
    expect(spot.page.locator(".stage svg.board").first).to_be_visible()
    spot.click(force=True)  # the middle of a thin line is covered by nothing, but has no size either


def press(page: Page, key: str) -> None:
    """Click the place with this key."""
    click(place(page, key))


def shapes(page: Page, style: str) -> Locator:
    """Return the shapes on the board that stay and have these style words: "stone black"."""
    words = "".join(f".{word}" for word in style.split())
    return page.locator(f".stage .board .shapes > g:not([data-leave]) > {words}")


def weigh(page: Page, address: str, ready: str) -> None:
    """Go to a page that is new to its browser, wait for something on it, and see that not much had to be sent."""
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address)
    page.wait_for_selector(ready, state="attached")
    sizes = {answer.url: len(answer.body()) for answer in answers if answer.status == 200}
    assert 10_000 < sum(sizes.values()) < MOST_BYTES, sizes


def look(page: Page, *widths: int) -> None:
    """See that axe finds nothing in light and in dark, and that nothing sticks out of screens so wide."""
    page.evaluate(AXE_SCRIPT)
    accessible(page, "dark")
    accessible(page, "light")
    fits(page, *(widths or (NARROW, WIDE)))


def accessible(page: Page, scheme: Scheme) -> None:
    """See that axe, which the page has loaded, finds nothing."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(AT_REST)
    found = AxeResults(page.evaluate(AXE))
    width = page.evaluate("innerWidth")
    assert not found.violations_count, f"{page.url}, {scheme}, {width} wide: {found.generate_report()}"


def fits(page: Page, *widths: int) -> None:
    """See that nothing sticks out of screens so wide, and no link at the top is under a button."""
    before = page.viewport_size
    assert before is not None
    for width in widths:
        page.set_viewport_size({"width": width, "height": before["height"]})
        where = f"{page.url}, {width} wide"
        expect(page.locator("html"), f"{where}: sticks out").to_have_js_property("scrollWidth", width)
        assert page.locator(".top-links").evaluate(ROOMY), f"{where}: links do not fit"
    page.set_viewport_size(before)
