"""What a game tree says about Go: size, players and the rest of the head, setup stones, moves.

The moves of a record are its main line, and with the setup stones they make one
run of numbers, its plays. Whether the moves are legal is replay.py's business.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from kibitz.core.errors import BadText
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import LARGEST
from kibitz.games.go.sgf.tree import MOST_PROBLEMS, GameTree, Node, Problem, simple_text

FIELDS = (
    "PB", "PW", "BR", "WR", "BT", "WT", "KM", "HA", "RE", "DT", "EV", "RO", "PC", "RU", "GN", "TM", "OT", "SO", "ON",
)  # fmt: skip
"""The properties of the first node that make the head of a record, all kept as texts."""

# A play, 13 bits from the low end: the point (row * size + column from the top left, or PASS), the colour, and
# whether it is setup: a stone put there or, of the colour EMPTY, taken off, outside the order of moves.
PASS = 1023
POINT_BITS = 10
SETUP = 1 << 12
MOVE = "move"
"""So begins the problem of a move that ends a record."""
MOST_PLAYS = 50_000
"""Where a record ends at the latest."""

_COLOURS = {"B": BLACK, "W": WHITE, "AB": BLACK | SETUP >> POINT_BITS, "AW": WHITE | SETUP >> POINT_BITS}
_COLOURS["AE"] = EMPTY | SETUP >> POINT_BITS


@dataclass
class Record:
    """The main line of a game."""

    size: int
    fields: dict[str, str]
    """The head: those of FIELDS that the record has."""
    plays: array[int]
    """See above."""
    problems: list[Problem] = field(default_factory=list)
    """What was wrong with the file, and with its points."""

    @property
    def moves(self) -> list[tuple[int, int]]:
        """Return colour and point of each move, setup left out."""
        return [(play >> POINT_BITS & 3, play & PASS) for play in self.plays if not play & SETUP]


def record_of(tree: GameTree) -> Record:
    """Return the main line of a game tree. Raises BadText if it is not Go on a square board of up to 25 lines.

    Where a move has no point on the board the record ends, and says so.
    """
    root = tree.root
    kind = (root.value("GM") or "1").strip()
    if kind != "1":
        raise BadText(f"GM[{kind[:20]}] is not Go, which is GM[1].")
    size = board_size(root)
    fields = {name: value for name in FIELDS if (value := root.value(name)) is not None}
    record = Record(size, fields, array("H"), list(tree.problems))
    for number, node in enumerate(tree.main_line()):
        if not _add_node(record, node, number):
            break
    return record


def board_size(root: Node) -> int:
    """Return the size of the board. Raises BadText if it is none, or not square, or too large."""
    text = root.value("SZ")
    if text is None:
        return 19
    found = re.fullmatch(r"([0-9]{1,3})(?::([0-9]{1,3}))?", text, re.ASCII)
    if not found or found[2] not in (None, found[1]) or not 1 <= int(found[1]) <= LARGEST:
        raise BadText(f"SZ[{text[:20]}] is no board that can be read: it must be square and 1 to {LARGEST} lines.")
    return int(found[1])


def _add_node(record: Record, node: Node, number: int) -> bool:
    """Add the plays of a node, setup before moves; return whether the record can go on."""
    for setup in (True, False):
        for identifier, values in node.properties.items():
            if identifier not in (("AB", "AW", "AE") if setup else ("B", "W")):
                continue
            code = _COLOURS[identifier] << POINT_BITS
            for value in values if setup else values[:1]:
                if len(record.plays) > MOST_PLAYS:
                    record.problems.append(Problem(0, 0, f"more than {MOST_PLAYS} plays; the rest is left out"))
                    return False
                points = list(points_of(value, record.size)) if setup else move_points(value, record.size)
                if not points:
                    reason = f"{identifier}[{value[:20]}] is no point of a board of size {record.size}"
                    if not setup:
                        move = sum(not play & SETUP for play in record.plays) + 1
                        record.problems.append(Problem(0, 0, f"{MOVE} {move} is illegal: {reason}; kept up to there"))
                        return False
                    if len(record.problems) < MOST_PROBLEMS:
                        record.problems.append(Problem(0, 0, f"{reason} (setup), node {number}"))
                record.plays.extend(code | point for point in points)
    return True


def move_points(value: str, size: int) -> list[int]:
    """Return the point of a move, PASS for a pass, in a list; an empty one if it is neither."""
    text = simple_text(value)
    if text == "" or (text == "tt" and size <= 19):
        return [PASS]
    point = point_of(text, size)
    return [] if point is None else [point]


def point_of(text: str, size: int) -> int | None:
    """Return the point of two letters, or None."""
    if len(text) != 2:
        return None
    col, row = ord(text[0]) - 97, ord(text[1]) - 97
    return row * size + col if 0 <= col < size and 0 <= row < size else None


def points_of(value: str, size: int) -> Iterator[int]:
    """Yield the points of one value of a list: a point, or the corners of a rectangle as in aa:cc."""
    first, _, last = simple_text(value).partition(":")
    start, stop = point_of(first.strip(), size), point_of((last or first).strip(), size)
    if start is None or stop is None:
        return
    for row in range(min(start, stop) // size, max(start, stop) // size + 1):
        cols = sorted((start % size, stop % size))
        yield from (row * size + col for col in range(cols[0], cols[1] + 1))
