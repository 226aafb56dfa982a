"""A tournament as the page shows it: progress, standings, finished and running games.

Reads a tournament's folder, including the page's own file, page.json: the owner, and
whether the tournament should be running. Folders made by `kibitz arena` have no such
file. Plays no games.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kibitz.arena.live import read_live
from kibitz.arena.report.figures import rate_json, read_report, standing_json, write_report
from kibitz.arena.results import Results, Standing, compute
from kibitz.arena.runner import check_games, count_pairs
from kibitz.arena.store import TournamentFolder, TournamentGames
from kibitz.arena.tournament import Tournament
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import open_atomically
from kibitz.core.record import parse_line
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import to_json
from kibitz.web.catalogue import agent_label
from kibitz.web.tables.new import table_of
from kibitz.web.tables.snapshot import show_table
from kibitz.web.tables.table import Table

GAMES_PER_PAGE = 20
"""Maximum number of games sent at once, the latest first."""
RESULTS_PAUSE_FACTOR = 20.0
"""After computing the standings, wait at least this many times as long as that took before computing them again."""
CACHE_SECONDS = 0.5
"""Time for which the full message about a tournament is cached."""
REPORT_PAUSE_SECONDS = 5.0
"""Minimum time between two versions of the report of a running tournament."""
MAX_TOURNAMENT_GAMES = 1_000_000
"""Maximum size of a tournament that is shown; a larger one must have been edited by hand."""
MAX_LIVE_GAMES = 8
"""Maximum number of running games shown."""
LIVE_FOLDER = "live"
"""The subfolder of a tournament that holds its running games."""


@dataclass(frozen=True)
class TournamentStatus:
    """The contents of page.json: the owner of a tournament and whether it should run."""

    owner: str = ""
    """The key of the token that may stop and resume it; an empty key matches no token."""
    made: str = ""
    """Creation time, in ISO 8601."""
    wanted: bool = False
    """Whether it should be running or queued."""
    fault: str = ""
    """Why it failed; empty if it did not."""


def read_status(folder: Path) -> TournamentStatus:
    """Return the status of a tournament; without page.json it is stopped and has no owner."""
    with suppress(OSError, UnicodeDecodeError, BadText, KeyError, TypeError):
        raw: Any = parse_line((folder / "page.json").read_text(encoding="utf-8"))
        return TournamentStatus(str(raw["owner"]), str(raw["made"]), raw["wanted"] is True, str(raw.get("fault", "")))
    made = 0.0
    with suppress(OSError):
        made = TournamentFolder(folder).description.stat().st_mtime
    return TournamentStatus(made=datetime.fromtimestamp(made, UTC).isoformat(timespec="seconds"))


def write_status(folder: Path, status: TournamentStatus) -> None:
    """Write the status of a tournament and flush it to disk. Raise BadText if that fails."""
    try:
        with open_atomically(folder / "page.json") as file:
            file.write(json.dumps(asdict(status)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadText(f"The tournament cannot be saved: {error.strerror}. Nothing was changed.") from None


@dataclass
class _Read:
    """The games read so far, and their results."""

    games: TournamentGames
    results: Results
    counted: int
    """The number of games that the results include."""
    next: float = 0.0
    """Earliest time to compute the results again, by time.monotonic()."""


class TournamentProgress:
    """One tournament. Its methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self.id, self.folder, self.store = folder.name, folder, TournamentFolder(folder)
        self.status = read_status(folder)
        """Its owner, and whether it should run; changed by want()."""
        self._read: _Read | None = None
        self._lock = threading.RLock()
        self._details: tuple[float, bool, JsonObject] = (0.0, False, {})
        """The last full message: when it was made, whether the tournament was running, and the message."""
        self._reported: tuple[int, float] = (-1, 0.0)
        """The size of the games file at the last report, and when that was written."""
        self._summary: tuple[int, JsonObject] = (-1, {})
        """The size of the games file, and the list entry made from it."""

    def want(self, wanted: bool, fault: str = "") -> None:
        """Save whether the tournament should be running, and why it failed. Raise BadText if it cannot be saved."""
        with self._lock:
            status = replace(self.status, wanted=wanted, fault=fault)
            if status != self.status:
                write_status(self.folder, status)
                self.status = status

    @cached_property
    def tournament(self) -> Tournament:
        """The description. Raise KibitzError if it cannot be read."""
        found = self.store.tournament()
        found.make_game()
        if len(found.meetings()) * found.games > MAX_TOURNAMENT_GAMES:
            raise BadText(f"A tournament of more than {MAX_TOURNAMENT_GAMES} games is not shown here.")
        return found

    def label(self, agent: str) -> str:
        """Return the display name of an agent."""
        return agent_label(agent, self.tournament.game)

    @property
    def planned(self) -> int:
        """The number of games in the complete tournament."""
        return len(self.tournament.meetings()) * self.tournament.games

    def _games(self) -> _Read:
        """Return the games played so far. Raise KibitzError if they cannot be read."""
        read = self._read
        if read is None or read.games.size > _size(self.store.path):
            read = _Read(self.store.games(), compute((), self.tournament.agents), 0)
            check_games(self.store, self.tournament.pairings(), read.games.records)
        self._read = None  # do not reuse a partial read
        self.store.read_new_games(read.games)
        self._read = read
        return read

    def _results(self) -> _Read:
        """Return the games played so far with their results. Raise KibitzError if they cannot be read."""
        read, now = self._games(), time.monotonic()
        played = len(read.games.records)
        if played != read.counted and (now >= read.next or played == self.planned):
            records = list(read.games.records.values())
            read.results, read.counted = compute(records, self.tournament.agents, times=False), played
            read.next = time.monotonic() + RESULTS_PAUSE_FACTOR * (time.monotonic() - now)
        return read

    def forget(self) -> None:
        """Drop the games from memory; they are read again when needed."""
        with self._lock:
            self._read, self._details = None, (0.0, False, {})

    def _safely(self, error: Exception) -> str:
        """Return an error message about the folder, without its path on this machine."""
        if isinstance(error, KibitzError):
            return str(error).replace(str(self.folder), self.id)
        return f"The folder {self.id} cannot be read ({type(error).__name__})."

    # Messages

    def summary(self) -> JsonObject:
        """Return the entry in the list of tournaments; `problem` is why the folder cannot be read, or None."""
        with self._lock:
            size = _size(self.store.path)
            if size != self._summary[0]:
                had_read = self._read is not None
                try:
                    found = self._make_summary()
                except Exception as error:  # the folder may hold anything; the others are still listed
                    found = {"problem": self._safely(error), "complete": False, "played": 0, "planned": 0}
                self._summary = (size, found)
                if not had_read and not self.status.wanted:
                    self.forget()
            return {"id": self.id, "made": self.status.made, **self._summary[1]}

    def check(self) -> None:
        """Raise BadText if the folder cannot be read."""
        if problem := self.summary()["problem"]:
            raise BadText(problem)

    def _make_summary(self) -> JsonObject:
        tournament, read = self.tournament, self._results()
        game, budget, records = tournament.make_game(), tournament.terms.budget, read.games.records
        count = count_pairs(tournament, records.values())
        return {
            "game": tournament.game,
            "title": game.title,
            "options": game.options,
            "format": tournament.format,
            "agents": list(map(self.label, tournament.agents)),
            "games_each": tournament.games,
            "seconds": budget.seconds,
            "nodes": budget.nodes,
            "openings": len(tournament.openings),
            "played": len(records),
            "planned": self.planned,
            "complete": len(records) >= self.planned or bool(count and count.verdict),
            "leader": self.label(read.results.standings[0].agent) if records else None,
            "problem": None,
        }

    def details(self, is_running: bool) -> JsonObject:
        """Return everything about the tournament, at most CACHE_SECONDS old. Raise KibitzError if it cannot be read."""
        with self._lock:
            then, was_running, found = self._details
            if not found or was_running != is_running or time.monotonic() - then > CACHE_SECONDS:
                found = self.summary()
                if found["problem"] is None:
                    try:
                        found |= self._make_details(is_running)
                    except KibitzError as error:
                        raise BadText(self._safely(error)) from None
                self._details = (time.monotonic(), is_running, found)
            return dict(found)

    def _make_details(self, is_running: bool) -> JsonObject:
        read = self._results()
        results, played = read.results, len(read.games.records)
        return {
            "played": played,
            "standings": list(map(self._standing, results.standings)),
            "crosstable": [[None if rate is None else rate_json(rate) for rate in row] for row in results.crosstable],
            "games": self.games(played),
            "torn": len(read.games.truncated),
            "live": list(self._live()) if is_running else [],
        }

    def _standing(self, standing: Standing) -> JsonObject:
        """Return a standing as JSON, with the agent's display name but no move times, which are not computed."""
        kept = {key: value for key, value in standing_json(standing).items() if not key.endswith("_ms")}
        return {**kept, "agent": self.label(standing.agent)}

    def _live(self) -> Iterator[JsonObject]:
        """Yield the first few running games as spectators see them, skipping any that cannot be replayed."""
        for record in read_live(self.folder / LIVE_FOLDER)[:MAX_LIVE_GAMES]:
            try:
                table = table_of("", record)
            except KibitzError:
                continue
            seen = show_table(table, None)
            yield {
                "game_id": record.id,
                "first": table.seats[0].name,
                "second": table.seats[1].name,
                "moves": table.ply,
                "picture": to_json(seen.picture),
                "scores": seen.fields["scores"],
                "to_move": table.state.to_move,
            }

    def games(self, before: int) -> list[JsonObject]:
        """Return a page of games before index `before`, latest first. Raise KibitzError if they cannot be read."""
        with self._lock:
            self.check()
            records = list(self._games().games.records.values())
        last = min(max(before, 0), len(records))
        games = list[JsonObject]()
        for record in reversed(records[max(0, last - GAMES_PER_PAGE) : last]):
            first, second = (agent_label(agent, record.game) for agent in record.agents)
            result = {"result": record.result, "reason": record.reason, "moves": len(record.moves)}
            games.append({"id": record.id, "first": first, "second": second, **result})
        return games

    def table(self, game_id: str) -> Table:
        """Return a finished game as a table to view. Raise BadOption for an unknown id, BadText if it is damaged."""
        with self._lock:
            self.check()
            record = self._games().games.records.get(game_id)
        if record is None:
            raise BadOption("No such game in this tournament, or it has not been played yet.")
        return table_of(f"{self.id}.{game_id}", record)

    def report(self, name: str, is_running: bool) -> bytes:
        """Return a file of the report, updated if there are new games. Raise KibitzError if that fails."""
        with self._lock:
            self.check()
            (size, made), now_size, now = self._reported, _size(self.store.path), time.monotonic()
            if size != now_size and not (is_running and size >= 0 and now < made + REPORT_PAUSE_SECONDS):
                try:
                    agents = ", ".join(map(self.label, self.tournament.agents))
                    title = f"{self.tournament.make_game().title}: {agents}"
                    write_report(read_report([self.folder]), self.folder, title)
                except KibitzError as error:
                    raise BadText(self._safely(error)) from None
                self._reported = (now_size, now)
            try:
                return (self.folder / name).read_bytes()
            except OSError as error:
                self._reported = (-1, 0.0)
                raise BadText(f"The report cannot be read: {error.strerror}. Try again.") from None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
