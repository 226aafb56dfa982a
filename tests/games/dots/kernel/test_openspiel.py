"""OpenSpiel, our rules and our kernel in one loop: the same lines, movers, owners and results on every ply."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest

from kibitz.games.dots.kernel import position as kernel
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.testing.compiled import advance, describe

GAMES = {
    (1, 1): 5, (1, 6): 20, (6, 1): 20, (2, 2): 60, (2, 3): 40, (3, 2): 40, (3, 3): 30,
    (3, 4): 30, (4, 4): 20, (5, 4): 10, (2, 8): 10, (5, 5): 10, (6, 7): 3, (9, 9): 2,
}  # fmt: skip
"""Rows and columns of boxes -> games. 5x5 has lines for one word of the kernel, 6x7 for two, 9x9 for three."""


def look(pos: Any) -> tuple[list[int], list[int]]:
    """Return the lines that are left in a compiled position; and who moves, whether it is over and the final value."""
    lines, out = np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), np.zeros(4, np.int64)
    return lines[: describe(pos, lines, out)].tolist(), out[:3].tolist()


def boxes_of(theirs: Any, rows: int, cols: int) -> tuple[int | None, ...]:
    """Return the owners of all boxes as OpenSpiel draws them: 1 or 2 in the middle of each, or a blank."""
    drawn = str(theirs).splitlines()
    marks = [drawn[2 * row + 1][4 * col + 2] for row in range(rows) for col in range(cols)]
    return tuple(None if mark == " " else int(mark) - 1 for mark in marks)


def check(state: DotsState, theirs: Any, pos: Any) -> None:
    """Compare the three on one ply."""
    rows, cols = state.game.rows, state.game.cols
    left, (mover, over, _) = look(pos)
    if theirs.is_terminal():
        assert state.outcome() is not None
        assert (state.legal_moves(), left, bool(over)) == ((), [], True)
    else:
        assert state.outcome() is None
        assert list(state.legal_moves()) == theirs.legal_actions() == left
        assert (theirs.current_player(), mover, bool(over)) == (state.to_move, state.to_move, False)
    drawn = "".join("1" if state.drawn >> line & 1 else "0" for line in state.game.moves())
    assert theirs.dbn_string() == drawn
    assert boxes_of(theirs, rows, cols) == state.owners
    assert kernel.unpack(pos, state.game) == state


def play_one(game: Dots, theirs: Any, seed: int, events: Counter[str]) -> tuple[DotsState, Any]:
    """Play a random game on all three; return the ends of ours."""
    rng, state, pos, run = random.Random(seed), game.start(), kernel.pack(game.start()), 0
    while moves := state.legal_moves():
        check(state, theirs, pos)
        takes = [move for move in moves if state.taken_by(move)]
        move = rng.choice(takes if takes and rng.random() < 0.5 else moves)
        taken = len(state.taken_by(move))
        run = run + taken if taken else 0
        events["double-cross"] += taken == 2
        events["five or more boxes in a row"] += run >= 5 > run - taken
        events["box left lying"] += bool(takes) and not taken
        state = state.play(move)
        theirs.apply_action(move)
        advance(pos, move)
    check(state, theirs, pos)
    return state, pos


@pytest.mark.checked
def test_the_three_agree_on_every_ply_of_games_with_rare_events() -> None:
    events: Counter[str] = Counter()
    for (rows, cols), games in GAMES.items():
        game, named = Dots(rows, cols), f"dots_and_boxes(num_rows={rows},num_cols={cols}"
        by_margin, by_win = pyspiel.load_game(f"{named},utility_margin=true)"), pyspiel.load_game(f"{named})")
        assert by_margin.num_distinct_actions() == len(game.moves())
        for seed in range(games):
            theirs = by_margin.new_initial_state()
            state, pos = play_one(game, theirs, seed, events)
            first, second = state.scores
            assert first + second == rows * cols
            assert theirs.returns() == [first - second, second - first]
            _, (_, _, final) = look(pos)
            assert final == state.margin
            won = by_win.new_initial_state()
            for move in theirs.history():
                won.apply_action(move)
            outcome = state.outcome()
            assert outcome is not None
            assert won.returns() == [outcome.value(0), outcome.value(1)]
            events[outcome.result] += 1
            events["draw on an even board"] += outcome.winner is None and rows * cols % 2 == 0
    least = {"double-cross": 200, "five or more boxes in a row": 80, "box left lying": 500, "draw on an even board": 50}
    assert {name: events[name] for name in least if events[name] < least[name]} == {}
    assert min(events["1-0"], events["0-1"]) > 100
