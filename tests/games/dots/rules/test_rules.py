"""The rules of Dots-and-Boxes: diagrams by hand, texts of positions, starts, symmetries and drawn boards."""

from __future__ import annotations

import itertools
import random
from typing import Literal

import pytest

from games.dots.boards import play
from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Outcome
from kibitz.games.dots.rules import NOBODY, Dots, DotsState
from kibitz.games.dots.rules.graph import GROUND, grid

# The numbers of the lines and, in brackets, of the boxes:
#
#   +-- 0 --+-- 1 --+        +-- 0 --+-- 1 --+        +-- 0 --+-- 1 --+-- 2 --+
#   4  (0)  5  (1)  6        6  (0)  7  (1)  8        9  (0) 10  (1) 11  (2) 12
#   +-- 2 --+-- 3 --+        +-- 2 --+-- 3 --+        +-- 3 --+-- 4 --+-- 5 --+
#                            9  (2) 10  (3) 11       13  (3) 14  (4) 15  (5) 16
#                            +-- 4 --+-- 5 --+        +-- 6 --+-- 7 --+-- 8 --+


def bits(*places: int) -> int:
    return sum(1 << place for place in places)


def test_the_numbering_of_2x3_is_the_picture_above() -> None:
    board = grid(2, 3)
    sides = [(0, 3, 9, 10), (1, 4, 10, 11), (2, 5, 11, 12), (3, 6, 13, 14), (4, 7, 14, 15), (5, 8, 15, 16)]
    assert list(board.strings_of) == sides
    assert len(board.strings) == 17
    assert board.strings[0] == (0, GROUND)
    assert board.strings[8] == (5, GROUND)
    assert set(board.strings[10]) == {0, 1}
    assert set(board.strings[4]) == {1, 4}
    assert [board.coordinates(i) for i in (0, 5, 8, 9, 12, 13, 16)] == [
        ("h", 0, 0), ("h", 1, 2), ("h", 2, 2), ("v", 0, 0), ("v", 0, 3), ("v", 1, 0), ("v", 1, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "cols", "sides"),
    [
        (1, 1, [(0, 1, 2, 3)]),
        (1, 2, [(0, 2, 4, 5), (1, 3, 5, 6)]),
        (2, 1, [(0, 1, 3, 4), (1, 2, 5, 6)]),
        (2, 2, [(0, 2, 6, 7), (1, 3, 7, 8), (2, 4, 9, 10), (3, 5, 10, 11)]),
        (3, 2, [(0, 2, 8, 9), (1, 3, 9, 10), (2, 4, 11, 12), (3, 5, 12, 13), (4, 6, 14, 15), (5, 7, 15, 16)]),
    ],
)
def test_the_sides_of_each_box(rows: int, cols: int, sides: list[tuple[int, ...]]) -> None:
    assert list(grid(rows, cols).strings_of) == sides
    assert len(Dots(rows, cols).moves()) == 2 * rows * cols + rows + cols


def test_a_box_taken_gives_the_move_again() -> None:
    assert [play(Dots(2, 2), moves).to_move for moves in ("", "0", "0 6", "0 6 2")] == [0, 1, 0, 1]
    before = play(Dots(2, 2), "0 6 2")
    assert (before.taken_by(7), before.taken_by(3), before.degree(0)) == ((0,), (), 1)
    state = before.play(7)
    assert (state.owned, state.scores, state.to_move) == ((0, bits(0)), (0, 1), 1)
    assert state.owners == (1, None, None, None)
    assert state.play(5).to_move == 0
    # A box need not be taken.
    state = play(Dots(2, 2), "0 6 2 11")
    assert (state.scores, state.to_move) == ((0, 0), 0)
    assert state.play(7).owned == (bits(0), 0)
    # A double-cross takes two boxes and gives one more line.
    before = play(Dots(2, 3), "0 1 9 11 3 4")
    assert before.taken_by(10) == (0, 1)
    state = before.play(10)
    assert (state.owned, state.to_move) == ((bits(0, 1), 0), 0)
    assert state.play(16).to_move == 1


