"""Import records into a store: read and replay them, drop duplicates, and commit batch by batch.

A piece of a file that was imported before is skipped, so importing a grown collection again costs only its new games,
and a killed import resumes after its last commit.
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

from kibitz.compiled.arrays import Uint16Array
from kibitz.core.training import caught_interrupts
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.changes import PreparedGames, prepare_games
from kibitz.games.go.records.store import COLUMNS, PER_GAME, StoreWriter
from kibitz.games.go.records.tables import write_table
from kibitz.games.go.rules.board import BLACK, WHITE
from kibitz.games.go.sgf import heads as parsing
from kibitz.games.go.sgf.record import POINT_BITS, SETUP, colour_of, point_of
from kibitz.games.go.sgf.scan import ScannedGames, scan
from kibitz.games.go.sgf.sources import Piece, ReadLimits, Skipped, pieces

LIMITS = ReadLimits(piece=8 << 20)
BATCH_SECONDS, BATCH_BYTES = 3.0, 64 << 20  # commit a batch after this much time or data
MAX_REPORTS = 1000  # skipped records beyond this many are counted, but not listed
MAX_TEXT_LENGTH = 300  # characters to keep of each text in a head
MAX_KOMI, MAX_HANDICAP_STONES = 400.0, 200.0


class ImportProblem(NamedTuple):
    """A record that was skipped, in whole or in part, and why."""

    name: str  # the file and, if it has several games, the number of the game
    reason: str


@dataclass
class ImportSummary:
    """What an import did."""

    imported: int = 0
    duplicates: int = 0  # games already in the store, or repeated in this import
    skipped: int = 0  # files and games that could not be read
    illegal: int = 0  # games with an illegal move; cut off there unless it only retakes a ko
    reports: list[ImportProblem] = field(default_factory=list)
    """The first MAX_REPORTS records that were skipped or have an illegal move."""
    reasons: Counter[str] = field(default_factory=Counter)  # reason -> number of records skipped for it
    interrupted: bool = False
    seconds: float = 0.0

    def report(self, name: str, reason: str) -> None:
        """List a record that was skipped or has an illegal move."""
        if len(self.reports) < MAX_REPORTS:
            self.reports.append(ImportProblem(name, reason))

    def skip(self, name: str, reason: str) -> None:
        """Count and list a record that was skipped."""
        self.skipped += 1
        has_entry = len(self.reasons) < MAX_REPORTS or reason in self.reasons
        self.reasons[reason if has_entry else "other reasons"] += 1
        self.report(name, reason)


def import_records(
    paths: Iterable[Path | str], folder: Path, on_piece: Callable[[ImportSummary, str], None] | None = None
) -> ImportSummary:
    """Add all records of files, folders and archives to a store as import_pieces() does."""
    return import_pieces(pieces(paths, LIMITS), folder, on_piece)


def import_pieces(
    records: Iterable[Piece | Skipped], folder: Path, on_piece: Callable[[ImportSummary, str], None] | None = None
) -> ImportSummary:
    """Add records to the store in a folder, which is created if needed.

    on_piece(summary so far, file) is called after every file, or part of a large one. Ctrl-C stops after the current
    part and commits the games read so far. Raise KibitzError if the store cannot be written to.
    """
    began = time.perf_counter()
    with StoreWriter(folder) as writer, caught_interrupts() as stop:
        importer = _Importer(writer)
        for piece in records:
            importer.add(piece)
            if on_piece is not None:
                on_piece(importer.summary, piece.name)
            if stop:
                importer.summary.interrupted = True
                break
        importer.commit()
    importer.summary.seconds = time.perf_counter() - began
    return importer.summary


class _Importer:
    """Collects games into batches, and commits them."""

    def __init__(self, writer: StoreWriter) -> None:
        self.writer, self.summary = writer, ImportSummary()
        self.digests = set(writer.column("digests").tolist())
        self.sources = {bytes(row["digest"]): int(row["games"]) for row in writer.column("sources")}
        self.games_before: Counter[str] = Counter()  # file -> number of its games in earlier pieces
        self._begin_batch()

    def _begin_batch(self) -> None:
        self.heads = list[JsonObject]()
        self.batch: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.total_changes = int(self.writer.manifest.rows["changes"])
        self.batch_bytes, self.batch_began = 0, time.perf_counter()

    def add(self, piece: Piece | Skipped) -> None:
        """Add the games of a piece (a file, or part of a large one), and commit if the batch is large enough."""
        if isinstance(piece, Skipped):
            self.summary.skip(piece.name, piece.reason)
            return
        digest = blake2b(piece.data, digest_size=16).digest()
        if digest in self.sources:
            self.summary.duplicates += self.sources[digest]
            self.games_before[piece.name] += self.sources[digest]
            return
        games = scan(piece.data)
        prepared = prepare_games(games)
        skipped_before = self.summary.skipped
        for refused in games.refused:
            before = self.games_before[piece.name] + refused.game
            where = f", after game {before}" if before else ", before any game" if len(games) else ""
            self.summary.skip(piece.name + where, refused.reason)
        for game in range(len(games)):
            self._add_game(prepared, game, piece.name)
        self.games_before[piece.name] += len(games)
        self.sources[digest] = len(games)
        self.batch["sources"].append((digest, len(games), self.summary.skipped - skipped_before))
        self.batch_bytes += len(piece.data)
        if self.batch_bytes >= BATCH_BYTES or time.perf_counter() - self.batch_began >= BATCH_SECONDS:
            self.commit()

    def _add_game(self, prepared: PreparedGames, game: int, source: str) -> None:
        """Add one game, unless it has no moves or is a duplicate."""
        games, name = prepared.games, f"{source}, game {self.games_before[source] + game + 1}"
        changes, illegal_move = prepared.changes[game], prepared.illegal_move(game)
        if not len(changes):
            self.summary.skip(name, illegal_move or "it has no moves")
            return
        row = parse_head(games, game)
        digest = prepared.digest(game, f"{row.get('black')}\0{row.get('white')}\0{row.get('date')}".encode())
        if digest in self.digests:
            self.summary.duplicates += 1
            return
        self.digests.add(digest)
        problem = illegal_move
        if illegal_move is not None:
            self.summary.illegal += 1
            self.summary.report(name, illegal_move)
        elif game in games.problems:
            problem = str(games.problems[game][0])[:MAX_TEXT_LENGTH]
        self.total_changes += len(changes)
        plays = games.plays_of(game)[: int(prepared.legal[game])]
        moves = int(np.count_nonzero(plays & SETUP == 0))
        number = self.writer.manifest.games + len(self.heads) + 1
        self.heads.append(
            {**row, "id": number, "source": source[-MAX_TEXT_LENGTH:], "moves": moves, "problem": problem}
        )
        winner = {"B": BLACK, "W": WHITE}.get(row["winner"], 0)
        values = (self.total_changes, games.sizes[game], winner, row.get("year") or 0, digest, prepared.notes[game])
        for column, value in zip(PER_GAME, values, strict=True):
            self.batch[column].append(value)
        self.batch["changes"].append(changes)
        self.summary.imported += 1

    def commit(self) -> None:
        """Commit the batch unless it is empty."""
        if not self.batch["sources"]:
            return
        columns = {}
        for name, values in self.batch.items():
            dtype = COLUMNS[name]
            if name == "changes":
                columns[name] = np.concatenate([np.zeros(0, dtype), *values])
            else:
                columns[name] = np.array(values, dtype.base).reshape(-1, *dtype.shape)
        rows = self.heads
        self.writer.commit(columns, lambda path, earlier: write_table(rows, path, earlier) if rows else earlier)
        self._begin_batch()


def parse_head(games: ScannedGames, game: int) -> JsonObject:
    """Return the parsed head of a game: column of a store -> value."""
    text = {name: value[:MAX_TEXT_LENGTH] for name in _COLUMNS_OF if (value := games.value(game, name))}
    row: JsonObject = {column: _clean(text[name]) for name, column in _COLUMNS_OF.items() if name in text}
    if "DT" in text and (date := parsing.parse_date(text["DT"])) is not None:
        row.update(date=str(date), year=date.year, month=date.month or None, day=date.day or None)
    result = parsing.parse_result(text.get("RE", ""))
    row.update(winner=("", "B", "W")[result.winner], how=result.how, margin=result.margin)
    row["komi"] = parsing.parse_number(text.get("KM", ""), MAX_KOMI)
    handicap = parsing.parse_number(text.get("HA", ""), MAX_HANDICAP_STONES)
    row["handicap"] = int(handicap) if handicap is not None and handicap > 0 else _placed_stones(games.plays_of(game))
    for side, name in (("black", "BR"), ("white", "WR")):
        row[f"{side}_strength"] = parsing.parse_rank(text.get(name, ""))
    if "EV" in text:
        row["event"], row["edition"] = parsing.parse_event(row["event"])
    row["size"] = int(games.sizes[game])
    return row


def _placed_stones(plays: Uint16Array) -> int:
    """Return the number of handicap stones placed before a game, set up or played.

    They are two or more of Black's alone, then White moves.
    """
    is_white_move = (plays & SETUP == 0) & (plays >> POINT_BITS & 3 == WHITE)
    first_move = int(np.argmax(is_white_move)) if len(plays) else 0
    placed = {point_of(play): colour_of(play) for play in plays[:first_move].tolist()}
    return len(placed) if len(placed) > 1 and set(placed.values()) == {BLACK} else 0


_COLUMNS_OF = {
    "PB": "black", "PW": "white", "BR": "black_rank", "WR": "white_rank", "RU": "rules", "DT": "date", "EV": "event",
    "RO": "round", "PC": "place", "RE": "result", "KM": "komi", "HA": "handicap",
}  # fmt: skip
"""SGF property -> column of a store."""


def _clean(text: str) -> str:
    """Return a text with each control character replaced by a space, then stripped."""
    return text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text).strip()
