"""Many games in SGF into arrays, fast: the compiled scanner for what is plain, the full reader for the rest.

The result is the same as that of reader.read and record.record_of on every game.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadText
from kibitz.games.go.sgf import scan_kernel
from kibitz.games.go.sgf.encodings import detect
from kibitz.games.go.sgf.reader import read_text
from kibitz.games.go.sgf.record import FIELDS, Record, record_of
from kibitz.games.go.sgf.tree import Problem, simple_text

MOST_GAMES = 1_000_000
"""So many games of one piece are read, so that no file fills the memory."""


class Refused(NamedTuple):
    """A game, or a file, that is not read, and why."""

    game: int
    """How many games of the file were read before it."""
    reason: str


@dataclass
class Games:
    """The main lines of many games; see record.py for plays."""

    data: bytes
    """The bytes that fields point into: the file, and what the full reader found."""
    plays: Any
    """uint16: the plays of all games, one after the other."""
    first: Any
    """int64 [games + 1]: where the plays of each game begin; at last, where they end."""
    sizes: Any
    """uint8 [games]: sizes of the boards."""
    fields: Any
    """int64 [games, FIELDS, 2]: begin and end of each value in data, 0 and 0 where there is none."""
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    """Game -> what was wrong with it."""
    refused: list[Refused] = field(default_factory=list)
    """Games that are no Go, or on no board that can be read."""

    def __len__(self) -> int:
        return len(self.sizes)

    def plays_of(self, game: int) -> Any:
        """Return the plays of a game."""
        return self.plays[self.first[game] : self.first[game + 1]]

    def raw(self, game: int, name: str) -> bytes | None:
        """Return the value of a field as it stands in the file, in UTF-8, or None."""
        start, end = self.fields[game, FIELDS.index(name)]
        return self.data[start:end] if start else None

    def value(self, game: int, name: str) -> str | None:
        """Return the value of a field as one line of text, or None."""
        raw = self.raw(game, name)
        return None if raw is None else simple_text(raw.decode("utf-8", "surrogateescape"))

    def record(self, game: int) -> Record:
        """Return one game by itself."""
        fields = {name: value for name in FIELDS if (value := self.value(game, name)) is not None}
        plays = array("H", self.plays_of(game).tolist())
        return Record(int(self.sizes[game]), fields, plays, self.problems.get(game, []))


def scan(data: bytes) -> Games:
    """Return every game of a file as arrays. A file without a game has one entry in `refused` and no games."""
    data = _as_utf8(data)
    rows = min(data.count(b"("), MOST_GAMES) + 1
    found = scan_kernel.Found(
        plays=np.zeros(len(data) // 4 + 1, np.uint16),
        first=np.zeros(rows + 1, np.int64),
        sizes=np.zeros(rows, np.uint8),
        spans=np.zeros((rows, 2), np.int64),
        fields=np.zeros((rows, 2 * len(FIELDS)), np.int64),
        codes=np.array([scan_kernel.pair(name) for name in FIELDS], np.int64),
        counts=np.zeros(3, np.int64),
    )
    scan_kernel.scan_games(np.frombuffer(data, np.uint8), found)
    games, plays = found.counts[scan_kernel.GAMES], found.counts[scan_kernel.PLAYS]
    if games == 0:
        return _read_whole(data)
    scanned = Games(
        data,
        found.plays[:plays],
        found.first[: games + 1],
        found.sizes[:games],
        found.fields[:games].reshape(games, len(FIELDS), 2),
    )
    if found.counts[scan_kernel.PLACE] < len(data):
        scanned.refused.append(Refused(int(games), f"more than {MOST_GAMES} games in one piece; the rest is left out"))
    return scanned if scanned.sizes.all() else _mended(scanned, found.spans)


def _as_utf8(data: bytes) -> bytes:
    """Return a file in UTF-8, without a mark; bytes that are not valid stay as they are."""
    encoding = detect(data)
    if encoding == "utf-8":
        return data
    errors = "replace" if encoding.startswith("utf-16") else "surrogateescape"
    return data.decode(encoding, errors).removeprefix("\ufeff").encode("utf-8", "surrogateescape")


def _read_whole(data: bytes) -> Games:
    """Return what the full reader makes of a file in which the scanner found nothing."""
    nothing = Games(
        data,
        np.zeros(0, np.uint16),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint8),
        np.zeros((1, len(FIELDS), 2), np.int64),
    )
    nothing.first = np.zeros(2, np.int64)
    return _mended(nothing, np.array([[0, len(data)]], np.int64))


def _mended(scanned: Games, spans: Any) -> Games:
    """Return the games with each block that was left to the full reader replaced by what it found."""
    joined = _Joined(scanned)
    odd = np.flatnonzero(scanned.sizes == 0)
    done = 0
    for row in odd.tolist():
        joined.take(done, row)
        joined.read(*spans[row].tolist())
        done = row + 1
    joined.take(done, len(scanned))
    return joined.games()


class _Joined:
    """Puts scanned games and read ones together."""

    def __init__(self, scanned: Games) -> None:
        self.scanned = scanned
        self.extra = bytearray()
        self.plays: list[Any] = []
        self.lengths: list[Any] = []
        self.sizes: list[Any] = []
        self.fields: list[Any] = []
        self.problems: dict[int, list[Problem]] = {}
        self.refused: list[Refused] = []
        self.count = 0
        self.above = self.counted = 0  # newlines before the place up to which they are counted

    def take(self, start: int, end: int) -> None:
        """Take over a run of scanned games."""
        if start >= end:
            return
        s = self.scanned
        self.plays.append(s.plays[s.first[start] : s.first[end]])
        self.lengths.append(np.diff(s.first[start : end + 1]))
        self.sizes.append(s.sizes[start:end])
        self.fields.append(s.fields[start:end])
        self.count += end - start

    def read(self, start: int, end: int) -> None:
        """Read a block with the full reader."""
        try:
            trees = read_text(self.scanned.data[start:end].decode("utf-8", "surrogateescape"))
        except BadText as error:
            self.refused.append(Refused(self.count, str(error)))
            return
        self.above += self.scanned.data.count(b"\n", self.counted, start)
        self.counted = start
        for tree in trees:
            tree.problems = [problem._replace(line=problem.line + self.above) for problem in tree.problems]
            try:
                record = record_of(tree)
            except BadText as error:
                self.refused.append(Refused(self.count, str(error)))
                continue
            self._add(record, {name: tree.root.properties[name][0] for name in record.fields})

    def _add(self, record: Record, raw: dict[str, str]) -> None:
        """Add a game that the full reader found."""
        self.plays.append(np.array(record.plays, np.uint16))
        self.lengths.append(np.array([len(record.plays)], np.int64))
        self.sizes.append(np.array([record.size], np.uint8))
        spans = np.zeros((1, len(FIELDS), 2), np.int64)
        for name, value in raw.items():
            start = len(self.scanned.data) + len(self.extra)
            self.extra += value.encode("utf-8", "surrogateescape")
            spans[0, FIELDS.index(name)] = start, len(self.scanned.data) + len(self.extra)
        self.fields.append(spans)
        if record.problems:
            self.problems[self.count] = record.problems
        self.count += 1

    def games(self) -> Games:
        """Return all of them."""
        return Games(
            self.scanned.data + bytes(self.extra),
            np.concatenate([np.zeros(0, np.uint16), *self.plays]),
            np.concatenate([[0], *self.lengths]).cumsum().astype(np.int64),
            np.concatenate([np.zeros(0, np.uint8), *self.sizes]),
            np.concatenate([np.zeros((0, len(FIELDS), 2), np.int64), *self.fields]),
            self.problems,
            [*self.refused, *self.scanned.refused],
        )
