"""An executor whose workers may be on many machines, connected through Dask.

Runs any function, not only games. When a worker dies, Dask gives its work to
another one; the caller gets every result exactly once.
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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pydoc import locate
from typing import Any, Generic, ParamSpec, TypeVar

from kibitz.arena.runner import ignoring_ctrl_c, local_executor
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.version import __version__

CONNECT_SECONDS = 10.0
"""Timeout for the scheduler to answer, and for the first worker to connect."""
LOCAL_HOST = "127.0.0.1"
"""The address of a local cluster: only this machine can reach it."""
NO_WORKERS_SECONDS = 60.0
"""How long to wait for a new worker after the last one has gone."""
COUNT_SECONDS = 1.0
"""Minimum time between two requests for the number of workers."""
MAX_ATTEMPTS = 3
"""Maximum number of times to submit the same work; each time, Dask gives up once four workers have died running it."""
DASK_MISSING = "A cluster needs Dask: pip install 'kibitz[cluster]'."
RESUME_HINT = "finished work is kept: run the command again to continue (a tournament: kibitz arena resume)"

P = ParamSpec("P")
R = TypeVar("R")

_busy = threading.Lock()


@dataclass(frozen=True)
class WorkResult(Generic[R]):
    """A result, wrapped so that Dask sends it unchanged: Dask would unpack bare dictionaries and lists."""

    result: R

    def __iter__(self) -> Iterator[Any]:
        """Yield an exception type, an exception that holds this result, and None for the traceback.

        Dask's executor first fetches the result and then asks how the work ended. If the worker that holds the
        result dies in between, Dask takes the result for an error and unpacks it into these three parts.
        """
        return iter((ResultAsError, ResultAsError(self), None))


class ResultAsError(Exception):
    """A result that Dask mistook for an error."""

    def __init__(self, work: WorkResult[Any]) -> None:
        self.work = work


def run_in_worker(version: str, work: Callable[[], R]) -> WorkResult[R]:
    """Run work in this worker, one call at a time, because agents are not thread-safe.

    Raise KibitzError if the sender has another version of kibitz.
    """
    if version != __version__:
        from distributed import get_worker

        raise _version_error(f"worker at {get_worker().address}", __version__, version)
    with _busy:
        return WorkResult(work())


def _version_error(place: str, installed: str | None, needed: str) -> KibitzError:
    """Return the error for a scheduler or worker (place) that has another version of kibitz than the sender."""
    has = f"kibitz {installed}" if installed else "no usable kibitz"
    return KibitzError(
        f"The {place} has {has}, but the work is from kibitz {needed}: pip install 'kibitz[cluster]=={needed}' there "
        f"and restart it; {RESUME_HINT}."
    )


@contextmanager
def _delaying_ctrl_c() -> Iterator[None]:
    """Delay the effect of Ctrl-C until the block has ended."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    held_back: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: held_back.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if held_back:
        signal.raise_signal(signal.SIGINT)


