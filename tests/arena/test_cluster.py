"""Workers of a real Dask cluster: the same games and patterns as here, whoever is killed; faults told in words."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from arena.playing import games_of, run_here
from clocks import PATIENCE, wait_until
from games.go.go_games import random_games
from games.go.patterns.mined_games import FINAL, MOVES, add, tables_of
from inside import run
from kibitz.arena import cluster, runner
from kibitz.arena.cluster import DaskCluster, WorkResult
from kibitz.arena.store import TournamentFolder
from kibitz.arena.tournament import Tournament
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.record import GameRecord
from kibitz.games.go.patterns.mining import mining
from kibitz.games.go.patterns.mining.mined import Kind, Mined
from kibitz.games.go.patterns.mining.mining import mine

SMALL = Tournament("uttt", ("random", "plain-mcts(playouts=2)"), games=40, seed=1)
KIBITZ = [sys.executable, "-m", "kibitz"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer than anybody would for a scheduler and for workers: a busy machine is no failure."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", PATIENCE)
    monkeypatch.setattr(cluster, "NO_WORKERS_SECONDS", PATIENCE)


@contextmanager
def local(workers: int) -> Iterator[tuple[psutil.Process, str]]:
    """Yield the process of kibitz cluster local, and the address that it prints."""
    command = [*KIBITZ, "cluster", "local", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            found = re.search(rf"{workers} workers? on this machine at (tcp://127\.0\.0\.1:\d+)$", told)
            assert found, told
            yield psutil.Process(process.pid), found[1]
        finally:
            process.kill()


@contextmanager
def dask_worker(address: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a worker started with Dask's own command, without the nanny that would restart it."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1"]
    with subprocess.Popen(
        [*command, "--no-dashboard"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, GameRecord]:
    """Return the games of the small tournament as they are played here."""
    store = TournamentFolder.create(tmp_path_factory.mktemp("plain") / "out", SMALL)
    run_here(store)
    return games_of(store)


def test_games_and_patterns_are_the_same_though_workers_are_killed(
    plain: dict[str, GameRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of Dask's own command are killed: Dask does not always restart one of a local cluster."""
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    ids, killed = list[str](), 0
    monkeypatch.setattr(cluster, "NO_WORKERS_SECONDS", PATIENCE)
    with local(1) as (process, address), DaskCluster(address) as executor, ExitStack() as stack:
        worker = stack.enter_context(dask_worker(address))

        def progress(record: GameRecord) -> None:
            nonlocal worker, killed
            ids.append(record.id)
            if len(ids) in (2, 15):
                wait_until(lambda: len(executor._client.nthreads()) == 2, "a second worker")
                worker.kill()
                killed += 1
                worker = stack.enter_context(dask_worker(address))

        runner.run(store, executor, executor.jobs, progress)
        assert killed == 2
        assert sorted(ids) == sorted(plain)
        assert games_of(store) == plain
        assert store.path.read_bytes().count(b"\n") == len(plain)

        monkeypatch.setattr(mining, "GAMES_PER_PORTION", 5)
        kinds = [MOVES, FINAL, Kind("moves", "full", 8, 9), Kind("final", "3x3", 12, 9)]
        go = add(tmp_path, random_games(3, 22))
        told = list[tuple[int, int]]()
        summary = mine(go, kinds, on_progress=lambda *done: told.append(done), executor=executor, jobs=executor.jobs)
        assert (summary.games, summary.interrupted, len(told)) == (22, False, 5)
        there = tables_of(go)
        mine(go, kinds, anew=True)
        assert there == tables_of(go)

        go = add(tmp_path, random_games(4, 40))
        with pytest.raises(KibitzError, match="went away; finished work is kept"):
            mine(go, kinds, on_progress=lambda *done: process.kill(), executor=executor, jobs=executor.jobs)
    with Mined(go.folder) as mined:
        assert all(22 < facts["games"] < 62 for facts in mined.kinds().values())
    mine(go, kinds)
    there = tables_of(go)
    mine(go, kinds, anew=True)
    assert there == tables_of(go)


