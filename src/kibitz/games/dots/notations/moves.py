"""Games as lists of lines: ids, lines, littlegolem, dbl and trmph, read and written.

notations.py shows an example of each. A dot is (x, y), counted from the top left
corner. Every line read is played on the rules, so that a line drawn twice is
reported where it stands. Readers raise BadText and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Move
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Graph, String
from kibitz.games.dots.rules.rules import MAX_BOARD_SIZE

Dot: TypeAlias = tuple[int, int]  # x to the right and y down, both from 0

_ID = re.compile(r"[^\s,]+")
_LINE = re.compile(r"[hv][ ,]*[0-9][ ,]+[0-9](?![0-9])", re.IGNORECASE)
_PAIR = re.compile(r"(?:([0-9]{1,3})\.\s*)?([a-j])([1-9]|10)-([a-j])([1-9]|10)(?![0-9])\s*(,?)")
_SIZE = re.compile(r"[ \t]*([0-9]{1,4})[ \t]*,[ \t]*([0-9]{1,4})[ \t\r]*$", re.MULTILINE)
_DOT = r"\([ \t]*([0-9]{1,4})[ \t]*,[ \t]*([0-9]{1,4})[ \t]*\)"
_DOTS = re.compile(rf"{_DOT}[ \t]*-[ \t]*{_DOT}[ \t\r]*$", re.MULTILINE)
_ADDRESS = re.compile(r"\s*(?:(?:https?://)?(?:www\.)?trmph\.com/dnb/board)?#([0-9]{1,4}),")
_PLACE = re.compile(r"([a-z])([0-9]{1,4})")

_BLANKS = re.compile(r"[\s,]*")
_BLANKS_OR_SEMICOLONS = re.compile(r"[\s,;]*")
_BLANKS_OR_COMMENTS = re.compile(r"(?:^[ \t]*#.*$|\s)*+", re.MULTILINE)


@dataclass(frozen=True)
class PlayedGame:
    """A game: where it started, and its lines in the order in which they were drawn."""

    start: DotsState
    moves: tuple[Move, ...]

    @property
    def game(self) -> Dots:
        """The board and its options."""
        return self.start.game

    @property
    def end(self) -> DotsState:
        """The position after the last line."""
        state = self.start
        for move in self.moves:
            state = state.play(move)
        return state


def place(text: str, offset: int) -> str:
    """Return where in a text something stands: "Line 2, column 5", both from 1."""
    return f"Line {text.count(chr(10), 0, offset) + 1}, column {offset - text.rfind(chr(10), 0, offset)}"


def game_of_size(asked: Dots | None, rows: int, cols: int, where: str) -> Dots:
    """Return the game on a board of this size. Raise BadText if it is too large or another one was asked for."""
    if not (1 <= rows <= MAX_BOARD_SIZE and 1 <= cols <= MAX_BOARD_SIZE):
        largest = f"{MAX_BOARD_SIZE}x{MAX_BOARD_SIZE}"
        raise BadText(f"{where}: a board of {rows}x{cols} boxes is not possible, only 1x1 to {largest}.")
    if asked is None:
        return Dots(rows, cols)
    if (asked.rows, asked.cols) != (rows, cols):
        wanted = f"{asked.rows}x{asked.cols} boxes were" if asked.board.is_grid else "a graph was"
        raise BadText(f"{where}: this is a board of {rows}x{cols} boxes (rows x columns), but {wanted} asked for.")
    return asked


def _scan(text: str, at: int, token: re.Pattern[str], gap: re.Pattern[str], what: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text from an offset on, with nothing but gaps between them. Raise BadText."""
    while True:
        skipped = gap.match(text, at)
        at = skipped.end() if skipped else at
        if at == len(text):
            return
        found = token.match(text, at)
        if found is None:
            raise BadText(f"{place(text, at)}: {_excerpt(text, at)!r} is not {what}.")
        yield found
        at = found.end()


def _excerpt(text: str, at: int) -> str:
    """Return the first word or so from an offset on."""
    return text[at : at + 24].split("\n", 1)[0].rstrip()


def _play(text: str, game: Dots, lines: Sequence[tuple[int, Move]]) -> PlayedGame:
    """Return the game of these lines, each with its offset in the text. Raise BadText for one that is drawn already."""
    state = start = game.start()
    for offset, move in lines:
        try:
            state = state.play(move)
        except IllegalMove as error:
            raise BadText(f"{place(text, offset)}: {error}") from None
    return PlayedGame(start, tuple(move for _, move in lines))


def grid_of(game: Dots, notation: str) -> Graph:
    """Return the board of a game if it is a grid. Raise BadText if it is not."""
    if not game.board.is_grid:
        raise BadText(f"{notation} is for grids, not for other graphs; use ids, hex or record.")
    return game.board


