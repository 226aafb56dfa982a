"""Small pictures made by hand, with every kind of shape, and random ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from kibitz.picture import Button, Circle, Group, LegalMove, Line, Path, Picture, Place, Rect, Shape, Text, Use

NAME = "toy"
STYLE = """
/* A game with little of everything; { in a comment is no brace. */
.toy { --felt: light-dark(#336644, #112211); --mark: #f0c65a; }
.toy .felt { fill: var(--felt); }
.toy .shade { fill: url(#toy-shade); }
.toy .lit { stop-color: light-dark(#ff0000, #0000ff); }
.toy .deep { stop-color: light-dark(#ff0000, #0000ff); }
.toy .card .paper { fill: var(--paper, #fbf6ea); }
.toy .red { --paper: #b2342c; }
.toy .veil { fill: #00000080; }
.toy .stroke { fill: none; stroke: var(--first); stroke-width: 9; stroke-linecap: round; }
.toy .stroke.second, .toy .stroke:not(.first) { stroke: var(--second); }
.toy .stone { fill: light-dark(#111111, #eeeeee); }
.toy .figure { font-family: var(--display); fill: var(--ink); }
.toy [data-open] > .card .paper { stroke: var(--baize); }
.toy .card:hover { opacity: .5; }
@media (max-width: 480px) { .toy .figure { fill: red; } }
@keyframes toy-turn { from { transform: none; } }
"""
ART = """<defs>
<linearGradient id="toy-shade"><stop class="lit" offset="0"/><stop class="deep" offset="1"/></linearGradient>
<g id="toy-stone"><circle class="stone" r="1"/></g>
<circle id="toy-unused" r="1"/>
</defs>"""

LINE = Line("line", "stroke first draw", 10, 90, 80, 0)
CIRCLE = Circle("circle", "felt fill", 20, 20, 8)
RECT = Rect("rect", "shade", 60, 60, 20, 20, 2)
PATH = Path("path", "stroke second", 10, 50, "M0 0L10.5 5")
TEXT = Text("text", "figure", 50, 20, "7", 20)
USE = Use("use", "stone drop", 80, 20, "toy-stone", 10)
CARD = (Rect("", "paper", -5, -8, 10, 16), Text("", "figure", 0, 0, "K", 8))
GROUP = Group("group", "card red", 30, 65, CARD, 1.5, born="deck")
SHAPES: tuple[Shape, ...] = (LINE, CIRCLE, RECT, PATH, TEXT, USE, GROUP)

PLACES = (
    Place("a", 20, 20, 20, 20, "a, empty", "stone"),
    Place("b", 50, 20, 20, 20, "b, seven", prompt="choose a line", mark=(50, 30)),
    Place("c", 50, 90, 80, 20, "the lower line", ends=(10, 90, 90, 90), walk=(50, 95)),
)
PICTURE = Picture(
    (0, 0, 100, 100),
    (Rect("", "felt", 0, 0, 100, 100),),
    SHAPES,
    PLACES,
    (LegalMove("a"), LegalMove("b-c", "b to c", ("b", "c"))),
    {"stone": (Use("", "stone ghost", 0, 0, "toy-stone", 10),)},
    (Button("Pass", "pass"),),
    "A toy, red to move",
    "Choose a place",
)


# Random pictures. They have few keys and values, so that many things stay, move and change at once.

_KINDS: tuple[Callable[[str, float], Shape], ...] = (
    lambda key, x: Line(key, "s", x, 0, 1, 2),
    lambda key, x: Circle(key, "s", x, 0, 1.25, born="a"),
    lambda key, x: Rect(key, "s", x, 0, 1, 2),
    lambda key, x: Text(key, "s", x, 0, "t", 5),
    lambda key, x: Group(key, "", x, 0, (Path("", "p", x, 0, "M0 0"),), 1 / 3),
    lambda key, x: Use(key, "s" if x else "", 0, 0, "u", x, born="a" if x > 1 else ""),
)


def random_picture(rng: Random, depth: int = 1) -> Picture:
    """Return a picture that no renderer could show, but whose changes can be sent."""

    def keys() -> list[str]:
        return rng.sample("abcdefghij", rng.randint(0, 10))

    def x() -> float:
        return rng.choice((0, 1, 2.5, -3, 1 / 3, 1e-3))

    labels = rng.choice(((), ("v",), ("v", "w"))) if depth else ()
    return Picture(
        (0, 0, 100, rng.choice((100, 100, 100, 100, 50))),
        (Rect("", "ground", 0, 0, rng.choice((100, 100, 100, 100, 99)), 100),),
        tuple(replace(rng.choice(_KINDS)(key, x()), style=rng.choice(("", "s"))) for key in keys()),
        tuple(
            Place(key, x(), 0, 1, 1 + abs(x()), rng.choice(("", "l")), prompt=rng.choice(("", "p"))) for key in keys()
        ),
        tuple(LegalMove(key, rng.choice(("", "l")), rng.choice(((), ("a", "b")))) for key in keys()),
        rng.choice(({}, {"g": (Circle("", "ghost", 0, 0, 1),)})),
        rng.choice(((), (Button("Pass", "pass"),), (Button("l", "a"), Button("l", "b")))),
        rng.choice(("", "label")),
        rng.choice(("", "prompt")),
        rng.choice(("", "secret")),
        {label: random_picture(rng, depth - 1) for label in labels},
    )
