"""A record as a tree: nodes with their properties, and what was wrong with the file. Written back, nothing is lost.

Knows the grammar of SGF, FF[1] to FF[4], but not what properties mean; record.py
does. Values are kept as they stand in the file, escapes included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from kibitz.games.go.sgf.encodings import encode

MOST_PROBLEMS = 100
"""So many problems of one game are listed."""
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BREAK = re.compile(r"\r\n|\n\r|\r")
_SPOILT = re.compile("[\ud800-\udfff]")


class Problem(NamedTuple):
    """Something wrong in a file, and where."""

    line: int
    """From 1; 0 where the reason tells the place."""
    column: int
    """From 1, in characters."""
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}" if self.line else self.reason


class Node:
    """One node: properties by identifier in the order of the file, and the nodes that follow it."""

    __slots__ = ("children", "place", "properties", "spellings")

    def __init__(self, place: int = 0) -> None:
        self.properties: dict[str, list[str]] = {}
        """Identifier in capitals -> values as they stand between their brackets."""
        self.children: list[Node] = []
        self.place = place
        """Where it begins in the text of its file, in characters."""
        self.spellings: dict[str, str] | None = None
        """Identifiers that are written with small letters, as FF[3] and before allow."""

    def value(self, identifier: str) -> str | None:
        """Return the first value of a property as one line of text, or None if it is not there."""
        values = self.properties.get(identifier)
        return simple_text(values[0]) if values else None

    def text(self, identifier: str) -> str | None:
        """Return the first value of a property as text with its line breaks, or None."""
        values = self.properties.get(identifier)
        return text_of(values[0]) if values else None


@dataclass(eq=False)
class GameTree:
    """One game of a file."""

    root: Node
    encoding: str = "utf-8"
    """The codec of the file that it was read from, and that it is written in."""
    problems: list[Problem] = field(default_factory=list)

    def main_line(self) -> Iterator[Node]:
        """Yield the root and then the first child of each node."""
        node = self.root
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]


def text_of(raw: str) -> str:
    """Return a value as text: escapes resolved, every line break a newline, a spoilt byte the replacement character."""
    if "\\" in raw:
        raw = _ESCAPE.sub(lambda found: "" if found[1][0] in "\r\n" else found[1], raw)
    if "\r" in raw:
        raw = _BREAK.sub("\n", raw)
    return raw if raw.isascii() else _SPOILT.sub("\N{REPLACEMENT CHARACTER}", raw)


def simple_text(raw: str) -> str:
    """Return a value as one line without spaces at its ends."""
    return " ".join(text_of(raw).split("\n")).replace("\t", " ").strip()


def escaped(text: str) -> str:
    """Return a text as a value. Opening brackets are escaped too, so that nobody takes them for those of a value."""
    return re.sub(r"([\[\]\\])", r"\\\1", text)


def write(trees: Sequence[GameTree]) -> bytes:
    """Return a file of these games, each in a line of its own, in the encoding of the first."""
    text = "".join(game_text(tree) + "\n" for tree in trees)
    return encode(text, trees[0].encoding if trees else "utf-8")


def game_text(tree: GameTree) -> str:
    """Return one game as text, with all its variations."""
    parts = ["("]
    todo: list[Node | str] = [tree.root]
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
