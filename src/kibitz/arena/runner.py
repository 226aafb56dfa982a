"""Playing the missing games of a tournament, in parallel.

Batches of about a second of work go through a concurrent.futures.Executor, by default a pool of new processes. A worker
parses a tournament's description once, and returns records with the lines to append to games.jsonl. Each pairing has
its own seed, so the number of workers and the order of the batches affect only the recorded times.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kibitz.arena.live import LiveFile, clear_live
from kibitz.arena.match import play
from kibitz.arena.results import Results, compute
from kibitz.arena.sprt import PairCount
from kibitz.arena.store import TournamentFolder, seal
from kibitz.arena.tournament import Pairing, Terms, Tournament
from kibitz.compiled.notice import listen
from kibitz.core import registry
from kibitz.core.agent import Agent
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.faults import game_failures
from kibitz.core.record import GameRecord
from kibitz.core.seeds import derive
from kibitz.search.agents import bot_prefix, is_outside, make_agent

BATCH_SECONDS = 1.0
"""Target duration of a batch: long compared with the cost of sending it, short for anyone who waits for results."""
STOP_POLL_SECONDS = 0.2
"""Maximum time between two checks of whether to stop."""
CACHED_TOURNAMENTS = 4
"""Number of tournaments whose agents a worker keeps: a cluster may play several in turn."""
MAX_BATCH_GAMES = 10_000


class TournamentStopped(KibitzError):
    """Raised when a tournament is stopped; the games played so far are kept."""


class SealedGame(NamedTuple):
    """A game's record, and its line for games.jsonl."""

    record: GameRecord
    line: str


Batch: TypeAlias = tuple[float, list[SealedGame]]
"""The duration of a batch in seconds, and its games."""


def play_batch(description: str, pairings: Sequence[Pairing], live: Path | None = None) -> Batch:
    """Play games of a tournament in a worker; return the duration in seconds and the games.

    description: the tournament as JSON. live: a folder in which each game is shown while it is played.
    """
    began, played = time.perf_counter(), []
    tournament, live_file = _open_tournament(description), None if live is None else LiveFile(live)
    for pairing in pairings:
        agents = [tournament.agent(spec, seat) for seat, spec in enumerate(pairing.agents)]
        with game_failures():  # in the worker: tracebacks, which name the rules, are not sent to the parent
            record = play_pairing(agents, tournament.terms, pairing, live_file)
        played.append(SealedGame(record, seal(record)))
    if live_file is not None:
        live_file.close()
    return time.perf_counter() - began, played


def play_pairing(agents: Sequence[Agent], terms: Terms, pairing: Pairing, live: LiveFile | None = None) -> GameRecord:
    """Play one pairing, replaying ties if the terms say so, and return the record that counts."""
    game = agents[0].game
    start = None if pairing.start is None else game.parse_position(pairing.start)
    ties = 0
    while True:
        seed = pairing.seed if ties == 0 else derive(pairing.seed, "replay", ties)
        follow = None if live is None else partial(live.show, game, pairing, seed)
        record = play(game, agents, seed, terms.budget, start, clock=terms.clock, grace=terms.grace,
                      adjudicate=terms.adjudicate, id=pairing.id, ties=ties, follow=follow)  # fmt: skip
        if record.result != "1/2-1/2" or terms.ties == "keep" or ties >= terms.replays:
            return record
        ties += 1


class _OpenTournament:
    """A tournament in a worker: its game and terms, and the worker's own agents."""

    def __init__(self, description: str) -> None:
        tournament = Tournament.from_json(description)
        self.terms, self.game = tournament.terms, tournament.make_game()
        self._agents: dict[tuple[str, int], Agent] = {}

    def agent(self, spec: str, seat: int) -> Agent:
        """Return the agent of a seat, created once and reset before each game."""
        if (spec, seat) not in self._agents:
            self._agents[spec, seat] = make_agent(self.game, spec)
        return self._agents[spec, seat]

    def close(self) -> None:
        """Close the agents."""
        for agent in self._agents.values():
            agent.close()


