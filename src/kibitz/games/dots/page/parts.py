"""What the two drawings of a position share: the state of each line, each line's parts by state, and the picture.

A board has few different shapes, and a position is a choice among them. They are made
once for each game, so unchanged shapes of two pictures are the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from kibitz.games.dots.rules import NOBODY, Dots, DotsState
from kibitz.games.dots.rules.drawing import drawer
from kibitz.games.dots.rules.graph import Coin, String
from kibitz.picture import Frame, LegalMove, Picture, Place, Shape

MAX_CACHED_BOARDS = 64
MAX_CACHED_BOXES = 4096

LineState: TypeAlias = int
"""The player who drew a line: 0 or 1; NOBODY if that is not known; OPEN if it is not drawn yet."""
OPEN = NOBODY + 1

Ghosts: TypeAlias = Mapping[str, tuple[Shape, ...]]  # the preview of a player's line, by the kind of its place

SIDES = ("first", "second", "nobody")  # the style word of each owner of a line or box: 0, 1, NOBODY

LINE_TARGET = 44  # width of the strip in which a line is pressed
WALK_OFFSET = 20  # how far from its middle the arrow keys see a line, so that they walk along rows and columns


@dataclass(frozen=True)
class LineParts:
    """A line in each of its states, indexed by LineState."""

    shapes: tuple[Shape, Shape, Shape, Shape]
    places: tuple[Place, Place, Place, Place]
    halo: Shape  # marks a line of the last turn
    move: LegalMove


@dataclass(frozen=True)
class BoardParts:
    """The parts of a board that do not depend on the position."""

    frame: Frame
    ground: tuple[Shape, ...]
    top: tuple[Shape, ...]  # always there and above the lines: dots, or coins that nobody has taken
    lines: tuple[LineParts, ...]
    ghosts: tuple[Ghosts, Ghosts]  # of each player


@dataclass(frozen=True)
class ShownPosition:
    """A position as it is to be drawn."""

    state: DotsState
    last: Sequence[String]  # the lines of the last turn
    signs: tuple[str, str]
    editing: bool  # whether owners of boxes can be changed too, and no line is a move

    @cached_property
    def lines(self) -> list[LineState]:
        """The state of each line."""
        drawn, drew = self.state.drawn, self.state.drew
        return [drawer(line, drew) if drawn >> line & 1 else OPEN for line in self.state.game.moves()]

    @cached_property
    def taken(self) -> list[tuple[Coin, int]]:
        """The finished boxes, each with its owner or NOBODY."""
        return [(box, owner) for box, owner in enumerate(self.state.owners) if owner is not None]

    def sign(self, owner: int) -> str:
        """Return what is written in a box: the sign of its owner, or the initial of Red or Blue."""
        return "" if owner == NOBODY else self.signs[owner] or self.state.game.players[owner][0]

    @property
    def label(self) -> str:
        """The position in a sentence."""
        state, game = self.state, self.state.game
        size = f"{game.title}, {game.rows} by {game.cols}" if game.board.is_grid else "Strings-and-Coins"
        (first, second), (a, b) = game.players, state.scores
        turn = f"{game.players[state.to_move]} to move" if state.undrawn else "The game is over"
        return f"{size}. {first} {a}, {second} {b}. {turn}."

    @property
    def prompt(self) -> str:
        """What can be done now."""
        game = self.state.game
        if self.editing:
            return f"Press a {game.line} to draw or erase it, or a finished {game.unit} to change its owner"
        if not self.state.undrawn:
            return ""
        return "Draw a line" if game.board.is_grid else "Cut a string"

    def picture(
        self,
        parts: BoardParts,
        box_place: Callable[[Dots, Coin, int], Place],
        *,
        below: Iterable[Shape] = (),
        above: Iterable[Shape] = (),
        views: Mapping[str, Picture] | None = None,
    ) -> Picture:
        """Return the picture made of these parts; box_place is where the editor changes the owner of a box.

        below and above: the finished boxes, under the lines or on top of everything.
        """
        lines = list(zip(parts.lines, self.lines, strict=True))
        places = [line.places[state] for line, state in lines]
        if self.editing:
            places += [box_place(self.state.game, box, owner) for box, owner in self.taken]
        halos = [parts.lines[line].halo for line in self.last]
        return Picture(
            frame=parts.frame,
            ground=parts.ground,
            shapes=(*below, *halos, *(line.shapes[state] for line, state in lines), *parts.top, *above),
            places=tuple(places),
            moves=() if self.editing else tuple([line.move for line, state in lines if state == OPEN]),
            ghosts=parts.ghosts[self.state.to_move],
            label=self.label,
            prompt=self.prompt,
            views=views or {},
        )


def owner_words(game: Dots, owner: int) -> str:
    """Return "Red's", "Blue's" or "nobody's"."""
    return "nobody's" if owner == NOBODY else f"{game.players[owner]}'s"


def drawn_words(game: Dots, done: str) -> tuple[str, str, str, str]:
    """Return what follows the name of a line in each state; done is "drawn" or "cut"."""
    first, second = game.players
    return f", {done} by {first}", f", {done} by {second}", f", {done}", ""


def sign_size(sign: str, largest: float) -> float:
    """Return the height of a player's sign, so that two or three letters fit where one does."""
    return round(largest / max(1.0, 0.3 + 0.5 * len(sign)), 1)
