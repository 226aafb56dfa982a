"""Published and precomputed figures of Ultimate Tic-Tac-Toe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.compiled.rng import stream
from kibitz.core.agent import Budget
from kibitz.games.uttt.kernel import position as kernel
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.search.control import new_signal
from kibitz.search.perft import perft, random_games
from search.naive import perft as naive_perft
from search.naive import solve, worth

DATA: dict[str, Any] = json.loads((Path(__file__).parents[3] / "data" / "uttt.json").read_text())
LATE = [position for position in DATA["positions"] if position["solved"]]


def count(state: UtttState, depth: int) -> int:
    return perft(kernel.pack(state), depth, np.zeros(depth * kernel.MAX_LEGAL_MOVES, np.int64), new_signal())


@pytest.mark.parametrize("variant", ["closed", "open"])
def test_perft_to_depth_6(variant: Any) -> None:
    assert [count(Uttt(variant).start(), depth) for depth in range(1, 7)] == DATA["perft"][variant][:6]


@pytest.mark.parametrize("row", DATA["positions"], ids=lambda row: f"ply{row['ply']}")
def test_perft_of_the_positions(row: dict[str, Any]) -> None:
    state = Uttt().parse_position(row["position"])
    assert state.turn == row["ply"]
    assert [count(state, depth) for depth in range(1, 6)] == row["perft"]
    assert [naive_perft(state, depth) for depth in range(1, 4)] == row["perft"][:3]


@pytest.mark.parametrize("tiebreak", ["draw", "count"])
@pytest.mark.parametrize("row", LATE, ids=lambda row: f"ply{row['ply']}")
def test_late_positions_are_solved_with_all_best_moves(row: dict[str, Any], tiebreak: Any) -> None:
    state = Uttt(tiebreak=tiebreak).parse_position(row["position"])
    choice = kibitz.analyse(state, Budget(seconds=600))
    assert choice.exact
    assert choice.unit == "result"
    assert choice.value == row["solved"][tiebreak]["value"]
    assert list(choice.best) == row["solved"][tiebreak]["best"]
    assert all(m.exact for m in choice.moves)


def test_plain_minimax_solves_the_last_position_the_same_way() -> None:
    row = LATE[-1]
    for tiebreak, solved in row["solved"].items():
        state, known = Uttt(tiebreak=tiebreak).parse_position(row["position"]), dict[Any, int]()
        assert solve(state, known) == solved["value"]
        assert [m for m in state.legal_moves() if worth(state, m, known) == solved["value"]] == solved["best"]


@pytest.mark.parametrize(("tiebreak", "rates"), [("draw", (0.411, 0.223, 0.366)), ("count", (0.491, 0.073, 0.436))])
def test_random_games_end_as_often_as_a_million_others(tiebreak: Any, rates: tuple[float, ...]) -> None:
    start, tally = Uttt(tiebreak=tiebreak).start(), np.zeros(3, np.int64)
    moves = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64)
    n = 200_000
    plies = random_games(kernel.pack(start), kernel.pack(start), n, stream(5), moves, tally)
    assert tally.sum() == n
    assert tally / n == pytest.approx(rates, abs=0.005)  # four standard errors of n games
    assert plies / n == pytest.approx(58.9, abs=0.1)


def test_owners_of_boards_are_part_of_a_position() -> None:
    """In an open game the same marks may belong to either player; a table that mixes them up finds -1 here."""
    digits = "122100021210221011000102112210101222011200100001002120220011221122200111122120200000200012250"
    state = Uttt("open", "count").parse_position(digits)
    choice = kibitz.analyse(state, Budget(seconds=600))
    assert (choice.exact, choice.value, choice.best) == (True, 1, (45,))
