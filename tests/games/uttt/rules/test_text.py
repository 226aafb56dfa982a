"""The notations of Ultimate Tic-Tac-Toe, and the positions that cannot be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadText
from kibitz.games.uttt.rules import Uttt, UtttState, text
from kibitz.games.uttt.rules.geometry import grid

ALL = [Uttt(v, t) for v in ("closed", "open") for t in ("draw", "count")]
START = "9/9/9/9/9/9/9/9/9 x -"


def states(game: Uttt, seed: int) -> list[UtttState]:
    rng, found = random.Random(seed), [game.start()]
    while moves := found[-1].legal_moves():
        found.append(found[-1].play(rng.choice(moves)))
    return found


def test_worked_texts() -> None:
    state = Uttt().start()
    assert Uttt().fen(state) == START
    assert Uttt().position_text(state) == "0" * 90 + "190"
    state = state.play(40).play(36)
    assert Uttt().fen(state) == "9/9/9/9/o3x4/9/9/9/9 x 0"
    assert Uttt().position_text(state) == "0" * 36 + "200010000" + "0" * 36 + "000000000" + "100"
    assert text.move_codingame(36) == "3 3"
    assert text.parse_move(" 3  3 ") == 36
    assert text.parse_move("36") == 36


def test_every_move_in_both_notations() -> None:
    for move in range(81):
        assert text.parse_move(text.move_text(move)) == move
        assert text.parse_move(text.move_codingame(move)) == move
        assert text.move_codingame(move) == "{} {}".format(*grid(move))


@pytest.mark.parametrize("game", ALL, ids=lambda g: f"{g.variant}-{g.tiebreak}")
def test_both_position_notations_are_inverse(game: Uttt) -> None:
    for seed in range(30):
        for state in states(game, seed):
            assert game.parse_position(game.position_text(state)) == state
            assert game.parse_position(game.fen(state)) == state


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("", "not a position"),
        ("hello", "not a position"),
        ("9/9/9 x -", "3 mini-boards"),
        ("9/9/9/9/8/9/9/9/9 x -", "Mini-board 4 .* has 8 cells"),
        ("9/9/9/9/99/9/9/9/9 x -", "Mini-board 4 .* has 18 cells"),
        ("9/9/9/9/4z4/9/9/9/9 x -", "only x, o and 1 to 9"),
        ("9/9/9/9/9/9/9/9/9 y -", "must be x or o"),
        ("9/9/9/9/9/9/9/9/9 x 9", "forced board is '9'"),
        ("9/9/9/9/9/9/9/9/9 x - xxx", "nine characters of"),
        ("0" * 92, "got 92"),
        ("0" * 94, "got 94"),
        ("3" + "0" * 89 + "190", "cell 0 is 3"),
        ("0" * 81 + "4" + "0" * 8 + "190", "board 0 is 4"),
        ("0" * 90 + "390", "side to move .* is 3"),
        ("0" * 90 + "194", "result .* is 4"),
        (START.replace("x -", "o -"), "X's turn, not O's"),
        (START.replace("x -", "x 4"), "the choice of board is free"),
        ("xx7/9/9/9/9/9/9/9/9 o 0", "X has 2 marks and O 0"),
        ("o8/9/9/9/9/9/9/9/9 x 0", "X has 0 marks and O 1"),
        ("xxxooo3/9/9/9/9/9/9/9/9 x 3", "lines of both X and O"),
        ("xxx3xxx/oo7/oo7/oo7/9/9/9/9/9 x 0", "two lines of X"),
        ("4x4/9/9/9/9/9/9/9/9 o 3", "No last move of X can have led to board 3 for O"),
        ("4x4/9/9/9/9/9/9/9/9 o -", "No last move of X can have led to a free choice for O"),
        ("xxx6/o8/o8/9/9/9/9/9/9 o 0", "forced board cannot be 0"),
        ("xxx6/xxx6/xxx6/ooo6/ooo6/ooo6/9/9/9 x -", "Both X and O have three boards"),
        ("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/oo7/9 o -", "X has 9 marks and O 10"),
        ("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/o8/x8 x -", "10 X and 9 O it is O's turn"),
        ("4x4/9/9/9/9/9/9/9/9 o 4 x........", "Board 0 is given as X's, but by its marks it is undecided"),
        ("0" * 4 + "1" + "0" * 76 + "1" + "0" * 8 + "240", "Board 0 is given as X's"),
        ("0" * 4 + "1" + "0" * 85 + "241", "result is given as 1, but by the boards it is 0"),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(position: str, why: str) -> None:
    with pytest.raises(BadText, match=why):
        Uttt().parse_position(position)


def test_the_winner_must_have_moved_last() -> None:
    with pytest.raises(BadText, match="No last move of O can have led to the end of the game"):
        Uttt().parse_position("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/o8/9 x -")
    assert Uttt().parse_position("xxx6/xxx6/xxx6/oo7/oo7/oo7/oo7/9/9 o -").result == 1


def test_an_open_game_must_say_who_was_first_in_a_board() -> None:
    both = "xxxooo3/9/9/9/9/9/9/9/9 x 3"
    with pytest.raises(BadText, match="add a fourth field"):
        Uttt("open").parse_position(both)
    assert Uttt("open").parse_position(f"{both} o........").boards[0] == 1


def test_a_finished_position_may_name_any_forced_board() -> None:
    game = Uttt()
    last = states(game, 1)[-1]
    digits = game.position_text(last)
    assert game.parse_position(digits[:91] + "4" + digits[92:]) == last


@given(st.text() | st.text("0123456789", min_size=90, max_size=96) | st.text("xo123456789/ -.=", max_size=40))
def test_any_text_is_read_or_refused(words: str) -> None:
    for game in ALL:
        try:
            state = game.parse_position(words)
        except BadText:
            continue
        assert game.parse_position(game.position_text(state)) == state


@given(st.data())
def test_a_changed_digit_is_refused_or_makes_another_position(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(ALL))
    path = states(game, data.draw(st.integers(0, 10)))
    state = data.draw(st.sampled_from(path))
    digits = list(game.position_text(state))
    place = data.draw(st.integers(0, 92))
    digits[place] = data.draw(st.sampled_from("0123456789"))
    changed = "".join(digits)
    try:
        read = game.parse_position(changed)
    except BadText:
        return
    if state.outcome() is None:
        assert (read == state) == (changed == game.position_text(state))
    assert read.legal_moves() or read.outcome() is not None
