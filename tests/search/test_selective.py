"""The selective search: what it calls exact is exact, its lines can be played, its limits and threads end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from clocks import interrupt_search
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Game, State
from kibitz.core.package import GamePackage
from kibitz.search import control
from kibitz.search.alphabeta.agent import AlphaBeta
from kibitz.search.common import FIRST_DEPTH, HISTORY_LIMIT, MAX_DEPTH
from kibitz.search.selective.agent import Selective
from kibitz.search.selective.kernel import SOLVED, deepen
from kibitz.testing import random_game
from search import asking
from search.asking import UTTT, stopped_choice, think
from search.conftest import RULES, made_game
from search.naive import is_small, solve, worth

ENOUGH = Budget(nodes=300_000)
"""What solves every position here that is small."""


@pytest.fixture(params=["toy", *RULES])
def game(request: pytest.FixtureRequest, toy: GamePackage) -> Game:
    """Every kind of Ultimate Tic-Tac-Toe, and a game in which a player may move twice."""
    return made_game(request.param)


def ask(agent: Agent, state: State, budget: Budget = ENOUGH) -> Choice:
    """Return the choice of an agent with an empty table, without the time it took."""
    return asking.ask(agent, state, budget)


def small_positions(game: Game, seeds: range = range(6)) -> list[State]:
    return asking.small_positions(game, seeds, 1500)


def of_all_stages(game: Game, seed: int) -> list[State]:
    return list(random_game(game, seed)[:-1:6])


def play_out(state: State, line: tuple[int, ...]) -> State:
    """Return what a line of play leads to. Raises IllegalMove."""
    for move in line:
        state = state.play(move)
    return state


def test_small_positions_are_solved_with_every_best_move(game: Game) -> None:
    every, single = Selective(game, every=True), Selective(game)
    known: dict[State, int] = {}
    states = small_positions(game)
    assert len(states) >= 10
    for state in states:
        values = {move: worth(state, move, known) for move in state.legal_moves()}
        best = max(values.values())
        answer = ask(every, state)
        assert (answer.exact, answer.unit, answer.value) == (True, "result", best)
        assert {m.move: m.value for m in answer.moves} == values
        assert all(m.exact for m in answer.moves)
        assert answer.best == tuple(move for move, value in values.items() if value == best)
        assert answer.move in answer.best
        alone = ask(single, state)
        if len(values) > 1:
            assert (alone.exact, alone.value, values[alone.move]) == (True, best, best)


def test_lines_of_solved_positions_end_the_game_as_they_say() -> None:
    agent, ended = Selective(UTTT, every=True), 0
    for state in small_positions(UTTT):
        for m in ask(agent, state).moves:
            outcome = play_out(state, m.line).outcome()
            if outcome is not None:
                ended += 1
                assert outcome.value(state.to_move) == m.value
    assert ended >= 20


@pytest.mark.parametrize("table", [4, 14])
def test_exact_is_never_claimed_wrongly(game: Game, table: int) -> None:
    """However early a search is stopped, and whatever the table holds from other positions of the game."""
    agents = [Selective(game, table=table), Selective(game, table=table, every=True)]
    known: dict[State, int] = {}
    claims = set[float]()
    for seed in range(6):
        for agent in agents:
            agent.reset(0)
        for state in random_game(game, seed)[-9:-1]:
            if not is_small(state, 700):
                continue
            for agent in agents:
                for nodes in (2, 5, 13, 34, 89, 233, 610, 1597):
                    choice = think(agent, state, Budget(nodes=nodes))
                    if choice.exact:
                        assert choice.value == solve(state, known) == worth(state, choice.move, known)
                        claims.add(choice.value)
                    for m in choice.moves:
                        if m.exact:
                            points = (worth(state, m.move, known) + 1) / 2
                            assert m.value == (2 * points - 1 if choice.unit == "result" else points)
    assert claims >= ({1} if game.name == "toy" else {1, -1})  # nobody to move in the toy is lost


def test_exact_results_are_those_of_plain_alphabeta_where_minimax_is_too_slow() -> None:
    ours, theirs, checked = Selective(UTTT, eval="learned"), AlphaBeta(UTTT), 0
    for seed in range(10):
        ours.reset(0)
        for state in random_game(UTTT, seed)[-22:-8:3]:
            claimed = think(ours, state, Budget(nodes=20_000))
            solved = ask(theirs, state)
            if claimed.exact and solved.exact:
                checked += 1
                assert claimed.value == solved.value
    assert checked >= 10


@pytest.mark.modes
def test_every_move_has_a_value_and_a_line_that_can_be_played(game: Game) -> None:
    agent, valued = Selective(game, every=True, table=10), 0
    for state in of_all_stages(game, 3):
        for nodes in (50, 400):
            choice = ask(agent, state, Budget(nodes=nodes))
            for move, line in ((choice.move, choice.line), *((m.move, m.line) for m in choice.moves)):
                play_out(state, line)
                assert line[0] == move
            if choice.depth:
                valued += 1
                assert [m.move for m in choice.moves] == list(state.legal_moves())
    assert valued > 0


def test_the_best_line_can_be_played(game: Game) -> None:
    agent = Selective(game)
    for state in [state for seed in range(3) for state in of_all_stages(game, seed)]:
        choice = ask(agent, state, Budget(nodes=3000))
        assert choice.line[0] == choice.move
        play_out(state, choice.line)


def test_the_move_played_is_the_best_of_those_valued_however_early_it_is_stopped(game: Game) -> None:
    """A search is often stopped when it has just proved its first choice lost, or a later one won."""
    agent = Selective(game, every=True, table=12)
    stopped = 0
    for seed in range(12):
        for state in random_game(game, seed)[-22:-1:3]:
            for nodes in (100, 400, 1600):
                choice = ask(agent, state, Budget(nodes=nodes))
                if choice.moves:
                    stopped += not choice.exact
                    values = {m.move: m.value for m in choice.moves}
                    assert values[choice.move] == choice.value == max(values.values())
    if game.name == "uttt":
        assert stopped > 50


def test_a_node_budget_is_kept_to_the_node(game: Game) -> None:
    for agent in (Selective(game), Selective(game, every=True), Selective(game, threads=3)):
        for nodes in (1, 10, 777):
            assert ask(agent, game.start(), Budget(nodes=nodes)).nodes <= max(nodes, agent.threads)


def test_without_any_limit_it_takes_the_default_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.search.alphabeta.agent.DEFAULT_BUDGET", Budget(nodes=500))
    assert ask(Selective(UTTT), UTTT.start(), Budget()).nodes == 500
    assert ask(Selective(UTTT, depth=6), UTTT.start(), Budget()).nodes > 500


def test_the_depth_is_a_limit_of_its_own() -> None:
    for threads in (1, 2):
        for depth in (1, 2, 5):
            choice = ask(Selective(UTTT, depth=depth, threads=threads), UTTT.start(), Budget())
            assert (choice.depth, choice.exact) == (depth, False)
            assert len(choice.line) >= depth


def test_the_agents_own_seconds_end_a_search_that_would_go_on() -> None:
    choice = ask(Selective(UTTT, seconds=0.05), UTTT.start(), Budget(seconds=3600))
    assert choice.move in UTTT.start().legal_moves()
    assert not choice.exact


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_gives_a_legal_move(threads: int) -> None:
    agent, watch = Selective(UTTT, threads=threads), Watch()
    stopped_choice(agent, UTTT.start(), watch)
    assert think(agent, UTTT.start(), Budget(seconds=3600), watch).move in UTTT.start().legal_moves()


def test_a_forced_move_is_not_thought_over() -> None:
    forced = next(s for seed in range(40) for s in random_game(UTTT, seed)[20:-15] if len(s.legal_moves()) == 1)
    choice = ask(Selective(UTTT), forced)
    assert (choice.move, choice.depth) == (forced.legal_moves()[0], 1)
    every = ask(Selective(UTTT, every=True), forced, Budget(nodes=2000))
    assert every.depth > 1
    assert [m.move for m in every.moves] == list(forced.legal_moves())


def test_one_thread_does_the_same_twice(game: Game) -> None:
    for every in (False, True):
        agent, again = Selective(game, every=every), Selective(game, every=every)
        for state in of_all_stages(game, 5):
            first = ask(agent, state, Budget(nodes=4000))
            assert ask(agent, state, Budget(nodes=4000)) == first == ask(again, state, Budget(nodes=4000))


def test_more_threads_give_the_same_results(game: Game) -> None:
    alone, together = Selective(game, every=True), Selective(game, every=True, threads=2)
    for state in small_positions(game, range(3)):
        one, two = ask(alone, state), ask(together, state)
        assert (one.exact, two.exact) == (True, True)
        assert (two.value, two.best) == (one.value, one.best)
        assert [m.value for m in two.moves] == [m.value for m in one.moves]


class Thinker(Selective):
    """One that thinks on, and knows which threads it started."""

    def __init__(self, **options: Any) -> None:
        self.before = set(threading.enumerate())
        super().__init__(UTTT, ponder=True, **options)

    def threads_left(self) -> list[threading.Thread]:
        """Return threads that were not there before; one that has just been supervised may need a moment to end."""
        found = set(threading.enumerate()) - self.before
        for thread in found:
            if thread.name == "kibitz-search":
                thread.join(60)
        return [thread for thread in found if thread.is_alive()]


@pytest.fixture(params=[1, 2], ids=["1 thread", "2 threads"])
def thinker(request: pytest.FixtureRequest) -> Iterator[Thinker]:
    agent = Thinker(threads=request.param, table=16)
    yield agent
    agent.close()


def test_it_ponders_until_it_is_asked_again_or_closed(thinker: Thinker) -> None:
    state = UTTT.start()
    seen = set[threading.Thread]()
    for _ in range(3):
        choice = think(thinker, state, Budget(nodes=500))
        assert choice.nodes <= 500
        state = state.play(choice.move)
        state = state.play(state.legal_moves()[0])
        pondering = thinker.threads_left()
        assert len(pondering) == thinker.threads
        assert not seen & set(pondering)
        seen |= set(pondering)
    thinker.close()
    assert thinker.threads_left() == []
    assert think(thinker, state, Budget(nodes=500)).move in state.legal_moves()
    assert len(thinker.threads_left()) == thinker.threads
    thinker.reset(1)
    assert thinker.threads_left() == []


def test_it_does_not_ponder_while_it_searches(thinker: Thinker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both would write to the same arrays."""
    think(thinker, UTTT.start(), Budget(nodes=500))
    pondering, alive, supervise = thinker.threads_left(), list[bool](), control.supervise

    def spy(*args: Any) -> Any:
        alive.extend(thread.is_alive() for thread in pondering)
        return supervise(*args)

    monkeypatch.setattr(control, "supervise", spy)
    think(thinker, UTTT.start(), Budget(nodes=500))
    assert alive == [False] * thinker.threads


