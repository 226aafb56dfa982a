"""The rules of Dots-and-Boxes and of Strings-and-Coins: the game with its options, and its positions.

Players take turns to draw a line, which is to say cut a string. A player who draws the last line of a box owns it and
moves again; when all lines are drawn, the owner of more boxes wins. Knows nothing of search or of speed; the compiled
rules in kernel/position.py must agree with this file.

The text of a position is up to three words: the drawn lines in hexadecimal (bit i is line i), the owner of each box
(1, 2, . for an open box, - for a finished one that belongs to nobody), and the player to move (1 or 2): "2e7 1..2 1".
Without the owners every finished box is nobody's, without the side the first player moves. The notations of other
programs are in notations/.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, OptionValue, Outcome, Player
from kibitz.core.spec import FileText
from kibitz.games.dots.rules import drawing
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String, grid, read_graph

MAX_BOARD_SIZE = 9  # maximum number of rows, and of columns, of boxes
NOBODY = drawing.NOBODY
_OWNERS = "12-"


@dataclass(frozen=True)
class Dots(Game["DotsState", "DotsState"]):
    """Dots-and-Boxes on a grid, or Strings-and-Coins on any graph."""

    rows: int = 5
    """Rows of boxes."""
    cols: int = 5
    """Columns of boxes."""
    start_: Literal["empty", "icelandic", "swedish"] = "empty"
    """What is drawn at the start: nothing, the left and bottom border, or the whole border."""
    graph: FileText = ""
    """A graph of coins and strings as JSON, see graph.py, instead of a grid; rows and cols are then 0."""

    name: ClassVar[str] = "dots"
    title: ClassVar[str] = "Dots-and-Boxes"
    players: ClassVar[tuple[str, str]] = ("Red", "Blue")

    def __post_init__(self) -> None:
        if self.graph:
            if self.start_ != "empty":
                raise BadOption(f"start={self.start_} is for grids: a graph has no border. Use start=empty.")
            read = read_graph(self.graph)
            for key, value in (("rows", 0), ("cols", 0), ("graph", read.to_json())):
                object.__setattr__(self, key, value)
            return
        for key, value in (("rows", self.rows), ("cols", self.cols)):
            if not 1 <= value <= MAX_BOARD_SIZE:
                raise BadOption(f"A board must have 1 to {MAX_BOARD_SIZE} {key} of boxes, not {value}.")
        if self.start_ == "swedish" and self.rows == self.cols == 1:
            raise BadOption("start=swedish leaves nothing to draw on a board of one box: use a larger board.")

    @property
    def options(self) -> dict[str, OptionValue]:
        """Return the options that define the board: the graph, or the size and start of a grid."""
        if self.graph:
            return {"graph": self.graph}
        return {"rows": self.rows, "cols": self.cols, "start": self.start_}

    @property
    def board(self) -> Graph:
        """The graph on which the game is played."""
        return read_graph(self.graph) if self.graph else grid(self.rows, self.cols)

    @property
    def border(self) -> int:
        """The lines that are drawn at the start, as a set of bits."""
        board, lines = self.board, list[String]()
        if self.start_ != "empty":
            lines += [board.vertical(row, 0) for row in range(self.rows)]
            lines += [board.horizontal(self.rows, col) for col in range(self.cols)]
        if self.start_ == "swedish":
            lines += [board.vertical(row, self.cols) for row in range(self.rows)]
            lines += [board.horizontal(0, col) for col in range(self.cols)]
        return sum(1 << line for line in lines)

    @property
    def unit(self) -> str:
        """The word for what players take: "box", or "coin" on a graph other than a grid."""
        return "coin" if self.graph else "box"

    @property
    def units(self) -> str:
        """The plural of unit."""
        return "coins" if self.graph else "boxes"

    @property
    def line_word(self) -> str:
        """The word for what a move draws or cuts: "line", or "string" on a graph other than a grid."""
        return "string" if self.graph else "line"

    def counted(self, n: int) -> str:
        """Return a number of boxes, or of coins, in words: "1 box", "3 coins"."""
        return f"{n} {self.unit if n == 1 else self.units}"

    def start(self, seed: int = 0) -> DotsState:
        """Return the initial position. The seed is ignored: nothing is dealt."""
        return DotsState(self, self.border, (0, 0), 0)

    def moves(self) -> range:
        """Return the numbers of all lines."""
        return range(len(self.board.strings))

    def move_text(self, move: Move) -> str:
        """Return the id of a line."""
        return self.board.ids[move]

    def parse_move(self, text: str) -> Move:
        """Parse a line: an id, or "h 0 1" or "v 0 1" on a grid. Raise BadText if there is no such line."""
        return self.board.parse_line(text)

    def position_text(self, state: DotsState) -> str:
        """Return the drawn lines in hexadecimal, the owners and the side to move."""
        owners = "".join("." if owner is None else _OWNERS[owner] for owner in state.owners)
        return f"{state.drawn:x} {owners} {state.to_move + 1}"

    def parse_position(self, text: str) -> DotsState:
        """Parse a position; owners and side to move are optional. Raise BadText if it is malformed or impossible."""
        words = text.split()
        if not 1 <= len(words) <= 3:
            raise BadText(
                f"{text!r} is not a position: write the drawn lines in hexadecimal, the owners and the side to move."
            )
        drawn = parse_drawn(self.board, words[0])
        owned = _parse_owners(self.board, drawn, words[1]) if len(words) > 1 else (0, 0)
        if len(words) > 2 and words[2] not in ("1", "2"):
            raise BadText(f"The side to move is {words[2]!r}, but must be 1 or 2.")
        self.check_border(drawn)
        return DotsState(self, drawn, owned, int(words[2]) - 1 if len(words) > 2 else 0)

    def check_border(self, drawn: int) -> None:
        """Raise BadText unless all lines that are drawn at the start are among the drawn lines, given as bits."""
        if missing := self.border & ~drawn:
            line = self.move_text((missing & -missing).bit_length() - 1)
            raise BadText(f"With start={self.start_}, line {line} is drawn from the start, but not in this position.")

    @property
    def max_game_length(self) -> int:
        """The number of moves in the longest game: one for each line not drawn at the start."""
        return (self.board.all_strings & ~self.border).bit_count()

    def scores(self, view: DotsState, marks: Collection[str] | None = None) -> tuple[float, float]:
        """Return how many boxes each player owns."""
        return view.scores

    def draw(self, view: DotsState, last: Move | None = None) -> tuple[Line, ...]:
        """Return the board as lines for a terminal, each open line with its number."""
        return drawing.draw(self.board, view.drawn, view.drawn_by, view.owners, last)

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the rotations and reflections of the board that keep the lines drawn at the start in place."""
        border = self.border
        return tuple(
            image
            for image in self.board.symmetries()
            if all((border >> image[line] & 1) == (border >> line & 1) for line in self.moves())
        )


