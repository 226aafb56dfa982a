"""Searches that are watched, stopped and interrupted."""

from __future__ import annotations

import threading

import pytest

import kibitz
from clocks import StoppedClock, interrupt_search, wait_until
from kibitz.core.agent import Budget, Watch
from kibitz.search import control
from search.asking import UTTT, stopped_choice

START = UTTT.start().view(0)


@pytest.mark.parametrize("name", ["alphabeta", "mcts"])
def test_the_watch_shows_progress_and_stops_the_search(name: str) -> None:
    agent, watch, seen = kibitz.agent("uttt", name), Watch(), list[int]()
    agent.choose(START, Budget(nodes=10))

    def look() -> None:
        for _ in range(5):
            seen.append(watch.nodes)
            wait_until(lambda: watch.nodes > seen[-1], "more nodes")

    assert stopped_choice(agent, UTTT.start(), watch, look).seconds < 3600
    assert (len(seen), seen[0] > 0, watch.depth >= 1) == (5, True, True)


class SlowStart(StoppedClock):
    """Goes on once a search is a few moves deep, by a tenth of a second a look."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def perf_counter(self) -> float:
        self.now += 0.1 if self.watch.depth > 3 else 0.0
        return self.now


def test_the_deadline_ends_a_search_that_would_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = kibitz.agent("uttt", "alphabeta")
    agent.choose(START, Budget(nodes=10))
    assert 0.19 < agent.choose(START, Budget(seconds=0.2)).seconds < 60
    watch = Watch()
    clock = SlowStart(watch)
    monkeypatch.setattr(control, "time", clock)
    began = clock.now
    assert agent.choose(START, Budget(seconds=0.2), watch).depth > 3
    assert 0.2 <= clock.now - began < 0.5


def test_ctrl_c_stops_the_kernel_and_is_raised() -> None:
    agent = kibitz.agent("uttt", "alphabeta")
    agent.choose(START, Budget(nodes=10))
    interrupt_search()
    with pytest.raises(KeyboardInterrupt):
        agent.choose(START, Budget(seconds=3600))
    wait_until(lambda: not _is_searching(), "the end of the search")
    assert agent.choose(START, Budget(nodes=1000)).move in START.legal_moves()


def _is_searching() -> bool:
    return any(thread.name == "kibitz-search" for thread in threading.enumerate())


def test_an_error_in_the_kernel_reaches_the_caller() -> None:
    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        control.supervise(broken, control.new_signal())
