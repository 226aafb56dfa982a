"""The tournaments of the page: created within limits, run one at a time, stopped, resumed, and shown.

Each has a folder of its own. One thread plays them in low-priority worker processes.
Queued tournaments run in order of arrival; a long one goes back to the end of the
queue after a while. Commands are saved before they are carried out, so a killed server
resumes where it stopped.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from kibitz.arena.openings import random_openings
from kibitz.arena.runner import TournamentStopped, check_agents, local_executor, run
from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Tournament
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.record import GameRecord
from kibitz.core.untrusted import JsonObject
from kibitz.search.agents import is_private
from kibitz.web.arena.progress import LIVE_FOLDER, TournamentProgress, TournamentStatus, write_status
from kibitz.web.tables.setup import key_of, new_token
from kibitz.web.tables.table import Refused, Table

LOG = logging.getLogger(__name__)
WORKER_NICENESS = 10
"""Niceness of the worker processes."""
TURN_SECONDS = 300.0
"""Seconds after which a tournament makes way for the next in the queue."""
SPEED_WINDOW_SECONDS = 20.0
"""Time over which the speed in games per second is averaged."""
COMPILING = "Compiling a search. This happens once and takes a few seconds."
SHUTDOWN_SECONDS = 5.0
"""Seconds to wait for the workers at shutdown."""
MAX_CACHED_TOURNAMENTS = 4
"""Maximum number of tournaments whose games are kept in memory."""
MAX_LISTED_TOURNAMENTS = 100
"""Maximum number of tournaments listed, the newest first."""
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,79}")
"""Valid folder names; others are not listed."""
_DRAFT = ".new-"


@dataclass(frozen=True)
class ArenaLimits:
    """Limits of tournaments started on the page."""

    agents: int = 12
    games: int = 2000
    """Maximum number of games in a whole tournament."""
    seconds: float = 5.0
    """Maximum thinking time per turn."""
    nodes: int = 1_000_000
    """Maximum number of nodes per turn."""
    openings: int = 50
    waiting: int = 8
    """Maximum number of queued tournaments."""
    kept: int = 1000
    """Maximum number of stored tournaments."""
    jobs: int = max(1, (os.cpu_count() or 1) // 2)
    """Games played in parallel."""


@dataclass
class _Run:
    """The running tournament."""

    progress: TournamentProgress
    stopped: bool = False
    began: float = field(default_factory=time.monotonic)
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=5000))
    """When its latest games ended, by time.monotonic()."""
    is_compiling: Callable[[], bool] = lambda: False
    """Whether one of its workers is compiling a search."""

    def speed(self) -> float | None:
        """Return the recent games per second, or None before the first game."""
        now = time.monotonic()
        since = max(now - SPEED_WINDOW_SECONDS, self.began)
        recent = sum(end >= since for end in self.ends)
        return recent / max(now - since, 0.001) if recent else None


class Tournaments:
    """All tournaments in a folder. Its methods may be called from any thread."""

    def __init__(self, folder: Path, limits: ArenaLimits = ArenaLimits(), is_open: bool = True) -> None:
        self.folder, self.limits = folder, limits
        self.is_open = is_open
        """Whether every visitor may stop and resume tournaments."""
        self._known: dict[str, TournamentProgress] = {}
        self._recent = OrderedDict[str, TournamentProgress]()
        """Tournaments whose games are kept in memory, the most recently used last."""
        self._queue: list[str] = []
        """Ids of the queued tournaments, in the order in which they will run."""
        self._run: _Run | None = None
        self.played = 0
        """Number of games played since the server started."""
        self._closing = False
        self._changed = threading.Condition(threading.RLock())
        self._making = threading.Lock()
        self._thread: threading.Thread | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadOption(f"Cannot store tournaments in {folder}: {error.strerror}. Choose another folder.") from None

    # Beginning and end

    def start(self) -> None:
        """Queue the tournaments that should be running, and start the thread that plays them."""
        for draft in self.folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(draft, ignore_errors=True)
        wanted = [progress for progress in self._all() if progress.status.wanted]
        with self._changed:
            self._closing = False
            self._queue = [progress.id for progress in sorted(wanted, key=lambda each: each.status.made)]
            self._thread = threading.Thread(target=self._play_queue, name="kibitz-arena", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop playing without losing finished games. Unfinished tournaments resume at the next start."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(SHUTDOWN_SECONDS)

    # Looking

    def _all(self) -> list[TournamentProgress]:
        """Return all tournaments in the folder."""
        try:
            names = {path.name for path in self.folder.iterdir() if _NAME.fullmatch(path.name) and path.is_dir()}
        except OSError:
            names = set()
        with self._changed:
            for name in self._known.keys() - names:
                del self._known[name]
                self._recent.pop(name, None)
            for name in names - self._known.keys():
                self._known[name] = TournamentProgress(self.folder / name)
            return list(self._known.values())

    def _find(self, id: str) -> TournamentProgress:
        """Return the tournament with this id, and keep its games in memory. Raise BadOption if the id is unknown."""
        progress = self._known.get(id) or next((each for each in self._all() if each.id == id), None)
        if progress is None or not progress.folder.is_dir():
            raise BadOption("Tournament not found.")
        with self._changed:
            self._recent[id] = progress
            self._recent.move_to_end(id)
            oldest = self._recent.popitem(last=False)[1] if len(self._recent) > MAX_CACHED_TOURNAMENTS else None
        if oldest is not None:
            oldest.drop_games()
        return progress

    def _running(self, id: str) -> _Run | None:
        """Return the run of a tournament, or None if it is not being played."""
        current = self._run
        return current if current is not None and current.progress.id == id and not current.stopped else None

    def _with_state(self, progress: TournamentProgress, message: JsonObject) -> JsonObject:
        """Return a message about a tournament, with `state` and `note` in place of `problem` and `complete`."""
        problem, complete, fault = message.pop("problem"), message.pop("complete"), progress.status.fault
        waiting = list(self._queue)  # another thread may remove it meanwhile
        if problem:
            state, note = "failed", problem
        elif current := self._running(progress.id):
            state, note = "running", COMPILING if current.is_compiling() else ""
        elif progress.id in waiting:
            state, note = "waiting", f"Number {waiting.index(progress.id) + 1} in the queue."
        elif complete:
            state, note = "complete", ""
        else:
            state, note = "failed" if fault else "stopped", fault
        return {**message, "state": state, "note": note}

    def count_active(self) -> tuple[int, int]:
        """Return the number of running and of queued tournaments."""
        return int(self._run is not None), len(self._queue)

    def list(self) -> JsonObject:
        """Return the newest tournaments, and the limits of new ones."""
        newest = sorted(self._all(), key=lambda each: (each.status.made, each.id), reverse=True)
        shown = [self._with_state(each, each.summary()) for each in newest[:MAX_LISTED_TOURNAMENTS]]
        return {"tournaments": shown, "limits": asdict(self.limits), "open": self.is_open}

    def show(self, id: str) -> JsonObject:
        """Return everything about a tournament. Raise BadOption for an unknown id, BadText if it is damaged."""
        progress = self._find(id)
        current = self._running(id)
        message = self._with_state(progress, progress.details(current is not None))
        speed = current.speed() if current else None
        return {
            **message,
            "speed": None if speed is None else round(speed, 3),
            "left": None if speed is None else round((message["planned"] - message["played"]) / speed, 1),
            "open": self.is_open,
            "resumable": message["state"] in ("stopped", "failed") and self._why_not_resumable(progress) is None,
        }

    def games(self, id: str, before: int) -> JsonObject:
        """Return games of a tournament as TournamentProgress.games does. Raise KibitzError if unknown or unreadable."""
        return {"games": self._find(id).games(before)}

    def report(self, id: str, name: str) -> bytes:
        """Return a file of a tournament's report. Raise KibitzError for an unknown id, or if that fails."""
        return self._find(id).report(name, self._running(id) is not None)

    def table(self, id: str) -> Table:
        """Return game TOURNAMENT.GAME as a table to view. Raise BadOption if it is unknown, BadText if damaged."""
        tournament, _, game = id.rpartition(".")
        return self._find(tournament).table(game)

    # Changing

    def create(self, tournament: Tournament, openings: int) -> tuple[str, str]:
        """Create and queue a tournament with this many random openings; return its id and the owner's token.

        Raise KibitzError if it is refused.
        """
        self._check_queue()
        if len(self._all()) >= self.limits.kept:
            raise Refused(f"This server stores at most {self.limits.kept} tournaments and is full.")
        if not self._making.acquire(blocking=False):
            raise Refused("Another tournament is being prepared: try again in a moment.")
        try:
            check_agents(tournament)
            if openings:  # may take seconds
                chosen = random_openings(tournament.make_game(), openings, tournament.seed)
                tournament = replace(tournament, openings=chosen)
            return self._save(tournament)
        finally:
            self._making.release()

    def _save(self, tournament: Tournament) -> tuple[str, str]:
        """Save and queue a tournament; return its id and the owner's token."""
        name, token = f"T{secrets.token_urlsafe(12)}", new_token()
        draft = self.folder / f"{_DRAFT}{name}"
        TournamentFolder.create(draft, tournament)
        write_status(draft, TournamentStatus(key_of(token), datetime.now(UTC).isoformat(timespec="milliseconds"), True))
        try:
            draft.rename(self.folder / name)
        except OSError as error:
            raise BadText(f"The tournament cannot be saved: {error.strerror}.") from None
        self._enqueue(name)
        return name, token

    def command(self, id: str, do: str, token: str | None) -> None:
        """Stop or resume a tournament. Raise BadOption for an unknown id, Refused if it is not allowed now."""
        progress = self._find(id)
        if not self.is_open and (not token or key_of(token) != progress.status.owner):
            raise Refused("Only the browser that started this tournament can stop or resume it.")
        if do == "resume":
            if self._running(id) or id in self._queue:
                raise Refused("This tournament is already running or queued.")
            if why := self._why_not_resumable(progress):
                raise Refused(why)
            self._check_queue()
            progress.set_wanted(True)
            self._enqueue(id)
            return
        with self._changed:
            if not self._running(id) and id not in self._queue:
                raise Refused("This tournament is not running.")
            progress.set_wanted(False)
            if id in self._queue:
                self._queue.remove(id)
            if current := self._running(id):
                current.stopped = True

    def _why_not_resumable(self, progress: TournamentProgress) -> str | None:
        """Return why a tournament cannot be resumed, or None if it can."""
        summary = progress.summary()
        if summary["problem"]:
            return "This tournament cannot be read."
        if summary["complete"]:
            return "All games of this tournament have been played."
        tournament = progress.tournament
        if any(is_private(tournament.game, spec) for spec in tournament.agents):
            needs = "This tournament needs outside programs or files, which the page does not open."
            return f"{needs} Use kibitz arena resume."
        return None

    def _check_queue(self) -> None:
        if len(self._queue) >= self.limits.waiting:
            raise Refused(f"The queue is full ({len(self._queue)} tournaments). Try again later.")

    def _enqueue(self, id: str) -> None:
        """Add a tournament to the queue, unless it is there already."""
        with self._changed:
            if id not in self._queue:
                self._queue.append(id)
            self._changed.notify_all()

    # Playing

    def _play_queue(self) -> None:
        """Play one tournament after another until close() is called."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or self._queue)
                if self._closing:
                    return
                name = self._queue.pop(0)
                try:
                    current = self._run = _Run(self._find(name))
                except BadOption:  # removed meanwhile
                    continue
            fault = self._play(current)
            with self._changed:
                self._run = None
                with suppress(KibitzError):  # the disk is full, or the folder is gone
                    self._finish(current, fault)

    def _play(self, current: _Run) -> str | None:
        """Play a tournament; return why it failed, "" if it is complete, or None if it was stopped."""
        progress = current.progress

        def count(record: GameRecord) -> None:
            self.played += 1
            current.ends.append(time.monotonic())

        def must_stop() -> bool:
            its_turn_is_over = bool(self._queue) and time.monotonic() > current.began + TURN_SECONDS
            return self._closing or current.stopped or its_turn_is_over

        if (why := self._why_not_resumable(progress)) is not None:
            return "" if progress.summary()["complete"] else why
        jobs, live = self.limits.jobs, progress.folder / LIVE_FOLDER
        try:
            with local_executor(jobs, WORKER_NICENESS, quiet=True) as executor:
                current.is_compiling = executor.is_compiling
                run(progress.store, executor, jobs, count, must_stop, live)
        except TournamentStopped:
            return None
        except KibitzError as error:
            return str(error).replace(str(progress.folder), progress.id)
        except Exception as fault:
            LOG.warning("The tournament %s failed", progress.id, exc_info=fault, extra={"tournament": progress.id})
            return f"The tournament failed ({type(fault).__name__})."
        return ""

    def _finish(self, ended: _Run, fault: str | None) -> None:
        """Save how a run ended, or queue the tournament again if it was only interrupted. fault: as from _play()."""
        progress = ended.progress
        if fault is not None:
            progress.set_wanted(False, fault)
            if progress.id in self._queue:
                self._queue.remove(progress.id)
        elif progress.status.wanted and not self._closing:
            self._enqueue(progress.id)
