"""A game tree as a record of Go: board size, players and other header fields, setup stones and moves.

Only the main line is read. Its setup stones and moves become one sequence of
integers, the plays; only this module knows how a play is encoded (kernels compile
the same functions). Whether the moves are legal is checked in records/replay.py.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from kibitz.core.errors import BadText
from kibitz.games.go.rules import BLACK, EMPTY, MAX_BOARD_SIZE, WHITE
from kibitz.games.go.sgf.tree import MAX_PROBLEMS, GameTree, SgfNode, SgfProblem, simple_text

FIELDS = (
    "PB", "PW", "BR", "WR", "BT", "WT", "KM", "HA", "RE", "DT", "EV", "RO", "PC", "RU", "GN", "TM", "OT", "SO", "ON",
)  # fmt: skip
"""The root properties that form the header of a record, all kept as text."""

# A play has 13 bits, from the low bits up: the point (row * size + column from the top left, or PASS), the colour, and
# whether it is setup: a stone placed, or removed if the colour is EMPTY, without being a move.
PASS = 1023
POINT_BITS = 10
SETUP = 1 << 12

MOVE = "move"  # the first word of the problem that reports an illegal move, which ends the record
MAX_PLAYS = 50_000  # cut a record off after this many plays

_SETUP_COLOURS = {"AB": BLACK, "AW": WHITE, "AE": EMPTY}
_MOVE_COLOURS = {"B": BLACK, "W": WHITE}


def move_of(colour: int, point: int) -> int:
    """Encode a move as a play; the point may be PASS."""
    return colour << POINT_BITS | point


def setup_of(colour: int, point: int) -> int:
    """Encode a setup stone as a play; the colour EMPTY removes a stone."""
    return SETUP | colour << POINT_BITS | point


def point_of(play: int) -> int:
    """Return the point of a play, or PASS."""
    return play & PASS


def colour_of(play: int) -> int:
    """Return the colour of a play: BLACK or WHITE, or EMPTY for setup that removes a stone."""
    return play >> POINT_BITS & 3


def is_pass(play: int) -> bool:
    """Return whether a play is a pass."""
    return play & PASS == PASS


def is_setup(play: int) -> bool:
    """Return whether a play is setup rather than a move."""
    return play & SETUP != 0


@dataclass
class Record:
    """The main line of a game, with its header."""

    size: int
    fields: dict[str, str]  # the header: the FIELDS that the record has, with their values
    plays: array[int]  # setup and moves in order, encoded by the functions above
    problems: list[SgfProblem] = field(default_factory=list)  # problems of the file, and points off the board

    @property
    def moves(self) -> list[tuple[int, int]]:
        """Return the colour and point of each move, leaving out setup."""
        return [(colour_of(play), point_of(play)) for play in self.plays if not is_setup(play)]


def record_of(tree: GameTree) -> Record:
    """Convert the main line of a game tree. Raise BadText if it is not Go on a square board of size 1 to 25.

    A move off the board ends the record and is listed as a problem.
    """
    root = tree.root
    kind = (root.value("GM") or "1").strip()
    if kind != "1":
        raise BadText(f"GM[{kind[:20]}] is another game: Go is GM[1].")
    fields = {name: value for name in FIELDS if (value := root.value(name)) is not None}
    record = Record(board_size(root), fields, array("H"), list(tree.problems))
    for number, node in enumerate(tree.main_line()):
        if not _add_node(record, node, number):
            break
    return record


def board_size(root: SgfNode) -> int:
    """Return the board size of a record, 19 by default. Raise BadText unless the board is square, of size 1 to 25."""
    text = root.value("SZ")
    if text is None:
        return 19
    found = re.fullmatch(r"([0-9]{1,3})(?::([0-9]{1,3}))?", text, re.ASCII)
    if not found or found[2] not in (None, found[1]) or not 1 <= int(found[1]) <= MAX_BOARD_SIZE:
        raise BadText(
            f"SZ[{text[:20]}] is not a supported board size: it must be square, with 1 to {MAX_BOARD_SIZE} lines."
        )
    return int(found[1])


def _add_node(record: Record, node: SgfNode, number: int) -> bool:
    """Add the setup stones of a node, then its moves; return False if the record ends here."""
    properties = node.properties.items()
    found = [(name, value) for name, values in properties if name in _SETUP_COLOURS for value in values]
    found += [(name, value) for name, values in properties if name in _MOVE_COLOURS for value in values[:1]]
    for name, value in found:
        if len(record.plays) > MAX_PLAYS:
            record.problems.append(SgfProblem(0, 0, f"more than {MAX_PLAYS} plays; the rest is left out"))
            return False
        if name in _SETUP_COLOURS:
            points = list(points_of(value, record.size))
            if not points and len(record.problems) < MAX_PROBLEMS:
                reason = f"{_off_board(record, name, value)} (setup), node {number}"
                record.problems.append(SgfProblem(0, 0, reason))
            record.plays.extend(setup_of(_SETUP_COLOURS[name], point) for point in points)
            continue
        text = simple_text(value)
        point = PASS if text == "" or (text == "tt" and record.size <= 19) else parse_point(text, record.size)
        if point is None:
            reason = f"{MOVE} {len(record.moves) + 1} is illegal: {_off_board(record, name, value)}; kept up to there"
            record.problems.append(SgfProblem(0, 0, reason))
            return False
        record.plays.append(move_of(_MOVE_COLOURS[name], point))
    return True


def _off_board(record: Record, identifier: str, value: str) -> str:
    return f"{identifier}[{value[:20]}] is no point of a board of size {record.size}"


def parse_point(text: str, size: int) -> int | None:
    """Parse a point of two letters, such as "dd"; return None if it is not on the board."""
    if len(text) != 2:
        return None
    col, row = ord(text[0]) - 97, ord(text[1]) - 97
    return row * size + col if 0 <= col < size and 0 <= row < size else None


def points_of(value: str, size: int) -> Iterator[int]:
    """Yield the points of one value: a single point, or a rectangle given by two corners such as aa:cc."""
    first, _, last = simple_text(value).partition(":")
    start, stop = parse_point(first.strip(), size), parse_point((last or first).strip(), size)
    if start is None or stop is None:
        return
    for row in range(min(start, stop) // size, max(start, stop) // size + 1):
        columns = sorted((start % size, stop % size))
        yield from (row * size + col for col in range(columns[0], columns[1] + 1))