_open: dict[str, _OpenTournament] = {}
"""This worker's tournaments by description, the most recently used last."""


def _open_tournament(description: str) -> _OpenTournament:
    """Return a tournament from this worker's cache, or open it; if the cache is full, close the least recently used."""
    tournament = _open.pop(description, None) or _OpenTournament(description)
    _open[description] = tournament
    if len(_open) > CACHED_TOURNAMENTS:
        _open.pop(next(iter(_open))).close()
    return tournament


def check_agents(tournament: Tournament) -> None:
    """Raise BadOption unless every agent can be created and can play the tournament's games."""
    game = tournament.make_game()
    for spec in tournament.agents:
        kind = registry.bot_kind(game.name, bot_prefix(spec)) if is_outside(spec) else None
        if tournament.openings and kind is not None and not kind.any_start:
            raise BadOption(f"{spec} can only play from the game's own start: leave out the openings.")
        with closing(make_agent(game, spec)):
            pass


def _begin_worker(niceness: int, compiling: Synchronized[int] | None) -> None:
    """Lower this worker's priority by `niceness`, and let it exit when the process that started it has ended.

    compiling: counts the workers that are compiling a search; without it, each prints a line.
    """
    atexit.register(_open.clear)  # agents may hold libraries that complain if they are still in use at the very end
    if niceness and sys.platform != "win32":
        os.nice(niceness)
    if compiling is not None:

        def count(kernel: str | None) -> None:
            with compiling.get_lock():
                compiling.value += 1 if kernel else -1

        listen(count)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, name="kibitz-parent", daemon=True).start()


@contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Make processes started in this block ignore Ctrl-C, so that only their parent ends them."""
    if threading.current_thread() is threading.main_thread():
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
    elif sys.platform != "win32":  # only the main thread can ignore a signal, but children inherit a blocked one
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    else:
        yield


class WorkerPool(ProcessPoolExecutor):
    """A pool of worker processes.

    niceness lowers their priority, as os.nice does. If they are quiet, workers do not print that they compile a search:
    is_compiling() tells.
    """

    def __init__(self, jobs: int, niceness: int, quiet: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self._compiling: Synchronized[int] | None = context.Value("i", 0) if quiet else None
        super().__init__(jobs, mp_context=context, initializer=_begin_worker, initargs=(niceness, self._compiling))

    def is_compiling(self) -> bool:
        """Return whether a quiet worker is compiling a search."""
        return self._compiling is not None and self._compiling.value > 0


@contextmanager
def local_executor(jobs: int, niceness: int = 0, quiet: bool = False) -> Iterator[WorkerPool]:
    """Yield a pool of worker processes, which are killed if the block raises an exception."""
    pool = WorkerPool(jobs, niceness, quiet)
    try:
        with ignoring_ctrl_c():
            for _ in range(jobs):
                pool.submit(os.getpid)  # starts one more worker
        yield pool
    except BaseException:
        for worker in list((pool._processes or {}).values()):
            worker.kill()
        pool.shutdown(cancel_futures=True)  # joins the pool's thread, which would fail on a closed pipe at exit
        raise
    pool.shutdown()


def run(
    store: TournamentFolder,
    executor: Executor,
    jobs: int | Callable[[], int],
    progress: Callable[[GameRecord], None] = lambda record: None,
    stop: Callable[[], bool] = lambda: False,
    live: Path | None = None,
) -> None:
    """Play the missing games of a tournament, or until its sequential test is decided.

    jobs is the number of workers, or a function that returns the current number. progress is called with each record
    once it is on disk. stop is called several times a second; TournamentStopped is raised soon after it returns True.
    live is a folder in which games are shown while they are played. Raise KibitzError if a worker or a file fails.
    Finished games are always kept.
    """
    tournament = store.tournament()
    with store.write_lock():
        finished, pairings = store.games().records, tournament.pairings()
        check_games(store, pairings, finished)
        test = count_pairs(tournament, finished.values())

        def add_game(record: GameRecord) -> None:
            if test is not None:
                test.add(record)
            progress(record)

        missing = [pairing for pairing in pairings if pairing.id not in finished]
        work = partial(play_batch, tournament.to_json(), live=live)
        if live is not None:
            clear_live(live)
            live.mkdir()
        count_jobs = jobs if callable(jobs) else lambda: jobs
        try:
            _run_batches(
                store, work, missing, executor, count_jobs, add_game, lambda: bool(test and test.verdict), stop
            )
        finally:
            if live is not None:
                clear_live(live)


def count_pairs(tournament: Tournament, records: Iterable[GameRecord]) -> PairCount | None:
    """Return the state of a tournament's sequential test after these games, or None if it has no test."""
    if tournament.sprt is None:
        return None
    test = PairCount(tournament.sprt, tournament.agents[0])
    for record in records:
        test.add(record)
    return test


