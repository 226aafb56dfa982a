"""All tables. Each is stored on disk as a file of JSON lines: its setup first, then its events.

Files are append-only, and every line is on disk before it is published. A killed process
leaves at most one truncated line, which was never published and is skipped. Ids are created
here and looked up among the known ones, so text from a client never becomes a file name.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from kibitz.core.errors import BadOption, BadText
from kibitz.core.record import parse_line
from kibitz.web.tables.setup import Setup
from kibitz.web.tables.table import Event, MoveClock, Table, event_json

SUFFIX = ".jsonl"
MAX_KEPT_CLOCKS = 1000
MAX_LISTED_TABLES = 200
"""Maximum number of tables listed, most recently changed first."""


@dataclass(frozen=True)
class TableSummary:
    """One entry in a list of games."""

    id: str
    game: str
    title: str
    names: tuple[str, str]
    moves: int
    result: str
    reason: str
    changed: str
    """Time of the last change, in ISO 8601."""

    @staticmethod
    def of(table: Table, changed: str) -> TableSummary:
        """Return the list entry for a table."""
        setup, game, names = table.setup, table.game, (table.seats[0].name, table.seats[1].name)
        result, reason = ("*", "") if table.outcome is None else (table.outcome.result, table.outcome.reason)
        return TableSummary(setup.id, game.name, game.title, names, table.ply, result, reason, changed)


class TableFiles:
    """The tables in a folder. Thread-safe, but a table itself may be used by only one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open = WeakValueDictionary[str, Table]()
        """Tables in use. Others are read from their files when needed."""
        self._clocks = OrderedDict[str, tuple[int, MoveClock]]()
        """By id: version and clock of tables no longer in use; clocks are not stored on disk."""
        self._summaries: dict[str, tuple[int, TableSummary | None]] = {}
        """By id: the size of the file when it was summarised, and the summary; None for a damaged file."""
        self._lock = threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._ids = {path.stem for path in folder.glob(f"*{SUFFIX}")}
        except OSError as error:
            raise BadOption(f"Cannot store games in {folder}: {error.strerror}. Choose another folder.") from None

    def __len__(self) -> int:
        return len(self._ids)

    def create(self, table: Table, events: Sequence[Event] = ()) -> Table:
        """Store a new table and its committed events under a new id; return the table. Raise BadText if that fails."""
        table.setup = replace(table.setup, id=secrets.token_urlsafe(12))
        self._append(table.setup.id, [table.setup.to_json(), *map(event_json, events)])
        with self._lock:
            self._ids.add(table.setup.id)
            self._open[table.setup.id] = table
        return table

    def find(self, id: str) -> Table:
        """Return the table with this id. Raise BadOption if it is unknown, BadText if its file is damaged."""
        with self._lock:
            if id not in self._ids:
                raise BadOption("Game not found.")
            table = self._open.get(id)
            if table is None:
                table = self._open[id] = self._read(id)
                version, clock = self._clocks.get(id, (-1, table.clock))
                if version == table.version:
                    table.clock = clock
            return table

    def keep_clock(self, table: Table) -> None:
        """Keep the clock of a table that everyone has left, in case they come back."""
        with self._lock:
            self._clocks[table.setup.id] = table.version, table.clock
            if len(self._clocks) > MAX_KEPT_CLOCKS:
                self._clocks.popitem(last=False)

    def save(self, table: Table, event: Event) -> None:
        """Write an event of a table to disk before it is committed. Raise BadText if that fails."""
        self._append(table.setup.id, [event_json(event)])

    def newest(self, ids: Collection[str] | None = None) -> list[TableSummary]:
        """Return summaries of the most recently changed tables, newest first; only those with these ids, if given."""
        with self._lock:
            found = []
            for each in self._ids if ids is None else self._ids.intersection(ids):
                with suppress(FileNotFoundError):
                    found.append((self._path(each).stat(), each))
            found.sort(key=lambda pair: (pair[0].st_mtime_ns, pair[1]), reverse=True)
            summaries = (self._summary(each, stat.st_size, stat.st_mtime) for stat, each in found[:MAX_LISTED_TABLES])
            return [summary for summary in summaries if summary is not None]

    def _summary(self, id: str, size: int, changed: float) -> TableSummary | None:
        when = datetime.fromtimestamp(changed, UTC).isoformat(timespec="seconds")
        if id in self._open:  # its file may be one move ahead
            return TableSummary.of(self.find(id), when)
        known = self._summaries.get(id)
        if known is None or known[0] != size:
            try:
                known = (size, TableSummary.of(self._read(id), when))
            except Exception:  # damaged, or the rules fail on it: the other games are still listed
                known = (size, None)
            self._summaries[id] = known
        return known[1]

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}{SUFFIX}"

    def _read(self, id: str) -> Table:
        """Return a table, read from its file. Raise BadText if the file is unreadable or damaged."""
        path = self._path(id)
        try:
            lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise BadText(f"The game cannot be read: {error.strerror}.") from None
        events = list[object]()
        for line in filter(None, lines):
            with suppress(BadText, UnicodeDecodeError):  # a torn line, which was never published
                events.append(parse_line(line.decode()))
        if not events:
            raise BadText("The file of this game is empty.")
        table = Table(Setup.from_json(events[0]))
        for event in events[1:]:
            table.commit(table.read(event))
        return table

    def _append(self, id: str, lines: Sequence[Any]) -> None:
        """Append lines to a table's file and flush them to disk. If that fails, add nothing and raise BadText."""
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        path = self._path(id)
        try:
            with path.open("ab+", buffering=0) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - 1))
                is_torn = file.read(1) not in (b"", b"\n")  # the last line was cut off, say by a crash
                try:
                    data = (b"\n" if is_torn else b"") + text.encode()
                    while data:  # without a buffer, a write may be partial
                        data = data[file.write(data) or 0 :]
                    os.fsync(file.fileno())
                except OSError:
                    with suppress(OSError):
                        file.truncate(size)
                        if not size:
                            path.unlink()
                    raise
            if size == 0 and sys.platform != "win32":
                _sync_folder(self.folder)
        except OSError as error:
            raise BadText(f"The game cannot be saved: {error.strerror}. Nothing was changed.") from None


def _sync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that a new file in it survives a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
