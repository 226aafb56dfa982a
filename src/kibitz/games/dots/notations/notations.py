"""The notations of other programs for Dots-and-Boxes, and ours: read, written and autodetected.

A game is lines in order, a position is lines with owners and the player to move. A game can be written as the
position at its end; a position has no order of lines and cannot be written as a game. Here is the same game of five
lines on 2x2 in every notation (/ is a line break), the second player having taken the top left box:

    ids          0 6 2 7 5
    lines        h 0 0 / v 0 0 / h 1 0 / v 0 1 / h 2 1
    littlegolem  1. a3-b3 2. a2-a3 / 3. a2-b2 4. b2-b3, b1-c1
    dbl          2,2 / (0, 0) - (1, 0) / (0, 0) - (0, 1) / (0, 1) - (1, 1) / (1, 0) - (1, 1) / (1, 2) - (2, 2)
    trmph        #2,b5a4b3c4d1
    ascii        0 16 1 A / +-+ + / |B| / +-+ + / / + +-+
    hex          e5 2... 1
    record       {"game":"dots","options":{"rows":2,"cols":2,"start":"empty"}, ...

- ids: the ids of lines as graph.py numbers them, separated by blanks or commas.
- lines: h or v with row and column; several may share a line of the text.
- littlegolem: as the players of Little Golem write it (Knox 2004, in its forum). Dots are columns a, b, ... from the
  left and rows 1, 2, ... from the bottom. A turn is all lines that one player draws up to the first that takes no
  box, separated by commas. Commas are checked against the boxes taken, and numbers, which are optional, against the
  turns.
- dbl: as KSquares (the edition of T. V. Peters, 2014) saves it. Columns and rows of boxes, then dots with y down from
  the top, in either order; lines with # are comments. By KSquares' source code, files of Dabble itself look the same
  but count dots, not boxes, and join boxes, not dots: they would be misread.
- trmph: the end of a link http://www.trmph.com/dnb/board#... or the whole link. The size of the square board, then
  places of a lattice of dots, lines and boxes, columns from a at the left and rows from 1 at the bottom. That rows
  count from the bottom is taken from a program that reads such links and from players' usage.
- ascii: as Wilson's analysis program of 2002 reads it. A is the first player, B the second. The first line is the
  penalty of the last move, which must be 0, then memory and disk, which mean nothing here, and the player to move.
  Our additions: any of the first line may be left out; A moves by default; a finished box without a letter is
  nobody's. Blanks at the ends of lines are optional.
- hex: as rules.py writes a position.
- record: as kibitz.core.record stores a game, one line of JSON. Converted from another notation, its players and
  times are unknown.

dbl, trmph, ascii and record state the size, which must match the size asked for, if any. The others are read on the
board asked for, by default 5x5. Only ids, lines and record can express games that begin with lines drawn; only ids,
hex and record can express graphs other than grids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from kibitz.core.defaults.notations import UnsignedNotations, unknown_notation
from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Move
from kibitz.core.parts import Notation, Signature
from kibitz.core.record import GameRecord, replay
from kibitz.games.dots.rules import NOBODY, Dots, DotsState
from kibitz.games.dots.rules.graph import Graph, String
from kibitz.games.dots.rules.rules import MAX_BOARD_SIZE

Dot: TypeAlias = tuple[int, int]  # x to the right and y down, both from 0 in the top left corner

MAX_TEXT_LENGTH = 1_000_000  # maximum length of a text that is read, in characters
UNKNOWN_PLAYER = "unknown"  # the name of both players of a game whose notation has no names

_ID = re.compile(r"[^\s,]+")
_LINE = re.compile(r"[hv][ ,]*[0-9][ ,]+[0-9](?![0-9])", re.IGNORECASE)
_PAIR = re.compile(r"(?:([0-9]{1,3})\.\s*)?(([a-j])([1-9]|10)-([a-j])([1-9]|10))(?![0-9])\s*(,?)")
_SIZE = re.compile(r"[ \t]*([0-9]{1,4})[ \t]*,[ \t]*([0-9]{1,4})[ \t\r]*$", re.MULTILINE)
_DOT = r"\([ \t]*([0-9]{1,4})[ \t]*,[ \t]*([0-9]{1,4})[ \t]*\)"
_DOT_PAIR = re.compile(rf"{_DOT}[ \t]*-[ \t]*{_DOT}[ \t\r]*$", re.MULTILINE)
_LINK = re.compile(r"\s*(?:(?:https?://)?(?:www\.)?trmph\.com/dnb/board)?#([0-9]{1,4}),")
_PLACE = re.compile(r"([a-z])([0-9]{1,4})")
_ASCII_HEADER = re.compile(r"(-?[0-9]{1,9})(?:[ \t]+[0-9]{1,9}){0,2}(?:[ \t]+([AB]))?")
_ASCII_OWNERS = {"A": 0, "B": 1, " ": NOBODY}

_BLANKS = re.compile(r"\s*")
_BLANKS_OR_COMMAS = re.compile(r"[\s,]*")
_BLANKS_OR_PUNCTUATION = re.compile(r"[\s,;]*")
_BLANKS_OR_COMMENTS = re.compile(r"(?:^[ \t]*#.*$|\s)*+", re.MULTILINE)


@dataclass(frozen=True)
class PlayedGame:
    """A game: where it started, and its lines in the order in which they were drawn."""

    start: DotsState
    moves: tuple[Move, ...]

    @property
    def game(self) -> Dots:
        """The game with its board and options."""
        return self.start.game

    @property
    def end(self) -> DotsState:
        """The position after the last line."""
        state = self.start
        for move in self.moves:
            state = state.play(move)
        return state


def read(text: str, notation: str, asked: Dots | None = None) -> PlayedGame | DotsState:
    """Parse a text in a notation; return its game or position. asked: the board to read it on, see the module.

    Raise BadText with the place of the fault, or BadOption for an unknown notation.
    """
    if notation not in _FORMATS:
        raise unknown_notation(notation, NOTATIONS)
    if len(text) > MAX_TEXT_LENGTH:
        raise BadText(f"The text has {len(text)} characters; at most {MAX_TEXT_LENGTH} are allowed.")
    if asked is not None:
        _check_expressible(asked, notation)
    return _FORMATS[notation].read(text, asked)


def write(content: PlayedGame | DotsState, notation: str) -> str:
    """Write a game or position in a notation, without a final line break. Raise BadText if that is impossible."""
    if notation not in _FORMATS:
        raise unknown_notation(notation, NOTATIONS)
    if isinstance(content, DotsState):
        if notation in GAMES:
            only = " or ".join(POSITIONS)
            raise BadText(f"A position has no order of lines, so it cannot be written as {notation}, only as {only}.")
        content = PlayedGame(content, ())
    elif notation in GAMES and notation != "record" and content.start != content.game.start():
        raise BadText(f"The game began from a set-up position, which {notation} cannot express; use record.")
    _check_expressible(content.game, notation)
    return _FORMATS[notation].write(content)


def detect(text: str) -> str:
    """Return the notation that a text seems to be in. Raise BadText if the text resembles none.

    Numbers that could be ids or hex count as ids. The text may still turn out to be invalid.
    """
    for notation in _DETECTED:
        if re.search(_FORMATS[notation].pattern, text[:MAX_TEXT_LENGTH]):
            return notation
    raise BadText(f"The notation was not recognised; name it if it is one of {', '.join(NOTATIONS)}.")


def _check_expressible(game: Dots, notation: str) -> None:
    """Raise BadText for a graph or a start that a notation cannot express."""
    if game.graph and not _FORMATS[notation].has_graphs:
        raise BadText(f"{notation} is for grids, not for other graphs; use ids, hex or record.")
    if game.border and not _FORMATS[notation].has_starts:
        raise BadText(f"{notation} cannot express start={game.start_}; use ids, lines or record.")


# Games as lists of lines


def _read_moves(
    text: str,
    game: Dots,
    token: re.Pattern[str],
    gap: re.Pattern[str],
    expected: str,
    line_of: Callable[[re.Match[str]], String],
    *,
    start: int = 0,
    group: int = 0,
) -> PlayedGame:
    """Parse tokens separated only by gaps, from the offset `start` on; return the game.

    line_of converts a token to a line, and every line is played by the rules. Raise BadText for an invalid token,
    saying what was expected, or for an invalid line, with the place of the token's `group` in the text.
    """
    state, moves, offset = game.start(), list[Move](), start
    while True:
        skipped = gap.match(text, offset)
        offset = skipped.end() if skipped else offset
        if offset == len(text):
            return PlayedGame(game.start(), tuple(moves))
        found = token.match(text, offset)
        if found is None:
            raise BadText(f"{_place(text, offset)}: {_excerpt(text, offset)!r} is not {expected}.")
        try:
            moves.append(line_of(found))
            state = state.play(moves[-1])
        except (BadText, IllegalMove) as error:
            raise BadText(f"{_place(text, found.start(group))}: {error}") from None
        offset = found.end()


def _place(text: str, offset: int) -> str:
    """Return a place in a text in words: "Line 2, column 5", both from 1."""
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return f"Line {line}, column {column}"


def _excerpt(text: str, offset: int = 0) -> str:
    """Return up to 24 characters from an offset on, within one line."""
    return text[offset : offset + 24].split("\n", 1)[0].rstrip()


def _game_of_size(asked: Dots | None, rows: int, cols: int, where: str) -> Dots:
    """Return the game on a board of this size. Raise BadText if it is too large or not the size of `asked`."""
    if not (1 <= rows <= MAX_BOARD_SIZE and 1 <= cols <= MAX_BOARD_SIZE):
        largest = f"{MAX_BOARD_SIZE}x{MAX_BOARD_SIZE}"
        raise BadText(f"{where}: a board of {rows}x{cols} boxes is not possible, only 1x1 to {largest}.")
    if asked is not None and (asked.rows, asked.cols) != (rows, cols):
        wanted = f"{asked.rows}x{asked.cols} boxes were asked for"
        raise BadText(f"{where}: this is a board of {rows}x{cols} boxes (rows x columns), but {wanted}.")
    return asked or Dots(rows, cols)


def _dots_of(board: Graph, line: String) -> tuple[Dot, Dot]:
    """Return the dots of a line: left and right, or upper and lower."""
    kind, row, col = board.coordinates(line)
    return (col, row), ((col + 1, row) if kind == "h" else (col, row + 1))


def _line_between(board: Graph, first: Dot, second: Dot, word: str) -> String:
    """Return the line between two dots. Raise BadText, quoting `word`, if there is no such line."""
    (x1, y1), (x2, y2) = sorted((first, second))
    if x1 < 0 or x2 > board.cols or min(y1, y2) < 0 or max(y1, y2) > board.rows:
        raise BadText(f"{word} lies outside the board of {board.rows}x{board.cols} boxes.")
    if (x2 - x1, y2 - y1) == (1, 0):
        return board.horizontal(y1, x1)
    if (x2 - x1, y2 - y1) == (0, 1):
        return board.vertical(y1, x1)
    raise BadText(f"{word} is not a line: a line joins two dots side by side or one above the other.")


def _read_ids(text: str, asked: Dots | None) -> PlayedGame:
    game = asked or Dots()
    ids = game.board.ids

    def line_of(found: re.Match[str]) -> String:
        if found[0] not in ids:
            known = f"0 to {len(ids) - 1}" if game.board.is_grid else "those of the graph"
            raise BadText(f"{_excerpt(found[0])!r} is not the id of a line; the ids are {known}.")
        return ids.index(found[0])

    return _read_moves(text, game, _ID, _BLANKS_OR_COMMAS, "the number of a line", line_of)


def _read_lines(text: str, asked: Dots | None) -> PlayedGame:
    game, wanted = asked or Dots(), "a line: write h ROW COL or v ROW COL"
    return _read_moves(text, game, _LINE, _BLANKS_OR_PUNCTUATION, wanted, lambda found: game.board.parse_line(found[0]))


def _read_littlegolem(text: str, asked: Dots | None) -> PlayedGame:
    game = asked or Dots()

    def line_of(found: re.Match[str]) -> String:
        first, second = ((ord(found[i]) - ord("a"), game.rows + 1 - int(found[i + 1])) for i in (3, 5))
        return _line_between(game.board, first, second, found[2])

    played = _read_moves(text, game, _PAIR, _BLANKS, "a line: write two dots such as a1-b1", line_of, group=2)
    _check_turns(text, list(_PAIR.finditer(text)), played)
    return played


def _check_turns(text: str, tokens: Sequence[re.Match[str]], played: PlayedGame) -> None:
    """Raise BadText if a comma or the number of a turn contradicts the boxes that were taken."""
    state, turn, inside_turn = played.start, 1, False
    for i, (found, move) in enumerate(zip(tokens, played.moves, strict=True)):
        number, pair, comma, where = found[1], found[2], found[7], _place(text, found.start(2))
        if number is not None and (inside_turn or int(number) != turn):
            now = f"turn {turn} is not over" if inside_turn else f"this is turn {turn}"
            raise BadText(f"{_place(text, found.start(1))}: {now}, but the number is {number}.")
        takes, last = bool(state.taken_by(move)), i == len(tokens) - 1
        if comma and not takes:
            raise BadText(f"{where}: {pair} takes no box, so the turn ends with it and no comma may follow.")
        if comma and last:
            raise BadText(f"{where}: no line follows the comma after {pair}.")
        if takes and not comma and not last:
            raise BadText(f"{where}: {pair} takes a box, so the same player goes on and a comma must follow.")
        state, inside_turn, turn = state.play(move), takes, turn + (not takes)


def _write_littlegolem(played: PlayedGame) -> str:
    """Write numbered turns, two to a line of text: the first player's and the second player's."""
    turns, state, inside_turn = list[list[str]](), played.start, False
    for move in played.moves:
        dots = sorted(_dots_of(played.game.board, move), key=lambda dot: (dot[0], -dot[1]))  # from the left or below
        if not inside_turn:
            turns.append([])
        turns[-1].append("-".join(f"{chr(ord('a') + x)}{played.game.rows + 1 - y}" for x, y in dots))
        inside_turn, state = bool(state.taken_by(move)), state.play(move)
    numbered = [f"{number}. {', '.join(pairs)}" for number, pairs in enumerate(turns, 1)]
    return "\n".join(" ".join(numbered[i : i + 2]) for i in range(0, len(numbered), 2))


def _read_dbl(text: str, asked: Dots | None) -> PlayedGame:
    comments = _BLANKS_OR_COMMENTS.match(text)
    offset = comments.end() if comments else 0
    size = _SIZE.match(text, offset)
    if size is None:
        raise BadText(f"{_place(text, offset)}: {_excerpt(text, offset)!r} is not a board size: write W,H first.")
    game = _game_of_size(asked, int(size[2]), int(size[1]), _place(text, offset))

    def line_of(found: re.Match[str]) -> String:
        x1, y1, x2, y2 = map(int, found.groups())
        return _line_between(game.board, (x1, y1), (x2, y2), f"({x1}, {y1}) - ({x2}, {y2})")

    expected = "a line: write (x1, y1) - (x2, y2)"
    return _read_moves(text, game, _DOT_PAIR, _BLANKS_OR_COMMENTS, expected, line_of, start=size.end())


def _write_dbl(played: PlayedGame) -> str:
    pairs = [_dots_of(played.game.board, move) for move in played.moves]
    return "\n".join([f"{played.game.cols},{played.game.rows}", *(f"{first} - {second}" for first, second in pairs)])


def _read_trmph(text: str, asked: Dots | None) -> PlayedGame:
    link = _LINK.match(text)
    if link is None:
        words = "is not a trmph link: it must contain #, the size and a comma"
        raise BadText(f"{_place(text, 0)}: {_excerpt(text)!r} {words}.")
    size = int(link[1])
    game, side = _game_of_size(asked, size, size, _place(text, link.start(1))), 2 * size + 1

    def line_of(found: re.Match[str]) -> String:
        across, up = ord(found[1]) - ord("a"), int(found[2]) - 1  # from 0; a dot where both are even
        if across >= side or not 0 <= up < side:
            raise BadText(f"{found[0]} lies outside the board: the last place is {chr(ord('a') + side - 1)}{side}.")
        if across % 2 == up % 2:
            raise BadText(f"{found[0]} is a {'box' if across % 2 else 'dot'}, not a line.")
        col, row = across // 2, (side - 1 - up) // 2
        return game.board.horizontal(row, col) if across % 2 else game.board.vertical(row, col)

    return _read_moves(text, game, _PLACE, _BLANKS, "a line: write a letter and a number", line_of, start=link.end())


def _write_trmph(played: PlayedGame) -> str:
    """Write the part of a trmph link from # on. Raise BadText if the board is not square."""
    game, places = played.game, ""
    if game.rows != game.cols:
        raise BadText(f"trmph has square boards only, not {game.rows}x{game.cols}.")
    for move in played.moves:
        (x1, y1), (x2, y2) = _dots_of(game.board, move)  # the lattice has half steps: a line's middle is at the sum
        places += f"{chr(ord('a') + x1 + x2)}{2 * game.rows + 1 - y1 - y2}"
    return f"#{game.rows},{places}"