class DaskCluster(Executor):
    """The workers of a Dask cluster."""

    def __init__(self, address: str) -> None:
        """Connect to a scheduler. Raise KibitzError if it does not answer or has no workers."""
        self.address = address
        self._client = _connect(address)
        self._executor = self._client.get_executor(pure=False)
        self._workers, self._counted_at, self._seen_at = 1, 0.0, time.monotonic()

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a function on any worker; return its future, which raises KibitzError if the cluster fails."""
        future = Future[R]()
        self._begin(partial(fn, *args, **kwargs), future, MAX_ATTEMPTS)
        return future

    def _begin(self, work: Callable[[], R], future: Future[R], attempts: int) -> None:
        try:
            with _delaying_ctrl_c():  # Dask prints errors about a submission that was interrupted
                dask_future = self._executor.submit(run_in_worker, __version__, work)
        except (OSError, RuntimeError):  # the client has closed itself
            future.set_exception(self._scheduler_gone())
            return
        dask_future.add_done_callback(partial(self._end, work, future, attempts))

    def _end(self, work: Callable[[], R], future: Future[R], attempts: int, done: Future[WorkResult[R]]) -> None:
        """Pass the result or error of Dask's future on to ours, or submit the work again if Dask gave up on it."""
        from distributed import KilledWorker

        error = self._scheduler_gone() if done.cancelled() else done.exception()
        if error is None:
            future.set_result(done.result().result)
        elif isinstance(error, ResultAsError):
            future.set_result(error.work.result)
        elif not isinstance(error, KilledWorker):
            future.set_exception(error)
        elif attempts > 1:
            self._begin(work, future, attempts - 1)
        else:
            reason = "Several workers died running the same work: they ran out of memory or have another kibitz."
            future.set_exception(KibitzError(f"{reason} Read their logs; {RESUME_HINT}."))

    def jobs(self) -> int:
        """Return the current number of workers, at least 1. Raise KibitzError after NO_WORKERS_SECONDS without any."""
        now = time.monotonic()
        if now - self._counted_at >= COUNT_SECONDS:
            self._counted_at, self._workers = now, self._count()
            if self._workers:
                self._seen_at = now
            elif now - self._seen_at > NO_WORKERS_SECONDS:
                raise KibitzError(f"The scheduler at {self.address} has no workers left; {RESUME_HINT}.")
        return max(1, self._workers)

    def _count(self) -> int:
        """Return the number of workers known to the scheduler."""
        with suppress(OSError, RuntimeError):
            if self._client.status == "running":
                return len(self._client.nthreads())
        raise self._scheduler_gone()

    def _scheduler_gone(self) -> KibitzError:
        return KibitzError(f"The scheduler at {self.address} went away; {RESUME_HINT}.")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect, which cancels all submitted work. The scheduler and its workers keep running."""
        self._client.close(timeout=2)


def _connect(address: str) -> Any:
    """Connect to a scheduler with at least one worker; return the client. Raise KibitzError if that fails."""
    dask = _import_dask()
    try:
        asyncio.run(_check_reachable(address))
        client = dask.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise KibitzError(
            f"No scheduler answers at {address} ({(str(error) or 'no answer').splitlines()[0]}). Start one with "
            "dask scheduler, or one with workers on this machine with kibitz cluster local 2."
        ) from None
    except (TypeError, ValueError, RuntimeError) as error:
        raise BadOption(
            f"{address!r} cannot be used as the address of a scheduler: {error}. "
            "Use tcp://HOST:PORT, or tls://HOST:PORT with certificates in Dask's settings."
        ) from None
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        _check_versions(client)
    except BaseException as error:
        client.close()
        if not isinstance(error, OSError):
            raise
        problem = "has no workers" if isinstance(error, TimeoutError) else "or a worker went away"
        raise KibitzError(
            f"The scheduler at {address} {problem}. Start a worker with dask worker {address} --nthreads 1."
        ) from None
    return client


def _import_dask() -> Any:
    """Import Dask, and turn off its logging: our own errors report what matters. Raise BadOption if it is missing."""
    try:
        import distributed
    except ImportError:
        raise BadOption(DASK_MISSING) from None
    for name in ("distributed", "distributed.client", "distributed.deploy.spec", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def _check_versions(client: Any) -> None:
    """Raise KibitzError unless scheduler and workers have our version; workers that join later check it themselves."""
    name = f"{__name__}.__version__"  # looked up by pydoc.locate, so it works even where kibitz is missing
    workers = client.run(locate, name, on_error="ignore")
    versions = {f"worker at {address}": version for address, version in workers.items()}
    for place, version in {"scheduler": client.run_on_scheduler(locate, name), **versions}.items():
        if version != __version__:
            raise _version_error(place, version, __version__)


async def _check_reachable(address: str) -> None:
    """Check that a scheduler answers; a Dask client would wait for ever if another kind of server did.

    TLS follows Dask's own settings. Raise OSError if nothing answers, or ValueError, TypeError or RuntimeError for
    an invalid address or invalid settings.
    """
    from distributed.comm import connect
    from distributed.security import Security

    settings = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=CONNECT_SECONDS, **settings), CONNECT_SECONDS)
    comm.abort()


@contextmanager
def workers(jobs: int | None, cluster: str | None, quiet: bool = False) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor and a function that counts its workers.

    The workers are those of the cluster at this address, or else `jobs` processes on this machine, by default one per
    core; quiet: as in runner.WorkerPool. Raise KibitzError if the cluster cannot be used.
    """
    if cluster is None:
        processes = jobs or os.cpu_count() or 1
        with local_executor(processes, quiet=quiet) as pool:
            yield pool, lambda: processes
        return
    if jobs is not None:
        raise BadOption("--jobs is for this machine only; a cluster runs one job per worker. Leave out one of the two.")
    with DaskCluster(cluster) as executor:
        yield executor, executor.jobs


@contextmanager
def local_cluster(number: int, port: int) -> Iterator[str]:
    """Start a scheduler and `number` workers that only this machine can reach; yield the scheduler's address.

    Raise KibitzError if they cannot be started.
    """
    dask = _import_dask()
    try:
        with ignoring_ctrl_c():
            addresses = {"host": LOCAL_HOST, "scheduler_port": port, "dashboard_address": f"{LOCAL_HOST}:0"}
            cluster = dask.LocalCluster(n_workers=number, threads_per_worker=1, **addresses)
    except (OSError, RuntimeError) as error:
        raise KibitzError(
            f"Cannot start a cluster at port {port}: {_cause(error)}. Choose another port with --port."
        ) from None
    with cluster:
        yield cluster.scheduler_address


def _cause(error: BaseException) -> str:
    """Return the message of the system error that caused a Dask error, or else the text of the Dask error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno)
        cause = cause.__cause__ or cause.__context__
    return str(error)
