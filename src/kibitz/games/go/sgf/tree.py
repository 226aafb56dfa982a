"""A record as a tree: nodes with their properties, and the problems of the file. Writing it back loses nothing.

Knows the grammar of SGF, FF[1] to FF[4], but not what the properties mean; that is
in record.py. Values are kept as they are in the file, escapes included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kibitz.games.go.sgf.encodings import encode

MAX_PROBLEMS = 100  # list at most this many problems of one game
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BREAK = re.compile(r"\r\n|\n\r|\r")
_INVALID = re.compile("[\ud800-\udfff]")


class SgfProblem(NamedTuple):
    """A problem in a file, and where it is."""

    line: int  # from 1; 0 if unknown, or if the reason gives the place
    column: int  # from 1, in characters
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason


class SgfNode:
    """A node: its properties in file order, and its children."""

    __slots__ = ("children", "place", "properties", "spellings")

    def __init__(self, place: int = 0) -> None:
        self.properties: dict[str, list[str]] = {}
        """Identifier in capitals -> the raw texts between the brackets."""
        self.children: list[SgfNode] = []
        self.place = place  # where the node begins in the file, in characters
        self.spellings: dict[str, str] | None = None
        """Identifier -> its spelling in the file, if that has lower case letters, which FF[3] and older allow."""

    def value(self, identifier: str) -> str | None:
        """Return the first value of a property as one line of text, or None if the node lacks the property."""
        values = self.properties.get(identifier)
        return simple_text(values[0]) if values else None

    def text(self, identifier: str) -> str | None:
        """Return the first value of a property as text with line breaks, or None if the node lacks the property."""
        values = self.properties.get(identifier)
        return text_of(values[0]) if values else None


@dataclass(eq=False)
class GameTree:
    """One game of a file."""

    root: SgfNode
    encoding: str = "utf-8"  # the codec used to read and write the file
    problems: list[SgfProblem] = field(default_factory=list)

    def main_line(self) -> Iterator[SgfNode]:
        """Yield the nodes of the main line: the root, its first child, that node's first child and so on."""
        node = self.root
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]


def text_of(raw: str) -> str:
    """Convert a raw value to text: resolve escapes, normalise line breaks, replace invalid bytes by U+FFFD."""
    if "\\" in raw:
        raw = _ESCAPE.sub(lambda found: "" if found[1][0] in "\r\n" else found[1], raw)
    if "\r" in raw:
        raw = _BREAK.sub("\n", raw)
    return raw if raw.isascii() else _INVALID.sub("\N{REPLACEMENT CHARACTER}", raw)


def simple_text(raw: str) -> str:
    """Convert a raw value to one line of text, without leading and trailing spaces."""
    return " ".join(text_of(raw).split("\n")).replace("\t", " ").strip()


def escaped(text: str) -> str:
    """Escape text for use as a value. Escapes [ too, so that no reader takes it for the start of a new value."""
    return re.sub(r"([\[\]\\])", r"\\\1", text)


def write(trees: Sequence[GameTree]) -> bytes:
    """Return the bytes of a file with these games, one per line, in the encoding of the first."""
    text = "".join(game_text(tree) + "\n" for tree in trees)
    return encode(text, trees[0].encoding if trees else "utf-8")


def game_text(tree: GameTree) -> str:
    """Return one game as SGF text, with all its variations."""
    parts = ["("]
    todo: list[SgfNode | str] = [tree.root]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        parts.append(";")
        for identifier, values in node.properties.items():
            parts.append((node.spellings or {}).get(identifier, identifier))
            parts += [f"[{value}]" for value in values]
        if len(node.children) == 1:
            todo.append(node.children[0])
        else:
            for child in reversed(node.children):
                todo += [")", child, "("]
    parts.append(")")
    return "".join(parts)
