"""The parts of a picture: shapes, places to press, legal moves as steps over places, marks, overlays, panels.

Plain data that picture/svg.py and the page's board module draw. A shape is drawn about
its own point (x, y), so moving it is only another translation: that is what lets a
renderer slide it. Shapes are listed from bottom to top. A shape with the same key in
the next picture is the same thing: it slides, changes or stays; a new key enters, a
missing one leaves. A place shares its key with the shape that stands for it, so that
picking the place lifts the card.

Styles are classes of the game's board.css, never colours. Five words are reserved and
choose how a shape appears or what it is:

    draw   a stroke drawn along its length        drop   a stone or badge that lands
    fill   a field that fades in                  ghost  the preview of a move
    side   a name along the edge of the board
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

RESERVED_STYLES = frozenset({"draw", "drop", "fill", "ghost", "side"})
"""Style words with a meaning of their own, which a game's board.css need not define."""

Frame: TypeAlias = tuple[float, float, float, float]
"""The part of the plane that is shown: x, y, width, height."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Something drawn at a point of the board. Use one of the subclasses."""

    key: str
    """Identity among the shapes of a picture. Empty inside groups, grounds, ghosts and overlays."""
    style: str
    x: float
    y: float
    born: str = field(default="", kw_only=True)
    """The key of the shape or place it comes from when it appears: a card from its deck."""


@dataclass(frozen=True, slots=True)
class Line(Shape):
    """A straight line from (x, y) to (x + dx, y + dy)."""

    dx: float
    dy: float


@dataclass(frozen=True, slots=True)
class Circle(Shape):
    """A disc of radius r about (x, y)."""

    r: float


@dataclass(frozen=True, slots=True)
class Rect(Shape):
    """A rectangle with its upper left corner at (x, y)."""

    w: float
    h: float
    rx: float = 0


@dataclass(frozen=True, slots=True)
class Path(Shape):
    """An SVG path whose origin is (x, y)."""

    d: str


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """A text centred at (x, y), size units high."""

    text: str
    size: float


@dataclass(frozen=True, slots=True)
class Use(Shape):
    """A symbol of the game's board.svg, enlarged."""

    symbol: str
    scale: float = 1


@dataclass(frozen=True, slots=True)
class Group(Shape):
    """Several shapes that move as one, drawn about (x, y)."""

    shapes: tuple[Shape, ...]
    scale: float = 1


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere to press and to put a mark: a box centred at (x, y), or a line between two ends."""

    key: str
    x: float
    y: float
    w: float
    h: float
    label: str
    """What is there, for screen readers and tooltips: "e5, X"."""
    ghost: str = ""
    """A name in Picture.ghosts, shown on hover and by a first touch on a small place."""
    prompt: str = ""
    """What to say after it was pressed, if a further step must follow: "choose a flag"."""
    ends: tuple[float, float, float, float] | None = None
    """x1, y1, x2, y2 of a place that is pressed along its length."""
    walk: tuple[float, float] | None = None
    """Where arrow keys see it, if not at (x, y)."""
    mark: tuple[float, float] | None = None
    """Where marks go, if not at (x, y)."""


@dataclass(frozen=True, slots=True)
class LegalMove:
    """A move as the places to press, one after the other."""

    move: str
    """The move's text, which is sent when all steps were pressed."""
    label: str = ""
    """The move in words, where the labels of its places do not say it."""
    steps: tuple[str, ...] = ()
    """Keys of places. Empty for those that the move's text names, " > " between them: "e5", or "r8 > 3"."""

    @property
    def path(self) -> tuple[str, ...]:
        """The keys of the places to press."""
        return self.steps or tuple(self.move.split(" > "))


@dataclass(frozen=True, slots=True)
class Button:
    """A move that is made by a button beside the board: pass, draw a card."""

    label: str
    move: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A note put at places, such as the value of a move. Marks are no part of a picture.

    Kinds: "value" (a pill with text), "hint" (a diamond), "line" (a numbered step of the
    expected line), "spot" (the move pointed at in a list).
    """

    kind: str
    places: tuple[str, ...]
    """The steps of a move, see picture/marks.py for where the mark stands."""
    text: str = ""
    tone: str = ""
    """How good it is: "best" (the chosen move), "good" (as good), "fair", "poor", or empty."""


COVERED = "Covered"
"""The label of the view that shows a position while its hidden cards are covered. The server adds it where two people
share a screen."""
_NO_GHOSTS: Mapping[str, tuple[Shape, ...]] = MappingProxyType({})
_NO_VIEWS: Mapping[str, Picture] = MappingProxyType({})
_NO_OVERLAYS: Mapping[str, Overlay] = MappingProxyType({})


@dataclass(frozen=True)
class Picture:
    """A position as one player, or a spectator, may see it."""

    frame: Frame
    ground: tuple[Shape, ...]
    """What never changes during a game. Overlays lie between it and the shapes."""
    shapes: tuple[Shape, ...] = ()
    places: tuple[Place, ...] = ()
    moves: tuple[LegalMove, ...] = ()
    """The moves of the player to move, for every viewer who may know them; while the players settle the result, what
    they can mark."""
    ghosts: Mapping[str, tuple[Shape, ...]] = field(default_factory=lambda: _NO_GHOSTS)
    """Previews by name, drawn about the place that names them."""
    buttons: tuple[Button, ...] = ()
    label: str = ""
    """The whole position in a sentence, for screen readers."""
    prompt: str = ""
    """What the player to move should do now: "Choose a card"."""
    secret: str = ""
    """Set by the server, never by a game. Changes whenever another player's hidden cards come into view, so that people
    who share a screen can cover it."""
    views: Mapping[str, Picture] = field(default_factory=lambda: _NO_VIEWS)
    """The same position drawn in other ways, by the label of each: "Strings and coins"."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A line about a position: what it is about, and what holds."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """What a sign of an overlay means. The shapes are drawn about the middle of a box of 24 by 24."""

    shapes: tuple[Shape, ...]
    text: str


@dataclass(frozen=True)
class Overlay:
    """What a game says about a position without searching: shapes under and over the board, facts and a legend."""

    under: tuple[Shape, ...] = ()
    over: tuple[Shape, ...] = ()
    facts: tuple[Fact, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    views: Mapping[str, Overlay] = field(default_factory=lambda: _NO_OVERLAYS)
    """The overlays of Picture.views. Only their shapes are shown: facts and legend are those of the whole."""


@dataclass(frozen=True)
class Note:
    """A paragraph of a panel, with a drawing below it if there is one; with a title alone, a heading."""

    title: str = ""
    text: str = ""
    tone: str = ""
    """ "good" or "bad" where the note is a verdict."""
    picture: Picture | None = None
    lead: str = ""
    """The first words of the text, in bold."""


@dataclass(frozen=True)
class Panel:
    """A tab beside the board: what a game has to show that is not on the board."""

    title: str
    notes: tuple[Note, ...]
