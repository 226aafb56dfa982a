"""Go at the table: drawn boards, moves in words, values, a game in the terminal, and counts known from elsewhere."""

from __future__ import annotations

import itertools

import pytest

import kibitz
from conftest import complaints
from games.go.go_games import played
from inside import run
from kibitz.core import registry
from kibitz.core.agent import Budget
from kibitz.games.go import evaluate
from kibitz.games.go.rules import Board, Go, GoState, star_points
from kibitz.games.go.words.reasons import reasons


def drawn(state: GoState, last: int | None = None) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in state.game.draw(state, last))


def test_the_drawn_board() -> None:
    state = played(Go(size=5, komi=0.5), "B2", "D4")
    assert drawn(state, state.last) == (
        "    A B C D E\n"
        "  5 · · · · · 5\n"
        "  4 · · ·(O)· 4\n"
        "  3 · · + · · 3\n"
        "  2 · X · · · 2\n"
        "  1 · · · · · 1\n"
        "    A B C D E\n"
        "    prisoners: Black 0, White 0\n"
    )
    assert {state.game.move_text(point) for point in star_points(5)} == {"C3"}
    assert {Go(size=9).move_text(point) for point in star_points(9)} == {"C3", "C7", "E5", "G3", "G7"}
    assert (len(star_points(19)), star_points(2)) == (9, frozenset())
    edge = played(Go(size=5), "E5", "A1")
    assert "  1(O)· · · · 1" in drawn(edge, edge.last)
    assert "· ·(X)5" in drawn(edge, edge.game.parse_move("E5"))


def test_a_finished_board_shows_who_owns_what_and_a_ko_is_marked() -> None:
    over = played(Go(size=3, komi=0.5), "B2", "pass", "pass")
    assert drawn(over, over.last) == (
        "    A B C\n  3 x x x 3\n  2 x X x 2\n  1 x x x 1\n    A B C\n    prisoners: Black 0, White 0\n    pass"
    )
    ko = Go(size=4).parse_position("1XO1/X1XO/1XO1/4 O").play(5)
    assert "  3 X O # O 3" in drawn(ko)


@pytest.mark.parametrize(
    ("position", "move", "words"),
    [
        ("O2/X2/3 X", "B3", ("captures a stone",)),
        ("5/5/5/5/5 X", "C3", ()),
        ("OX3/5/5/5/5 O", "A4", ("runs with a stone, but a ladder catches it",)),
        ("5/1OX2/2O2/5/5 O", "D4", ("catches a stone",)),
        (
            "1XO1/X1XO/1XO1/4 O",
            "B3",
            ("captures a stone", "takes a ko, so that Black may not play C3 now", "catches a stone"),
        ),
        ("5/1X1X1/5/5/5 X", "C4", ()),
        ("7/1X1X3/2O4/7/7/7/7 X", "C6", ("connects two groups",)),
        ("2O2/1O3/5/5/5 X", "B5", ("leaves a stone of its own in atari",)),
        ("5/5/5/5/5 X", "pass", ("passes",)),
        ("5/5/5/5/5 X - 1", "pass", ("passes, which ends the game",)),
    ],
)
def test_moves_in_words(position: str, move: str, words: tuple[str, ...]) -> None:
    game = Go(size=position.split()[0].count("/") + 1)
    state = game.parse_position(position)
    assert reasons(state, game.parse_move(move)) == words


def test_values_are_margins_rounded_away_from_zero() -> None:
    assert evaluate.score(played(Go(size=3, komi=0.5), "B2")) == -9  # 8.5 for Black, White to move
    assert evaluate.score(played(Go(size=3, komi=0.5), "B2", "pass")) == 9
    assert [evaluate.score(Go(size=3, komi=komi).start()) for komi in (0.25, 0.0)] == [-1, 0]
    assert evaluate.score(played(Go(size=3, komi=2.0, scoring="territory"), "B2", "pass", "pass")) == -6


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12_675)])
def test_as_many_boards_are_legal_as_tromp_and_farneback_count(size: int, count: int) -> None:
    boards = (Board(size, bytes(points)) for points in itertools.product(range(3), repeat=size * size))
    assert sum(all(chain.liberties for chain in board.chains().values()) for board in boards) == count


@pytest.mark.parametrize(("size", "value"), [(1, 0), (2, 1)])
def test_tiny_boards_are_worth_what_is_known(size: int, value: int) -> None:
    """With positional superko and area scoring Black wins 2x2 by one point."""
    game = registry.game("go", size=size, komi=0, ko="positional")
    choice = kibitz.agent(game, "alphabeta(every=true)").choose(game.start().view(0), Budget(seconds=600))
    assert (choice.exact, choice.value) == (True, value)


def test_two_people_play_in_the_terminal_and_are_told_the_score() -> None:
    typed = "C3\nzz\nC3\npass\nwhy\npass\n"
    ran = run("play", "go", "-o", "size=5", "-o", "komi=0.5", "human", "human", given=typed)
    assert (ran.returncode, complaints(ran.stderr)) == (0, "")
    shown = " ".join(ran.stdout.split())
    assert "'zz' is not a move: write a point from A1 to E5" in shown
    assert "There is a stone on C3 already." in shown
    assert "x x X x x" in shown
    assert "Black (human) wins: 25 points to 0.5." in shown


def test_a_person_plays_against_random() -> None:
    ran = run("play", "go", "-o", "size=4", "human", "random", "--seed", "3", given="B2\nmoves\nresign\n")
    assert (ran.returncode, complaints(ran.stderr)) == (0, "")
    assert "White (random) wins: Black resigned." in " ".join(ran.stdout.split())


def test_a_search_of_a_game_longer_than_a_table_entry_can_tell_stays_within_it() -> None:
    game = registry.game("go", size=9)
    choice = kibitz.agent(game, "alphabeta(depth=9999)").choose(game.start().view(0), Budget(nodes=500))
    assert choice.nodes == 500
    assert registry.kernel("go").MAX_GAME_LENGTH == 2500
