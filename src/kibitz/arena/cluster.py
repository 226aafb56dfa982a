"""Workers on many machines, through Dask, as an executor like any other.

Knows neither games nor patterns. Dask hands the work of a worker that died to
another one; whoever asked gets each result once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pydoc import locate
from typing import Any, Generic, ParamSpec, TypeVar

from kibitz.arena.runner import ctrl_c_is_ours, local_executor
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.version import __version__

CONNECT_SECONDS = 10.0
"""How long the scheduler may take to answer, and the first worker to be there."""
HOST = "127.0.0.1"
"""Where a local cluster listens: only this machine can reach it."""
PATIENCE = 60.0
"""Seconds to wait for a worker when all of them are gone."""
LOOK = 1.0
"""Seconds between two looks at how many workers there are."""
ATTEMPTS = 3
"""How often work is handed out before it is given up; Dask gives it up once four workers have died over it."""
MISSING = "A cluster needs Dask: pip install 'kibitz[cluster]'."
GO_ON = "finished work is kept: run the command again to go on, for a tournament kibitz arena resume"

P = ParamSpec("P")
R = TypeVar("R")

_busy = threading.Lock()


@dataclass(frozen=True)
class Done(Generic[R]):
    """A result, wrapped so that Dask sends it as it is: it would take dictionaries and lists to pieces."""

    result: R

    def __iter__(self) -> Iterator[Any]:
        """Yield type, exception and traceback.

        Dask's executor looks at a result first and then at how the work ended. Should the worker that holds the
        result die in between, it takes the result for an error, which has these three parts.
        """
        return iter((Mistaken, Mistaken(self), None))


class Mistaken(Exception):
    """A result that Dask took for an error."""

    def __init__(self, done: Done[Any]) -> None:
        self.done = done


def do_here(version: str, work: Callable[[], R]) -> Done[R]:
    """Do a piece of work in a worker, one at a time, because agents are for one thread.

    Raises KibitzError if whoever sent it has another version of kibitz.
    """
    if version != __version__:
        from distributed import get_worker

        raise _other_version(f"worker at {get_worker().address}", __version__, version)
    with _busy:
        return Done(work())


def _other_version(where: str, there: str | None, here: str) -> KibitzError:
    """Return the fault that somebody's kibitz is not ours."""
    has = f"kibitz {there}" if there else "no kibitz that can do this"
    return KibitzError(
        f"The {where} has {has}, but the work is from kibitz {here}: pip install 'kibitz[cluster]=={here}' there "
        f"and start it again; {GO_ON}."
    )


@contextmanager
def _put_off_ctrl_c() -> Iterator[None]:
    """Let nothing be interrupted by Ctrl-C; if it comes, it counts afterwards."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        signal.raise_signal(signal.SIGINT)


class Cluster(Executor):
    """The workers of a Dask cluster."""

    def __init__(self, address: str) -> None:
        """Connect to a scheduler. Raises KibitzError if there is none, or if it has no workers."""
        self.address = address
        self._client = _connect(address)
        self._executor = self._client.get_executor(pure=False)
        self._workers, self._looked, self._seen = 1, 0.0, time.monotonic()

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Hand work to some worker. The result raises KibitzError if the cluster fails."""
        promised = Future[R]()
        self._begin(partial(fn, *args, **kwargs), promised, ATTEMPTS)
        return promised

    def _begin(self, work: Callable[[], R], promised: Future[R], attempts: int) -> None:
        try:
            with _put_off_ctrl_c():  # what Dask has half made complains when it is let go of
                begun = self._executor.submit(do_here, __version__, work)
        except (OSError, RuntimeError):  # the client has closed itself
            promised.set_exception(self._gone())
            return
        begun.add_done_callback(partial(self._end, work, promised, attempts))

    def _end(self, work: Callable[[], R], promised: Future[R], attempts: int, ended: Future[Done[R]]) -> None:
        """Keep the promise, or begin again if the work was given up."""
        from distributed import KilledWorker

        error = self._gone() if ended.cancelled() else ended.exception()
        if error is None:
            promised.set_result(ended.result().result)
        elif isinstance(error, Mistaken):
            promised.set_result(error.done.result)
        elif isinstance(error, KilledWorker) and attempts > 1:
            self._begin(work, promised, attempts - 1)
        else:
            promised.set_exception(self._in_words(error))

    def jobs(self) -> int:
        """Return how many workers there are now, at least 1. Raises KibitzError if they have been gone for long."""
        now = time.monotonic()
        if now - self._looked >= LOOK:
            self._looked = now
            self._workers = self._count()
            if self._workers:
                self._seen = now
            elif now - self._seen > PATIENCE:
                raise KibitzError(f"The scheduler at {self.address} has no workers any more; {GO_ON}.")
        return max(1, self._workers)

    def _count(self) -> int:
        """Return how many workers the scheduler knows."""
        if self._client.status != "running":
            raise self._gone()
        try:
            return len(self._client.nthreads())
        except (OSError, RuntimeError):
            raise self._gone() from None

    def _gone(self) -> KibitzError:
        return KibitzError(f"The scheduler at {self.address} went away; {GO_ON}.")

    def _in_words(self, error: BaseException) -> BaseException:
        """Return what is wrong with the cluster, or an error of the work itself as it is."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return KibitzError(
                "Many workers died over the same work: they lack memory, or have another kibitz; "
                f"see what they logged; {GO_ON}."
            )
        return error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take leave; nobody works for us any more. The scheduler and its workers stay."""
        self._client.close(timeout=2)