def check_games(store: TournamentFolder, pairings: Iterable[Pairing], records: Mapping[str, GameRecord]) -> None:
    """Raise BadText if a stored game is not one of the pairings."""
    known = {pairing.id: pairing for pairing in pairings}
    for record in records.values():
        pairing = known.get(record.id)
        if pairing is None or (pairing.agents, pairing.start) != (record.agents, record.start):
            raise BadText(f"{store.path}: game {record.id} does not belong to this tournament; remove its line.")


def _run_batches(
    store: TournamentFolder,
    work: Callable[[list[Pairing]], Batch],
    missing: list[Pairing],
    executor: Executor,
    jobs: Callable[[], int],
    progress: Callable[[GameRecord], None],
    is_decided: Callable[[], bool],
    stop: Callable[[], bool],
) -> None:
    """Play and store the missing games: up to two batches per worker at a time, each of about BATCH_SECONDS."""
    todo = missing[::-1]  # pop() takes the last
    batch_games, pending = 1, set[Future[Batch]]()
    while (todo and not is_decided()) or pending:
        if stop():
            raise TournamentStopped("The tournament was stopped.")
        max_pending = 2 * jobs()
        while todo and len(pending) < max_pending and not is_decided():
            batch = [todo.pop() for _ in range(min(batch_games, max(1, len(todo) // max_pending), len(todo)))]
            pending.add(executor.submit(work, batch))
        done, _ = wait(pending, STOP_POLL_SECONDS, FIRST_COMPLETED)
        pending -= done
        for future in done:
            try:
                seconds, played = future.result()
            except BrokenProcessPool:
                raise KibitzError("A worker process died; continue with kibitz arena resume.") from None
            store.append([game.line for game in played])
            games_per_batch = round(len(played) * BATCH_SECONDS / max(seconds, 1e-6))
            batch_games = max(1, min(2 * batch_games, games_per_batch, MAX_BATCH_GAMES))
            for game in played:
                progress(game.record)


def run_tournament(
    tournament: Tournament,
    folder: Path,
    jobs: int | None = None,
    progress: Callable[[GameRecord], None] = lambda record: None,
) -> Results:
    """Play a tournament in a new folder, on this machine, and return its results.

    Raise KibitzError if it cannot be started or fails; resume_tournament continues it.
    """
    check_agents(tournament)
    return resume_tournament(TournamentFolder.create(folder, tournament).folder, jobs, progress)


def resume_tournament(
    folder: Path, jobs: int | None = None, progress: Callable[[GameRecord], None] = lambda record: None
) -> Results:
    """Play the missing games of a tournament and return its results. Raise KibitzError as run does."""
    store, jobs = TournamentFolder(folder), jobs or os.cpu_count() or 1
    tournament = store.tournament()
    with local_executor(jobs) as executor:
        run(store, executor, jobs, progress)
    return compute(store.games().records.values(), tournament.agents)
