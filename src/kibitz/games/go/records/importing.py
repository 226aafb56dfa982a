"""Records into the store: read, played, told apart from those that are there already, and committed batch by batch.

A piece of a file whose bytes were imported before is passed over, so adding to
a collection costs only what is new, and an import that was killed goes on where
its last commit ended.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.training import caught_interrupts
from kibitz.games.go.records.heads import parse_date, parse_event, parse_number, parse_rank, parse_result
from kibitz.games.go.records.search.changes import Worked, work_out
from kibitz.games.go.records.store import COLUMNS, PER_GAME, SOURCE, Writer
from kibitz.games.go.records.tables import Rows, write_table
from kibitz.games.go.rules.board import BLACK, WHITE
from kibitz.games.go.sgf.record import SETUP
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, ReadLimits, Skipped, pieces

LIMITS = ReadLimits(piece=8 << 20)
BATCH_SECONDS, BATCH_BYTES = 3.0, 64 << 20
"""A commit comes at the latest after so much."""
MOST_LISTED = 1000
"""So many things that were skipped are listed; all are counted."""
MOST_TEXT = 300
"""Characters of a text of a head that are kept."""
MOST_KOMI, MOST_HANDICAP = 400.0, 200.0


class Reported(NamedTuple):
    """Something skipped, in whole or in part, and why."""

    name: str
    """The file, and which of its games if it is one."""
    reason: str


@dataclass
class Summary:
    """What an import did."""

    imported: int = 0
    duplicates: int = 0
    """Games that were in the store before, or twice in what was read."""
    skipped: int = 0
    """Files and games that were not read."""
    illegal: int = 0
    """Games with an illegal move; kept up to there unless it only retakes a ko."""
    reports: list[Reported] = field(default_factory=list)
    """The first MOST_LISTED of those skipped or with an illegal move."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Reason -> how many were skipped for it."""
    interrupted: bool = False
    seconds: float = 0.0

    def report(self, name: str, reason: str) -> None:
        """List something that was skipped, or has an illegal move."""
        if len(self.reports) < MOST_LISTED:
            self.reports.append(Reported(name, reason))

    def skip(self, name: str, reason: str) -> None:
        """Count and list something that was skipped."""
        self.skipped += 1
        self.reasons[reason if len(self.reasons) < MOST_LISTED or reason in self.reasons else "other reasons"] += 1
        self.report(name, reason)


def import_records(
    paths: Iterable[Path | str], folder: Path, tell: Callable[[Summary, str], None] | None = None
) -> Summary:
    """Add all records of files, folders and archives to the store in a folder, made if need be.

    tell(summary so far, file) is called after every piece. Ctrl-C ends it after
    the piece that is being read, with all that was read committed. Raises
    KibitzError if the store cannot be written to.
    """
    began = time.perf_counter()
    with Writer(folder) as writer, caught_interrupts() as stop:
        adding = _Adding(writer)
        for piece in pieces(paths, LIMITS):
            adding.add(piece)
            if tell is not None:
                tell(adding.summary, piece.name)
            if stop:
                adding.summary.interrupted = True
                break
        adding.commit()
    adding.summary.seconds = time.perf_counter() - began
    return adding.summary


