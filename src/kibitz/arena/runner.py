"""Playing the games of a tournament that are not there yet.

Batches of about a second of work go through a concurrent.futures.Executor, by
default a pool of new processes. A worker reads the description of a tournament
once; its records come back together with the lines to append. Seeds belong to
the pairings, so the number of workers and the order of the batches change
nothing but the times.
"""

from __future__ import annotations

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
from pathlib import Path
from typing import NamedTuple

from kibitz.arena.live import LiveFile, clear_live
from kibitz.arena.match import play
from kibitz.arena.results import Results, compute
from kibitz.arena.sprt import PairCount
from kibitz.arena.store import Store, seal
from kibitz.arena.tournament import Pairing, Terms, Tournament
from kibitz.core import registry
from kibitz.core.agent import Agent
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.faults import game_failures
from kibitz.core.record import GameRecord
from kibitz.core.seeds import derive
from kibitz.search.agents import bot_prefix, is_outside, make_agent

BATCH_SECONDS = 1.0
"""How long a batch should take: long against the cost of handing it over, short against a person's patience."""
GLANCE = 0.2
"""Seconds between two looks at whether to stop."""
CACHED_TOURNAMENTS = 4
"""Tournaments whose agents a worker keeps: those of a cluster play one after the other, or some at a time."""


class Stopped(KibitzError):
    """Report that a tournament was stopped; what was played until then is kept."""


class Played(NamedTuple):
    """A game that was played, and its line for the store."""

    record: GameRecord
    line: str


def play_batch(description: str, pairings: Sequence[Pairing], live: Path | None = None) -> tuple[float, list[Played]]:
    """Play some games of a tournament; return the seconds that took and the games. Runs in a worker.

    With a folder for live games each is shown there while it is played.
    """
    began = time.perf_counter()
    tournament = _open_tournament(description)
    shown = None if live is None else LiveFile(live)
    played = []
    for pairing in pairings:
        agents = [tournament.agent(spec, seat) for seat, spec in enumerate(pairing.agents)]
        with game_failures():  # here, because the process that waits has no frames of it
            record = play_pairing(agents, tournament.terms, pairing, shown)
        played.append(Played(record, seal(record)))
    if shown is not None:
        shown.close()
    return time.perf_counter() - began, played


def play_pairing(agents: Sequence[Agent], terms: Terms, pairing: Pairing, live: LiveFile | None = None) -> GameRecord:
    """Play one pairing, ties again if the terms say so, and return the record that counts."""
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
    """A tournament as a worker plays it: what its description says, and the worker's own agents."""

    def __init__(self, description: str) -> None:
        tournament = Tournament.from_json(description)
        self.terms, self.game = tournament.terms, tournament.make_game()
        self._agents: dict[tuple[str, int], Agent] = {}

    def agent(self, spec: str, seat: int) -> Agent:
        """Return the agent of a seat; it is made once and reset for each game."""
        if (spec, seat) not in self._agents:
            self._agents[spec, seat] = make_agent(self.game, spec)
        return self._agents[spec, seat]

    def close(self) -> None:
        """Close the agents."""
        for agent in self._agents.values():
            agent.close()


_open: dict[str, _OpenTournament] = {}
"""The tournaments that this worker has played, by their descriptions, the latest last."""


def _open_tournament(description: str) -> _OpenTournament:
    """Return a tournament, read when it is first asked for; those played long ago are closed."""
    found = _open.pop(description, None) or _OpenTournament(description)
    _open[description] = found
    if len(_open) > CACHED_TOURNAMENTS:
        _open.pop(next(iter(_open))).close()
    return found


def check_agents(tournament: Tournament) -> None:
    """Raise BadOption unless every agent can be made and can play the tournament's games."""
    game = tournament.make_game()
    for spec in tournament.agents:
        kind = registry.bot_kind(game.name, bot_prefix(spec)) if is_outside(spec) else None
        if tournament.openings and kind is not None and not kind.any_start:
            raise BadOption(f"{spec} can only start from the first position: leave out the openings.")
        with closing(make_agent(game, spec)):
            pass


def _begin_worker(niceness: int) -> None:
    """Let others go before this worker, and end it when the process that started it is gone, however it went."""
    if niceness and sys.platform != "win32":
        os.nice(niceness)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=watch, name="kibitz-parent", daemon=True).start()


@contextmanager
def ctrl_c_is_ours() -> Iterator[None]:
    """Start processes that pass over Ctrl-C, which reaches them too; whoever started them ends them."""
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
    elif sys.platform != "win32":  # a thread cannot ignore it, but hands on what it blocks
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    else:
        yield