def test_one_player_may_draw_many_lines_in_a_row() -> None:
    """A chain of three boxes in the top row is opened at its left end: all three fall to one player."""
    state = play(Dots(2, 3), "0 1 2 3 4 5 6 9")
    movers = []
    for move in (10, 11, 12):
        movers.append(state.to_move)
        state = state.play(move)
    assert movers == [0, 0, 0]
    assert (state.scores, state.to_move) == ((3, 0), 0)


@pytest.mark.parametrize(
    ("cols", "moves", "scores", "margin", "outcome"),
    [
        (1, "0 1 2 3", (0, 1), 1, Outcome(1, "1 box to 0")),
        (2, "0 1 2 3 4 5 6", (0, 2), 2, Outcome(1, "2 boxes to 0")),
        (2, "0 1 2 3 4 6 5", (2, 0), 2, Outcome(0, "2 boxes to 0")),
        (2, "0 1 2 4 5 3 6", (1, 1), 0, Outcome(None, "1 box each")),
    ],
)
def test_how_games_end(cols: int, moves: str, scores: tuple[int, int], margin: int, outcome: Outcome) -> None:
    state = play(Dots(1, cols), moves)
    assert (state.scores, state.margin, state.outcome()) == (scores, margin, outcome)
    assert state.legal_moves() == ()
    assert play(Dots(1, cols), moves[:-2]).outcome() is None


def test_the_margin_and_the_turn() -> None:
    state = play(Dots(2, 2), "0 6 2 7")
    assert (state.to_move, state.margin) == (1, 1)
    assert (state.play(5).to_move, state.play(5).margin) == (0, -1)
    # Each line since the start is a turn.
    assert play(Dots(2, 2), "0 6 2 7 5").turn == 5
    assert play(Dots(2, 2, "icelandic"), "0 7").turn == 2


def test_illegal_moves_are_told_in_words() -> None:
    state = play(Dots(2, 2), "0 6")
    with pytest.raises(IllegalMove, match="Line 6 has already been drawn"):
        state.play(6)
    for move in (-1, 12, 10**9):
        with pytest.raises(IllegalMove, match=f"There is no line {move}: lines are 0 to 11"):
            state.play(move)
    with pytest.raises(IllegalMove, match="Line 9 has already been drawn"):
        Dots(2, 2, "icelandic").start().play(9)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 6), (2, 3), (3, 3), (4, 5), (9, 9)])
def test_turns_are_dots_and_double_crosses(rows: int, cols: int) -> None:
    """Berlekamp's count: every game has as many turns as dots and double-crosses together."""
    for seed in range(10):
        rng, state = random.Random(seed), Dots(rows, cols).start()
        movers, crosses = [], 0
        while moves := state.legal_moves():
            move = rng.choice(moves)
            movers.append(state.to_move)
            crosses += len(state.taken_by(move)) == 2
            state = state.play(move)
        assert len(list(itertools.groupby(movers))) == (rows + 1) * (cols + 1) + crosses
        assert sum(state.scores) == rows * cols


