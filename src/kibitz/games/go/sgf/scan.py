"""Reads many SGF games into arrays, fast: the compiled scanner reads plain games, the full reader the rest.

For every game the result equals that of reader.read and record.record_of.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadText
from kibitz.games.go.sgf import scan_kernel
from kibitz.games.go.sgf.encodings import detect
from kibitz.games.go.sgf.reader import read_text
from kibitz.games.go.sgf.record import FIELDS, Record, record_of
from kibitz.games.go.sgf.tree import SgfProblem, simple_text

Int64Array: TypeAlias = NDArray[np.int64]
MAX_GAMES_PER_PIECE = 1_000_000  # read at most this many games from one piece, so that no file exhausts memory


class RefusedGame(NamedTuple):
    """A game or a file that could not be read."""

    game: int  # how many games of the file were read before it
    reason: str


@dataclass
class ScannedGames:
    """The main lines of many games. Plays are encoded as in record.py."""

    data: bytes  # the bytes that `fields` refers to: the file in UTF-8, then values found by the full reader
    plays: NDArray[np.uint16]  # the plays of all games, one after the other
    first: Int64Array  # [game + 1]: index of each game's first play; the last entry is the number of plays
    sizes: NDArray[np.uint8]  # [game]: the board size
    fields: Int64Array
    """[game, field, 2]: where the value of each field begins and ends in `data`; both 0 if the game lacks it."""
    problems: dict[int, list[SgfProblem]] = field(default_factory=dict)  # game -> its problems
    refused: list[RefusedGame] = field(default_factory=list)
    """Games other than Go, and games on boards of an unsupported size."""

    def __len__(self) -> int:
        return len(self.sizes)

    def plays_of(self, game: int) -> NDArray[np.uint16]:
        """Return the plays of one game, as uint16 [play]."""
        return self.plays[self.first[game] : self.first[game + 1]]

    def value(self, game: int, name: str) -> str | None:
        """Return the value of a field as one line of text, or None if the game lacks it."""
        start, end = self.fields[game, FIELDS.index(name)]
        return simple_text(self.data[start:end].decode("utf-8", "surrogateescape")) if start else None

    def record(self, game: int) -> Record:
        """Return one game as a record."""
        fields = {name: value for name in FIELDS if (value := self.value(game, name)) is not None}
        plays = array("H", self.plays_of(game).tolist())
        return Record(int(self.sizes[game]), fields, plays, self.problems.get(game, []))


def scan(data: bytes) -> ScannedGames:
    """Read all games of a file into arrays. A file without games yields one entry in `refused`."""
    data, counts = _as_utf8(data), np.zeros(4, np.int64)
    rows = min(data.count(b"("), MAX_GAMES_PER_PIECE) + 1
    plays, first = np.zeros(len(data) // 4 + 1, np.uint16), np.zeros(rows + 1, np.int64)
    sizes, spans = np.zeros(rows, np.uint8), np.zeros((rows, 2), np.int64)
    fields = np.zeros((rows, 2 * len(FIELDS)), np.int64)
    codes = np.array([scan_kernel.identifier_code(name) for name in FIELDS], np.int64)
    buffers = scan_kernel.ScanBuffers(plays, first, sizes, spans, fields, codes, counts)
    scan_kernel.scan_games(np.frombuffer(data, np.uint8), buffers)
    games = int(counts[scan_kernel.GAMES])
    if games == 0:  # leave the whole file to the full reader, as one block
        sizes[0], spans[0], games = 0, (0, len(data)), 1
    scanned = ScannedGames(
        data,
        plays[: counts[scan_kernel.PLAYS]],
        first[: games + 1],
        sizes[:games],
        fields[:games].reshape(games, len(FIELDS), 2),
    )
    if counts[scan_kernel.PLACE] < len(data):
        reason = f"more than {MAX_GAMES_PER_PIECE} games in one piece; the rest is left out"
        scanned.refused.append(RefusedGame(games, reason))
    return scanned if scanned.sizes.all() else _with_unusual_games(scanned, spans)


def _as_utf8(data: bytes) -> bytes:
    """Convert a file to UTF-8 without a byte order mark; invalid bytes stay as they are."""
    encoding = detect(data)
    if encoding == "utf-8":
        return data
    errors = "replace" if encoding.startswith("utf-16") else "surrogateescape"
    return data.decode(encoding, errors).removeprefix("\ufeff").encode("utf-8", "surrogateescape")


def _with_unusual_games(scanned: ScannedGames, spans: Int64Array) -> ScannedGames:
    """Return all games: those scanned, and those that the full reader finds in the blocks left to it."""
    joined, done = _JoinedGames(scanned), 0
    for row in np.flatnonzero(scanned.sizes == 0).tolist():
        joined.append_scanned(done, row)
        joined.read_block(*spans[row].tolist())
        done = row + 1
    joined.append_scanned(done, len(scanned))
    return joined.games()


class _JoinedGames:
    """Collects games from the scanner and from the full reader, in file order."""

    def __init__(self, scanned: ScannedGames) -> None:
        self.scanned, self.data = scanned, bytearray(scanned.data)
        self.plays = list[NDArray[np.uint16]]()
        self.lengths, self.sizes, self.fields = [np.zeros(1, np.int64)], list[NDArray[np.uint8]](), list[Int64Array]()
        self.problems: dict[int, list[SgfProblem]] = {}
        self.refused: list[RefusedGame] = []
        self.count = 0
        self.newlines = self.newlines_end = 0  # the number of newlines in the data before newlines_end

    def append_scanned(self, start: int, end: int) -> None:
        """Append the scanned games from `start` up to, but not including, `end`."""
        s = self.scanned
        plays, lengths = (s.plays[s.first[start] : s.first[end]], np.diff(s.first[start : end + 1]))
        self._append(plays, lengths, s.sizes[start:end], s.fields[start:end])

    def _append(
        self, plays: NDArray[np.uint16], lengths: Int64Array, sizes: NDArray[np.uint8], fields: Int64Array
    ) -> None:
        self.plays.append(plays)
        self.lengths.append(lengths)
        self.sizes.append(sizes)
        self.fields.append(fields)
        self.count += len(sizes)

    def read_block(self, start: int, end: int) -> None:
        """Append the games that the full reader finds between two places in the data."""
        try:
            trees = read_text(self.scanned.data[start:end].decode("utf-8", "surrogateescape"))
        except BadText as error:
            self.refused.append(RefusedGame(self.count, str(error)))
            return
        self.newlines += self.scanned.data.count(b"\n", self.newlines_end, start)
        self.newlines_end = start
        for tree in trees:
            tree.problems = [problem._replace(line=problem.line + self.newlines) for problem in tree.problems]
            try:
                record = record_of(tree)
            except BadText as error:
                self.refused.append(RefusedGame(self.count, str(error)))
                continue
            fields = np.zeros((1, len(FIELDS), 2), np.int64)
            for name in record.fields:
                begin = len(self.data)
                self.data += tree.root.properties[name][0].encode("utf-8", "surrogateescape")
                fields[0, FIELDS.index(name)] = begin, len(self.data)
            if record.problems:
                self.problems[self.count] = record.problems
            lengths, sizes = np.array([len(record.plays)], np.int64), np.array([record.size], np.uint8)
            self._append(np.array(record.plays, np.uint16), lengths, sizes, fields)

    def games(self) -> ScannedGames:
        """Return all games appended so far."""
        return ScannedGames(
            bytes(self.data),
            np.concatenate(self.plays),
            np.concatenate(self.lengths).cumsum(),
            np.concatenate(self.sizes),
            np.concatenate(self.fields),
            self.problems,
            [*self.refused, *self.scanned.refused],
        )
