"""The agent that plays by the exact solver: proved choices, honest fallbacks, limits kept."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import pytest

import kibitz
from clocks import StoppedClock, StopWatch
from games.dots import naive
from games.dots.boards import graph_of
from kibitz.core.agent import Budget, Choice, Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact import agent as exact_agent
from kibitz.games.dots.exact.agent import Exact
from kibitz.games.dots.exact.solver import Solution, Solver
from kibitz.games.dots.rules import Dots, DotsState

ENOUGH = Budget(seconds=600)


def random_state(rng: random.Random, game: Dots, lines: int) -> DotsState:
    """Return the position after a number of random moves."""
    state = game.start()
    for _ in range(lines):
        state = state.play(rng.choice(state.legal_moves()))
    return state


def margin_of(state: DotsState, player: int) -> int:
    return state.scores[player] - state.scores[1 - player]


def final_margins(state: DotsState) -> dict[int, int]:
    """Return by full search, for each move, how far ahead the player to move will be in the end."""
    legal = state.legal_moves()
    values = naive.move_values(naive.part(naive.grid_strings(state.game.rows, state.game.cols), state.undrawn))
    return {legal[i]: margin_of(state, state.to_move) + value for i, value in values.items()}


@pytest.mark.parametrize("every", [False, True])
def test_choices_are_exact_and_count_the_boxes_taken(every: bool) -> None:
    rng, ahead = random.Random(1), 0
    for size in ((2, 3), (3, 3)):
        game = Dots(*size)
        agent = Exact(game, every=every, memory=1)
        for _ in range(12):
            state = random_state(rng, game, len(game.moves()) - rng.randint(1, 11))
            truth = final_margins(state)
            best = tuple(move for move, value in truth.items() if value == max(truth.values()))
            choice = agent.choose(state, ENOUGH)
            assert (choice.value, choice.unit, choice.exact) == (max(truth.values()), "boxes", True)
            assert choice.best == best
            assert choice.move in best
            moves = {m.move: m.value for m in choice.moves if m.exact}
            assert moves == (truth if every else {})
            ahead += state.margin != 0
    assert ahead >= 8


def test_the_line_played_out_reaches_the_value() -> None:
    rng = random.Random(2)
    for game in (Dots(2, 2), Dots(1, 5), Dots(3, 3), Dots(3, 3, start_="swedish")):
        agent = Exact(game, memory=16)
        for lines in (0, 3, 6):
            state = start = random_state(rng, game, lines)
            choice = agent.choose(start, ENOUGH)
            assert choice.line[0] == choice.move
            for move in choice.line:
                state = state.play(move)
            assert state.outcome() is not None
            assert margin_of(state, start.to_move) == choice.value


def test_the_seconds_told_are_those_that_passed() -> None:
    game = Dots(5, 5)
    agent = Exact(game)
    agent.prepare()
    told = passed = 0.0
    for position in ("a54a51947d1d9f8", "56ad7b67f26c157", "42d92289f1537c4"):  # the line takes longer than the value
        state = game.parse_position(position)
        began = time.perf_counter()
        choice = agent.choose(state, ENOUGH)
        passed += time.perf_counter() - began
        told += choice.seconds
        assert choice.exact
    assert 0.5 * passed <= told <= passed


def test_a_graph_is_played_exactly_too() -> None:
    strings = (*naive.loop(3, "l"), *naive.chain(3, "c"), ("c1", None))
    game = Dots(graph=graph_of(strings).to_json())
    choice = Exact(game, every=True, memory=1).choose(game.start(), ENOUGH)
    assert {m.move: m.value for m in choice.moves} == naive.move_values(strings)
    assert choice.value == naive.value(strings)


def test_3x3_ends_as_it_was_solved() -> None:
    game = Dots(3, 3)
    agents = [kibitz.agent(game, "exact(memory=16)") for _ in range(2)]
    assert kibitz.play(game, agents).reason == "6 boxes to 3"
    for seed in range(3):
        record = kibitz.play(game, [kibitz.agent(game, "random"), agents[1]], seed=seed)
        end = kibitz.replay(record)[-1]
        assert isinstance(end, DotsState)
        assert margin_of(end, 1) >= 3


# Where it cannot finish


def check_estimate(state: DotsState, choice: Choice) -> None:
    assert choice.move in state.legal_moves()
    assert not choice.exact
    assert choice.unit == "boxes"
    for move in choice.line:
        state = state.play(move)


def test_the_empty_5x5_is_left_to_alpha_beta() -> None:
    game = Dots(5, 5)
    agent = Exact(game)
    agent.prepare()
    choice = agent.choose(game.start(), Budget(nodes=20_000))
    check_estimate(game.start(), choice)
    assert 0 < choice.nodes < 25_000
    assert choice.depth >= 2


def test_what_a_vain_solve_leaves_is_enough_for_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Dots(4, 5, start_="icelandic")  # 40 lines, and no box yet: far too many for these budgets
    agent = Exact(game, every=True)
    agent.prepare()
    choice = agent.choose(game.start(), Budget(nodes=1000))
    check_estimate(game.start(), choice)
    assert [m.move for m in choice.moves] == list(game.start().legal_moves())
    assert choice.depth >= 1
    clock, given = StoppedClock(), list[float | None]()
    monkeypatch.setattr(exact_agent, "time", clock)

    def solve(drawn: int, *, seconds: float | None, **how: Any) -> Solution:
        given.append(seconds)
        clock.now += seconds or 0.0
        return Solution(-20, 20, (), False, {}, 0, seconds or 0.0)

    def choose(view: DotsState, budget: Budget, watch: Watch | None) -> Choice:
        given.append(budget.seconds)
        return Choice(view.legal_moves()[0])

    monkeypatch.setattr(agent.solver, "solve", solve)
    monkeypatch.setattr(agent.fallback, "choose", choose)
    agent.choose(game.start(), Budget(seconds=1))
    assert given == [pytest.approx(0.7), pytest.approx(0.3)]


@pytest.mark.parametrize("nodes", [1000, 100_000])
def test_nodes_are_kept(nodes: int) -> None:
    game = Dots(4, 5, start_="icelandic")
    choice = Exact(game).choose(game.start(), Budget(nodes=nodes))
    check_estimate(game.start(), choice)
    assert choice.nodes <= 1.5 * nodes + 1000
    assert choice.depth >= 1  # the solve left something to alpha-beta


def test_the_same_nodes_give_the_same_choice() -> None:
    game = Dots(4, 4)
    agent = Exact(game)
    answers = []
    for _ in range(3):
        agent.reset(1)
        answers.append(replace(agent.choose(game.start(), Budget(nodes=400_000)), seconds=0))
    assert answers[0] == answers[1] == answers[2]


class Cut:
    """Stands for a solver that is stopped once the value is known."""

    def __init__(self, solver: Solver, best: bool) -> None:
        self.solver, self.best = solver, best

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    def solve(self, drawn: int, **how: Any) -> Solution:
        found = self.solver.solve(drawn, **how)
        return replace(found, best=found.best[: int(self.best)], all_best=False, moves={})


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("best", [False, True])
def test_a_value_without_its_moves_is_used_as_far_as_it_goes(
    every: bool, best: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Dots(3, 3)
    state = game.start()
    agent = Exact(game, every=every, memory=16)
    monkeypatch.setattr(agent, "solver", Cut(agent.solver, best))
    choice = agent.choose(state, Budget(nodes=200_000))  # half of them solve it
    assert choice.move in state.legal_moves()
    assert choice.move in choice.best
    assert choice.value == -3
    if best:
        assert choice.exact
    if every:
        assert [m.move for m in choice.moves] == list(state.legal_moves())
        assert max(m.value for m in choice.moves) == choice.value


def test_a_stop_is_obeyed_soon() -> None:
    game = Dots(4, 4)
    agent = Exact(game, every=True)
    agent.prepare()
    watch = StopWatch()
    began = time.perf_counter()
    choice = agent.choose(game.start(), Budget(seconds=600), watch)
    assert time.perf_counter() - began < 300
    assert choice.move in game.start().legal_moves()
    assert not choice.exact
    assert watch.nodes > 0


@pytest.mark.parametrize("seconds", [None, 0.2])
def test_a_stopped_watch_or_its_own_limit_ends_it(seconds: float | None) -> None:
    agent, watch = Exact(Dots(4, 4), seconds=seconds), Watch()
    agent.prepare()
    if seconds is None:
        watch.stop()
    began = time.perf_counter()
    assert agent.choose(Dots(4, 4).start(), Budget(seconds=600), watch).move in range(40)
    assert time.perf_counter() - began < 300


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("exact(memory=0)", "memory of exact must be 1 to 1048576 MB, not 0"),
        ("exact(memory=2000000)", "not 2000000"),
        ("exact(memory=1048576)", "more than this machine's memory"),
        ("exact(threads=0)", "threads, not 0"),
        ("exact(threads=300)", "1 to 256"),
        ("exact(seconds=0)", "more than 0"),
        ("exact(every=perhaps)", "every"),
    ],
)
def test_impossible_options_are_refused(spec: str, said: str) -> None:
    with pytest.raises(BadOption, match=said):
        kibitz.agent(Dots(2, 2), spec)
