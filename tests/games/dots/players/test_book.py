"""The opening book: there is an answer to every line, and it is the same for every image of a position."""

from __future__ import annotations

import random

import pytest

from kibitz.core.agent import Budget
from kibitz.games.dots.players.champion.agent import DotsChampion
from kibitz.games.dots.players.champion.book import canonical, look_up
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.structure import safe_lines

GAME = Dots(5, 5)
PLIES = 3


def answer(state: DotsState) -> DotsState:
    """Return the position after the book's move."""
    entry = look_up(state)
    assert entry is not None, f"{state.drawn:x}"
    assert entry.move in safe_lines(GAME.board, state.undrawn)
    assert 0 < entry.share < 1
    assert entry.playouts > 1000
    return state.play(entry.move)


@pytest.mark.parametrize("first", [0, 1])
def test_there_is_an_answer_to_every_line(first: int) -> None:
    """As first player and as second, whatever the other draws, until three lines are drawn."""
    start = GAME.start()
    states = [start] if first == 0 else [start.play(line) for line in start.legal_moves()]
    while states[0].drawn.bit_count() < PLIES:
        after = {state.drawn: state for state in map(answer, states)}.values()
        states = [state.play(line) for state in after for line in safe_lines(GAME.board, state.undrawn)]
    assert all(look_up(state) is None for state in states)


def test_images_of_a_position_get_images_of_its_answer() -> None:
    rng = random.Random(3)
    for _ in range(20):
        state = GAME.start().play(rng.randrange(60))
        entry = look_up(state)
        assert entry is not None
        after = canonical(GAME.board, state.play(entry.move).drawn)[1]
        for image in GAME.symmetries():
            turned = GAME.start().play(image[state.drawn.bit_length() - 1])
            theirs = look_up(turned)
            assert theirs is not None
            assert (theirs.share, theirs.playouts) == (entry.share, entry.playouts)
            assert canonical(GAME.board, turned.play(theirs.move).drawn)[1] == after


def test_a_canonical_position_is_an_image_and_the_least() -> None:
    rng = random.Random(4)
    for _ in range(50):
        lines = rng.sample(range(60), 5)
        image, drawn = canonical(GAME.board, sum(1 << line for line in lines))
        assert image in GAME.symmetries()
        assert {image[line] for line in lines} == {line for line in range(60) if drawn >> line & 1}
        turned = rng.choice(GAME.symmetries())
        assert canonical(GAME.board, sum(1 << turned[line] for line in lines))[1] == drawn


@pytest.mark.parametrize("game", [Dots(4, 5), Dots(2, 2), Dots(graph='{"coins":["a"],"strings":[["s","a","ground"]]}')])
def test_other_boards_have_no_book(game: Dots) -> None:
    assert look_up(game.start()) is None


def test_the_champion_plays_by_the_book_unless_told_not_to() -> None:
    start = GAME.start()
    entry = look_up(start)
    assert entry is not None
    choice = DotsChampion(GAME).choose(start, Budget(playouts=20))
    assert (choice.move, choice.playouts) == (entry.move, 0)
    assert choice.note.startswith("From the opening book")
    assert DotsChampion(GAME, book=False).choose(start, Budget(playouts=20)).playouts == 20