def parse_drawn(graph: Graph, word: str) -> int:
    """Parse drawn lines in hexadecimal; return them as a bit set. Raise BadText if the number is invalid."""
    if not re.fullmatch("(0x)?[0-9a-f]{1,48}", word, re.ASCII | re.IGNORECASE):
        raise BadText(f"{word!r} is not a hexadecimal number: write the drawn lines as in 2e7.")
    drawn = int(word, 16)
    if drawn & ~graph.all_strings:
        raise BadText(f"{word!r} draws line {drawn.bit_length() - 1}, but the lines are 0 to {len(graph.strings) - 1}.")
    return drawn


def _parse_owners(graph: Graph, drawn: int, word: str) -> tuple[int, int]:
    """Parse the owners of all boxes; return each player's boxes as bits. Raise BadText if the lines contradict them."""
    if not re.fullmatch(r"[12.-]+", word) or len(word) != len(graph.coins):
        raise BadText(f"The owners are {word!r}, but must be {len(graph.coins)} characters, each 1, 2, . or -.")
    owned = [0, 0]
    for coin, mark in enumerate(word):
        left = (graph.masks[coin] & ~drawn).bit_count()
        if mark != "." and left:
            raise BadText(f"Box {graph.coins[coin]} cannot have an owner yet: {left} of its lines are not drawn.")
        if mark == "." and not left:
            raise BadText(f"Box {graph.coins[coin]} is finished, so its owner must be 1, 2 or - for nobody.")
        if mark in "12":
            owned[int(mark) - 1] |= 1 << coin
    return owned[0], owned[1]