# Positions drawn with + - and |


def _read_ascii(text: str, asked: Dots | None) -> DotsState:
    rows = [row.rstrip() for row in text.rstrip().split("\n")]
    top = next((i for i, row in enumerate(rows) if row), 0)
    to_move = 0
    if not rows[top].startswith("+"):
        to_move = _read_ascii_header(rows[top], f"Line {top + 1}")
        top += 1
    drawing = rows[top:]
    if not drawing or not re.fullmatch(r"\+([- ]\+)+", drawing[0]):
        raise BadText(f"Line {top + 1}: the board must begin here, with its top row of dots such as + +-+.")
    if len(drawing) % 2 == 0:
        raise BadText(f"Line {top + len(drawing)}: a row of dots is missing below this one.")
    game = _game_of_size(asked, len(drawing) // 2, len(drawing[0]) // 2, f"Line {top + 1}")
    drawn, marks = _read_drawing(drawing, game, top + 1)
    game.check_border(drawn)
    owned = [0, 0]
    for box, mark in enumerate(marks):
        left = (game.board.masks[box] & ~drawn).bit_count()
        if mark != " " and left:
            row, col = divmod(box, game.cols)
            where = f"Line {top + 2 * row + 2}, column {2 * col + 2}"
            raise BadText(f"{where}: the box of {mark} is not finished, {left} of its lines are not drawn.")
        if mark != " ":
            owned[_ASCII_OWNERS[mark]] |= 1 << box
    return DotsState(game, drawn, (owned[0], owned[1]), to_move)


def _read_ascii_header(words: str, where: str) -> int:
    """Parse the line above a drawn board; return the player to move. Raise BadText if the line is invalid."""
    found = _ASCII_HEADER.fullmatch(words.strip())
    if found is None:
        raise BadText(f"{where}: the line above the board must be up to three numbers and A or B, such as 0 16 1 A.")
    if int(found[1]):
        raise BadText(f"{where}: the penalty for the last move is {found[1]}, but only 0 is supported.")
    return _ASCII_OWNERS[found[2] or "A"]


def _read_drawing(drawing: Sequence[str], game: Dots, first: int) -> tuple[int, list[str]]:
    """Parse a drawn board that begins in line `first` of the text; return the lines and box marks. Raise BadText."""
    drawn, marks, width = 0, list[str](), 2 * game.cols + 1
    for y, row in enumerate(drawing):
        for x, mark in enumerate(f"{row:<{width}}"):
            # dots and horizontal lines in even rows, vertical lines and boxes in odd ones
            allowed = "" if x >= width else (("+", "- "), ("| ", "AB "))[y % 2][x % 2]
            if mark not in allowed or not allowed:
                expected = " or ".join(map(repr, allowed)) or "the end of the line"
                raise BadText(f"Line {first + y}, column {x + 1}: expected {expected}, got {mark!r}.")
            if mark == "-":
                drawn |= 1 << game.board.horizontal(y // 2, x // 2)
            elif mark == "|":
                drawn |= 1 << game.board.vertical(y // 2, x // 2)
            elif x % 2 and y % 2:
                marks.append(mark)
    return drawn, marks


def _write_ascii(played: PlayedGame) -> str:
    state, board = played.end, played.game.board
    letters = {None: " "} | {owner: letter for letter, owner in _ASCII_OWNERS.items()}
    rows = [f"0 16 1 {'AB'[state.to_move]}"]
    for row in range(board.rows + 1):
        across = ["-" if state.drawn >> board.horizontal(row, col) & 1 else " " for col in range(board.cols)]
        rows.append("+" + "".join(f"{line}+" for line in across))
        if row < board.rows:
            down = ["|" if state.drawn >> board.vertical(row, col) & 1 else " " for col in range(board.cols + 1)]
            boxes = [letters[owner] for owner in state.owners[row * board.cols : (row + 1) * board.cols]]
            rows.append("".join(a + b for a, b in zip(down, [*boxes, ""], strict=True)).rstrip())
    return "\n".join(rows)


# Records


def _read_record(text: str, asked: Dots | None) -> PlayedGame:
    """Parse a game record, one line of JSON, and check every move; the players and times are ignored."""
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
        start = cast(DotsState, replay(record)[0])
    except BadText as error:
        raise BadText(f"Line {number}: {error}") from None
    if asked is not None and start.game != asked:
        options = ", ".join(f"{key}={value}" for key, value in start.game.options.items() if key != "graph")
        played = f"with {options}" if options else "on a graph"
        raise BadText(f"Line {number}: this game was played {played}, not on the board asked for.")
    return PlayedGame(start, tuple(start.game.parse_move(move) for move in record.moves))


def _write_record(played: PlayedGame) -> str:
    """Write a game record with unknown players; the game may be unfinished."""
    game, outcome = played.game, played.end.outcome()
    return GameRecord(
        game=game.name,
        options=game.options,
        agents=(UNKNOWN_PLAYER, UNKNOWN_PLAYER),
        moves=tuple(game.move_text(move) for move in played.moves),
        result="*" if outcome is None else outcome.result,
        reason="not finished" if outcome is None else outcome.reason,
        start=None if played.start == game.start() else game.position_text(played.start),
    ).to_json()


@dataclass(frozen=True)
class _Format:
    """A notation: how it is presented, recognised, read and written, and what it can express."""

    kind: Literal["game", "position"]
    label: str
    pattern: str  # found in texts of this notation
    read: Callable[[str, Dots | None], PlayedGame | DotsState]  # raises BadText and nothing else
    write: Callable[[PlayedGame], str]
    has_size: bool = False  # whether its texts state the size of the board
    has_graphs: bool = False  # whether it can express graphs other than grids
    has_starts: bool = False  # whether it can express boards with lines drawn at the start


_FORMATS: Mapping[str, _Format] = {
    "ids": _Format(
        "game", "Numbers of lines", r"\A[\s,]*((1[0-7][0-9]|[1-9]?[0-9])\b[\s,]*)++\Z", _read_ids,
        lambda played: " ".join(played.game.board.ids[move] for move in played.moves), has_graphs=True, has_starts=True,
    ),
    "lines": _Format(
        "game", "h and v with row and column", r"\A\s*[hvHV][ ,]*[0-9]", _read_lines,
        lambda played: "\n".join(played.game.board.line_text(move) for move in played.moves), has_starts=True,
    ),
    "littlegolem": _Format(
        "game", "Little Golem", r"[a-j][0-9]+-[a-j][0-9]", _read_littlegolem, _write_littlegolem,
    ),
    "dbl": _Format("game", "KSquares (dbl)", r"\(", _read_dbl, _write_dbl, has_size=True),
    "trmph": _Format("game", "trmph.com", r"\A\s*(\S*trmph\S*)?#[0-9]+,", _read_trmph, _write_trmph, has_size=True),
    "record": _Format(
        "game", "Record of kibitz", r"\A\s*\{", _read_record, _write_record,
        has_size=True, has_graphs=True, has_starts=True,
    ),
    "ascii": _Format(
        "position", "Drawing with + - |", r"\+", _read_ascii, _write_ascii, has_size=True, has_starts=True,
    ),
    "hex": _Format(
        "position", "Hexadecimal", r"(?i)\A\s*(0x)?[0-9a-f]{1,48}(\s+[12.-]+(\s+[12])?)?\s*\Z",
        lambda text, asked: (asked or Dots()).parse_position(text),
        lambda played: played.game.position_text(played.end), has_graphs=True, has_starts=True,
    ),
}  # fmt: skip
_DETECTED = ("record", "trmph", "dbl", "ascii", "littlegolem", "lines", "ids", "hex")  # the order of detect()

NOTATIONS = tuple(_FORMATS)
GAMES, POSITIONS = (
    tuple(name for name, each in _FORMATS.items() if each.kind == kind) for kind in ("game", "position")
)


class DotsNotations(UnsignedNotations):
    """The notations as a part of the game package."""

    kinds = tuple(Notation(name, each.label, each.kind) for name, each in _FORMATS.items())

    def read(self, game: Dots, text: str, name: str | None, /) -> tuple[DotsState, tuple[Move, ...]]:
        """Parse a text; return the first position and the moves. Raise BadText, or BadOption for an unknown notation.

        Autodetect the notation if name is None. If it states the board size, use that board, otherwise the game's.
        """
        name = name or detect(text)
        found = read(text, name, None if name in _FORMATS and _FORMATS[name].has_size else game)
        return (found, ()) if isinstance(found, DotsState) else (found.start, found.moves)

    def write(
        self, states: Sequence[DotsState], moves: Sequence[Move], name: str, signed: Signature | None = None, /
    ) -> str:
        """Write a game, or its last position, in a notation. Raise BadOption if the notation is unknown, or BadText.

        The signature is ignored: no notation has room for it, and records name agents, not people.
        """
        return write(states[-1] if name in POSITIONS else PlayedGame(states[0], tuple(moves)), name)