@contextmanager
def local_executor(jobs: int, niceness: int = 0) -> Iterator[Executor]:
    """Yield a pool of worker processes, which are killed if an exception passes through.

    The greater the niceness, the more they let other processes go first.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_worker, initargs=(niceness,))
    try:
        with ctrl_c_is_ours():
            for _ in range(jobs):
                pool.submit(os.getpid)  # starts one more worker
        yield pool
    except BaseException:
        for worker in list((pool._processes or {}).values()):
            worker.kill()
        pool.shutdown(cancel_futures=True)  # waits for its own thread, which at exit would find its pipe closed
        raise
    pool.shutdown()


def run(
    store: Store,
    executor: Executor,
    jobs: int | Callable[[], int],
    progress: Callable[[GameRecord], None] = lambda record: None,
    stop: Callable[[], bool] = lambda: False,
    live: Path | None = None,
) -> None:
    """Play every game of the store's tournament that is not there yet, or until its test is decided.

    jobs is how many workers the executor has, now or for good.
    progress is called with each record once it is on the disk. stop is asked
    several times a second; Stopped is raised soon after it says so. live is a
    folder in which the games that are being played are shown. Raises
    KibitzError; what was played until then is kept.
    """
    tournament = store.tournament()
    with store.writing():
        there, pairings = store.games().records, tournament.pairings()
        check_games(store, pairings, there)
        count = count_pairs(tournament, there.values())

        def note(record: GameRecord) -> None:
            if count is not None:
                count.add(record)
            progress(record)

        todo = [pairing for pairing in pairings if pairing.id not in there]
        work = partial(play_batch, tournament.to_json(), live=live)
        if live is not None:
            clear_live(live)
            live.mkdir()
        number = jobs if callable(jobs) else lambda: jobs
        try:
            _run_batches(store, work, todo, executor, number, note, lambda: bool(count and count.verdict), stop)
        finally:
            if live is not None:
                clear_live(live)


def count_pairs(tournament: Tournament, records: Iterable[GameRecord]) -> PairCount | None:
    """Return how the test of a tournament stands, if it has one."""
    if tournament.sprt is None:
        return None
    count = PairCount(tournament.sprt, tournament.agents[0])
    for record in records:
        count.add(record)
    return count


def check_games(store: Store, pairings: Iterable[Pairing], there: Mapping[str, GameRecord]) -> None:
    """Raise BadText if a stored game is none of the pairings."""
    known = {pairing.id: pairing for pairing in pairings}
    for record in there.values():
        pairing = known.get(record.id)
        if pairing is None or (pairing.agents, pairing.start) != (record.agents, record.start):
            raise BadText(f"{store.path} holds game {record.id}, which is not of this tournament.")


def _run_batches(
    store: Store,
    work: Callable[[list[Pairing]], tuple[float, list[Played]]],
    todo: list[Pairing],
    executor: Executor,
    jobs: Callable[[], int],
    progress: Callable[[GameRecord], None],
    decided: Callable[[], bool],
    stop: Callable[[], bool],
) -> None:
    """Keep every worker busy with one batch and one in waiting; grow batches to about BATCH_SECONDS."""
    todo = todo[::-1]
    size, begun = 1, set[Future[tuple[float, list[Played]]]]()
    while (todo and not decided()) or begun:
        if stop():
            raise Stopped("The tournament was stopped.")
        room = 2 * jobs()
        while todo and len(begun) < room and not decided():
            batch = [todo.pop() for _ in range(min(size, max(1, len(todo) // room), len(todo)))]
            begun.add(executor.submit(work, batch))
        done, _ = wait(begun, GLANCE, FIRST_COMPLETED)
        begun -= done
        for future in done:
            try:
                seconds, played = future.result()
            except BrokenProcessPool:
                raise KibitzError("A worker process died; kibitz arena resume goes on with what is there.") from None
            store.append([game.line for game in played])
            size = max(1, min(2 * size, round(len(played) * BATCH_SECONDS / max(seconds, 1e-6)), 10_000))
            for game in played:
                progress(game.record)


def run_tournament(
    tournament: Tournament,
    folder: Path,
    jobs: int | None = None,
    progress: Callable[[GameRecord], None] = lambda record: None,
) -> Results:
    """Play a new tournament in a new folder, on this machine, and return its results. Raises KibitzError."""
    check_agents(tournament)
    return resume_tournament(Store.create(folder, tournament).folder, jobs, progress)


def resume_tournament(
    folder: Path, jobs: int | None = None, progress: Callable[[GameRecord], None] = lambda record: None
) -> Results:
    """Play what a tournament lacks, and return its results. Raises KibitzError."""
    store, jobs = Store(folder), jobs or os.cpu_count() or 1
    tournament = store.tournament()
    with local_executor(jobs) as executor:
        run(store, executor, jobs, progress)
    return compute(store.games().records.values(), tournament.agents)