def test_a_whole_game_with_pondering_is_legal_and_ends_without_threads(thinker: Thinker) -> None:
    states = [UTTT.start()]
    while moves := states[-1].legal_moves():
        move = moves[len(states) % len(moves)]
        if states[-1].to_move == 0:
            choice = think(thinker, states[-1], Budget(nodes=300))
            play_out(states[-1], choice.line)
            move = choice.move
        states.append(states[-1].play(move))
    thinker.close()
    assert thinker.threads_left() == []


def test_there_is_nothing_to_ponder_after_the_last_move(thinker: Thinker) -> None:
    won = 0
    for seed in range(10):
        before = random_game(UTTT, seed)[-2]
        choice = think(thinker, before, Budget(nodes=500))
        if before.play(choice.move).outcome() is not None:
            won += 1
            assert thinker.threads_left() == []
    assert won >= 5


def test_ctrl_c_ends_every_thread(thinker: Thinker) -> None:
    thinker.prepare()
    interrupter = interrupt_search()
    with pytest.raises(KeyboardInterrupt):
        think(thinker, UTTT.start(), Budget(seconds=3600))
    interrupter.join()
    assert thinker.threads_left() == []
    assert think(thinker, UTTT.start(), Budget(nodes=500)).move in UTTT.start().legal_moves()


def test_moves_that_failed_as_often_as_can_be_counted_are_still_searched(game: Game) -> None:
    agent, known = Selective(game), dict[State, int]()
    agent.prepare()
    for state in small_positions(game, range(12)):
        ((position, search, root),) = agent._set_up(state, None)
        search.settings[FIRST_DEPTH] = search.settings[MAX_DEPTH]
        search.history[:] = -2 * HISTORY_LIMIT  # which is halved first
        search.table.keys[:] = search.table.data[:] = 0
        deepen(position, search, root)
        assert root.summary[SOLVED]
        assert np.sign(root.values[0]) == solve(state, known)