class _Adding:
    """Gathers what comes from pieces until it is committed."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.summary = writer, Summary()
        self.digests = set(writer.column("digests").tolist())
        self.sources = {bytes(row["digest"]): int(row["games"]) for row in writer.column("sources")}
        self.before: Counter[str] = Counter()
        """File -> how many of its games came in pieces before this one."""
        self._begin()

    def _begin(self) -> None:
        """Begin a batch."""
        self.rows = Rows()
        self.gathered: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.end = int(self.writer.manifest.rows["changes"])
        self.bytes, self.since = 0, time.perf_counter()

    def add(self, piece: Piece | Skipped) -> None:
        """Add what a piece holds, and commit if the batch is large enough."""
        if isinstance(piece, Skipped):
            self.summary.skip(piece.name, piece.reason)
            return
        digest = blake2b(piece.data, digest_size=16).digest()
        if digest in self.sources:
            self.summary.duplicates += self.sources[digest]
            self.before[piece.name] += self.sources[digest]
            return
        games = scan(piece.data)
        worked = work_out(games)
        skipped = self.summary.skipped
        for refused in games.refused:
            before = self.before[piece.name] + refused.game
            where = f", after game {before}" if before else ", before any game" if len(games) else ""
            self.summary.skip(piece.name + where, refused.reason)
        for game in range(len(games)):
            self._add_game(worked, game, piece.name)
        self.before[piece.name] += len(games)
        self.sources[digest] = len(games)
        self.gathered["sources"].append(np.array([(digest, len(games), self.summary.skipped - skipped)], SOURCE))
        self.bytes += len(piece.data)
        if self.bytes >= BATCH_BYTES or time.perf_counter() - self.since >= BATCH_SECONDS:
            self.commit()

    def _add_game(self, worked: Worked, game: int, source: str) -> None:
        """Add one game, unless it has no moves or is there already."""
        games, name = worked.games, f"{source}, game {self.before[source] + game + 1}"
        changes, illegal = worked.changes[game], worked.illegal(game)
        if not len(changes):
            self.summary.skip(name, illegal or "there are no moves in it")
            return
        row = head(games, game)
        digest = worked.digest(game, f"{row.get('black')}\0{row.get('white')}\0{row.get('date')}".encode())
        if digest in self.digests:
            self.summary.duplicates += 1
            return
        self.digests.add(digest)
        problem = illegal
        if illegal is not None:
            self.summary.illegal += 1
            self.summary.report(name, illegal)
        elif game in games.problems:
            problem = str(games.problems[game][0])[:MOST_TEXT]
        self.end += len(changes)
        plays = games.plays_of(game)[: int(worked.kept[game])]
        moves = int(np.count_nonzero(plays & SETUP == 0))
        number = self.writer.manifest.games + len(self.rows) + 1
        self.rows.add({**row, "id": number, "source": source[-MOST_TEXT:], "moves": moves, "problem": problem})
        winner = {"B": BLACK, "W": WHITE}.get(row["winner"], 0)
        values = (self.end, games.sizes[game], winner, row.get("year") or 0, digest, worked.notes[game])
        for column, value in zip(PER_GAME, values, strict=True):
            self.gathered[column].append(value)
        self.gathered["changes"].append(changes)
        self.gathered["rings"].append(worked.rings[game])
        self.summary.imported += 1

    def commit(self) -> None:
        """Commit the batch, if there is anything in it."""
        if not self.gathered["sources"]:
            return
        columns: dict[str, Any] = {}
        for name, values in self.gathered.items():
            kind, width = COLUMNS[name]
            if name in ("changes", "rings", "sources"):
                columns[name] = np.concatenate([np.zeros(0, kind), *values])
            else:
                columns[name] = np.array(values, kind).reshape((len(values), width) if width > 1 else -1)
        rows = self.rows
        self.writer.commit(columns, lambda path, earlier: write_table(rows, path, earlier) if len(rows) else earlier)
        self._begin()


def head(games: ScannedGames, game: int) -> dict[str, Any]:
    """Return what the head of a game says, parsed, by the names of the columns."""
    text = {name: value[:MOST_TEXT] for name in _FIELDS if (value := games.value(game, name))}
    row: dict[str, Any] = {column: _clean(text[name]) for name, column in _FIELDS.items() if name in text}
    if "DT" in text and (date := parse_date(text["DT"])) is not None:
        row.update(date=str(date), year=date.year, month=date.month or None, day=date.day or None)
    result = parse_result(text.get("RE", ""))
    row.update(winner=("", "B", "W")[result.winner], how=result.how, margin=result.margin)
    row["komi"] = parse_number(text.get("KM", ""), MOST_KOMI)
    handicap = parse_number(text.get("HA", ""), MOST_HANDICAP)
    row["handicap"] = int(handicap) if handicap is not None and handicap >= 0 else 0
    row["black_strength"], row["white_strength"] = parse_rank(text.get("BR", "")), parse_rank(text.get("WR", ""))
    if "EV" in text:
        row["event"], row["edition"] = parse_event(row["event"])
    row["size"] = int(games.sizes[game])
    return row


_FIELDS = {
    "PB": "black", "PW": "white", "BR": "black_rank", "WR": "white_rank", "RU": "rules", "DT": "date", "EV": "event",
    "RO": "round", "PC": "place", "RE": "result", "KM": "komi", "HA": "handicap",
}  # fmt: skip


def _clean(text: str) -> str:
    """Return a text without control characters."""
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text).strip()
