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
from kibitz.web.tables.snapshot import view_table
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
class _PlayedGames:
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
        """Its owner, and whether it should run; changed by set_wanted()."""
        self._played: _PlayedGames | None = None
        self._lock = threading.RLock()
        self._details: tuple[float, bool, JsonObject] = (0.0, False, {})
        """The last full message: when it was made, whether the tournament was running, and the message."""
        self._reported: tuple[int, float] = (-1, 0.0)
        """The size of the games file at the last report, and when that was written."""
        self._summary: tuple[int, JsonObject] = (-1, {})
        """The size of the games file, and the list entry made from it."""

    def set_wanted(self, wanted: bool, fault: str = "") -> None:
        """Save whether the tournament should be running, and why it failed, if so. Raise BadText if that fails."""
        with self._lock:
            status = replace(self.status, wanted=wanted, fault=fault)
            if status != self.status:
                write_status(self.folder, status)
                self.status = status

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament's description. Raise KibitzError if it cannot be read or its game is unknown."""
        tournament = self.store.tournament()
        tournament.make_game()
        if len(tournament.meetings()) * tournament.games > MAX_TOURNAMENT_GAMES:
            raise BadText(f"A tournament of more than {MAX_TOURNAMENT_GAMES} games is not shown here.")
        return tournament

    def label(self, agent: str) -> str:
        """Return the display name of an agent."""
        return agent_label(agent, self.tournament.game)

    @property
    def planned(self) -> int:
        """The number of games in the complete tournament."""
        return len(self.tournament.meetings()) * self.tournament.games

    def _read_games(self) -> _PlayedGames:
        """Return the games played so far, with possibly outdated results. Raise KibitzError if they cannot be read."""
        played = self._played
        if played is None or played.games.size > _size(self.store.path):
            played = _PlayedGames(self.store.games(), compute((), self.tournament.agents), 0)
            check_games(self.store, self.tournament.pairings(), played.games.records)
        self._played = None  # do not reuse a partial read
        self.store.read_new_games(played.games)
        self._played = played
        return played

    def _read_results(self) -> _PlayedGames:
        """Return the games played so far with their results. Raise KibitzError if they cannot be read."""
        played, now = self._read_games(), time.monotonic()
        count = len(played.games.records)
        if count != played.counted and (now >= played.next or count == self.planned):
            records = list(played.games.records.values())
            played.results, played.counted = compute(records, self.tournament.agents, times=False), count
            played.next = time.monotonic() + RESULTS_PAUSE_FACTOR * (time.monotonic() - now)
        return played

    def drop_games(self) -> None:
        """Drop the games from memory; they are read again when needed."""
        with self._lock:
            self._played, self._details = None, (0.0, False, {})

    def _public_message(self, error: Exception) -> str:
        """Return the message of an error about the folder, without the folder's path on this machine."""
        if isinstance(error, KibitzError):
            return str(error).replace(str(self.folder), self.id)
        return f"The folder {self.id} cannot be read ({type(error).__name__})."

    # Messages

    def summary(self) -> JsonObject:
        """Return the entry in the list of tournaments; `problem` is why the folder cannot be read, or None."""
        with self._lock:
            size = _size(self.store.path)
            if size != self._summary[0]:
                were_in_memory = self._played is not None
                try:
                    summary = self._make_summary()
                except Exception as error:  # the folder may hold anything; the others are still listed
                    summary = {"problem": self._public_message(error), "complete": False, "played": 0, "planned": 0}
                self._summary = (size, summary)
                if not were_in_memory and not self.status.wanted:
                    self.drop_games()
            return {"id": self.id, "made": self.status.made, **self._summary[1]}

    def check_readable(self) -> None:
        """Raise BadText if the folder cannot be read."""
        if problem := self.summary()["problem"]:
            raise BadText(problem)

    def _make_summary(self) -> JsonObject:
        tournament, played = self.tournament, self._read_results()
        game, budget, records = tournament.make_game(), tournament.terms.budget, played.games.records
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
            "leader": self.label(played.results.standings[0].agent) if records else None,
            "problem": None,
        }

    def details(self, is_running: bool) -> JsonObject:
        """Return everything about the tournament, at most CACHE_SECONDS old. Raise KibitzError if it cannot be read."""
        with self._lock:
            made, was_running, message = self._details
            if not message or was_running != is_running or time.monotonic() - made > CACHE_SECONDS:
                message = self.summary()
                if message["problem"] is None:
                    try:
                        message |= self._make_details(is_running)
                    except KibitzError as error:
                        raise BadText(self._public_message(error)) from None
                self._details = (time.monotonic(), is_running, message)
            return dict(message)

    def _make_details(self, is_running: bool) -> JsonObject:
        played = self._read_results()
        results, count = played.results, len(played.games.records)
        return {
            "played": count,
            "standings": list(map(self._standing_json, results.standings)),
            "crosstable": [[None if rate is None else rate_json(rate) for rate in row] for row in results.crosstable],
            "games": self.games(count),
            "torn": len(played.games.truncated),
            "live": list(self._live_games()) if is_running else [],
        }

    def _standing_json(self, standing: Standing) -> JsonObject:
        """Return a standing as JSON, with the agent's display name but no move times, which are not computed here."""
        kept = {key: value for key, value in standing_json(standing).items() if not key.endswith("_ms")}
        return {**kept, "agent": self.label(standing.agent)}

    def _live_games(self) -> Iterator[JsonObject]:
        """Yield the first few running games as spectators see them, skipping any that cannot be replayed."""
        for record in read_live(self.folder / LIVE_FOLDER)[:MAX_LIVE_GAMES]:
            try:
                table = table_of("", record)
            except KibitzError:
                continue
            seen = view_table(table, None)
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
        """Return up to GAMES_PER_PAGE games before index `before`, latest first. Raise KibitzError if unreadable."""
        with self._lock:
            self.check_readable()
            records = list(self._read_games().games.records.values())
        last = min(max(before, 0), len(records))
        games = list[JsonObject]()
        for record in reversed(records[max(0, last - GAMES_PER_PAGE) : last]):
            first, second = (agent_label(agent, record.game) for agent in record.agents)
            result = {"result": record.result, "reason": record.reason, "moves": len(record.moves)}
            games.append({"id": record.id, "first": first, "second": second, **result})
        return games

    def table(self, game_id: str) -> Table:
        """Return a finished game as a table to view. Raise BadOption if its id is unknown, BadText if it is damaged."""
        with self._lock:
            self.check_readable()
            record = self._read_games().games.records.get(game_id)
        if record is None:
            raise BadOption("No such game in this tournament, or it has not been played yet.")
        return table_of(f"{self.id}.{game_id}", record)

    def report(self, name: str, is_running: bool) -> bytes:
        """Return a file of the report, updated if there are new games. Raise KibitzError if that fails."""
        with self._lock:
            self.check_readable()
            (old_size, made), size, now = self._reported, _size(self.store.path), time.monotonic()
            is_recent = is_running and old_size >= 0 and now < made + REPORT_PAUSE_SECONDS
            if size != old_size and not is_recent:
                try:
                    agents = ", ".join(map(self.label, self.tournament.agents))
                    title = f"{self.tournament.make_game().title}: {agents}"
                    write_report(read_report([self.folder]), self.folder, title)
                except KibitzError as error:
                    raise BadText(self._public_message(error)) from None
                self._reported = (size, now)
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
