"""The text lines of GTP 2, the Go Text Protocol: parses commands, colours and vertices, formats answers."""

from __future__ import annotations

import re
from typing import NamedTuple

from kibitz.core.errors import BadText
from kibitz.core.game import Move, Player
from kibitz.core.untrusted import printable
from kibitz.games.go.rules import Go, GoScore

MAX_LINE_BYTES = 100_000  # maximum length of a command; long enough for all moves of the longest game
INTERRUPT = "# interrupt"
"""The comment with which GoGui asks for an immediate move."""
_VERTEX = re.compile(r"[A-HJ-Za-hj-z][1-9][0-9]?|pass", re.ASCII | re.IGNORECASE)


class GtpCommand(NamedTuple):
    """A parsed command."""

    id: str  # the number that the answer must echo, or empty
    name: str
    args: list[str]


def read_command(line: str) -> GtpCommand | None:
    """Parse a line, ignoring control characters and comments; return its command, or None if it is empty."""
    text = "".join(char for char in line.replace("\t", " ") if char >= " " and char != "\x7f").partition("#")[0]
    words = text.split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return GtpCommand(number, words[0], words[1:]) if words else None


def answer(id: str, text: str, succeeded: bool = True) -> str:
    """Format an answer, removing control characters, and empty lines, which would end it early."""
    body = "\n".join(printable(line) for line in text.splitlines() if line.strip())
    return f"{'=' if succeeded else '?'}{id} {body}\n\n"


def read_colour(word: str) -> Player:
    """Parse b, black, w or white; return the player. Raise BadText for any other text."""
    player = {"b": 0, "black": 0, "w": 1, "white": 1}.get(word.lower())
    if player is None:
        raise BadText(f"invalid color {word[:20]!r}: write b or w")
    return player


def read_vertex(game: Go, word: str) -> Move:
    """Parse a GTP vertex or "pass"; return the move. Raise BadText for any other text."""
    if not _VERTEX.fullmatch(word):
        raise BadText(f"invalid coordinate {word[:20]!r}: write a letter and a number, or pass")
    return game.parse_move(word)


def score_text(score: GoScore) -> str:
    """Return a score as GTP and SGF write it: B+3.5, W+7, 0."""
    margin = score.margin
    return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"
