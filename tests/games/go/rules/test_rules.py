"""Go by diagrams: captures, ko, superko, suicide, scoring, handicap, and the texts of positions."""

from __future__ import annotations

from typing import Any

import pytest

from kibitz.core.errors import BadOption, BadText, IllegalMove
from kibitz.core.game import Outcome
from kibitz.games.go.rules import BLACK, WHITE, Board, Go, GoState, outcome_of, score


def rows(diagram: str) -> str:
    """Return a diagram as the rows of a position."""
    return "/".join("".join(line.split()) for line in diagram.strip().splitlines())


def board(diagram: str) -> Board:
    text = rows(diagram)
    return Board(text.count("/") + 1, bytes(".XO".index(mark) for mark in text.replace("/", "")))


def state(diagram: str, mover: str = "X", **options: Any) -> GoState:
    text = rows(diagram)
    return Go(size=text.count("/") + 1, **options).parse_position(f"{text} {mover}")


def play(start: GoState, *moves: str) -> GoState:
    for move in moves:
        start = start.play(start.game.parse_move(move))
    return start


@pytest.mark.parametrize(
    ("before", "move", "after", "prisoners"),
    [
        ("O.. \n X.. \n ...", "B3", ".X. \n X.. \n ...", 1),
        (".OX \n .X. \n ...", "A3", "X.X \n .X. \n ...", 1),
        (".X. \n XO. \n .X.", "C2", ".X. \n X.X \n .X.", 1),
        (
            ". X X . . \n X O O X . \n X O . X . \n . X X . . \n . . . . .", "C3",
            ". X X . . \n X . . X . \n X . X X . \n . X X . . \n . . . . .", 3,
        ),
        (
            ". X . . . \n X O O X . \n X O . X . \n . X X . . \n . . . . .", "C5",
            ". X X . . \n X O O X . \n X O . X . \n . X X . . \n . . . . .", 0,
        ),
        ("O.O.. \n XOX.. \n .X... \n ..... \n .....", "B5", ".XO.. \n X.X.. \n .X... \n ..... \n .....", 2),
        (".OX \n OX. \n X..", "A3", "X.X \n .X. \n X..", 2),
    ],
    ids=["corner", "side", "middle", "last liberty", "a liberty is left", "two chains", "before suicide"],
)  # fmt: skip
def test_a_chain_without_liberties_is_captured(before: str, move: str, after: str, prisoners: int) -> None:
    taken = play(state(before), move)
    assert taken.board == board(after)
    assert taken.prisoners == (prisoners, 0)


def test_diagonal_stones_are_not_connected() -> None:
    assert board("O.X \n .O. \n ...").chain(0).stones == {0}
    with pytest.raises(BadText, match=r"A3 has no liberties"):
        state("OX. \n XO. \n ...")


@pytest.mark.parametrize(
    ("before", "after", "prisoners"),
    [
        (".O. \n O.. \n ...", ".O. \n O.. \n ...", 1),
        ("XXO. \n .O.. \n O... \n ....", "..O. \n .O.. \n O... \n ....", 3),
    ],
)
def test_suicide_is_refused_unless_it_is_legal(before: str, after: str, prisoners: int) -> None:
    with pytest.raises(IllegalMove, match=r"A3 has no liberties and captures nothing"):
        play(state(before), "A3")
    suicide = play(state(before, suicide=True), "A3")
    assert suicide.board == board(after)
    assert (suicide.prisoners, suicide.to_move) == ((0, prisoners), 1)


def test_snapback() -> None:
    """White takes one stone with B1 and so leaves four of his own in atari, which are taken at once."""
    start = state(". . . . . \n . . . . . \n X X X . . \n O O X . . \n X . O X .")
    assert start.board.chain(start.game.parse_move("A2")).liberties == {start.game.parse_move("B1")}
    white = play(start, "E5", "B1")
    assert white.board == board(". . . . X \n . . . . . \n X X X . . \n O O X . . \n . O O X .")
    black = play(white, "A1")
    assert black.board == board(". . . . X \n . . . . . \n X X X . . \n . . X . . \n X . . X .")
    assert (black.prisoners, black.ko) == ((4, 1), -1)


KO = """
. X O .
X . X O
. X O .
. . . ."""


