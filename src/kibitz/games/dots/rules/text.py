"""The texts of Dots-and-Boxes: lines and positions, read and written.

- A line is its number, or h or v with row and column as in graph.grid ("h 0 1",
  "h0,1"); on other graphs it is the id of its string.
- A position is up to three words: the drawn lines in hexadecimal (bit i is line
  i), the owner of each box (1, 2, . for an open box, - for a finished one that
  belongs to nobody), and who moves (1 or 2): "2e7 1..2 1". Without the owners
  every finished box is nobody's, without the side the first player moves.

Other programs' notations are in notations.py.
"""

from __future__ import annotations

import re

from kibitz.core.errors import BadText
from kibitz.games.dots.rules.graph import Graph, String

NOBODY = 2
"""The owner of a finished box that neither player took."""
_OWNERS = "12-"


def move_text(graph: Graph, move: String) -> str:
    """Return the id of a line."""
    return graph.ids[move]


def line_text(graph: Graph, move: String) -> str:
    """Return "h 0 1" or "v 0 1" of a line of a grid."""
    return "{} {} {}".format(*graph.line(move))


def parse_move(graph: Graph, text: str) -> String:
    """Return the number of a line, legal or not. Raises BadText."""
    word = text.strip()
    if word in graph.ids:
        return graph.ids.index(word)
    if not graph.is_grid:
        raise BadText(f"{text!r} is not a string: the strings are {', '.join(graph.ids[:12])}{_more(graph)}.")
    found = re.fullmatch(r"([hv])[ ,]*([0-9])[ ,]+([0-9])", word, re.ASCII | re.IGNORECASE)
    if found:
        kind, row, col = found[1].lower(), int(found[2]), int(found[3])
        if kind == "h" and row <= graph.rows and col < graph.cols:
            return graph.horizontal(row, col)
        if kind == "v" and row < graph.rows and col <= graph.cols:
            return graph.vertical(row, col)
    raise BadText(
        f"{text!r} is not a line: write its number (0-{len(graph.ids) - 1}), h ROW COL with rows to {graph.rows} "
        f"and columns to {graph.cols - 1}, or v ROW COL with rows to {graph.rows - 1} and columns to {graph.cols}."
    )


def _more(graph: Graph) -> str:
    return " ..." if len(graph.ids) > 12 else ""


def owners(graph: Graph, drawn: int, owned: tuple[int, int]) -> tuple[int | None, ...]:
    """Return the owner of each box: 0, 1, NOBODY of a finished one, None of an open one."""
    return tuple(
        0 if owned[0] >> coin & 1 else 1 if owned[1] >> coin & 1 else None if mask & ~drawn else NOBODY
        for coin, mask in enumerate(graph.masks)
    )


def position_text(graph: Graph, drawn: int, owned: tuple[int, int], to_move: int) -> str:
    """Return a position in three words."""
    marks = "".join("." if owner is None else _OWNERS[owner] for owner in owners(graph, drawn, owned))
    return f"{drawn:x} {marks} {to_move + 1}"


def parse_position(graph: Graph, text: str) -> tuple[int, tuple[int, int], int]:
    """Return the drawn lines, the boxes of each player and who moves. Raises BadText."""
    words = text.split()
    if not 1 <= len(words) <= 3:
        raise BadText(f"{text!r} is not a position: write the drawn lines in hexadecimal, the owners and who moves.")
    drawn = parse_drawn(graph, words[0])
    owned = parse_owners(graph, drawn, words[1]) if len(words) > 1 else (0, 0)
    if len(words) > 2 and words[2] not in ("1", "2"):
        raise BadText(f"The side to move is {words[2]!r}, but must be 1 or 2.")
    return drawn, owned, int(words[2]) - 1 if len(words) > 2 else 0


def parse_drawn(graph: Graph, word: str) -> int:
    """Return the drawn lines of a hexadecimal number. Raises BadText."""
    if not re.fullmatch("(0x)?[0-9a-f]{1,48}", word, re.ASCII | re.IGNORECASE):
        raise BadText(f"{word!r} is not a hexadecimal number of drawn lines.")
    drawn = int(word, 16)
    if drawn & ~graph.all_strings:
        raise BadText(f"{word!r} draws line {drawn.bit_length() - 1}, but the lines are 0 to {len(graph.strings) - 1}.")
    return drawn


def parse_owners(graph: Graph, drawn: int, word: str) -> tuple[int, int]:
    """Return the boxes of each player. Raises BadText where an owner contradicts the lines."""
    if not re.fullmatch(r"[12.-]+", word) or len(word) != len(graph.coins):
        raise BadText(f"The owners are {word!r}, but must be {len(graph.coins)} of 1, 2, the full stop and the dash.")
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
