"""The statistics of games: figures against a plain count, and the extreme games against the rules."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from cli.test_commands import output
from kibitz.compiled.rng import stream
from kibitz.games.uttt.kernel import position as kernel
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.text import EMPTY, FREE
from kibitz.games.uttt.study import statistics
from kibitz.search.perft import sample_games
from kibitz.testing import random_game

GAMES = [Uttt("closed", "draw"), Uttt("closed", "count"), Uttt("open", "draw"), Uttt("open", "count")]


def moves_of(states: list[UtttState]) -> list[int]:
    return [
        next(move for move in range(81) if before.cells[move] != after.cells[move])
        for before, after in pairwise(states)
    ]


@pytest.fixture(params=GAMES, ids=str)
def rules(request: pytest.FixtureRequest) -> Uttt:
    made: Uttt = request.param
    return made


def test_figures_are_those_of_a_plain_count(rules: Uttt) -> None:
    games = [[state for state in random_game(rules, seed) if isinstance(state, UtttState)] for seed in range(20)]
    found = statistics.measure(*statistics.as_arrays(rules, map(moves_of, games)))
    for i, states in enumerate(games):
        turns, moves = states[:-1], moves_of(states)
        widths = [len(state.legal_moves()) for state in turns]
        forced = [width for state, width in zip(turns, widths, strict=True) if state.forced != FREE]
        boards = [(9 * (move % 9), state) for move, state in zip(moves, turns[1:], strict=False)]
        sent = [state.cells[first : first + 9].count(EMPTY) for first, state in boards]
        assert found.lengths[i] == len(moves)
        assert found.branching[i] == pytest.approx(sum(widths) / len(widths))
        assert found.forced[i] == pytest.approx(sum(forced) / len(forced))
        assert found.paper_branching[i] == pytest.approx(sum(sent) / len(sent))
        assert found.free[i] == pytest.approx(1 - len(forced) / len(turns))


def test_sampled_games_are_games(rules: Uttt) -> None:
    played, widths = np.zeros((2, 50, 81), np.int64)
    start, moves = rules.start(), np.zeros(kernel.MAX_LEGAL_MOVES, np.int64)
    sample_games(kernel.pack(start), kernel.pack(start), stream(1), moves, played, widths)
    rows = [[int(move) for move in row if move >= 0] for row in played]
    again, their_widths = statistics.as_arrays(rules, rows)
    assert (again == played).all()
    assert (their_widths == widths).all()
    for row in rows:
        state = start
        for move in row:
            state = state.play(move)
        assert state.result


def test_means_have_intervals() -> None:
    mean = statistics.mean_of(np.array([1.0, 2.0, 3.0, math.nan]))
    assert (mean.n, mean.mean, mean.least, mean.most) == (3, 2.0, 1.0, 3.0)
    assert mean.margin == pytest.approx(1.96 / math.sqrt(3))
    turns = statistics.mean_over_turns(np.array([2.0, 5.0]), np.array([10, 20]))
    assert turns.mean == pytest.approx(4.0)


@pytest.mark.parametrize(("player", "length"), [(0, 17), (1, 18)])
def test_the_shortest_wins(rules: Uttt, player: int, length: int) -> None:
    moves = statistics.shortest_win(rules, player)
    assert len(moves) == length
    state = rules.start()
    for i, move in enumerate(moves):
        assert statistics.marks_needed(state, player) <= (length - i + (state.to_move == player)) // 2
        state = state.play(move)
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (player, "three boards in a row")


def test_marks_needed() -> None:
    game = Uttt()
    assert statistics.marks_needed(game.start(), 0) == 9
    state = game.parse_position("xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -")
    assert isinstance(state, UtttState)
    assert statistics.marks_needed(state, 0) == 1
    assert statistics.marks_needed(state, 1) == 3


def test_the_longest_game_has_81_moves_and_averages_less_than_5(rules: Uttt) -> None:
    moves = statistics.longest_game(rules)
    assert sorted(moves) == list(range(81))
    state = rules.start()
    for move in moves:
        assert state.turn == 0 or state.forced != FREE
        state = state.play(move)
    assert state.result
    found = statistics.measure(*statistics.as_arrays(rules, [moves]))
    assert found.paper_branching[0] == pytest.approx((9 * 45 - 9) / 80)


def test_a_game_may_average_far_less_than_5() -> None:
    games = [statistics.low_branching_game(Uttt(), seed) for seed in range(40)]
    assert statistics.measure(*statistics.as_arrays(Uttt(), games)).paper_branching.min() < 4.7


def test_the_command_tells_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("shortest_win", "longest_game", "low_branching_game"):  # searched for once, told in both ways
        monkeypatch.setattr(statistics, name, cache(getattr(statistics, name)))
    few = ("--games", "2000", "--strong", "2", "--agent", "reflex")
    found = json.loads(output("uttt", "stats", *few, "--json"))
    random = found["games"]["random"]
    assert random["lengths"]["n"] == 2000
    assert random["lengths"]["mean"] == pytest.approx(58.9, abs=1)
    assert random["branching"]["mean"] == pytest.approx(9.28, abs=0.3)
    assert found["games"]["reflex"]["lengths"]["n"] == 2
    assert [len(game["moves"]) for game in found["extreme"].values()][:3] == [17, 18, 81]
    shown = " ".join(output("uttt", "stats", *few, "--games", "100").split())
    assert "Longest game: 81 moves" in shown
    assert "false" in shown