def test_a_ko_may_not_be_retaken_at_once() -> None:
    taken = play(state(KO, "O"), "B3")
    assert taken.board == board(". X O . \n X O . O \n . X O . \n . . . .")
    assert taken.game.move_text(taken.ko) == "C3"
    with pytest.raises(IllegalMove, match=r"C3 retakes the ko: play elsewhere first\."):
        play(taken, "C3")
    assert taken.game.parse_move("C3") not in taken.legal_moves()
    later = play(taken, "A1", "D1", "C3")
    assert later.game.move_text(later.ko) == "B3"
    assert play(taken, "pass", "pass").ko == -1
    # no ko where the taker has more liberties
    more = play(state(". O . . \n O X O . \n . . . . \n . . . .", "O"), "B2")
    assert more.board == board(". O . . \n O . O . \n . O . . \n . . . .")
    assert (more.prisoners, more.ko) == ((0, 1), -1)


SEND_TWO = """
. . . .
. . . .
X X O .
. O . O"""


def test_sending_two_and_returning_one_is_for_superko_only() -> None:
    """White gives two stones, Black takes them with one, White takes that one: the first board is back."""
    start = state(SEND_TWO, "O")
    back = play(start, "A1", "C1", "B1")
    assert back.board == start.board
    assert back.prisoners == (2, 1)
    returned = play(state(SEND_TWO, "O", ko="positional"), "A1", "C1")
    assert returned.board == board(". . . . \n . . . . \n X X O . \n . . X O")
    with pytest.raises(IllegalMove, match=r"A stone on B1 repeats an earlier board \(superko\)\."):
        play(returned, "B1")
    assert returned.game.parse_move("B1") not in returned.legal_moves()
    play(returned, "D3", "A4", "B1")


def test_two_passes_end_the_game_and_one_does_not() -> None:
    start = Go(size=5, komi=0.5).start()
    once = play(start, "C3", "pass")
    assert once.outcome() is None
    assert play(once, "D4").passes == 0
    over = play(once, "pass")
    assert over.legal_moves() == ()
    assert over.outcome() == Outcome(0, "25 points to 0.5")
    with pytest.raises(IllegalMove, match=r"The game is over\."):
        play(over, "A1")


def test_points_that_both_reach_count_for_nobody() -> None:
    assert play(Go(size=9, komi=0).start(), "pass", "pass").outcome() == Outcome(None, "0 points each")
    counted = score(board(". X . O . \n . X . O . \n . X . O . \n . X . O . \n . X . O ."), 0.0, "area")
    assert (counted.black, counted.white) == (10, 10)
    assert counted.owners == bytes([1, 1, 0, 2, 2] * 5)


def test_seki_by_area_and_by_territory() -> None:
    """Both have one eye, and neither can fill the two points between them: these are nobody's."""
    seki = board("X X . O . \n . X . O O \n X X X O . \n X X X O O \n O O O O .")
    area = score(seki, 0.0, "area")
    assert (area.black, area.white) == (10, 13)
    assert area.owners.count(0) == 2
    land = score(seki, 0.0, "territory", prisoners=(1, 4))
    assert (land.black, land.white) == (1 + 1, 3 + 4)


DEAD = """
. . X O .
. O X O .
. . X O .
X X X O X
. . X O ."""


def test_stones_marked_dead_are_taken_off_by_chains() -> None:
    finished = board(DEAD)
    alive = score(finished, 0.5, "area")
    assert (alive.black, alive.white) == (10, 6.5)
    both = score(finished, 0.5, "area", marked=[6, 19])
    assert (both.black, both.white) == (15, 10.5)
    land = score(finished, 0.5, "territory", marked=[6, 19])
    assert (land.black, land.white) == (8 + 1, 5 + 1 + 0.5)
    wall = score(finished, 0.5, "area", marked=[2])
    assert wall.black == 1, "one stone marks its whole chain, and only E2 is left"
    with pytest.raises(BadText, match="no stone on A5"):
        score(finished, 0.5, "area", marked=[0])
    assert outcome_of(both) == Outcome(0, "15 points to 10.5")