def _starting_empty(game: Dots, notation: str) -> Dots:
    """Return a game on a grid that starts with nothing drawn. Raise BadText for any other."""
    grid_of(game, notation)
    if game.border:
        raise BadText(f"{notation} cannot express start={game.start_}: its games begin with nothing drawn.")
    return game


def _from_start(played: PlayedGame, notation: str) -> Dots:
    """Return the game that was played from its usual start. Raise BadText if it began from another position."""
    if played.start != played.game.start():
        raise BadText(f"The game began from a position of its own, which {notation} cannot express; use record.")
    return played.game


def _ends(board: Graph, line: String) -> tuple[Dot, Dot]:
    """Return the dots of a line: left and right, or upper and lower."""
    kind, row, col = board.line(line)
    return (col, row), ((col + 1, row) if kind == "h" else (col, row + 1))


def _line_between(where: str, word: str, board: Graph, first: Dot, second: Dot) -> String:
    """Return the line between two dots. Raise BadText with the word that names it and its place in the text."""
    (x1, y1), (x2, y2) = sorted((first, second))
    if x1 < 0 or x2 > board.cols or min(y1, y2) < 0 or max(y1, y2) > board.rows:
        raise BadText(f"{where}: {word} lies outside the board of {board.rows}x{board.cols} boxes.")
    if (x2 - x1, y2 - y1) == (1, 0):
        return board.horizontal(y1, x1)
    if (x2 - x1, y2 - y1) == (0, 1):
        return board.vertical(y1, x1)
    raise BadText(f"{where}: {word} is not a line: a line joins two dots side by side or one above the other.")


# ids


