"""The law of Dots-and-Boxes and of Strings-and-Coins: the game with its options, and its positions.

Players in turn draw a line, which is to say cut a string. Who draws the last
line of a box owns it and moves again; when all lines are drawn, the owner of
more boxes wins. Knows nothing of search or of speed; kernel.py is held to what
this file says.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Game, Line, Move, NothingHidden, Outcome, Player, State, View
from kibitz.core.spec import FileText
from kibitz.games.dots.rules import drawing, text
from kibitz.games.dots.rules.graph import GROUND, Coin, Graph, String, grid, read_graph

MOST = 9
"""The most rows and columns of boxes."""


@dataclass(frozen=True)
class Dots(Game):
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
                raise BadOption(f"start={self.start_} is for grids: a graph has no border.")
            read = read_graph(self.graph)
            for key, value in (("rows", 0), ("cols", 0), ("graph", read.to_json())):
                object.__setattr__(self, key, value)
            return
        for key, value in (("rows", self.rows), ("cols", self.cols)):
            if not 1 <= value <= MOST:
                raise BadOption(f"A board cannot have {value} {key} of boxes: it must be 1 to {MOST}.")
        if self.start_ == "swedish" and self.rows == self.cols == 1:
            raise BadOption("start=swedish leaves nothing to draw on a board of one box.")

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that matter: the graph, or those of a grid."""
        if self.graph:
            return {"graph": self.graph}
        return {"rows": self.rows, "cols": self.cols, "start": self.start_}

    @property
    def board(self) -> Graph:
        """The graph that is played on."""
        return read_graph(self.graph) if self.graph else grid(self.rows, self.cols)

    @property
    def border(self) -> int:
        """The lines that are drawn at the start, as a set of bits."""
        board, drawn = self.board, 0
        if self.start_ != "empty":
            drawn |= sum(1 << board.vertical(row, 0) for row in range(self.rows))
            drawn |= sum(1 << board.horizontal(self.rows, col) for col in range(self.cols))
        if self.start_ == "swedish":
            drawn |= sum(1 << board.vertical(row, self.cols) for row in range(self.rows))
            drawn |= sum(1 << board.horizontal(0, col) for col in range(self.cols))
        return drawn

    @property
    def unit(self) -> str:
        """What is taken: "box", or "coin" on a graph that is no grid."""
        return "coin" if self.graph else "box"

    @property
    def units(self) -> str:
        """The same in the plural."""
        return "coins" if self.graph else "boxes"

    @property
    def line(self) -> str:
        """What a move draws or cuts: "line", or "string" on a graph that is no grid."""
        return "string" if self.graph else "line"

    def counted(self, n: int) -> str:
        """Return so many boxes, or coins, in words: "1 box", "3 coins"."""
        return f"{n} {self.unit if n == 1 else self.units}"

    def start(self, seed: int = 0) -> DotsState:
        """Return the first position; nothing is dealt."""
        return DotsState(self, self.border, (0, 0), 0)

    def moves(self) -> range:
        """Return the numbers of all lines."""
        return range(len(self.board.strings))

    def move_text(self, move: Move) -> str:
        """Return the id of a line."""
        return text.move_text(self.board, move)

    def parse_move(self, words: str) -> Move:
        """Return the line of an id, or of "h 0 1" or "v 0 1" on a grid. Raises BadText."""
        return text.parse_move(self.board, words)

    def position_text(self, state: State) -> str:
        """Return the drawn lines in hexadecimal, the owners and the side to move."""
        assert isinstance(state, DotsState)
        return text.position_text(self.board, state.drawn, state.owned, state.to_move)

    def parse_position(self, words: str) -> DotsState:
        """Return the position of a text, of which all but the lines may be left out. Raises BadText."""
        drawn, owned, to_move = text.parse_position(self.board, words)
        if self.border & ~drawn:
            raise BadText(f"The position lacks lines that start={self.start_} has drawn.")
        return DotsState(self, drawn, owned, to_move)

    @property
    def longest(self) -> int:
        """The number of lines that can be drawn."""
        return (self.board.all_strings & ~self.border).bit_count()

    def scores(self, view: View, marks: Collection[str] | None = None) -> tuple[float, float]:
        """Return how many boxes each player owns."""
        assert isinstance(view, DotsState)
        return view.scores

    def draw(self, view: View, last: Move | None = None) -> tuple[Line, ...]:
        """Return the board as lines for a terminal, each open line with its number."""
        assert isinstance(view, DotsState)
        return drawing.draw(self.board, view.drawn, view.drew, view.owners, last)

    def symmetries(self) -> tuple[tuple[Move, ...], ...]:
        """Return the turns and reflections of the board that leave its start as it is."""
        border = self.border
        return tuple(
            image
            for image in self.board.symmetries()
            if all((border >> image[line] & 1) == (border >> line & 1) for line in self.moves())
        )


