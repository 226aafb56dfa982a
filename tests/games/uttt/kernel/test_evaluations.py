"""The evaluations of Ultimate Tic-Tac-Toe: diagrams worked out by hand, their memory, and their compiled twins."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

import kibitz
from kibitz.core.agent import WIN
from kibitz.games.uttt.evaluate import EVALUATIONS, cells, cells_2014, cells_2014_last, judge_2014, recursive, winning
from kibitz.games.uttt.kernel import position as kernel
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import LINES
from kibitz.games.uttt.rules.rules import UNKNOWN
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE
from kibitz.testing.compiled import advance, describe, retreat

X, O = 0, 1  # noqa: E741
ALL = [Uttt(v, t) for v in ("closed", "open") for t in ("draw", "count")]


def diagram(
    minis: dict[int, str],
    boards: dict[int, int] | None = None,
    to_move: int = X,
    last: int = UNKNOWN,
    last_cells: dict[int, int] | None = None,
) -> UtttState:
    """Return a position from the mini-boards that are not empty, such as {4: "xx. .o. ..."}."""
    marks = [minis.get(b, "").replace(" ", "").ljust(9, ".") for b in range(9)]
    codes = tuple(".xo".index(mark) - 1 for mini in marks for mark in mini)
    owners = tuple((boards or {}).get(b, EMPTY) for b in range(9))
    remembered = tuple((last_cells or {}).get(b, UNKNOWN) for b in range(9))
    return UtttState(Uttt(), codes, owners, to_move, FREE, 0, last, remembered)


# winning: a line of one side's marks only counts 1, with two marks 8; the macro board the same, times 23


@pytest.mark.parametrize(
    ("minis", "boards", "value"),
    [
        ({}, {}, 0),
        ({0: "... .x. ..."}, {}, 4),  # four lines through the centre
        ({0: "x.. ... ..."}, {}, 3),
        ({0: ".x. ... ..."}, {}, 2),
        ({0: ".o. ... ..."}, {}, -2),
        ({0: "xx. ... ..."}, {}, 11),  # top row 8; column 0, column 1, diagonal 1 each
        ({0: "xxo ... ..."}, {}, 3 - 2),  # top row is nobody's; O has column 2 and the other diagonal
        ({0: "x.. .x. ..o"}, {}, 5 - 2),  # X: row 0, column 0, row 1, column 1, other diagonal; O: row 2, column 2
        ({0: "xx. ... ...", 5: "oo. ... ..."}, {}, 0),
        ({0: "xxx ... ..."}, {0: X}, 3 * 23),  # a won board counts on the macro board only
        ({}, {0: X, 1: X}, 11 * 23),
        ({}, {0: X, 1: X, 2: O}, (3 - 2) * 23),
        ({}, {0: X, 1: DRAWN}, 3 * 23),  # a drawn board looks empty there
        ({1: "xox oxo oxo"}, {1: DRAWN}, 0),
        ({4: "... .x. ..."}, {8: O}, 4 - 3 * 23),
    ],
)
def test_winning_by_hand(minis: dict[int, str], boards: dict[int, int], value: int) -> None:
    assert winning(diagram(minis, boards, to_move=X)) == value
    assert winning(diagram(minis, boards, to_move=O)) == -value


# recursive: a cell weighs 4 (centre), 3 (corner) or 2 (edge), its board the same again; a won board counts 24 of these


@pytest.mark.parametrize(
    ("minis", "boards", "value"),
    [
        ({}, {}, 0),
        ({4: "... .x. ..."}, {}, 4 * 4),
        ({0: "... .x. ..."}, {}, 3 * 4),
        ({1: "... .x. ..."}, {}, 2 * 4),
        ({1: "x.. .x. .o."}, {}, 2 * (3 + 4 - 2)),
        ({8: "oo. .x. ..."}, {}, 3 * (4 - 3 - 2)),
        ({4: "xxx oo. ..."}, {4: X}, 4 * 24),
        ({}, {0: X, 1: O, 2: DRAWN}, 3 * 24 - 2 * 24),
    ],
)
def test_recursive_by_hand(minis: dict[int, str], boards: dict[int, int], value: int) -> None:
    assert recursive(diagram(minis, boards, to_move=X)) == value
    assert recursive(diagram(minis, boards, to_move=O)) == -value


# cells: won 100, a block 75 for who made it, else the weights 50/30/20; the macro board's weights times 20


@pytest.mark.parametrize(
    ("minis", "boards", "last_cells", "value"),
    [
        ({}, {}, {}, 0),
        ({0: "... .x. ..."}, {}, {0: 4}, 50),
        ({3: "x.. ... ..."}, {}, {3: 0}, 30),
        ({3: ".x. ... ..."}, {}, {3: 1}, 20),
        ({3: "xx. .o. ..."}, {}, {3: 4}, 30 + 20 - 50),
        ({3: "xxo ... ..."}, {}, {3: 2}, -75),  # O's 2 stops the top row
        ({3: "xxo ... ..."}, {}, {3: 1}, 30 + 20 - 30),  # 1 came last, and blocks nothing
        ({3: "xxo ... ..."}, {}, {}, 30 + 20 - 30),  # nobody knows
        ({3: "xxo .x. ..."}, {}, {3: 4}, 30 + 20 + 50 - 30),  # O has the 2, but not the 6: no block
        ({3: "xxo .x. o.."}, {}, {3: 4}, 75),  # now it is one
        ({3: "xxo ... ...", 6: "oo. ... ..x"}, {}, {3: 2, 6: 8}, -75 - 20),
        ({0: "xxx oo. ..."}, {0: X}, {0: 2}, 100 + 20 * 30),
        ({4: "ooo xx. ..."}, {4: O}, {4: 2}, -100 - 20 * 50),
        ({1: "xox oxo oxo"}, {1: DRAWN}, {1: 7}, 0),
        ({2: "..x ..x o.."}, {0: X, 4: O}, {2: 6}, 30 + 20 - 30 + 20 * (30 - 50)),
    ],
)
def test_cells_by_hand(minis: dict[int, str], boards: dict[int, int], last_cells: dict[int, int], value: int) -> None:
    assert cells(diagram(minis, boards, X, last_cells=last_cells)) == value
    assert cells(diagram(minis, boards, O, last_cells=last_cells)) == -value


# cells-2014: every open board the weight of the last move's cell, or 75 with two beside it; the macro board likewise


@pytest.mark.parametrize(
    ("minis", "boards", "last", "for_x", "for_o"),
    [
        ({}, {}, UNKNOWN, 0, 0),
        ({4: "... .x. ..."}, {}, 9 * 4 + 4, 9 * 50 + 20 * 50, 9 * 50 + 20 * 50),
        ({3: "x.. ... ..."}, {}, 9 * 3 + 0, 9 * 30 + 20 * 20, 9 * 30 + 20 * 20),
        ({2: ".o. ... ..."}, {}, 9 * 2 + 1, 9 * 20 + 20 * 30, 9 * 20 + 20 * 30),
        # O went to 2 where X had 0 and 1; in board 7 O itself has 5 and 8, which meet 2 as well
        ({3: "xxo ... ...", 7: "... ..o ..o"}, {}, 9 * 3 + 2, 8 * 30 + 75 + 400, 8 * 30 + 75 + 400),
        ({3: "xxo ... ..."}, {}, 9 * 3 + 2, 8 * 30 + 75 + 400, 9 * 30 + 400),
        # a won board 100, lost -100, drawn 0; boards 0 and 8 are X's, so board 4 of the last move is worth 75
        ({}, {0: X, 8: X, 1: O, 2: DRAWN}, 9 * 4 + 1, 100 + 5 * 20 + 20 * 75, -100 + 5 * 20 + 20 * 50),
    ],
)
def test_cells_2014_by_hand(minis: dict[int, str], boards: dict[int, int], last: int, for_x: int, for_o: int) -> None:
    state = diagram(minis, boards, X, last)
    assert (judge_2014(state, X), judge_2014(state, O)) == (for_x, for_o)
    assert (cells_2014(state), cells_2014_last(state)) == (for_x, -for_o)
    other = dataclasses.replace(state, to_move=O)
    assert (cells_2014(other), cells_2014_last(other)) == (for_o, -for_x)


def test_a_finished_game_is_worth_a_win_and_the_empty_cells() -> None:
    rng, state = random.Random(1), Uttt().start()
    while moves := state.legal_moves():
        state = state.play(rng.choice(moves))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.winner == 1 - state.to_move
    assert EVALUATIONS.final(state) == -(WIN + state.cells.count(EMPTY))


# the memory that cells and cells-2014 need


def test_a_state_remembers_its_last_moves_but_is_not_told_apart_by_them() -> None:
    start = Uttt().start()
    assert (start.last, start.last_cells) == (UNKNOWN, (UNKNOWN,) * 9)
    state = start.play(9 * 4 + 0).play(0 + 4).play(9 * 4 + 1)
    assert state.last == 9 * 4 + 1
    assert state.last_cells == (4, *(UNKNOWN,) * 3, 1, *(UNKNOWN,) * 4)
    other = start.play(9 * 4 + 1).play(9 + 4).play(9 * 4 + 0)
    again = Uttt().parse_position(Uttt().position_text(state))
    assert (again.last, again.last_cells) == (UNKNOWN, (UNKNOWN,) * 9)
    assert again == state != other
    assert hash(again) == hash(state)


OURS = ["winning", "recursive", "cells", "cells-2014", "cells-2014-last"]


def check_values(state: UtttState, pos: kernel.UtttPosition) -> None:
    out = np.zeros(4 + len(EVALUATIONS.known), np.int64)
    describe(pos, np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), out)
    for name in OURS:
        assert out[4 + EVALUATIONS.number(name)] == EVALUATIONS.known[name].function(state), name


def check_games(game: Uttt, seeds: range) -> dict[str, int]:
    """Compare all evaluations and the memory on every ply of random games; return how often boards were blocked."""
    for evaluation in EVALUATIONS.known.values():
        evaluation.load()
    seen = {"block": 0, "no memory": 0}
    for seed in seeds:
        rng, state = random.Random(seed), game.start()
        pos = kernel.pack(state)
        while moves := state.legal_moves():
            check_values(state, pos)
            told = kernel.unpack(pos, game)
            assert (told.last, told.last_cells) == (state.last, state.last_cells)
            tried, words = rng.choice(moves), np.array(pos.words)
            retreat(pos, tried, advance(pos, tried))
            assert (np.asarray(pos.words) == words).all()
            move = rng.choice(moves)
            board, cell = divmod(move, 9)
            mini = state.cells[9 * board : 9 * board + 9]
            theirs = 1 - state.to_move
            seen["block"] += any(
                sum(mini[i] == theirs for i in line if i != cell) == 2 for line in LINES if cell in line
            )
            advance(pos, move)
            state = state.play(move)
            if rng.random() < 0.02:
                state = game.parse_position(game.position_text(state))
                pos = kernel.pack(state)
                seen["no memory"] += 1
    return seen


@pytest.mark.bounds
@pytest.mark.parametrize("game", ALL, ids=lambda g: f"{g.variant}-{g.tiebreak}")
def test_the_compiled_twins_agree_on_every_ply(game: Uttt) -> None:
    seen = check_games(game, range(30))
    assert seen["block"] > 200
    assert seen["no memory"] > 20


@pytest.mark.checked
def test_the_compiled_twins_agree_on_two_games() -> None:
    check_games(Uttt("open", "count"), range(2))


@pytest.mark.parametrize("name", OURS[:3])
def test_what_one_player_gains_the_other_loses(name: str) -> None:
    judge = EVALUATIONS.known[name].function
    state = kibitz.game("uttt").start()
    rng = random.Random(3)
    for _ in range(40):
        state = state.play(rng.choice(state.legal_moves()))
        assert isinstance(state, UtttState)
        assert judge(dataclasses.replace(state, to_move=1 - state.to_move)) == -judge(state)


def promise_by_rules(state: UtttState, move: int) -> int:
    """Return kernel.quick_score as the rules would put it."""
    board, cell = divmod(move, 9)
    me, you = state.to_move, 1 - state.to_move

    def completes(b: int, c: int, player: int) -> bool:
        mini = state.cells[9 * b : 9 * b + 9]
        return state.boards[b] == EMPTY and any(
            all(mini[i] == player for i in line if i != c) for line in LINES if c in line
        )

    total = 3 * completes(board, cell, me) + 2 * completes(board, cell, you)
    if not state.takes_moves(cell):
        return total - 3
    empty = [c for c in range(9) if state.cells[9 * cell + c] == EMPTY]
    return total - 2 * (cell != board and any(completes(cell, c, you) for c in empty))


@pytest.mark.parametrize("game", ALL, ids=lambda g: f"{g.variant}-{g.tiebreak}")
def test_a_promise_says_what_a_move_wins_saves_and_gives(game: Uttt) -> None:
    rng, seen = random.Random(9), set[int]()
    for _ in range(30):
        state = game.start()
        while moves := state.legal_moves():
            pos = kernel.pack(state)
            for move in moves:
                guess = kernel.quick_score(pos, move)
                assert guess == promise_by_rules(state, move)
                seen.add(guess)
            state = state.play(rng.choice(moves))
    assert {-3, -2, 0, 1, 2, 3, 5} <= seen
