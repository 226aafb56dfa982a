"""kibitz uttt codingame: as a real process in whole games, and in this process with an agent that is late."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterable
from itertools import pairwise

import pytest

import inside
import kibitz
from clocks import PATIENCE
from kibitz.core.agent import Agent, Budget, Choice
from kibitz.core.errors import BadText
from kibitz.games.uttt.codingame import book_move, quick_move, read_turns, run
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import MOVE_SYMMETRIES, grid
from kibitz.testing import random_game

GAME = Uttt(tiebreak="count")
COMMAND = [sys.executable, "-m", "kibitz", "uttt", "codingame"]
PATIENT = Budget(seconds=PATIENCE)


def question(last: int | None, actions: Iterable[int]) -> str:
    cells = [f"{row} {col}" for row, col in sorted(map(grid, actions))]
    return "\n".join(["-1 -1" if last is None else "{} {}".format(*grid(last)), str(len(cells)), *cells]) + "\n"


START = question(None, range(81))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("agent", "games"), [("random", 2), ("champion --time 20", 1)])
def test_whole_games(seat: int, agent: str, games: int) -> None:
    bot = kibitz.agent(GAME, "codingame:" + shlex.join([*COMMAND, "--agent", *agent.split()]))
    rival = kibitz.agent(GAME, "random")
    for seed in range(games):
        record = kibitz.play(GAME, [bot, rival] if seat == 0 else [rival, bot], seed, PATIENT)
        assert "forfeit" not in record.reason
        kibitz.replay(record)
    bot.close()


def test_the_end_of_the_input_is_the_end() -> None:
    ran = inside.run("uttt", "codingame", "--agent", "random")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    command = [*COMMAND, "--agent", "random"]
    ran = subprocess.run(command, input=START, capture_output=True, encoding="utf-8", timeout=300)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("hello\n", (), "Line 1 is 'hello'; expected the opponent's row and column from 0 to 8, or -1 -1."),
        ("-1 -1\nmany\n", (), "Line 2 is 'many'; expected the number of valid actions, 1 to 81."),
        (f"-1 -1\n{'9' * 5000}\n", (), "; expected the number of valid actions, 1 to 81."),
        (f"0 {'9' * 5000}\n", (), "; expected the opponent's row and column from 0 to 8, or -1 -1."),
        ("-1 -1\n2\n0 0\n0 9\n", (), "Line 4 is '0 9'; expected the row and column of a valid action"),
        ("-1 -1\n2\n0 0\n", (), "The input ends at line 4; expected a valid action."),
        ("-1 -1\n1\n0 0\n", (), "are not the legal moves with variant=closed, tiebreak=count."),
        (START, ("--agent", "oracle"), "no agent 'oracle'"),
        (START, ("-o", "tiebreak=maybe"), "must be draw or count"),
        (START, ("--time", "5"), "20"),
    ],
)
def test_mistakes_are_told_in_one_line(text: str, options: tuple[str, ...], said: str) -> None:
    ran = inside.run("uttt", "codingame", *(options or ("--agent", "random")), given=text)
    assert ran.returncode == 2
    assert ran.stderr.count("\n") == 1
    assert said in ran.stderr


def test_moves_that_do_not_fit_are_told() -> None:
    for again, said in ((START, "only allowed at the start"), (question(0, range(81)), "is illegal: ")):
        answers = io.StringIO()
        with pytest.raises(BadText, match=said):
            run(kibitz.agent(GAME, "reflex"), GAME, io.StringIO(START + again + again), answers, 5.0, 5.0)
        assert len(answers.getvalue().splitlines()) == 1


def test_turns_are_read_as_they_are_written() -> None:
    states = random_game(GAME, 3)
    text, expected = "", []
    for before, state in pairwise(states[:-1]):
        assert isinstance(before, UtttState)
        assert isinstance(state, UtttState)
        move = next(m for m in range(81) if before.cells[m] != state.cells[m])
        text += question(move, state.legal_moves())
        expected.append((move, frozenset(state.legal_moves())))
    assert [(turn.last, turn.actions) for turn in read_turns(io.StringIO(text))] == expected


def test_the_book_answers_every_first_move_alike_from_all_sides() -> None:
    start = GAME.start()
    assert book_move(start) == 40
    for move in range(81):
        reply = book_move(start.play(move))
        assert reply in start.play(move).legal_moves()
        for turned in MOVE_SYMMETRIES:
            other = book_move(start.play(turned[move]))
            assert any(symmetry[move] == turned[move] and symmetry[reply] == other for symmetry in MOVE_SYMMETRIES), (
                f"{move} {reply}, but {turned[move]} {other}"
            )


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("xxx6/xxx6/xx7/oo7/oo7/oo7/oo7/9/9 x -", 20),  # wins the game
        ("ooo6/ooo6/oo7/xx7/xx7/xx7/xx7/9/9 x 2", 20),  # keeps O from winning it
        ("xxx6/xx7/9/oo7/9/o8/9/9/oo7 x 1", 11),  # wins a board
    ],
)
def test_a_plain_look_sees_what_wins_and_loses(position: str, move: int) -> None:
    state = GAME.parse_position(position)
    assert quick_move(state) == move


def test_a_plain_look_beats_chance() -> None:
    class Quick(Agent):
        def choose(self, view: object, *_: object) -> Choice:
            assert isinstance(view, UtttState)
            return Choice(quick_move(view))

    points = 0.0
    for seed in range(10):
        seats = [Quick(GAME), kibitz.agent(GAME, "random")]
        record = kibitz.play(GAME, seats if seed % 2 else seats[::-1], seed)
        points += {"1-0": seed % 2, "0-1": 1 - seed % 2}.get(record.result, 0.5)
    assert points >= 8


class Late(Agent):
    """Is not ready until somebody says so."""

    def __init__(self, may: threading.Event) -> None:
        self.may = may
        super().__init__(GAME)

    def prepare(self) -> None:
        self.may.wait(PATIENCE)

    def choose(self, view: object, *_: object) -> Choice:
        raise ArithmeticError("a fault of the agent")


def test_before_the_agent_is_ready_it_plays_without_it() -> None:
    state, answers, may = GAME.start().play(40).play(36), io.StringIO(), threading.Event()
    text = START + question(36, state.legal_moves())
    run(Late(may), GAME, io.StringIO(text), answers, 0.05, 0.05)
    may.set()
    assert answers.getvalue().splitlines() == ["4 4", "{} {}".format(*grid(quick_move(state)))]


def test_a_fault_of_the_agent_is_not_hidden() -> None:
    may = threading.Event()
    may.set()
    with pytest.raises(ArithmeticError):
        run(Late(may), GAME, io.StringIO(START), io.StringIO(), 60.0, 60.0)
