"""Reading SGF: parses any bytes into game trees with a list of problems.

One bad property does not make a file unreadable: whatever can be read is kept, and
problems are reported with line and column. Nothing is recursive, and sizes are
limited, so that no file can crash the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kibitz.core.errors import BadText
from kibitz.games.go.sgf.encodings import decode
from kibitz.games.go.sgf.servers import read_server_format
from kibitz.games.go.sgf.tree import MAX_PROBLEMS, GameTree, SgfNode, SgfProblem, escaped

MAX_NODES = 1_000_000  # stop reading a file after this many nodes
MAX_FILE_BYTES = 256 << 20

BOUNDARY = r"\n(?=[ \t]*\([ \t-\r]*;[ \t-\r]*(?:GM|FF|CA|SZ|AP)\[)"
"""Matches the newline before a line that must open a new game, whatever came before: "(;" and a root property."""
_START = re.compile(r"\((?=\s*;)", re.ASCII)
_HEADLESS = re.compile(r"\A\s*(?:\(\s*|;\s*)(?=[A-Z]{1,2}\s*\[)")
_SPACE = re.compile(r"\s*", re.ASCII)
_IDENTIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_]{0,59})\s{0,99}(?=\[)", re.ASCII)
_VALUE = re.compile(r"\[[^\]\\]*(?:\\.[^\]\\]*)*\]", re.DOTALL)
_JUNK = re.compile(r"(?:(?![A-Za-z][A-Za-z0-9_]{0,59}\s{0,99}\[)[^();])+", re.ASCII)
_SWALLOWED = re.compile(r"(\\\])?\s{0,9};\s{0,9}[BW]\s{0,9}\[[a-z]{0,2}\Z", re.ASCII)
_BARE = re.compile(r"(?<!\\)\[")
_CUT = re.compile(r"[;(\[]")
_NEXT_NODE = re.compile(r";\s*[BW]\s*\[", re.ASCII)


def read(data: bytes) -> list[GameTree]:
    """Parse all games of a file. Raise BadText if it is too large or has no game."""
    if len(data) > MAX_FILE_BYTES:
        raise BadText(f"The file has {len(data) >> 20} MB, but at most {MAX_FILE_BYTES >> 20} MB can be read at once.")
    text, encoding = decode(data)
    return read_text(text, encoding)


def read_text(text: str, encoding: str = "utf-8") -> list[GameTree]:
    """Parse all games of a text, in SGF or the format of a server. Raise BadText, with the reason, if it has none."""
    text = text.removeprefix("\ufeff")
    if not text.strip("\0 \t\r\n"):
        raise BadText("The file is empty.")
    if (tree := read_server_format(text, encoding)) is not None:
        return [tree]
    reader = _Reader(text, encoding)
    boundaries = [found.start() for found in re.finditer(BOUNDARY, text)]
    for start, end in zip([0, *boundaries], [*boundaries, len(text)], strict=True):
        reader.read_block(start, end)
    if not reader.trees and (found := _HEADLESS.match(text)):
        reader.read_game(found.end(), len(text), headless=True)
    if not reader.trees:
        raise BadText(_no_games_message(text))
    return reader.trees


def _no_games_message(text: str) -> str:
    """Return an error message for a text without games, naming the format that it looks like."""
    start = text.lstrip()[:40]
    formats = {
        "<": "a web page",
        "../": "the name of another file",
    }
    for opening, format_name in formats.items():
        if start.startswith(opening):
            return f"This is not SGF: it looks like {format_name}."
    return f"This is not SGF, which begins with '(;': it begins with {start!r}."


class _Reader:
    """Parses the games of one text and collects them in `trees`."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text, self.encoding = text, encoding
        self.trees: list[GameTree] = []
        self.nodes = 0
        self.unclosed = len(text)  # no value that begins at or after this place is ever closed
        self._closed = (0, 0)  # where the last closed value begins and ends
        self._breaks: list[int] | None = None

    def problem(self, place: int, reason: str) -> None:
        """Add a problem at a place in the text to the game being read."""
        problems = self.trees[-1].problems
        if len(problems) >= MAX_PROBLEMS:
            return
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self.text)]
        line = bisect_right(self._breaks, place - 1) if place else 0
        before = self._breaks[line - 1] if line else -1
        problems.append(SgfProblem(line + 1, place - before, reason))

    def read_block(self, start: int, end: int) -> None:
        """Read all games between two places in the text."""
        self.unclosed = end
        while (found := _START.search(self.text, start, end)) and self.nodes < MAX_NODES:
            between = self.text[start : found.start()].strip()
            if between and self.trees:
                self.problem(start, f"text after the game: {between[:40]!r}")
            start = self.read_game(found.end(), end)
        rest = self.text[start:end].strip("\0 \t\r\n\x1a")
        if rest and self.trees:
            self.problem(start, f"text after the game: {rest[:40]!r}")

    def read_game(self, place: int, end: int, headless: bool = False) -> int:
        """Read one game, starting after its opening bracket; return the place where it ends."""
        self.trees.append(GameTree(SgfNode(place), self.encoding))
        self.nodes += 1
        node, stack, begun = self.trees[-1].root, list[SgfNode](), False
        if headless:
            self.problem(0, "the game lacks its opening (;")
            begun = True
        text = self.text
        while True:
            place = _skip_space(text, place, end)
            char = text[place] if place < end else ""
            if char == ";":
                place += 1
                if begun:
                    node = self._add_child(node, place)
                begun = True
                if self.nodes >= MAX_NODES:
                    self.problem(place, f"the file has more than {MAX_NODES} nodes; the rest is left out")
                    return end
            elif char == "(":
                stack.append(node)
                place += 1
                if not text.startswith(";", _skip_space(text, place, end)):
                    self.problem(place, "a variation does not begin with ;")
                    node = self._add_child(node, place)
            elif char == ")":
                place += 1
                if not stack:
                    return place
                node = stack.pop()
            elif char == "":
                if not headless:
                    self.problem(place, "the game lacks its closing bracket )")
                return end
            elif found := _IDENTIFIER.match(text, place, end):
                place = self._read_property(node, found, end)
            elif char == "[":
                place = self._read_value(place, end, "", [])
                self.problem(place, "a value without a property is left out")
            else:
                junk = _JUNK.match(text, place, end)
                stop = junk.end() if junk else place + 1
                self.problem(place, f"{text[place:stop].strip()[:40]!r} is no property")
                place = stop

    def _add_child(self, node: SgfNode, place: int) -> SgfNode:
        """Append a new child to a node and return it."""
        child = SgfNode(place)
        node.children.append(child)
        self.nodes += 1
        return child

    def _read_property(self, node: SgfNode, found: re.Match[str], end: int) -> int:
        """Read a property and its values into a node; return the place where they end."""
        written, place = found[1], found.end()
        identifier = written if written.isupper() else "".join(c for c in written if not c.islower())
        if not identifier:
            self.problem(found.start(), f"{written!r} is no property: it has no capital letter")
            identifier = written
        elif identifier in node.properties:
            self.problem(found.start(), f"{identifier} stands twice in one node; the values are joined")
        values = node.properties.setdefault(identifier, [])
        if written != identifier:
            node.spellings = {**(node.spellings or {}), identifier: written}
        while self.text.startswith("[", place):
            place = self._read_value(place, end, identifier, values)
            after = _skip_space(self.text, place, end)
            if not self.text.startswith("[", after) or after >= end:
                break
            place = after
        return place

    def _read_value(self, place: int, end: int, identifier: str, values: list[str]) -> int:
        """Append one value to `values`; return the place where it ends. An unclosed value ends before the next move."""
        text, start, close = self.text, place + 1, self._closing(place, end)
        if close < 0:
            self.unclosed = min(self.unclosed, place)
            next_node = _NEXT_NODE.search(text, place, end)
            stop = next_node.start() if next_node else end
            self.problem(place, f"a value of {identifier} lacks its closing bracket ]")
            values.append(escaped(text[start:stop].rstrip().removesuffix(")")))
            return stop
        if _BARE.search(text, start, close):
            cut = (_CUT.search if identifier in ("B", "W") else _first_swallowed_move)(text, start, close)
            if cut:
                self.problem(place, f"a value of {identifier} lacks its closing bracket ]")
                # a backslash that escaped the missing bracket is kept, itself escaped
                lost = "\\\\" if text.startswith("\\]", cut.start(), close) else ""
                values.append(_closed_value(text[start : cut.start()].rstrip()) + lost)
                node = text.find(";", cut.start(), close)
                return close + 1 if node < 0 else node
        values.append(text[start:close])
        return close + 1

    def _closing(self, place: int, end: int) -> int:
        """Return the place of the ] that closes the value beginning at `place`, or -1 if it is missing."""
        start, close = self._closed
        if not start < place < close:
            found = _VALUE.match(self.text, place, end) if place < self.unclosed else None
            if found is None:
                return -1
            close = found.end() - 1
            self._closed = place, close
        return close


def _first_swallowed_move(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the match of the first move inside a value that lacks its closing bracket; None if there is no move."""
    first = None
    while cut := _SWALLOWED.search(text, max(end - 40, start), end):
        first, end = cut, cut.start()
    return first


def _closed_value(raw: str) -> str:
    """Return a truncated value, with a trailing backslash escaped, since it no longer escapes anything."""
    return raw + "\\" if (len(raw) - len(raw.rstrip("\\"))) % 2 else raw


def _skip_space(text: str, place: int, end: int) -> int:
    """Return the first place, at or after `place`, that is not white space."""
    found = _SPACE.match(text, place, end)
    return found.end() if found else place