def read_ids(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of ids between blanks or commas."""
    game = asked or Dots()
    known = {name: line for line, name in enumerate(game.board.ids)}
    lines = []
    for found in _scan(text, 0, _ID, _BLANKS, "the number of a line"):
        if found[0] not in known:
            size = f"0 to {len(known) - 1}" if game.board.is_grid else "those of the graph"
            where = place(text, found.start())
            raise BadText(f"{where}: {_excerpt(found[0], 0)!r} is not the id of a line; the ids are {size}.")
        lines.append((found.start(), known[found[0]]))
    return _play(text, game, lines)


def write_ids(played: PlayedGame) -> str:
    """Return ids with blanks between them."""
    board = _from_start(played, "ids").board
    return " ".join(board.ids[move] for move in played.moves)


# lines


def read_lines(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of h ROW COL and v ROW COL."""
    game = asked or Dots()
    board = grid_of(game, "lines")
    lines = []
    for found in _scan(text, 0, _LINE, _BLANKS_OR_SEMICOLONS, "a line: write h ROW COL or v ROW COL"):
        try:
            lines.append((found.start(), board.parse_line(found[0])))
        except BadText as error:
            raise BadText(f"{place(text, found.start())}: {error}") from None
    return _play(text, game, lines)


def write_lines(played: PlayedGame) -> str:
    """Return h ROW COL and v ROW COL, each on a line of its own."""
    board = grid_of(_from_start(played, "lines"), "lines")
    return "\n".join(board.line_text(move) for move in played.moves)


# littlegolem


def read_littlegolem(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of pairs of dots, with commas inside a turn; turn numbers are optional."""
    game = _starting_empty(asked or Dots(), "littlegolem")
    tokens = list(_scan(text, 0, _PAIR, re.compile(r"\s*"), "a line: write two dots such as a1-b1"))
    lines = []
    for found in tokens:
        dots = [(ord(found[i]) - ord("a"), game.rows + 1 - int(found[i + 1])) for i in (2, 4)]
        line = _line_between(place(text, found.start(2)), _pair(found), game.board, dots[0], dots[1])
        lines.append((found.start(2), line))
    played = _play(text, game, lines)
    _check_turns(text, tokens, played)
    return played


def _pair(found: re.Match[str]) -> str:
    return f"{found[2]}{found[3]}-{found[4]}{found[5]}"


def _check_turns(text: str, tokens: list[re.Match[str]], played: PlayedGame) -> None:
    """Raise BadText where a comma or the number of a turn contradicts the boxes that were taken."""
    state, turn, inside = played.start, 1, False
    for i, (found, move) in enumerate(zip(tokens, played.moves, strict=True)):
        where, pair = place(text, found.start(2)), _pair(found)
        if found[1] is not None and (inside or int(found[1]) != turn):
            now = f"turn {turn} is not over" if inside else f"this is turn {turn}"
            raise BadText(f"{place(text, found.start(1))}: {now}, but the number is {found[1]}.")
        takes, last = bool(state.taken_by(move)), i == len(tokens) - 1
        if found[6] and not takes:
            raise BadText(f"{where}: {pair} takes no box, so the turn ends with it and no comma may follow.")
        if found[6] and last:
            raise BadText(f"{where}: no line follows the comma after {pair}.")
        if takes and not found[6] and not last:
            raise BadText(f"{where}: {pair} takes a box, so the same player goes on and a comma must follow.")
        state, inside, turn = state.play(move), takes, turn + (not takes)


def write_littlegolem(played: PlayedGame) -> str:
    """Return numbered turns, the first player's and the second's side by side."""
    game = _starting_empty(_from_start(played, "littlegolem"), "littlegolem")
    turns: list[list[str]] = []
    state, inside = played.start, False
    for move in played.moves:
        left_or_top, right_or_bottom = (f"{chr(ord('a') + x)}{game.rows + 1 - y}" for x, y in _ends(game.board, move))
        across = game.board.line(move)[0] == "h"
        pair = f"{left_or_top}-{right_or_bottom}" if across else f"{right_or_bottom}-{left_or_top}"
        if not inside:
            turns.append([])
        turns[-1].append(pair)
        inside, state = bool(state.taken_by(move)), state.play(move)
    numbered = [f"{number}. {', '.join(pairs)}" for number, pairs in enumerate(turns, 1)]
    return "\n".join(" ".join(numbered[i : i + 2]) for i in range(0, len(numbered), 2))


# dbl


def read_dbl(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of a file of KSquares."""
    begin = _BLANKS_OR_COMMENTS.match(text)
    at = begin.end() if begin else 0
    size = _SIZE.match(text, at)
    if size is None:
        raise BadText(f"{place(text, at)}: {_excerpt(text, at)!r} is not the size of a board: write W,H first.")
    game = _starting_empty(game_of_size(asked, int(size[2]), int(size[1]), place(text, at)), "dbl")
    lines = []
    for found in _scan(text, size.end(), _DOTS, _BLANKS_OR_COMMENTS, "a line: write (x1, y1) - (x2, y2)"):
        x1, y1, x2, y2 = map(int, found.groups())
        word = f"({x1}, {y1}) - ({x2}, {y2})"
        line = _line_between(place(text, found.start()), word, game.board, (x1, y1), (x2, y2))
        lines.append((found.start(), line))
    return _play(text, game, lines)


def write_dbl(played: PlayedGame) -> str:
    """Return the size and then each line on a line of its own."""
    game = _starting_empty(_from_start(played, "dbl"), "dbl")
    lines = [f"{game.cols},{game.rows}"]
    for move in played.moves:
        (x1, y1), (x2, y2) = _ends(game.board, move)
        lines.append(f"({x1}, {y1}) - ({x2}, {y2})")
    return "\n".join(lines)


# trmph


def read_trmph(text: str, asked: Dots | None) -> PlayedGame:
    """Return the game of a link, or of its part from # on."""
    begin = _ADDRESS.match(text)
    if begin is None:
        raise BadText(
            f"{place(text, 0)}: {_excerpt(text, 0)!r} is not a link of trmph: it must have #, the size and a comma."
        )
    size = int(begin[1])
    game = _starting_empty(game_of_size(asked, size, size, place(text, begin.start(1))), "trmph")
    lines = []
    for found in _scan(text, begin.end(), _PLACE, re.compile(r"\s*"), "a line: write a letter and a number"):
        across, up = ord(found[1]) - ord("a"), int(found[2]) - 1  # from 0; a dot where both are even
        where, side = place(text, found.start()), 2 * size + 1
        if across >= side or not 0 <= up < side:
            raise BadText(f"{where}: {found[0]} lies outside, the last place is {chr(ord('a') + side - 1)}{side}.")
        if across % 2 == up % 2:
            raise BadText(f"{where}: {found[0]} is a {'box' if across % 2 else 'dot'}, not a line.")
        col, row = across // 2, (side - 1 - up) // 2
        line = game.board.horizontal(row, col) if across % 2 else game.board.vertical(row, col)
        lines.append((found.start(), line))
    return _play(text, game, lines)


def write_trmph(played: PlayedGame) -> str:
    """Return the link from # on. Raise BadText for a board that is not square."""
    game = _starting_empty(_from_start(played, "trmph"), "trmph")
    if game.rows != game.cols:
        raise BadText(f"trmph has square boards only, not {game.rows}x{game.cols}.")
    places = []
    for move in played.moves:
        (x1, y1), (x2, y2) = _ends(game.board, move)  # the middle of a line is at their sum, in half steps
        places.append(f"{chr(ord('a') + x1 + x2)}{2 * game.rows + 1 - y1 - y2}")
    return f"#{game.rows},{''.join(places)}"
