"""Pictures of positions as plain data: shapes, places to press, legal moves, marks, overlays, panels.

Independent of any game; imports nothing else of kibitz. picture/svg.py and the page's board module draw the pictures.
A shape is drawn around its own point (x, y), so a renderer can slide it. Shapes are listed from bottom to top. Keys
identify shapes from one picture to the next: a shape with the same key slides, changes or stays, a new key enters, a
missing one leaves. A place has the same key as the shape it belongs to, so that pressing the place lifts the card.

Styles are classes of the game's board.css, never colours. Five reserved words choose how a shape appears or what it is:

    draw   a stroke drawn along its length        drop   a stone or badge that lands
    fill   a field that fades in                  ghost  the preview of a move
    side   a name along the edge of the board
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

RESERVED_STYLES = frozenset({"draw", "drop", "fill", "ghost", "side"})
"""Style words that a game's board.css need not define."""

Frame: TypeAlias = tuple[float, float, float, float]
"""The visible part of the plane: x, y, width, height."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Base class of everything that is drawn."""

    key: str
    """Identifies the shape within its picture. Empty inside groups, grounds, ghosts and overlays."""
    style: str
    x: float
    y: float
    born: str = field(default="", kw_only=True)
    """The key of the shape or place from which it appears: a card slides in from its deck."""


@dataclass(frozen=True, slots=True)
class Line(Shape):
    """A straight line from (x, y) to (x + dx, y + dy)."""

    dx: float
    dy: float


@dataclass(frozen=True, slots=True)
class Circle(Shape):
    """A disc of radius r around (x, y)."""

    r: float


@dataclass(frozen=True, slots=True)
class Rect(Shape):
    """A rectangle with its upper left corner at (x, y); rx: the radius of its corners."""

    w: float
    h: float
    rx: float = 0


@dataclass(frozen=True, slots=True)
class Path(Shape):
    """An SVG path whose origin is (x, y)."""

    d: str


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """A text centred at (x, y), with a font size of `size` units."""

    text: str
    size: float


@dataclass(frozen=True, slots=True)
class Use(Shape):
    """A symbol defined in the game's board.svg, scaled."""

    symbol: str
    scale: float = 1


@dataclass(frozen=True, slots=True)
class Group(Shape):
    """Several shapes that move together, drawn around (x, y)."""

    shapes: tuple[Shape, ...]
    scale: float = 1


@dataclass(frozen=True, slots=True)
class Place:
    """An area that can be pressed and marked: a box centred at (x, y), or a line between two ends."""

    key: str
    x: float
    y: float
    w: float
    h: float
    label: str
    """The name and contents, for screen readers and tooltips: "e5, X"."""
    ghost: str = ""
    """The name of a preview in Picture.ghosts, shown on hover and on the first touch of a small place."""
    prompt: str = ""
    """The instruction shown once it is pressed, if another step follows: "choose a flag"."""
    ends: tuple[float, float, float, float] | None = None
    """x1, y1, x2, y2 of a place that is a line."""
    walk: tuple[float, float] | None = None
    """Its position for navigation with the arrow keys, if not (x, y)."""
    mark: tuple[float, float] | None = None
    """The point where marks are drawn, if not (x, y)."""


@dataclass(frozen=True, slots=True)
class LegalMove:
    """A legal move, and the places to press for it one after the other."""

    move: str
    """The text of the move, sent after the last step."""
    label: str = ""
    """The move in words, if the labels of its places do not describe it."""
    steps: tuple[str, ...] = ()
    """Keys of places. Empty if the text of the move names them, separated by " > ": "e5", or "r8 > 3"."""

    @property
    def path(self) -> tuple[str, ...]:
        """The keys of the places to press."""
        return self.steps or tuple(self.move.split(" > "))


@dataclass(frozen=True, slots=True)
class Button:
    """A move that has a button beside the board: pass, draw a card."""

    label: str
    move: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A note on the board, such as the value of a move. Marks are drawn over a picture but are not part of it.

    Kinds: "value" (a pill with text), "hint" (a diamond), "line" (a numbered step of the
    expected line), "spot" (the move pointed at in a list).
    """

    kind: str
    places: tuple[str, ...]
    """The steps of a move; picture/marks.py says at which of them the mark is drawn."""
    text: str = ""
    tone: str = ""
    """How good the move is: "best" (the chosen one), "good" (equally good), "fair", "poor", or empty."""


COVERED = "Covered"
"""The label of the view with all hidden cards face down. The server adds it if two people share a screen."""


@dataclass(frozen=True)
class Picture:
    """A position as one player or a spectator may see it."""

    frame: Frame
    ground: tuple[Shape, ...]
    """Shapes that never change during a game, below all others. Overlays may lie between them and the others."""
    shapes: tuple[Shape, ...] = ()
    places: tuple[Place, ...] = ()
    moves: tuple[LegalMove, ...] = ()
    """The legal moves, for viewers who may know them; while the players settle the result, what they can mark."""
    ghosts: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    """Previews by name, drawn around the place that names them."""
    buttons: tuple[Button, ...] = ()
    label: str = ""
    """The whole position in a sentence, for screen readers."""
    prompt: str = ""
    """The instruction for the player to move: "Choose a card"."""
    secret: str = ""
    """Set by the server, never by a game. Changes when another player's hidden cards come into view, so that people who
    share a screen can cover it."""
    views: Mapping[str, Picture] = field(default_factory=dict)
    """Other ways to draw the same position, by label: "Strings and coins"."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of text about a position: its subject, and what is known."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """The meaning of a symbol in an overlay. The shapes are drawn around the centre of a box of 24 by 24 units."""

    shapes: tuple[Shape, ...]
    text: str


@dataclass(frozen=True)
class Overlay:
    """Information about a position that needs no search: shapes under and over the board, facts and a legend."""

    under: tuple[Shape, ...] = ()
    over: tuple[Shape, ...] = ()
    facts: tuple[Fact, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    views: Mapping[str, Overlay] = field(default_factory=dict)
    """The overlays of Picture.views. Only their shapes are used, not their facts and legends."""


@dataclass(frozen=True)
class Note:
    """A paragraph of a panel, with an optional picture below it; a heading if it has only a title."""

    title: str = ""
    text: str = ""
    tone: str = ""
    """ "good" or "bad" if the note is a verdict."""
    picture: Picture | None = None
    lead: str = ""
    """The first words of the text, in bold."""


@dataclass(frozen=True)
class Panel:
    """A tab beside the board."""

    title: str
    notes: tuple[Note, ...]
