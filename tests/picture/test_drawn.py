"""Pictures as Chromium draws them: colours at some points, in one theme and several, inline and as images."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from kibitz.picture import Picture, Text
from kibitz.picture.html import figure, inline, standalone
from kibitz.picture.svg import Theme, svg
from picture.small_pictures import ART, NAME, PICTURE, STYLE

FELT, SHADE, CARD, STONE, CIRCLE = (3, 3), (70, 70), (25, 55), (80, 15), (20, 20)
"""Points of PICTURE: its ground, a rect with a gradient, the paper of a card, a symbol, a disc."""
LIGHT = {FELT: "#336644", SHADE: "#ff0000", CARD: "#b2342c", STONE: "#111111", CIRCLE: "#336644"}
DARK = {FELT: "#112211", SHADE: "#0000ff", CARD: "#b2342c", STONE: "#eeeeee", CIRCLE: "#112211"}

COLOURS = """async ([image, points]) => {
  const img = new Image();
  img.src = image;
  await img.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [img.width, img.height];
  const drawing = canvas.getContext("2d");
  drawing.drawImage(img, 0, 0);
  return points.map(([x, y]) =>
    "#" + [...drawing.getImageData(x, y, 1, 1).data.slice(0, 3)].map((n) => n.toString(16).padStart(2, "0")).join(""));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 460, "height": 220})
    yield page
    page.close()


def colours(page: Page, image: bytes, kind: str, at: tuple[int, int] = (0, 0)) -> dict[tuple[int, int], str]:
    """Return the colours of an image at the points of a picture that stands somewhere in it."""
    points = [(x + at[0], y + at[1]) for x, y in LIGHT]
    found = page.evaluate(COLOURS, [f"data:{kind};base64,{b64encode(image).decode()}", points])
    return dict(zip(LIGHT, found, strict=True))


def drawn(theme: Theme | None) -> str:
    return svg(PICTURE, name=NAME, style=STYLE, art=ART, theme=theme)


@pytest.mark.parametrize(("theme", "expected"), [("light", LIGHT), ("dark", DARK)])
def test_as_an_image(page: Page, theme: Theme, expected: dict[tuple[int, int], str]) -> None:
    assert colours(page, drawn(theme).encode(), "image/svg+xml") == expected


@pytest.mark.parametrize("order", [("light", "dark"), ("dark", "light")])
def test_light_and_dark_in_one_document(page: Page, order: tuple[Theme, Theme]) -> None:
    page.set_content(f"<body style='margin: 0'><style>circle {{ fill: red }}</style>{figure(*map(drawn, order))}")
    shot = page.screenshot()
    for i, theme in enumerate(order):
        assert colours(page, shot, "image/png", (112 * i, 0)) == (LIGHT if theme == "light" else DARK)


def test_a_hidden_picture_takes_no_definitions_away(page: Page) -> None:
    other = svg(PICTURE, name=NAME, style=STYLE, art=ART, title="The same, hidden")
    page.set_content(f"<body style='margin: 0'><div style='display: none'>{other}</div>{figure(drawn('light'))}")
    assert colours(page, page.screenshot(), "image/png") == LIGHT


def test_pictures_do_not_restyle_the_document(page: Page) -> None:
    content = "<p class='board toy'><span class='felt'>text</span></p><svg><text class='side'>a</text></svg>"
    look = """() => [...document.querySelectorAll("p, p *, body > svg, body > svg *")].map((el) =>
      JSON.stringify([...getComputedStyle(el)].map((name) => getComputedStyle(el)[name])))"""
    page.set_content(content)
    before = page.evaluate(look)
    page.set_content(content + inline(PICTURE, name=NAME, style=STYLE, art=ART) + figure(drawn("dark")))
    assert page.evaluate(look) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_follows_its_viewer(page: Page, scheme: Theme) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_content(f"<body style='margin: 0'>{inline(PICTURE, name=NAME, style=STYLE, art=ART)}")
    assert colours(page, page.screenshot(), "image/png") == (LIGHT if scheme == "light" else DARK)
    for body, expected in (("data-jp-theme-light=true", LIGHT), ("class=vscode-dark", DARK)):
        page.set_content(f"<body {body} style='margin: 0'>{inline(PICTURE, name=NAME, style=STYLE, art=ART)}")
        assert colours(page, page.screenshot(), "image/png") == expected
    page.emulate_media(color_scheme="light")


def test_embedded_fonts_are_taken_and_centred(page: Page) -> None:
    shapes = (Text("a", "figure", 50, 25, "18", 30), Text("b", "side", 50, 75, "Hx", 30))
    page.set_content(standalone(Picture((0, 0, 100, 100), (), shapes), name=NAME, style=STYLE))
    page.evaluate("document.fonts.ready")
    assert page.evaluate("[...document.fonts].map((face) => face.status)") == ["loaded", "loaded"]
    # As the page centres them, by dominant-baseline.
    boxes = """() => [...document.querySelectorAll("text")].map((el) => {
      const shifted = el.getBBox().y;
      el.removeAttribute("dy");
      el.style.dominantBaseline = "central";
      return Math.abs(el.getBBox().y - shifted);
    })"""
    assert max(page.evaluate(boxes)) < 0.3


def test_signs_come_out_as_text(page: Page) -> None:
    sign = "<script>document.title = 'bad'</script>"
    picture = Picture((0, 0, 100, 100), (), (Text("a", "figure", 50, 25, sign, 30),), label=f'"{sign}')
    page.set_content(inline(picture, name=NAME, style=STYLE, caption=sign))
    assert page.title() == ""
    assert page.evaluate("document.querySelector('text').textContent") == sign
    assert page.evaluate("document.querySelector('svg').getAttribute('aria-label')") == f'"{sign}'
