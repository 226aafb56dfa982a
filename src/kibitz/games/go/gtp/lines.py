"""The lines of GTP, the Go Text Protocol, version 2: reading commands, colours and vertices, writing answers."""

from __future__ import annotations

import re
from typing import NamedTuple

from kibitz.core.errors import BadText
from kibitz.core.game import Move, Player
from kibitz.core.untrusted import printable
from kibitz.games.go.rules import Go, GoScore

MAX_LINE_BYTES = 100_000  # maximum length of a command; a sequence of moves of the longest game is shorter
INTERRUPT = "# interrupt"
"""The comment by which GoGui asks for a move at once."""
_VERTEX = re.compile(r"[A-HJ-Za-hj-z][1-9][0-9]?|pass", re.ASCII | re.IGNORECASE)


class GtpCommand(NamedTuple):
    """A command of a line."""

    id: str  # the number that its answer must repeat, or empty
    name: str
    args: list[str]


def read_command(line: str) -> GtpCommand | None:
    """Return the command of a line, without control characters and comments; None if nothing is left."""
    text = "".join(char for char in line.replace("\t", " ") if char >= " " and char != "\x7f").partition("#")[0]
    words = text.split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return GtpCommand(number, words[0], words[1:]) if words else None


def answer(id: str, text: str, good: bool = True) -> str:
    """Return an answer, without the empty lines that would end it early and without control characters."""
    body = "\n".join(printable(line) for line in text.splitlines() if line.strip())
    return f"{'=' if good else '?'}{id} {body}\n\n"


def read_colour(word: str) -> Player:
    """Return the player of b, black, w or white. Raise BadText."""
    player = {"b": 0, "black": 0, "w": 1, "white": 1}.get(word.lower())
    if player is None:
        raise BadText(f"invalid color {word[:20]!r}: write b or w")
    return player


def read_vertex(game: Go, word: str) -> Move:
    """Return the move of a vertex as GTP writes it, or of "pass". Raise BadText for any other text."""
    if not _VERTEX.fullmatch(word):
        raise BadText(f"invalid coordinate {word[:20]!r}: write a letter and a number, or pass")
    return game.parse_move(word)


def score_text(score: GoScore) -> str:
    """Return a count as GTP and SGF write it: B+3.5, W+7, 0."""
    margin = score.margin
    return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"
