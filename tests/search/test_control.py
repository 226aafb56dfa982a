"""Searches that are watched, stopped and interrupted."""

from __future__ import annotations

import signal
import threading
import time

import pytest

import kibitz
from kibitz.core.agent import Budget, Watch

START = kibitz.game("uttt").start().view(0)


@pytest.mark.parametrize("name", ["alphabeta", "mcts"])
def test_the_watch_shows_progress_and_stops_the_search(name: str) -> None:
    agent, watch, seen = kibitz.agent("uttt", name), Watch(), list[int]()
    agent.choose(START, Budget(nodes=10))

    def look() -> None:
        deadline = time.monotonic() + 20
        while watch.move is None and time.monotonic() < deadline:
            time.sleep(0.01)
        for _ in range(5):
            seen.append(watch.nodes)
            time.sleep(0.05)
        watch.stop()

    spectator = threading.Thread(target=look)
    spectator.start()
    choice = agent.choose(START, Budget(seconds=60), watch)
    spectator.join()
    assert choice.seconds < 30
    assert seen == sorted(seen)
    assert seen[-1] > seen[0] > 0
    assert watch.depth >= 1
    assert watch.move in START.legal_moves()
    assert watch.value is not None
    assert 0 < watch.value < 1


def test_the_deadline_ends_a_search_that_would_go_on() -> None:
    agent = kibitz.agent("uttt", "alphabeta")
    agent.choose(START, Budget(nodes=10))
    choice = agent.choose(START, Budget(seconds=0.2))
    assert choice.depth > 3
    assert 0.19 < choice.seconds < 5


def test_ctrl_c_stops_the_kernel_and_is_raised() -> None:
    agent = kibitz.agent("uttt", "alphabeta")
    agent.choose(START, Budget(nodes=10))
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        agent.choose(START, Budget(seconds=60))
    assert not _searching(within=2.0)
    assert agent.choose(START, Budget(nodes=1000)).move in START.legal_moves()


def _searching(within: float) -> bool:
    """Return whether a search thread is still alive after a while."""
    deadline = time.monotonic() + within
    while alive := any(thread.name == "kibitz-search" for thread in threading.enumerate()):
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return alive


def test_an_error_in_the_kernel_reaches_the_caller() -> None:
    from kibitz.search.control import new_signal, supervise

    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        supervise(broken, new_signal())
