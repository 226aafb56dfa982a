"""Budgets, watches and seeds: the small parts that every agent uses."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kibitz
from kibitz.core.agent import Budget, Choice, Counted, MoveValue, Unit, Watch
from kibitz.core.errors import BadOption
from kibitz.core.seeds import Stream, derive


@pytest.mark.parametrize("name", ["seconds", "nodes", "playouts"])
@pytest.mark.parametrize("amount", [0, -1, -0.5, math.nan, -math.inf])
def test_budget_must_be_more_than_nothing(name: str, amount: float) -> None:
    limits: dict[str, Any] = {name: amount}
    with pytest.raises(BadOption, match=f"must be more than 0, got {amount} {name}"):
        Budget(**limits)


@pytest.mark.parametrize(
    ("budget", "spent", "left"),
    [
        (Budget(), (7.0, 5, 6), Budget(None, None, None)),
        (Budget(2.0, 100, 10), (0.5, 30, 4), Budget(seconds=1.5, nodes=70, playouts=6)),
        (Budget(2.0, 100, 10), (5.0, 300, 40), Budget(seconds=0.001, nodes=1, playouts=1)),
    ],
    ids=["no limits", "some left", "overspent"],
)
def test_what_is_left_of_a_budget(budget: Budget, spent: tuple[float, int, int], left: Budget) -> None:
    assert budget.after(*spent) == left


@given(st.floats(0.01, 1e6), st.integers(1, 10**9), st.floats(0, 1e7), st.integers(0, 10**10))
def test_the_rest_of_a_budget_is_a_smaller_budget(seconds: float, nodes: int, spent: float, visited: int) -> None:
    left = Budget(seconds, nodes).after(spent, visited, 0)
    assert 0 < (left.seconds or 0) <= seconds
    assert 0 < (left.nodes or 0) <= nodes


def test_budget_within_seconds_is_the_tighter_of_both() -> None:
    budget = Budget(seconds=2.0, nodes=100)
    assert budget.within(None) == budget.within(3.0) == budget
    assert budget.within(0.5) == Budget(seconds=0.5, nodes=100)
    assert Budget().within(0.5) == Budget(seconds=0.5)


def test_watch_remembers_that_it_was_stopped() -> None:
    watch = Watch()
    assert (watch.stopped, watch.move, watch.value) == (False, None, None)
    watch.stop()
    assert watch.stopped


def test_agents_with_the_same_seed_play_the_same() -> None:
    view = kibitz.game("uttt").start().view(0)

    def moves(agent: kibitz.Agent) -> list[int]:
        return [agent.choose(view).move for _ in range(20)]

    first, same, other = (kibitz.agent("uttt", "random", seed) for seed in (5, 5, 6))
    played = moves(first)
    assert moves(same) == played != moves(other)
    other.reset(5)
    assert moves(other) == played


@pytest.mark.parametrize("spec", ["random", "reflex", "plain-mcts(playouts=5)", "plain-alphabeta(depth=1)"])
def test_choice_that_is_not_exact_names_its_move_alone_as_best(spec: str) -> None:
    choice = kibitz.agent("uttt", spec).choose(kibitz.game("uttt").start().view(0))
    assert not choice.exact
    assert choice.best == (choice.move,)


def test_derived_seeds_are_the_same_everywhere() -> None:
    # Stored records are replayed from these: they may never change.
    assert derive(1, "deal") == 655744157952702339
    assert derive(1, "agent", 0) == 8687764765092024249


@given(st.integers(), st.lists(st.one_of(st.text(), st.integers())))
def test_derived_seed_has_63_bits_and_repeats(seed: int, labels: list[int | str]) -> None:
    made = derive(seed, *labels)
    assert 0 <= made < 1 << 63
    assert made == derive(seed, *labels)


def test_every_label_changes_a_derived_seed() -> None:
    seeds = [derive(seed, *labels) for seed in range(20) for labels in ((), ("deal",), ("agent", 0), ("agent", 1))]
    assert len(set(seeds)) == len(seeds)
    assert derive(0, "agent/0") != derive(0, "agent", 0) != derive(0, "agent", "0")


def test_deriving_does_not_touch_the_global_generator() -> None:
    random.seed(1)
    before = random.getstate()
    derive(1, "deal")
    Stream(1).next()
    kibitz.agent("uttt", "random").reset(3)
    assert random.getstate() == before


def test_stream_is_splitmix64() -> None:
    # The first numbers from seed 1234567, as the reference implementation prints them.
    stream = Stream(1234567)
    first = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert [stream.next() for _ in first] == first


@given(st.integers(), st.integers(1, 1 << 32))
def test_stream_stays_below_its_bound(seed: int, n: int) -> None:
    stream = Stream(seed)
    assert all(0 <= stream.below(n) < n for _ in range(5))


def test_stream_takes_any_whole_number_as_its_seed() -> None:
    assert Stream(-1).next() == Stream((1 << 64) - 1).next()
    assert Stream(1 << 64).next() == Stream(0).next()


def test_stream_reaches_every_number_about_equally_often() -> None:
    stream, counts = Stream(7), [0] * 9
    for _ in range(9000):
        counts[stream.below(9)] += 1
    assert all(850 < count < 1150 for count in counts), counts


@pytest.mark.parametrize("spec", ["alphabeta(depth=1)", "mcts(playouts=5)", "mcts(playouts=100000000000000000000)"])
def test_budget_may_be_larger_than_any_counter(spec: str) -> None:
    budget = Budget(seconds=0.05, nodes=10**20, playouts=10**20)
    view = kibitz.game("uttt").start().view(0)
    assert kibitz.agent("uttt", spec).choose(view, budget).move in view.legal_moves()


BOX = Counted("box", "boxes")


@pytest.mark.parametrize(
    ("unit", "value", "is_proved"),
    [("probability", 1.0, True), ("probability", 0.5, False), ("probability", 0.0, False), (BOX, 1, False)],
)
def test_only_a_win_is_proved_by_one_move(unit: Unit, value: float, is_proved: bool) -> None:
    moves = (MoveValue(0, value, True), MoveValue(1, 0, False))
    assert Choice(0, value, unit, moves=moves).proved is is_proved
    assert Choice(0, value, unit, exact=True).proved


def test_candidates_are_ranked_by_choice_visits_and_value() -> None:
    values = [(0.9, 1), (0.4, 8), (0.5, 8)]
    visited = tuple(MoveValue(move, value, False, visits=visits) for move, (value, visits) in enumerate(values))
    assert [m.move for m in Choice(1, 0.4, "probability", moves=visited).candidates] == [1, 2, 0]
    valued = tuple(MoveValue(move, value, True) for move, value in enumerate((0, 2, 1, 2)))
    assert [m.move for m in Choice(3, 2, BOX, True, best=(1, 3), moves=valued).candidates] == [3, 1, 2, 0]
    assert Choice(0).candidates == ()