@dataclass(frozen=True, slots=True)
class DotsState(NothingHidden):
    """A position. Nothing is hidden."""

    game: Dots
    drawn: int  # the drawn lines, those of the start included: bit i stands for line i
    owned: tuple[int, int]
    """The boxes of the first player and of the second, as sets of bits. A finished box may belong to nobody
    in a position read from a text without owners."""
    to_move: Player
    drawn_by: tuple[int, int] = field(default=(0, 0), compare=False)
    """The lines that each player drew, where known. For drawing only; no rule depends on it."""

    @property
    def turn(self) -> int:
        """Return the number of lines drawn since the start: every line counts as a turn, extra moves included."""
        return (self.drawn & ~self.game.border).bit_count()

    @property
    def scores(self) -> tuple[int, int]:
        """Return how many boxes each player owns."""
        return self.owned[0].bit_count(), self.owned[1].bit_count()

    @property
    def margin(self) -> int:
        """Return the lead in boxes of the player to move."""
        return self.scores[self.to_move] - self.scores[1 - self.to_move]

    @property
    def owners(self) -> tuple[int | None, ...]:
        """Return the owner of each box: 0, 1, NOBODY for an ownerless finished box, or None for an open one."""
        first, second = self.owned
        return tuple(
            0 if first >> coin & 1 else 1 if second >> coin & 1 else None if mask & ~self.drawn else NOBODY
            for coin, mask in enumerate(self.game.board.masks)
        )

    @property
    def undrawn(self) -> int:
        """Return the lines not yet drawn, as a set of bits."""
        return self.game.board.all_strings & ~self.drawn

    def degree(self, coin: Coin) -> int:
        """Return how many strings a coin has left: for a box, how many of its sides are not drawn."""
        return (self.game.board.masks[coin] & ~self.drawn).bit_count()

    def taken_by(self, move: String) -> tuple[Coin, ...]:
        """Return the boxes that drawing a line would finish."""
        return tuple(c for c in self.game.board.strings[move] if c != GROUND and self.degree(c) == 1)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the lines not yet drawn."""
        drawn = self.drawn
        return tuple([line for line in self.game.moves() if not drawn >> line & 1])

    def play(self, move: Move) -> DotsState:
        """Return the position after drawing a line. Raise IllegalMove if it is already drawn or does not exist."""
        if move not in self.game.moves():
            raise IllegalMove(f"There is no line {move}: lines are 0 to {len(self.game.moves()) - 1}.")
        if self.drawn >> move & 1:
            raise IllegalMove(f"Line {self.game.move_label(move)} has already been drawn.")
        taken, player = self.taken_by(move), self.to_move
        owned, drawn_by = list(self.owned), list(self.drawn_by)
        owned[player] |= sum(1 << coin for coin in taken)
        drawn_by[player] |= 1 << move
        next_player = player if taken else 1 - player
        drawn = self.drawn | 1 << move
        return DotsState(self.game, drawn, (owned[0], owned[1]), next_player, (drawn_by[0], drawn_by[1]))

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while a line is undrawn."""
        if self.undrawn:
            return None
        first, second = self.scores
        if first == second:
            return Outcome(None, f"{self.game.counted(first)} each")
        return Outcome(int(second > first), f"{self.game.counted(max(first, second))} to {min(first, second)}")