def test_starts() -> None:
    icelandic, swedish = bits(9, 13, 6, 7, 8), bits(9, 13, 6, 7, 8, 12, 16, 0, 1, 2)
    assert Dots(2, 3).start().drawn == 0
    assert Dots(2, 3, "icelandic").start().drawn == icelandic
    assert Dots(2, 3, "swedish").start().drawn == swedish
    start = Dots(2, 3, "swedish").start()
    assert (start.legal_moves(), start.to_move, start.scores, start.turn) == ((3, 4, 5, 10, 11, 14, 15), 0, (0, 0), 0)
    assert start.play(3).play(14).taken_by(10) == (0,)
    # A start draws no box for anybody.
    assert Dots(1, 2, "icelandic").start().owners == (None, None)
    assert Dots(1, 2, "swedish").start().legal_moves() == (5,)
    assert play(Dots(1, 2, "swedish"), "5").outcome() == Outcome(0, "2 boxes to 0")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((0, 5), "1 to 9 rows of boxes, not 0"),
        ((5, 10), "1 to 9 cols of boxes, not 10"),
        ((-1, 1), "rows of boxes, not -1"),
        ((1, 1, "swedish"), "leaves nothing to draw"),
    ],
)
def test_boards_that_cannot_be(options: tuple[int, int] | tuple[int, int, Literal["swedish"]], why: str) -> None:
    with pytest.raises(BadOption, match=why):
        Dots(*options)


def test_lines_in_both_words() -> None:
    game = Dots(2, 3)
    assert [game.parse_move(text) for text in ("h 0 0", "h2,2", "V 0 3", " v 1, 0 ", "16")] == [0, 8, 12, 13, 16]
    for text in ("h 3 0", "h 0 3", "v 2 0", "v 0 4", "17", "-1", "h", "h 0", "x 0 0", "h 0 0 0", "٣"):
        with pytest.raises(BadText, match=r"is not a line: write its number \(0-16\), h ROW COL with rows to 2"):
            game.parse_move(text)


def test_positions_in_up_to_three_words() -> None:
    state = play(Dots(2, 2), "0 6 2 7")
    assert Dots(2, 2).position_text(state) == "c5 2... 2"
    assert Dots(2, 2).parse_position(" 0xC5  2... 2 ") == state
    # Unknown owners and an unsaid side.
    state = Dots(2, 2).parse_position("c5")
    assert (state.owners, state.scores, state.to_move) == ((NOBODY, None, None, None), (0, 0), 0)
    assert Dots(2, 2).position_text(state) == "c5 -... 1"
    assert Dots(2, 2).parse_position("c5 -...") == state
    assert play(Dots(2, 2), "0 6 2 7") != state
    end = Dots(1, 2).parse_position("7f 1- 2")
    assert end.outcome() == Outcome(0, "1 box to 0")


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("", "is not a position"),
        ("c5 2... 2 1", "is not a position"),
        ("g5", "'g5' is not a hexadecimal number"),
        ("-5", "is not a hexadecimal number"),
        ("1000", "draws line 12, but the lines are 0 to 11"),
        ("0" * 49, "is not a hexadecimal number"),
        ("c5 .... 2", "Box 0,0 is finished, so its owner must be 1, 2 or - for nobody"),
        ("c5 21.. 2", "Box 0,1 cannot have an owner yet: 3 of its lines are not drawn"),
        ("c5 2.-. 2", "Box 1,0 cannot have an owner yet: 3 of its lines"),
        ("c5 2.. 2", "The owners are '2..', but must be 4 characters, each"),
        ("c5 2..... 2", "must be 4 characters, each"),
        ("c5 2..x 2", "must be 4 characters, each"),
        ("c5 2... 0", "The side to move is '0', but must be 1 or 2"),
        ("c5 2... 3", "must be 1 or 2"),
    ],
)
def test_texts_of_positions_that_cannot_be(position: str, why: str) -> None:
    with pytest.raises(BadText, match=why):
        Dots(2, 2).parse_position(position)


def test_a_position_must_have_the_border_of_the_start() -> None:
    game = Dots(2, 3, "icelandic")
    assert game.parse_position("23c0") == game.start()
    for missing in (6, 7, 8, 9, 13):
        with pytest.raises(BadText, match=f"With start=icelandic, line {missing} is drawn from the start"):
            game.parse_position(f"{game.border & ~bits(missing) | bits(0):x}")


