"""The notations of other programs for Dots-and-Boxes, and ours: read, written and autodetected.

A game is lines in order, a position is lines with owners and the player to move. A
game can be written as the position at its end; a position has no order of lines and
cannot be written as a game. Here is the same game of five lines on 2x2 in every
notation, the second player having taken the top left box:

ids     0 6 2 7 5
        A game: ids of lines as graph.py numbers them, between blanks or commas.
lines   h 0 0
        v 0 0
        h 1 0
        v 0 1
        h 2 1
        A game: h or v with row and column; several may share a line of the text.
littlegolem
        1. a3-b3 2. a2-a3
        3. a2-b2 4. b2-b3, b1-c1
        A game as the players of Little Golem write it (Knox 2004, in its forum): dots
        are columns a, b, ... from the left and rows 1, 2, ... from the bottom. A turn is
        all lines that one player draws up to the first that takes no box, with commas in
        it. Commas are checked against the boxes taken, and numbers, which may be left
        out, against the turns.
dbl     2,2
        (0, 0) - (1, 0)
        (0, 0) - (0, 1)
        (0, 1) - (1, 1)
        (1, 0) - (1, 1)
        (1, 2) - (2, 2)
        A game as KSquares (the edition of T. V. Peters, 2014) saves it: columns and rows of
        boxes, then dots with y down from the top, in either order; lines with # are
        comments. By the source of KSquares, files of Dabble itself look the same but count
        dots, not boxes, and join boxes, not dots: they would be misread.
trmph   #2,b5a4b3c4d1
        A game as the end of a link http://www.trmph.com/dnb/board#... or as the whole
        link: the size of the square board, then places of a lattice of dots, lines and
        boxes, columns from a at the left and rows from 1 at the bottom. That rows count from
        the bottom is taken from a program that reads such links and from players' usage.
ascii   0 16 1 A
        +-+ +
        |B|
        +-+ +

        + +-+
        A position as Wilson's analysis program of 2002 reads it: A is the first player,
        B the second. The first line is the penalty of the last move, which must be 0, then
        memory and disk, which mean nothing here, and the player to move. Our additions: the
        line may be left out, or any of it after the penalty; A moves by default; a finished
        box without a letter is nobody's. Blanks at the ends of lines may be left out.
hex     e5 2... 1
        A position as rules.py writes it.
record  {"game":"dots","options":{"rows":2,"cols":2,"start":"empty"}, ...
        A game as kibitz.core.record stores it, one line of JSON. Converted from another
        notation, its players and times are unknown.

dbl, trmph, ascii and record state the size; it must be the size asked for, if any.
The others are read on the board asked for, by default 5x5. Only ids, lines and
record can express games that begin with lines drawn; only ids, hex and record
graphs other than grids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from kibitz.core.defaults.notations import unknown_notation
from kibitz.core.errors import BadText
from kibitz.core.game import Move
from kibitz.core.parts import Notation, Signature
from kibitz.core.record import GameRecord, replay
from kibitz.games.dots.notations import moves
from kibitz.games.dots.notations.moves import PlayedGame, game_of_size
from kibitz.games.dots.rules import NOBODY, Dots, DotsState

MAX_TEXT_LENGTH = 1_000_000  # maximum length of a text that is read, in characters
UNKNOWN_PLAYER = "unknown"  # the name of both players of a game whose notation has no names

_OWNERS = {"A": 0, "B": 1, " ": NOBODY}
_FIRST_LINE = re.compile(r"(-?[0-9]{1,9})(?:[ \t]+[0-9]{1,9}){0,2}(?:[ \t]+([AB]))?")


def read(text: str, notation: str, asked: Dots | None = None) -> PlayedGame | DotsState:
    """Return the game or the position of a text, on the board asked for (see above).

    Raise BadText with the place of the fault, or BadOption for an unknown notation.
    """
    if notation not in NOTATIONS:
        raise unknown_notation(notation, NOTATIONS)
    if len(text) > MAX_TEXT_LENGTH:
        raise BadText(f"The text has {len(text)} characters; at most {MAX_TEXT_LENGTH} are allowed.")
    return GAMES[notation][0](text, asked) if notation in GAMES else POSITIONS[notation][0](text, asked)


def write(what: PlayedGame | DotsState, notation: str) -> str:
    """Return a game or a position in a notation, without a final line break. Raise BadText if it cannot express it."""
    if notation not in NOTATIONS:
        raise unknown_notation(notation, NOTATIONS)
    if notation in POSITIONS:
        return POSITIONS[notation][1](what.end if isinstance(what, PlayedGame) else what)
    if isinstance(what, DotsState):
        raise BadText(
            f"A position has no order of lines, so it cannot be written as {notation}, "
            f"only as {' or '.join(POSITIONS)}."
        )
    return GAMES[notation][1](what)


def detect(text: str) -> str:
    """Return the notation that a text seems to be in. Raise BadText if it resembles none.

    A text that could be ids counts as ids. Does not promise that the text can be read.
    """
    words = text[:MAX_TEXT_LENGTH]
    for notation, look in _LOOKS.items():
        if re.search(look.pattern, words):
            return notation
    raise BadText(f"This looks like no known notation; if it is one of {', '.join(NOTATIONS)}, name it.")


def read_ascii(text: str, asked: Dots | None) -> DotsState:
    """Return the position of a board drawn with + - and |."""
    rows = [row.rstrip() for row in text.split("\n")]
    top = next((i for i, row in enumerate(rows) if row), 0)
    to_move = 0
    if not rows[top].startswith("+"):
        to_move = _first_line(rows[top], f"Line {top + 1}")
        top += 1
    while len(rows) > top + 1 and not rows[-1]:
        rows.pop()
    drawing = rows[top:]
    if not drawing or not re.fullmatch(r"\+([- ]\+)+", drawing[0]):
        raise BadText(f"Line {top + 1}: the board must begin here, with its top row of dots such as + +-+.")
    if len(drawing) % 2 == 0:
        raise BadText(f"Line {top + len(drawing)}: a row of dots is missing below this one.")
    game = game_of_size(asked, len(drawing) // 2, len(drawing[0]) // 2, f"Line {top + 1}")
    drawn, marks = _read_drawing(drawing, game, top + 1)
    if game.border & ~drawn:
        raise BadText(f"The board lacks lines that start={game.start_} has drawn.")
    return DotsState(game, drawn, _read_owners(drawn, marks, game, top + 1), to_move)


def _first_line(words: str, where: str) -> int:
    """Return the player to move from the line above a board. Raise BadText."""
    found = _FIRST_LINE.fullmatch(words.strip())
    if found is None:
        raise BadText(f"{where}: the line above the board must be up to three numbers and A or B, such as 0 16 1 A.")
    if int(found[1]):
        raise BadText(f"{where}: the penalty for the last move is {found[1]}, but only 0 is supported.")
    return _OWNERS[found[2] or "A"]


def _read_drawing(drawing: list[str], game: Dots, first: int) -> tuple[int, list[str]]:
    """Return the drawn lines and the mark in each box. Raise BadText."""
    drawn, marks, board = 0, [], game.board
    for y, row in enumerate(drawing):
        width = 2 * game.cols + 1
        for x, mark in enumerate(f"{row:<{width}}"):
            if x >= width:
                allowed = ""
            elif y % 2 == 0:
                allowed = "- " if x % 2 else "+"
            else:
                allowed = "AB " if x % 2 else "| "
            if mark not in allowed or not allowed:
                expected = f"{' or '.join(map(repr, allowed))} must" if allowed else "nothing may"
                raise BadText(f"Line {first + y}, column {x + 1}: there is {mark!r} where {expected} be.")
            if mark == "-":
                drawn |= 1 << board.horizontal(y // 2, x // 2)
            elif mark == "|":
                drawn |= 1 << board.vertical(y // 2, x // 2)
            elif x % 2 and y % 2:
                marks.append(mark)
    return drawn, marks


def _read_owners(drawn: int, marks: list[str], game: Dots, first: int) -> tuple[int, int]:
    """Return the boxes of each player. Raise BadText for a letter in a box with an open side."""
    owned = [0, 0]
    for box, mark in enumerate(marks):
        if mark == " ":
            continue
        left = (game.board.masks[box] & ~drawn).bit_count()
        if left:
            row, col = divmod(box, game.cols)
            where = f"Line {first + 2 * row + 1}, column {2 * col + 2}"
            raise BadText(f"{where}: the box of {mark} is not finished, {left} of its lines are not drawn.")
        owned[_OWNERS[mark]] |= 1 << box
    return owned[0], owned[1]


def write_ascii(state: DotsState) -> str:
    """Return a board drawn with + - and |, below a line with the player to move."""
    board = moves.grid_of(state.game, "ascii")
    letters = {owner: letter for letter, owner in _OWNERS.items()}
    rows = [f"0 16 1 {'AB'[state.to_move]}"]
    for row in range(board.rows + 1):
        across = ["-" if state.drawn >> board.horizontal(row, col) & 1 else " " for col in range(board.cols)]
        rows.append("+" + "".join(f"{line}+" for line in across))
        if row < board.rows:
            down = ["|" if state.drawn >> board.vertical(row, col) & 1 else " " for col in range(board.cols + 1)]
            boxes = state.owners[row * board.cols : (row + 1) * board.cols]
            inside = [" " if owner is None else letters[owner] for owner in boxes]
            rows.append("".join(a + b for a, b in zip(down, [*inside, ""], strict=True)).rstrip())
    return "\n".join(rows)


def read_record(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of one line of JSON, every move checked. Players and times are left out."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) != 1:
        raise BadText(f"Expected one record on one line, got {len(lines)} lines.")
    number, line = lines[0]
    try:
        record = GameRecord.from_json(line)
    except BadText as error:
        raise BadText(f"Line {number}: {error}.") from None
    if record.game != Dots.name:
        raise BadText(f"Line {number}: this is a game of {record.game!r}, not of {Dots.name}.")
    try:
        states = replay(record)
    except BadText as error:
        raise BadText(f"Line {number}: {error}") from None
    start = cast(DotsState, states[0])
    if asked is not None and start.game != asked:
        options = ", ".join(f"{key}={value}" for key, value in start.game.options.items() if key != "graph")
        raise BadText(
            f"Line {number}: this game was played {f'with {options}' if options else 'on a graph'}, not on the board "
            "asked for."
        )
    return PlayedGame(start, tuple(start.game.parse_move(move) for move in record.moves))


def write_record(played: PlayedGame) -> str:
    """Return a record of unknown players, finished or not."""
    game, end = played.game, played.end
    outcome = end.outcome()
    return GameRecord(
        game=game.name,
        options=game.options,
        agents=(UNKNOWN_PLAYER, UNKNOWN_PLAYER),
        moves=tuple(game.move_text(move) for move in played.moves),
        result="*" if outcome is None else outcome.result,
        reason="not finished" if outcome is None else outcome.reason,
        start=None if played.start == game.start() else game.position_text(played.start),
    ).to_json()


GAMES: Mapping[str, tuple[Callable[[str, Dots | None], PlayedGame], Callable[[PlayedGame], str]]] = {
    "ids": (moves.read_ids, moves.write_ids),
    "lines": (moves.read_lines, moves.write_lines),
    "littlegolem": (moves.read_littlegolem, moves.write_littlegolem),
    "dbl": (moves.read_dbl, moves.write_dbl),
    "trmph": (moves.read_trmph, moves.write_trmph),
    "record": (read_record, write_record),
}
"""Notations of games, each with how it is read and written."""
POSITIONS: Mapping[str, tuple[Callable[[str, Dots | None], DotsState], Callable[[DotsState], str]]] = {
    "ascii": (read_ascii, write_ascii),
    "hex": (lambda text, asked: (asked or Dots()).parse_position(text), lambda state: state.game.position_text(state)),
}
"""Notations of positions."""
NOTATIONS = (*GAMES, *POSITIONS)


class _Look(NamedTuple):
    """How a notation is recognised and presented."""

    label: str
    pattern: str
    has_size: bool = False  # whether its texts state the size of the board


_LOOKS: Mapping[str, _Look] = {
    "record": _Look("Record of kibitz", r"\A\s*\{", has_size=True),
    "trmph": _Look("trmph.com", r"\A\s*(\S*trmph\S*)?#[0-9]+,", has_size=True),
    "dbl": _Look("KSquares (dbl)", r"\(", has_size=True),
    "ascii": _Look("Drawing with + - |", r"\+", has_size=True),
    "littlegolem": _Look("Little Golem", r"[a-j][0-9]+-[a-j][0-9]"),
    "lines": _Look("h and v with row and column", r"\A\s*[hvHV][ ,]*[0-9]"),
    "ids": _Look("Numbers of lines", r"\A[\s,]*((1[0-7][0-9]|[1-9]?[0-9])\b[\s,]*)++\Z"),
    "hex": _Look("Hexadecimal", r"(?i)\A\s*(0x)?[0-9a-f]{1,48}(\s+[12.-]+(\s+[12])?)?\s*\Z"),
}
"""In the order in which detect() tries them."""


class DotsNotations:
    """The notations as a part of the game package."""

    kinds = tuple(Notation(name, _LOOKS[name].label, "game" if name in GAMES else "position") for name in NOTATIONS)

    def read(self, game: Dots, text: str, name: str | None, /) -> tuple[DotsState, tuple[Move, ...]]:
        """Return the start and the moves of a text in a notation, autodetected if None. Raise BadText or BadOption.

        A notation that states the size of its board is read on that board, any other on the game's.
        """
        name = name or detect(text)
        found = read(text, name, None if name in _LOOKS and _LOOKS[name].has_size else game)
        return (found, ()) if isinstance(found, DotsState) else (found.start, found.moves)

    def write(
        self, states: Sequence[DotsState], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Return a game, or its last position, in a notation. Raise BadOption or BadText.

        No notation has room for a signature: records name agents, not people.
        """
        return write(states[-1] if name in POSITIONS else PlayedGame(states[0], tuple(moves)), name)
