"""A page with one board and a small game of coloured cards, served from files without a server."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

import kibitz
from kibitz.picture import Circle, Group, LegalMove, Line, Picture, Place, Rect, Shape, Text
from kibitz.picture.wire import diff, to_json

SOURCE = Path(kibitz.__file__).parent
ADDRESS = "http://127.0.0.1:9/"
"""Nothing listens there: every request is answered by the test."""
HTML = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Board</title>
<link rel="icon" href="icon.svg">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="assets/picture/tokens.css"><link rel="stylesheet" href="assets/picture/board.css">
<link rel="stylesheet" href="assets/web/page/board/live.css"><link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script></head><body><main><h1>A board</h1></main></body></html>"""
PAGE_CSS = "body { margin: 0; } h1 { margin: 0; height: 40px; font-size: 20px; } .board-box { --around: 0px; }"
SCRIPT = """
import { makeBoard } from "./assets/web/page/board/board.js";
import { makeIcon } from "./assets/web/page/board/assets.js";
import { markShapes } from "./assets/web/page/board/marks.js";
import { patchedPicture, readPicture } from "./assets/web/page/board/picture.js";
window.heard = [];
const note = (what) => (...more) => { heard.push([what, ...more]); };
window.make = (names) => {
  window.board = makeBoard(Object.fromEntries(names.map((name) => [name, note(name)])));
  document.querySelector("main").append(board.el);
};
window.showChange = (change, how) => board.display(patchedPicture(board.picture, change), how);
window.markArrays = (marks, picture) => markShapes(marks, readPicture(picture).places, 1000);
window.addIcon = (shapes) => document.querySelector("h1").append(makeIcon(shapes, "toy"));
window.ready = true;
"""
HOW = {"name": "toy", "playable": True, "label": "Toy"}
HANDLERS = ("play", "say", "refuse", "hold", "reveal")
GAME_CSS = """.toy .paper { fill: #ffffff; } .toy .cell { fill: #eeeeee; }
.toy .red { fill: #ff0000; } .toy .blue { fill: #0000ff; } .toy .green { fill: #008000; }
.toy .line { stroke: #000000; stroke-width: 6; }"""
GAME_ART = '<defs><symbol id="toy-star" overflow="visible"><circle r="20"/></symbol></defs>'
CELLS = {f"{col}{row + 1}": (60.0 + 80 * i, 60.0 + 80 * row) for row in range(3) for i, col in enumerate("abc")}
HAND: Mapping[str, tuple[float, float]] = {"red": (60, 340), "blue": (140, 340), "green": (220, 340)}
DECK = (340.0, 340.0)


def paint(lying: Mapping[str, str] = {}, hand: tuple[str, ...] = tuple(HAND), **more: Any) -> Picture:
    """Return the picture of a position: a card is put from the hand on a free cell; lying: card -> cell."""
    spots = {**{card: HAND[card] for card in hand}, **{card: CELLS[cell] for card, cell in lying.items()}}
    free = [cell for cell in CELLS if cell not in lying.values()]
    places = [
        *(Place(cell, *at, 70, 70, f"{cell}, {_lying(cell, lying)}", "stone") for cell, at in CELLS.items()),
        *(Place(card, *HAND[card], 70, 70, f"{card} card", "", "choose a cell") for card in hand),
    ]
    shapes = [_card(card, *spots[card]) for card in (*hand, *lying)]
    moves = [LegalMove(f"{card} to {cell}", "", (card, cell)) for card in hand for cell in free]
    return replace(
        Picture(
            (0, 0, 400, 400),
            (Rect("", "paper", 0, 0, 400, 400), *(Rect("", "cell", x - 35, y - 35, 70, 70) for x, y in CELLS.values())),
            tuple(shapes),
            tuple(places),
            tuple(moves),
            {"stone": (Circle("", "ghost green", 0, 0, 20),)},
            label=f"{len(lying)} cards lie on the board",
            prompt="Choose a card",
        ),
        **more,
    )


def _lying(cell: str, lying: Mapping[str, str]) -> str:
    return next((f"{card} card" for card, at in lying.items() if at == cell), "free")


def _card(card: str, x: float, y: float) -> Shape:
    inner = (Rect("", card, -30, -30, 60, 60), Text("", "name", 0, 0, "", 12))
    return Group(card, "card", x, y, inner, born="deck")


