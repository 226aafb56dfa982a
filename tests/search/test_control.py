"""Searches that are watched, stopped and interrupted, and options that no search takes."""

from __future__ import annotations

import threading

import pytest

import kibitz
from clocks import StoppedClock, interrupt_search, wait_until
from kibitz.core.agent import Budget, Watch
from kibitz.core.errors import BadOption
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


BAD_SPECS = {
    "1 or more": ("minimax(depth=0)", "plain-minimax(depth=-1)", "MM_Winning(depth=0)", "mcts(playouts=0)"),
    "depth 0: it must be 1 or more": ("selective(depth=0)", "alphabeta(depth=0)", "plain-alphabeta(depth=0)"),
    "depth -3: it must be 1 or more": ("selective(depth=-3)",),
    "with 0 playouts: it must be 1 or more": ("mcts(playouts=0)", "plain-mcts(playouts=0)"),
    "a tree of 999 nodes: it must be 1000 to 100000000": ("mcts(tree=999)",),
    "table=3: it must be 4 to 28": ("selective(table=3)",),
    "table=0: it must be 4 to 28": ("selective(table=0)",),
    "table=29: it must be 4 to 28": ("selective(table=29)",),
    "table=3: it must be 0, or 4 to 28": ("alphabeta(table=3)",),
    "0 threads: it must be 1 to 64": ("selective(threads=0)",),
    "65 threads: it must be 1 to 64": ("selective(threads=65)",),
    "A budget must be more than 0, got -1.0 seconds": ("selective(seconds=-1)", "minimax(seconds=-1)"),
    "must be more than 0": ("minimax(seconds=0)", "alphabeta(seconds=0)"),
    "its evaluations are winning": ("minimax(eval=gut)", "selective(eval=gut)", "mcts(leaf=gut)"),
    "no evaluation 'gut'": ("minimax(eval=winning|gut)",),
    r"lacks a name beside a \|": ("minimax(eval=winning|)",),
    "every": ("selective(every=maybe)",),
    "there is no 'u'.* in column 3": ("minimax(jump=5/u)",),
    "no finite value at t = 3": ("minimax(jump=1/(t-3))",),
    "start='inf'.*must be a number": ("minimax(jump=t,start=inf)",),
    "must be a number": ("mcts(seconds=nan)",),
    "has no option 'depth'; it takes eval=text, jump=text": ("greedy(depth=2)",),
    "The agent MM_Winning has no option 'table'": ("MM_Winning(table=4)",),
}
"""Message -> specs of agents that are refused with it."""


@pytest.mark.parametrize("said", BAD_SPECS)
def test_bad_options_are_refused_with_what_would_be_right(said: str) -> None:
    for spec in BAD_SPECS[said]:
        with pytest.raises(BadOption, match=said):
            kibitz.agent("uttt", spec)