def _connect(address: str) -> Any:
    """Return a client of a scheduler that has a worker. Raises KibitzError."""
    try:
        from distributed import Client
    except ImportError:
        raise BadOption(MISSING) from None
    _silence_dask()
    try:
        asyncio.run(_knock(address))
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise KibitzError(
            f"No scheduler answers at {address} ({(str(error) or 'no answer').splitlines()[0]}); "
            "dask scheduler starts one, kibitz cluster local 2 one with workers on this machine."
        ) from None
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadOption(
            f"{address!r} cannot be used as the address of a scheduler: {error}; "
            "write tcp://HOST:PORT, or tls://HOST:PORT with certificates in Dask's settings."
        ) from None
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        _check_versions(client)
    except BaseException as error:
        client.close()
        if not isinstance(error, OSError):
            raise
        lacks = "has no workers" if isinstance(error, TimeoutError) else "or a worker went away"
        raise KibitzError(
            f"The scheduler at {address} {lacks}: dask worker {address} --nthreads 1 starts one."
        ) from None
    return client


def _silence_dask() -> None:
    """Let Dask log nothing: what matters of it we say ourselves."""
    for name in ("distributed", "distributed.client", "distributed.deploy.spec", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _check_versions(client: Any) -> None:
    """Raise KibitzError unless scheduler and workers have our version; those who come later check it themselves."""
    name = f"{__name__}.__version__"  # located by Python itself: whoever lacks kibitz can be asked too
    there = {"scheduler": client.run_on_scheduler(locate, name)}
    for address, version in client.run(locate, name, on_error="ignore").items():
        there[f"worker at {address}"] = version
    for where, version in there.items():
        if version != __version__:
            raise _other_version(where, version, __version__)


async def _knock(address: str) -> None:
    """Shake hands with a scheduler, because a client waits for ever where something else answers.

    TLS is as Dask's own settings say. Raises OSError, or ValueError, TypeError or RuntimeError for an address or
    settings that cannot be.
    """
    from distributed.comm import connect
    from distributed.security import Security

    settings = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=CONNECT_SECONDS, **settings), CONNECT_SECONDS)
    comm.abort()


@contextmanager
def workers(jobs: int | None, cluster: str | None) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor, and how many work for it: those of a cluster, or as many processes here, else one a core.

    Raises KibitzError if they cannot be had.
    """
    if cluster is None:
        number = jobs or os.cpu_count() or 1
        with local_executor(number) as pool:
            yield pool, lambda: number
        return
    if jobs is not None:
        raise BadOption("--jobs is for this machine; a cluster has as many jobs as workers.")
    with Cluster(cluster) as executor:
        yield executor, executor.jobs


@contextmanager
def local_cluster(number: int, port: int) -> Iterator[str]:
    """Start a scheduler and so many workers that only this machine can reach; yield the address. Raises KibitzError."""
    try:
        from distributed import LocalCluster
    except ImportError:
        raise BadOption(MISSING) from None
    _silence_dask()
    try:
        with ctrl_c_is_ours():
            cluster = LocalCluster(
                n_workers=number, threads_per_worker=1, host=HOST, scheduler_port=port, dashboard_address=f"{HOST}:0"
            )
    except (OSError, RuntimeError) as error:
        raise KibitzError(
            f"No cluster can be started at port {port}: {_cause(error)}; name another one with --port."
        ) from None
    with cluster:
        yield cluster.scheduler_address


def _cause(error: BaseException) -> str:
    """Return what the system refused, where that is behind an error of Dask."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, OSError) and behind.errno:
            return os.strerror(behind.errno)
        behind = behind.__cause__ or behind.__context__
    return str(error)
