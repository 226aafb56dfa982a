"""Code shared by the two drawings of a position: names of lines, cached parts of a board, and the whole picture.

A board has few different shapes, and a position is a choice among them. They are made once for each
game, so that shapes which two pictures have in common are the same objects.

A line is named by the dots it joins: columns of dots have letters, rows have numbers from the top,
so b2–c2 joins two dots of the second row. Strings of other graphs keep their own names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from kibitz.core.game import Move
from kibitz.games.dots.rules import NOBODY, Dots, DotsState
from kibitz.games.dots.rules.drawing import player_who_drew
from kibitz.games.dots.rules.graph import Coin, String
from kibitz.games.dots.rules.rules import MAX_BOARD_SIZE
from kibitz.picture import Frame, Group, LegalMove, Picture, Place, Shape, Text, Use

MAX_CACHED_BOARDS = 64
MAX_CACHED_BOXES = 4096

LineState: TypeAlias = int
"""The player who drew a line: 0 or 1; NOBODY if that is not known; OPEN if it is not drawn yet."""
OPEN = NOBODY + 1

Ghosts: TypeAlias = Mapping[str, tuple[Shape, ...]]  # the preview of a player's line, by the kind of its place

SIDES = ("first", "second", "nobody")  # the style word of each owner of a line or box: 0, 1, NOBODY

COLUMN_NAMES = tuple("abcdefghij"[: MAX_BOARD_SIZE + 1])  # the name of each column of dots, from the left
ROW_NAMES = tuple(str(row + 1) for row in range(MAX_BOARD_SIZE + 1))  # the name of each row of dots, from the top
_LINE = re.compile(r"\b(?:\d+ \(([hv] \d \d)\)|([hv] \d \d)\b)")

LINE_TARGET = 44  # width of the strip in which a line is pressed
WALK_OFFSET = 20  # distance of a line's place for the arrow keys from its middle, so that they follow rows and columns


@dataclass(frozen=True)
class LineParts:
    """A line in each of its states, indexed by LineState."""

    shapes: tuple[Shape, ...]
    places: tuple[Place, ...]
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
    """A position, and how to draw it."""

    state: DotsState
    last: Sequence[String]  # the lines of the last turn
    signs: tuple[str, str]
    editing: bool  # whether this is the position editor: owners can be changed, and no line is a move

    @cached_property
    def lines(self) -> list[LineState]:
        """The state of each line."""
        drawn, drawn_by = self.state.drawn, self.state.drawn_by
        return [player_who_drew(line, drawn_by) if drawn >> line & 1 else OPEN for line in self.state.game.moves()]

    @cached_property
    def taken(self) -> list[tuple[Coin, int]]:
        """The finished boxes, each with its owner or NOBODY."""
        return [(box, owner) for box, owner in enumerate(self.state.owners) if owner is not None]

    def sign(self, owner: int) -> str:
        """Return the text to write in a finished box: its owner's sign, by default R or B; empty if nobody owns it."""
        return "" if owner == NOBODY else self.signs[owner] or self.state.game.players[owner][0]

    @property
    def label(self) -> str:
        """The position in words: the game and its size, the score and the player to move."""
        state, game = self.state, self.state.game
        size = f"{game.title}, {game.rows} by {game.cols}" if game.board.is_grid else "Strings-and-Coins"
        (first, second), (a, b) = game.players, state.scores
        turn = f"{game.players[state.to_move]} to move" if state.undrawn else "The game is over"
        return f"{size}. {first} {a}, {second} {b}. {turn}."

    @property
    def prompt(self) -> str:
        """What the user can do now, in words; empty if the game is over."""
        game = self.state.game
        if self.editing:
            return f"Press a {game.line_word} to draw or erase it, or a finished {game.unit} to change its owner"
        if not self.state.undrawn:
            return ""
        return "Draw a line" if game.board.is_grid else "Cut a string"

    def picture(
        self,
        board: BoardParts,
        box_place: Callable[[Dots, Coin, int], Place],
        *,
        below: Iterable[Shape] = (),
        above: Iterable[Shape] = (),
        views: Mapping[str, Picture] | None = None,
    ) -> Picture:
        """Return the picture of the position, made of the board's parts.

        box_place: returns the place where the editor changes a box's owner. below, above: shapes of
        finished boxes, under the lines or on top of everything. views: further pictures by name.
        """
        lines = list(zip(board.lines, self.lines, strict=True))
        places = [line.places[state] for line, state in lines]
        if self.editing:
            places += [box_place(self.state.game, box, owner) for box, owner in self.taken]
        halos = [board.lines[line].halo for line in self.last]
        return Picture(
            frame=board.frame,
            ground=board.ground,
            shapes=(*below, *halos, *(line.shapes[state] for line, state in lines), *board.top, *above),
            places=tuple(places),
            moves=() if self.editing else tuple([line.move for line, state in lines if state == OPEN]),
            ghosts=board.ghosts[self.state.to_move],
            label=self.label,
            prompt=self.prompt,
            views=views or {},
        )


def label(game: Dots, move: Move) -> str:
    """Return the name of a line for people: the two dots it joins, as in a1–b1, or the id of a string of a graph."""
    if not game.board.is_grid:
        return game.move_label(move)
    direction, row, col = game.board.coordinates(move)
    ends = (row, col), (row + (direction == "v"), col + (direction == "h"))
    return "–".join(f"{COLUMN_NAMES[c]}{ROW_NAMES[r]}" for r, c in ends)


def relabel(game: Dots, sentence: str) -> str:
    """Replace the lines in a sentence, such as "h 1 2" or "20 (h 1 2)", by the dots they join, as in c2–d2."""
    if not game.board.is_grid:
        return sentence
    return _LINE.sub(lambda found: label(game, game.parse_move(found[1] or found[2])), sentence)


def owner_words(game: Dots, owner: int) -> str:
    """Return "Red's", "Blue's" or "nobody's"."""
    return "nobody's" if owner == NOBODY else f"{game.players[owner]}'s"


def drawn_words(game: Dots, participle: str) -> tuple[str, ...]:
    """Return the words to add to a line's name, indexed by LineState; participle: "drawn" or "cut"."""
    return *(f", {participle} by {player}" for player in game.players), f", {participle}", ""


def finished_shape(key: str, corner: tuple[float, float], art: str, owner: int, sign: Text) -> Shape:
    """Return the shape of a finished box or coin with its owner's sign, shrunk so that two or three letters fit."""
    face: tuple[Shape, ...] = (Use("", "", 0, 0, f"{art}-{SIDES[owner]}"),)
    if owner != NOBODY:
        size = round(sign.size / max(1.0, 0.3 + 0.5 * len(sign.text)), 1)
        face += (Text("", f"sign {SIDES[owner]}", sign.x, sign.y, sign.text, size),)
    return Group(key, "fill", *corner, face)