class HolderDied:
    """A future of Dask at the moment when the worker that holds its result dies: there is one, and there is not."""

    status = "pending"

    async def _result(self, raiseit: bool) -> WorkResult[int]:
        return WorkResult(7)


def test_a_result_counts_though_its_worker_dies_just_then() -> None:
    from distributed.cfexecutor import _cascade_future  # what passes results on; too quick to be hit by a kill for sure

    async def pass_on() -> None:
        await _cascade_future(HolderDied(), ended)

    ended, promised = Future[WorkResult[int]](), Future[int]()
    with ThreadPoolExecutor(1) as thread:  # a browser of earlier tests may keep an event loop running in this one
        thread.submit(lambda: asyncio.run(pass_on())).result()
    DaskCluster._end(object.__new__(DaskCluster), lambda: 7, promised, 1, ended)
    assert promised.result(0) == 7


def test_what_fails_is_told_and_what_is_finished_is_kept(
    plain: dict[str, GameRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TournamentFolder.create(tmp_path / "out", SMALL)
    with local(1) as (process, address):
        with monkeypatch.context() as patch, DaskCluster(address) as executor:
            patch.setattr(cluster, "__version__", "0.0.1")
            wrong = r"has kibitz .*, but the work is from kibitz 0\.0\.1: pip install"
            with pytest.raises(KibitzError, match=f"The scheduler {wrong}"):
                DaskCluster(address)
            with pytest.raises(KibitzError, match=f"The worker at tcp://.* {wrong}"):  # that came later
                runner.run(store, executor, executor.jobs)
        assert not store.games().records

        long = TournamentFolder.create(tmp_path / "long", replace(SMALL, games=6000))
        arena = subprocess.Popen(
            [*KIBITZ, "arena", "resume", str(long.folder), "--cluster", address],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        while not long.path.stat().st_size and arena.poll() is None:
            time.sleep(0.02)
        arena.send_signal(signal.SIGINT)
        _, told = arena.communicate(timeout=PATIENCE)
        assert re.fullmatch(r"(?s).*Stopped after \d+ of 6000 games. Continue with: kibitz arena resume .*\n", told)
        assert arena.returncode == 130
        assert long.games().records

        def progress(record: GameRecord) -> None:
            process.send_signal(signal.SIGKILL)

        with (
            DaskCluster(address) as executor,
            pytest.raises(KibitzError, match=r"scheduler at .* went away; finished work is kept"),
        ):
            runner.run(store, executor, executor.jobs, progress)
    assert 0 < len(store.games().records) < 40
    run_here(store)
    assert games_of(store) == plain


def test_addresses_where_there_is_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as mute:  # somebody is there, but says nothing
        for address in (f"tcp://127.0.0.1:{mute.getsockname()[1]}", "tcp://127.0.0.1:1"):
            with pytest.raises(KibitzError, match=f"No scheduler answers at {address}.*kibitz cluster local 2"):
                DaskCluster(address)
    for address, why in (("here", "missing port"), ("file://x:1", "unknown address"), ("tls://127.0.0.1:1", "TLS")):
        with pytest.raises(BadOption, match=f"cannot be used as the address of a scheduler: .*{why}"):
            DaskCluster(address)
    done = run("arena", "run", "uttt", "random", "reflex", "--cluster", "here", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith("kibitz: 'here' cannot be used")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = [sys.executable, "-m", "kibitz", "cluster", "local", "1", "--port", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.endswith(": Address already in use. Choose another port with --port.\n")
    assert len(done.stderr.splitlines()) == 1


def test_jobs_are_for_this_machine() -> None:
    with pytest.raises(BadOption, match="--jobs is for this machine"), cluster.workers(2, "tcp://127.0.0.1:1"):
        pass