def points(size: float = 14, **more: Any) -> Picture:
    """Return a picture with small points of one step each, and a line, as on a board of Go or of dots."""
    at = {f"{col}{row}": (30.0 + size * i, 30.0 + size * row) for i, col in enumerate("ABCDEFGH") for row in range(8)}
    places = tuple(Place(key, *spot, size, size, key, "stone") for key, spot in at.items())
    line = Place("line", 300, 200, 44, 44, "line", "", "", (300, 150, 300, 250))
    return replace(
        Picture(
            (0, 0, 400, 400),
            (Rect("", "paper", 0, 0, 400, 400), Line("", "line", 300, 150, 0, 100)),
            (),
            (*places, line, Place("box", 340, 200, 80, 80, "box")),
            tuple(LegalMove(key) for key in (*at, "line") if key != "B2"),
            {"stone": (Circle("", "ghost green", 0, 0, size / 2),)},
        ),
        **more,
    )


class BoardPage:
    """A page with a board, and what a test does with it."""

    def __init__(self, page: Page, handlers: tuple[str, ...] = HANDLERS) -> None:
        self.page = page
        page.route(f"{ADDRESS}**", _answer)
        page.goto(ADDRESS)
        page.wait_for_function("window.ready")
        page.evaluate("(names) => make(names)", list(handlers))

    def show(self, picture: Picture, **how: Any) -> None:
        """Show a picture, playable unless told otherwise, and wait until the game's style sheet is there."""
        self.page.evaluate("([picture, how]) => board.show(picture, how)", [to_json(picture), {**HOW, **how}])
        self.page.wait_for_function("board.svg.style.visibility === ''")

    def apply(self, before: Picture, after: Picture, then: str = "() => null", **how: Any) -> Any:
        """Show what changes, as the page of a table does; return what a function returns that runs at once.

        Whoever looks at something that moves must stop it by this function: later it may have come to rest.
        """
        change = diff(before, after)
        assert change is not None
        shown = f"([change, how]) => {{ showChange(change, how); return ({then})(); }}"
        return self.page.evaluate(shown, [change, {**HOW, **how}])

    def heard(self, what: str) -> list[list[Any]]:
        """Return with which arguments a handler was called so far."""
        calls: list[list[Any]] = self.page.evaluate("heard")
        return [more for name, *more in calls if name == what]

    def spot(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the picture is on the screen."""
        found = self.page.evaluate(
            "([x, y]) => { const m = board.svg.getScreenCTM(); return [m.a * x + m.e, m.d * y + m.f]; }", [x, y]
        )
        return found[0], found[1]

    def colour(self, x: float, y: float) -> tuple[int, ...]:
        """Return the colour that is painted at a point of the picture: red, green, blue."""
        return self.colour_on_screen(*self.spot(x, y))

    def colour_on_screen(self, x: float, y: float) -> tuple[int, ...]:
        """Return the colour that is painted at a point of the screen."""
        return pixel(self.page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1}))

    def click(self, x: float, y: float) -> None:
        """Press the mouse at a point of the picture."""
        self.page.mouse.click(*self.spot(x, y))

    def drag(self, *ways: tuple[float, float], release: bool = True) -> None:
        """Press the mouse at a point of the picture, move it to others and release it there, unless told otherwise."""
        for i, (x, y) in enumerate(ways):
            self.page.mouse.move(*self.spot(x, y), steps=3)
            if i == 0:
                self.page.mouse.down()
        if release:
            self.page.mouse.up()

    def marks(self, marks: list[list[Any]]) -> None:
        """Show marks."""
        self.page.evaluate("(marks) => board.marks(marks)", marks)

    def html(self) -> str:
        """Return all that is in the box of the board."""
        return self.page.locator(".board-box").inner_html()

    def focused(self) -> str | None:
        """Return the key of the place with the focus."""
        key: str | None = self.page.evaluate("document.activeElement.dataset.place ?? null")
        return key

    def keys(self) -> list[str]:
        """Return the keys of the shapes from bottom to top; "" for one that leaves."""
        found: list[str] = self.page.evaluate("[...board.shapes.layer.children].map((el) => el.dataset.key ?? '')")
        return found


def pixel(png: bytes) -> tuple[int, ...]:
    """Return the colour of an image of one pixel."""
    data, at = b"", 8
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4]), png[at + 4 : at + 8]
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += length + 12
    return tuple(zlib.decompress(data)[1:4])  # a byte for the filter comes first, which changes nothing in one pixel


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(ADDRESS)
    texts = {
        "": ("text/html", HTML),
        "page.css": ("text/css", PAGE_CSS),
        "page.js": ("text/javascript", SCRIPT),
        "icon.svg": ("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
        "assets/games/toy/page/board.css": ("text/css", GAME_CSS),
        "assets/games/toy/page/board.svg": ("image/svg+xml", GAME_ART),
    }
    if path in texts:
        kind, text = texts[path]
        route.fulfill(content_type=kind, body=text)
    elif path.startswith(("assets/web/page/board/", "assets/picture/")):
        route.fulfill(path=SOURCE / path.removeprefix("assets/"))
    else:
        route.fulfill(status=404, body=json.dumps(path))
