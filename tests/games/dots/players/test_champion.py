"""The champion of Dots-and-Boxes: exact where it says so, sensible where it cannot be, and its opening book."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from games.dots.boards import TRIANGLE, play
from kibitz.core.agent import Budget, Watch
from kibitz.core.errors import BadOption
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.players.champion.agent import DotsChampion
from kibitz.games.dots.players.champion.book import canonical_image, look_up
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.structure import safe_lines, structure_of
from kibitz.testing import random_game


def safe_state(game: Dots, left: int, seed: int) -> DotsState:
    """Return a position with a number of lines left, after random lines that gave no box away."""
    rng, state = random.Random(seed), game.start()
    while state.undrawn.bit_count() > left:
        state = state.play(rng.choice(structure_of(state).safe_lines))  # an IndexError if they run out
    return state


def test_it_plays_best_moves_once_a_position_can_be_solved() -> None:
    game = Dots(4, 4)
    agent, solver = DotsChampion(game), Solver(game.board)
    agent.prepare()
    for seed in range(5):
        state = safe_state(game, 26, seed)
        choice = agent.choose(state, Budget(seconds=600))
        values = solver.solve(state.drawn, moves=True).moves
        assert choice.exact
        assert choice.unit == "boxes"
        assert values[choice.move] == max(values.values()) == choice.value


@pytest.mark.parametrize(
    "game", [Dots(1, 1), Dots(1, 2), Dots(2, 3), Dots(5, 5), Dots(6, 6), Dots(9, 9), TRIANGLE], ids=str
)
def test_it_is_legal_on_every_board(game: Dots) -> None:
    agent = DotsChampion(game)
    for state in random_game(game, 3)[:-1][:: max(1, len(game.moves()) // 8)]:
        choice = agent.choose(state, Budget(seconds=0.05))
        assert choice.move in state.legal_moves()


def test_the_same_seed_gives_the_same_line() -> None:
    game = Dots(5, 5)
    agent = DotsChampion(game, book=False)
    found = []
    for _ in range(2):
        agent.reset(5)
        found.append(replace(agent.choose(game.start(), Budget(playouts=300)), seconds=0.0))
    assert found[0] == found[1]
    assert found[0].playouts == 300


def test_it_takes_what_is_free_and_obeys_a_stop() -> None:
    game = Dots(5, 5)
    state = play(game, "0 30 31")  # the top left box lacks its lower line
    assert DotsChampion(game).choose(state, Budget(playouts=10)).move == 5
    # It obeys a stop.
    game, watch = Dots(5, 5), Watch()
    agent = DotsChampion(game)
    agent.prepare()
    watch.stop()
    choice = agent.choose(game.start(), Budget(seconds=600), watch)
    assert choice.move in game.start().legal_moves()
    assert choice.seconds < 300
    # Impossible champions are refused.
    with pytest.raises(BadOption, match="champion must be 1 to 1048576 MB, not 0"):
        DotsChampion(Dots(2, 2), memory=0)


PREPARED = """
import random
import kibitz
from kibitz.compiled import jit
from kibitz.core.agent import Budget
game = kibitz.game("dots", rows=6, cols=6)
agent, rng, late, cached = kibitz.agent(game, "champion"), random.Random(2), [], jit._KernelFiles
agent.prepare()
jit._KernelFiles = lambda function, *rest: late.append(function.__name__) or cached(function, *rest)
state, ways = game.start(), set()
while state.outcome() is None:
    if rng.random() < 0.3:
        state = state.play(rng.choice(state.legal_moves()))
    else:
        choice = agent.choose(state, Budget(playouts=10, nodes=20_000))
        ways.add("proof" if choice.exact else choice.note.partition(" ")[0])
        state = state.play(choice.move)
print(sorted(ways), late)
"""


def test_nothing_is_left_to_compile_once_it_is_prepared() -> None:
    """A kernel that is compiled in the middle of a game takes seconds. A new process, for this one may have it all."""
    told = subprocess.run([sys.executable, "-c", PREPARED], capture_output=True, text=True, check=True).stdout
    assert told.strip().endswith("[]"), told
    assert "proof" in told
    assert "Wins" in told


# The opening book: an answer to every line, the same for all images of a position


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
        after = canonical_image(GAME.board, state.play(entry.move).drawn)[1]
        for image in GAME.symmetries():
            turned = GAME.start().play(image[state.drawn.bit_length() - 1])
            theirs = look_up(turned)
            assert theirs is not None
            assert (theirs.share, theirs.playouts) == (entry.share, entry.playouts)
            assert canonical_image(GAME.board, turned.play(theirs.move).drawn)[1] == after


def test_a_canonical_position_is_an_image_and_the_least() -> None:
    rng = random.Random(4)
    for _ in range(50):
        lines = rng.sample(range(60), 5)
        image, drawn = canonical_image(GAME.board, sum(1 << line for line in lines))
        assert image in GAME.symmetries()
        assert {image[line] for line in lines} == {line for line in range(60) if drawn >> line & 1}
        turned = rng.choice(GAME.symmetries())
        assert canonical_image(GAME.board, sum(1 << turned[line] for line in lines))[1] == drawn


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
