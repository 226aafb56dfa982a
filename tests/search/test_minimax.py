"""Minimax, compiled and plain, greedy and the random jump."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from typing import Any

import pytest

import kibitz
from clocks import StopWatch, interrupt_search
from kibitz.core import registry
from kibitz.core.agent import WIN, Budget, Watch
from kibitz.core.game import Game, State
from kibitz.search.minimax.agent import UNWATCHED_NODES, Greedy, Minimax
from kibitz.search.minimax.plain import PlainMinimax
from kibitz.search.values import probability
from kibitz.testing import random_game
from search import naive
from search.asking import UTTT, ask, think


def evaluations(game: Game) -> list[str]:
    return list(registry.evaluations(game.name).known)


@pytest.mark.modes
@pytest.mark.parametrize("depth", [0, 1])
def test_one_round_is_its_reference_node_by_node(game: Game, depth: int) -> None:
    for evaluation in evaluations(game)[:4]:
        ours, theirs = Minimax(game, depth=1, eval=evaluation), PlainMinimax(game, depth=1, eval=evaluation)
        ours.depth = theirs.depth = depth
        for state in random_game(game, 4)[9:-1:13]:
            assert ask(ours, state) == ask(theirs, state)


@pytest.mark.parametrize("depth", [2, 3])
def test_minimax_is_its_reference_node_by_node(game: Game, depth: int) -> None:
    for evaluation in evaluations(game) if depth == 2 else [""]:
        ours = Minimax(game, depth=depth, eval=evaluation)
        theirs = PlainMinimax(game, depth=depth, eval=evaluation)
        for state in random_game(game, 4)[9 + 21 * (depth - 2) : -1 : 13]:
            assert ask(ours, state) == ask(theirs, state)


def test_a_whole_game_is_the_same_move_by_move(game: Game) -> None:
    options: dict[str, Any] = {"depth": 1, "eval": "|".join(evaluations(game)[:2]), "jump": "1/t"}
    ours, theirs = Minimax(game, **options), PlainMinimax(game, **options)
    ours.reset(5)
    theirs.reset(5)
    state, jumps = game.start(), 0
    while state.outcome() is None:
        first, second = think(ours, state), think(theirs, state)
        assert dataclasses.replace(first, seconds=0) == dataclasses.replace(second, seconds=0)
        jumps += "jump" in first.note
        state = state.play(first.move)
    assert jumps > 0


def test_a_search_cut_short_anywhere_is_its_reference_too(game: Game) -> None:
    ours, theirs = Minimax(game), PlainMinimax(game)
    unvalued = complete = 0
    states = random_game(game, 7)[:-1]
    for state in [*states[::14], *states[-5:]]:
        for nodes in (1, 3, 8, 21, 55, 144, 377, 4000):
            answer = ask(ours, state, Budget(nodes=nodes))
            assert answer == ask(theirs, state, Budget(nodes=nodes))
            assert answer.nodes <= nodes
            unvalued += answer.value is None
            complete += bool(answer.moves)
    assert unvalued > 0
    assert complete > 0


@pytest.mark.parametrize("depth", [1, 2])
def test_every_root_value_is_exact_and_all_best_moves_are_named(game: Game, depth: int) -> None:
    readable = registry.evaluations(game.name)
    name, evaluation = next(iter(readable.known.items()))
    for state in random_game(game, 2)[-14:-1:4]:
        values = {}
        for move in state.legal_moves():
            after = state.play(move)
            sign = 1 if after.to_move == state.to_move else -1
            values[move] = sign * naive.value(after, depth, evaluation.function, readable.final, state.to_move)
        answer = ask(Minimax(game, depth=depth, eval=name), state)
        top = max(values.values())
        assert answer.best == tuple(move for move, value in values.items() if value == top)
        assert answer.move in answer.best
        assert [m.move for m in answer.moves] == list(values)
        assert [m.exact for m in answer.moves] == [abs(value) >= WIN for value in values.values()]
        if not answer.exact:
            assert [m.value for m in answer.moves] == [probability(v, evaluation.scale) for v in values.values()]


class Counting(PlainMinimax):
    """Notes how far it looks."""

    farthest = 0

    def _value(self, state: State, depth: int, alpha: int, beta: int) -> int:
        self.farthest = max(self.farthest, state.turn)
        return super()._value(state, depth, alpha, beta)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_round_is_two_moves(depth: int) -> None:
    state, agent = UTTT.start().play(40), Counting(UTTT, depth=depth)
    assert ask(agent, state).depth == depth
    assert agent.farthest == state.turn + 2 * depth


def test_greedy_looks_at_its_own_moves_only() -> None:
    state = random_game(UTTT, 1)[20]
    answer = ask(Greedy(UTTT), state)
    assert (answer.depth, answer.nodes) == (0, len(state.legal_moves()))


@pytest.mark.parametrize("evaluation", evaluations(UTTT))
def test_greedy_takes_the_best_evaluation_after_its_move(evaluation: str) -> None:
    readable = registry.evaluations("uttt")
    agent = kibitz.agent("uttt", f"greedy(eval={evaluation})")
    for state in random_game(UTTT, 6)[:-1:5]:
        values = {}
        for move in state.legal_moves():
            after = state.play(move)
            judge = readable.known[evaluation].function if after.outcome() is None else readable.final
            values[move] = -judge(after)
        answer = ask(agent, state)
        assert answer.best == tuple(move for move, value in values.items() if value == max(values.values()))


def test_greedy_takes_a_won_game() -> None:
    won = 0
    for seed in range(40):
        before = random_game(UTTT, seed)[-2]
        wins = [m for m in before.legal_moves() if (end := before.play(m).outcome()) and end.winner == before.to_move]
        if wins:
            won += 1
            answer = ask(Greedy(UTTT), before)
            assert answer.move in wins
            assert (answer.exact, answer.unit, answer.value) == (True, "result", 1)
    assert won >= 20


def test_ties_are_broken_evenly() -> None:
    agent, view = kibitz.agent("uttt", "greedy(eval=recursive)", seed=1), UTTT.start().play(40).view(1)
    best = agent.choose(view).best
    assert len(best) == 4
    played = Counter(agent.choose(view).move for _ in range(1000))
    assert set(played) == set(best)
    assert all(190 <= times <= 310 for times in played.values()), played


def test_jumps_come_as_often_as_the_temperature_says() -> None:
    agent = kibitz.agent("uttt", "greedy(jump=5/t^2)")
    states = [random_game(UTTT, 0)[turn] for turn in range(0, 42, 2)]
    jumped = Counter[int]()
    for seed in range(600):
        agent.reset(seed)
        for turn, state in enumerate(states):
            if note := think(agent, state).note:
                jumped[turn] += 1
                p, t = 5 / (3 + turn / 10) ** 2, 3 + turn / 10
                assert note == f"random jump, p = {p:.2f} at t = {t:.1f}"
    for turn in (0, 10, 20):
        expected = 600 * 5 / (3 + turn / 10) ** 2
        assert abs(jumped[turn] - expected) < 50, (turn, jumped[turn], expected)


def test_a_jump_is_any_legal_move_and_1_means_always() -> None:
    agent, view = kibitz.agent("uttt", "minimax(jump=1)", seed=2), UTTT.start().play(40).view(1)
    played = Counter(agent.choose(view).move for _ in range(1600))
    assert set(played) == set(view.legal_moves())
    assert all(140 <= times <= 260 for times in played.values()), played
    never = kibitz.agent("uttt", "minimax(jump=0)")
    assert ask(never, UTTT.start().play(40)).note == ""


def test_the_temperature_rises_once_a_turn_and_starts_anew_with_a_game() -> None:
    agent = Greedy(UTTT, jump="1", start=2.0, step=0.5)
    states = random_game(UTTT, 0)

    def note(turn: int) -> str:
        return think(agent, states[turn]).note

    assert [note(turn)[-3:] for turn in (3, 3, 5, 7)] == ["2.0", "2.0", "2.5", "3.0"]
    agent.reset(0)
    assert note(9)[-3:] == "2.0"
    for _ in range(60):
        note(10), note(11)
    assert note(12).endswith("t = 42.0")  # the last of 81 temperatures holds for ever


def test_one_of_several_evaluations_is_drawn_for_each_move() -> None:
    agent, state = kibitz.agent("uttt", "minimax(depth=1,eval=winning|recursive)"), random_game(UTTT, 1)[30]
    alone = {name: ask(Minimax(UTTT, depth=1, eval=name), state).moves for name in ("winning", "recursive")}
    assert alone["winning"] != alone["recursive"]
    notes = Counter[str]()
    for seed in range(100):
        answer = ask(agent, state, seed=seed)
        notes[answer.note] += 1
        assert answer.moves == alone[answer.note.removeprefix("judged by ")]
    assert set(notes) == {"judged by winning", "judged by recursive"}
    assert min(notes.values()) > 25


def test_a_long_search_is_the_same_on_its_own_thread() -> None:
    """A search beyond UNWATCHED_NODES nodes begins anew where it can be stopped, and ends as if it had not."""
    state, agent = UTTT.start(), Minimax(UTTT, depth=3)
    long = ask(agent, state)
    assert long.nodes > UNWATCHED_NODES
    assert long == ask(agent, state, Budget(nodes=10**9)) == ask(agent, state, Budget(seconds=600))
    assert ask(agent, state, Budget(nodes=UNWATCHED_NODES + 1)).nodes == UNWATCHED_NODES + 1
    assert ask(agent, state, Budget(nodes=UNWATCHED_NODES)).nodes == UNWATCHED_NODES


def test_the_agents_own_seconds_end_a_search() -> None:
    state = UTTT.start()
    for name in ("minimax(depth=9,", "alphabeta(", "mcts(", "champion("):
        agent = kibitz.agent("uttt", f"{name}seconds=0.1)")
        agent.prepare()
        choice = agent.choose(state.view(0), Budget(seconds=60))
        assert choice.move in state.legal_moves()
        assert 0.09 < choice.seconds < 50


@pytest.mark.parametrize("kind", [Minimax, PlainMinimax])
def test_a_stop_ends_it_with_the_best_move_so_far(kind: type[Minimax]) -> None:
    agent, looks, view = kind(UTTT, depth=8), itertools.count(), UTTT.start().view(0)
    watch = StopWatch(lambda watch: watch.nodes > 0 or next(looks) > 1000)  # before the first move is valued
    choice = agent.choose(view, Budget(), watch)  # it would take hours
    assert choice.move in view.legal_moves()
    assert choice.moves == ()
    stopped = Watch()
    stopped.stop()
    assert agent.choose(view, Budget(), stopped).move in view.legal_moves()


def test_the_watch_sees_the_best_move_so_far() -> None:
    watch, state = Watch(), random_game(UTTT, 1)[30]
    choice = PlainMinimax(UTTT, depth=1).choose(state.view(state.to_move), Budget(), watch)
    assert (watch.move, watch.value, watch.depth) == (choice.best[0], choice.value, 1)
    watch = Watch()
    choice = Minimax(UTTT, depth=3).choose(UTTT.start().view(0), Budget(), watch)
    assert watch.move in UTTT.start().legal_moves()
    assert watch.value is not None
    assert choice.value is not None
    assert 0 < watch.value <= choice.value
    assert 0 < watch.nodes <= choice.nodes


def test_ctrl_c_ends_a_deep_search() -> None:
    agent, view = Minimax(UTTT, depth=8), UTTT.start().view(0)
    agent.prepare()
    interrupt_search()
    with pytest.raises(KeyboardInterrupt):
        agent.choose(view)