def test_symmetries_number_8_on_squares_and_4_on_oblongs() -> None:
    assert [len(Dots(n, n).symmetries()) for n in (1, 2, 3, 5)] == [8] * 4
    assert [len(Dots(*size).symmetries()) for size in ((1, 2), (2, 1), (2, 3), (5, 4))] == [4] * 4
    assert [len(Dots(n, n, "swedish").symmetries()) for n in (2, 3, 5)] == [8] * 3
    assert len(Dots(2, 3, "swedish").symmetries()) == 4
    assert [len(Dots(n, n, "icelandic").symmetries()) for n in (1, 2, 3, 5)] == [2] * 4
    assert len(Dots(2, 3, "icelandic").symmetries()) == 1


def test_the_symmetries_of_2x3_and_of_the_icelandic_2x2_by_hand() -> None:
    left_right = (2, 1, 0, 5, 4, 3, 8, 7, 6, 12, 11, 10, 9, 16, 15, 14, 13)
    top_down = (6, 7, 8, 3, 4, 5, 0, 1, 2, 13, 14, 15, 16, 9, 10, 11, 12)
    half_turn = tuple(left_right[line] for line in top_down)
    assert set(Dots(2, 3).symmetries()) == {tuple(range(17)), left_right, top_down, half_turn}
    # Left and bottom change places: 6, the upper line on the left, with 5, the right one at the bottom.
    across = (11, 8, 10, 7, 9, 6, 5, 3, 1, 4, 2, 0)
    assert set(Dots(2, 2, "icelandic").symmetries()) == {tuple(range(12)), across}


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 2), (2, 3), (4, 3), (5, 5)])
def test_symmetries_take_boxes_to_boxes(rows: int, cols: int) -> None:
    board = grid(rows, cols)
    boxes = {frozenset(sides) for sides in board.strings_of}
    for image in board.symmetries():
        assert sorted(image) == list(range(len(board.strings)))
        assert {frozenset(image[side] for side in box) for box in boxes} == boxes


def roles(game: Dots, state: DotsState, last: int | None = None) -> list[list[tuple[str, str]]]:
    return [[(text.strip(), role) for text, role in line if text.strip(" •")] for line in game.draw(state, last)]


def test_lines_keep_the_colour_of_who_drew_them() -> None:
    """Blue (second) takes the top left box with 7 and goes on with 5; the box is blue, two of its lines are red."""
    game = Dots(2, 2)
    state = play(game, "0 6 2 7 5")
    assert state.drawn_by == (bits(0, 2), bits(6, 7, 5))
    line, wall = "─────", "│"
    assert roles(game, state, 5) == [
        [(line, "first"), ("1", "legal")],
        [(wall, "second"), ("B", "second"), (wall, "second"), ("8", "legal")],
        [(line, "first"), ("3", "legal")],
        [("9", "legal"), ("10", "legal"), ("11", "legal")],
        [("4", "legal"), (line, "last")],
        [("Red  0", "first"), ("Blue  1", "second")],
    ]


def test_the_border_of_a_start_and_an_unknown_past_have_no_colour() -> None:
    start = Dots(2, 2, "swedish").start()
    assert start.drawn_by == (0, 0)
    assert {role for line in roles(start.game, start)[:-1] for text, role in line if not text.isdigit()} == {"faint"}
    state = Dots(1, 1).parse_position("f - 2")
    assert roles(state.game, state)[1] == [("│", "faint"), ("·", "faint"), ("│", "faint")]
    assert play(Dots(2, 2), "0 6") == Dots(2, 2).parse_position("41 .... 1"), "who drew a line decides nothing"


def test_the_drawn_board_is_numbered_as_in_the_picture() -> None:
    drawn = ["".join(text for text, _ in line) for line in Dots(2, 2).draw(Dots(2, 2).start())]
    assert drawn == [
        "   •  0  •  1  •",
        "   6     7     8 ",
        "   •  2  •  3  •",
        "   9    10    11 ",
        "   •  4  •  5  •",
        "   Red  0   Blue  0",
    ]