def test_the_most_moves_of_a_game_end_it() -> None:
    position = Go(size=2, komi=0.5).parse_position("X1/2 O - 0 0:0 99")
    over = play(position, "pass")
    assert (over.is_over(), over.passes, over.outcome()) == (True, 1, Outcome(0, "4 points to 0.5"))


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 D16 Q16"),
        (19, 4, "D4 D16 Q4 Q16"),
        (19, 5, "D4 D16 K10 Q4 Q16"),
        (19, 6, "D4 D10 D16 Q4 Q10 Q16"),
        (19, 7, "D4 D10 D16 K10 Q4 Q10 Q16"),
        (19, 8, "D4 D10 D16 K4 K16 Q4 Q10 Q16"),
        (19, 9, "D4 D10 D16 K4 K10 K16 Q4 Q10 Q16"),
        (9, 2, "C3 G7"),
        (13, 5, "D4 D10 G7 K4 K10"),
        (8, 4, "C3 C6 F3 F6"),
    ],
)
def test_handicap_stones_stand_on_the_star_points_and_white_moves(size: int, stones: int, points: str) -> None:
    start = Go(size=size, handicap=stones).start()
    black = [start.game.move_text(point) for point, code in enumerate(start.board.points) if code == BLACK]
    assert sorted(black) == sorted(points.split())
    assert start.to_move == 1
    assert start.play(start.legal_moves()[0]).board.points.count(WHITE) == 1


@pytest.mark.parametrize(
    ("name", "values"), [("size", (0, 26, -19)), ("komi", (0.3, 626.0, float("nan"))), ("handicap", (1, 10, -2))]
)
def test_absurd_options_are_refused(name: str, values: tuple[Any, ...]) -> None:
    for options in [{name: value} for value in values] + [{"size": 5, "handicap": 2}, {"size": 8, "handicap": 5}]:
        with pytest.raises(BadOption, match="must be"):
            Go(**options)


@pytest.mark.parametrize("size", range(1, 26))
def test_moves_have_texts_on_every_size(size: int) -> None:
    game = Go(size=size)
    assert [game.parse_move(game.move_text(move)) for move in game.moves()] == list(game.moves())
    assert game.move_text(size - 1) == f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[size - 1]}{size}"
    assert [game.parse_move(text) for text in ("aa", f"{chr(96 + size)}a", "PASS")] == [0, size - 1, size * size]


def test_sgf_letters_and_coordinates_name_the_same_point() -> None:
    game = Go(size=19)
    assert game.parse_move("pd") == game.parse_move("Q16") == 3 * 19 + 15
    assert game.parse_move("tt") == game.pass_move
    for wrong in ("I5", "U1", "A0", "A20", "zz", "ta", "D4 D4", "4D"):
        with pytest.raises(BadText, match="is not a move"):
            game.parse_move(wrong)


HISTORIES = {
    "3/1X1/3 O - 0 0:0 1 3/3/3": "does not lead to the rows",
    "3/1X1/3 O - 0 0:0 1 3/3/3,B2": "must be X or O",
    "3/1X1/3 O - 0 0:0 1 3/3/3,XB2,OB2": "already occupied",
    "2X/1X1/3 O - 0 0:0 1 1X1/X2/3,OA3": "has a suicide on A3",
}
"""Impossible board histories, with positional superko."""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *HISTORIES.items(),
        ("", "not a position"),
        ("3/3", "has 2 rows, but must have 3"),
        ("3/3/4", "Row 3 of the board has 4 points"),
        ("3/3/2Z", "'Z' in row 3"),
        ("3/3/3 B", "side to move is 'B'"),
        ("3/3/3 X C9", "not a move"),
        ("3/3/3 X pass", "is not a point"),
        ("3/3/3 X B2", "no ko on B2"),
        ("3/3/3 X - 3", "passes just made"),
        ("3/3/3 X - 0 1", "prisoners are '1'"),
        ("3/3/3 X - 0 0:0 101", "up to 100"),
        ("3/3/3 X - 0 0:0 0 3/3/3,XA1", "only with ko=positional"),
        ("OX1/XX1/3 X", "A3 has no liberties"),
        ("1X1/XOX/1X1 X", "B2 has no liberties"),
    ],
)
def test_impossible_positions_are_refused(text: str, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        Go(size=3, ko="positional" if text in HISTORIES else "simple").parse_position(text)


def test_superko_covers_the_simple_ko_and_a_position_text_carries_the_boards_of_the_past() -> None:
    taken = play(state(KO, "O", ko="positional"), "B3")
    assert taken.ko == -1
    play(taken, "A1", "D1", "C3")
    again = taken.game.parse_position(taken.game.position_text(taken))
    assert again == taken
    assert again.legal_moves() == taken.legal_moves()
    assert taken.game.position_text(taken).endswith("1XO1/X1XO/1XO1/4,OB3")
    with pytest.raises(IllegalMove, match="superko"):
        play(again, "C3")