@dataclass(frozen=True, slots=True)
class DotsState(NothingHidden):
    """A position. Everybody sees everything."""

    game: Dots
    drawn: int
    """The drawn lines, those of the start included: bit i stands for line i."""
    owned: tuple[int, int]
    """The boxes of the first player and of the second, as sets of bits. A finished box may belong to nobody
    in a position read from a text that does not tell."""
    to_move: Player
    drew: tuple[int, int] = field(default=(0, 0), compare=False)
    """The lines that each player drew, where known. It decides nothing: a memory for drawing."""

    @property
    def turn(self) -> int:
        """Return how many lines have been drawn since the start. Each is a turn of its own, the extra ones too."""
        return (self.drawn & ~self.game.border).bit_count()

    @property
    def scores(self) -> tuple[int, int]:
        """Return how many boxes each player owns."""
        return self.owned[0].bit_count(), self.owned[1].bit_count()

    @property
    def margin(self) -> int:
        """Return how many boxes the player to move owns more than the other."""
        return self.scores[self.to_move] - self.scores[1 - self.to_move]

    @property
    def owners(self) -> tuple[int | None, ...]:
        """Return the owner of each box: 0, 1, text.NOBODY of a finished box, None of an open one."""
        return text.owners(self.game.board, self.drawn, self.owned)

    @property
    def undrawn(self) -> int:
        """Return the lines not yet drawn, as a set of bits."""
        return self.game.board.all_strings & ~self.drawn

    def degree(self, coin: Coin) -> int:
        """Return how many strings of a coin are left: how many sides of a box are not drawn."""
        return (self.game.board.masks[coin] & ~self.drawn).bit_count()

    def taken_by(self, move: String) -> tuple[Coin, ...]:
        """Return the boxes that drawing a line would finish."""
        return tuple(c for c in self.game.board.strings[move] if c != GROUND and self.degree(c) == 1)

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the lines not yet drawn."""
        drawn = self.drawn
        return tuple([line for line in self.game.moves() if not drawn >> line & 1])

    def play(self, move: Move) -> DotsState:
        """Return the position after a line is drawn. Raises IllegalMove that says why."""
        if move not in self.game.moves():
            raise IllegalMove(f"There is no line {move}: lines are 0 to {len(self.game.moves()) - 1}.")
        if self.drawn >> move & 1:
            raise IllegalMove(f"Line {self.game.move_label(move)} is drawn already.")
        taken, player = self.taken_by(move), self.to_move
        owned, drew = list(self.owned), list(self.drew)
        owned[player] |= sum(1 << coin for coin in taken)
        drew[player] |= 1 << move
        return DotsState(
            self.game,
            self.drawn | 1 << move,
            (owned[0], owned[1]),
            player if taken else 1 - player,
            (drew[0], drew[1]),
        )

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while a line is left."""
        if self.undrawn:
            return None
        first, second = self.scores
        if first == second:
            return Outcome(None, f"{self.game.counted(first)} each")
        most, least = max(first, second), min(first, second)
        return Outcome(int(second > first), f"{self.game.counted(most)} to {least}")
