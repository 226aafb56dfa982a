"""kibitz dots problems as a user runs it: the list, a problem solved at a terminal or by --move, and mistakes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer
from rich.console import Console

from cli.test_commands import complaint, output
from cli.test_session import interrupted
from games.dots.commands.test_solve import Terminal
from inside import run
from kibitz.games.dots.commands import problems as dots_problems
from kibitz.games.dots.problems.problems import GRADES, THEMES, Problem, problem, problems, result_words, select

PROMPT = r"(Red|Blue) > $"


def ids(text: str) -> list[int]:
    """Return the numbers of the problems in a list."""
    return [int(number) for number in re.findall(r"^ *(\d+) +\d+x\d+ ", text, re.MULTILINE)]


def wrong_line(each: Problem) -> int:
    return next(move for move in each.values if move not in each.best)


def joined(text: str) -> str:
    """Return a text with its line breaks as spaces."""
    return " ".join(text.split())


# The list


def test_all_are_listed_by_grade() -> None:
    listed = output("dots", "problems")
    assert ids(listed) == [each.id for each in problems()]
    headings = re.findall(r"^ +grade (\d)", listed, re.MULTILINE)
    assert headings == [str(grade) for grade in GRADES]
    assert all(theme in listed for theme in THEMES)
    each = problems()[-1]
    name = ("Red", "Blue")[each.state.to_move]
    row = next(line for line in listed.splitlines() if line.startswith(f"{each.id} "))
    assert row.split()[1] == f"{each.game.rows}x{each.game.cols}"
    assert f"{name} to {each.goal}" in row
    assert f" {sum(owner is None for owner in each.state.owners)} " in row
    assert row.rstrip().endswith(each.theme)
    assert f"{len(problems())} problems" in listed


def test_the_list_can_be_narrowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ids(output("dots", "problems", "--grade", "4")) == [each.id for each in problems() if each.grade == 4]
    listed = output("dots", "problems", "--theme", "sacrifice", "--size", "3x4")
    assert ids(listed) == [each.id for each in problems() if (each.theme[:9], each.size) == ("sacrifice", "3x4")]


@pytest.mark.parametrize("width", [56, 80, 120])
def test_each_problem_has_one_line(width: int) -> None:
    screen = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    screen.print(dots_problems.list_table(problems(), width))
    assert isinstance(screen.file, io.StringIO)
    lines = screen.file.getvalue().splitlines()
    assert len(lines) == 1 + len(problems()) + 2 * len(GRADES)
    assert all(len(line) <= width for line in lines)
    assert not any("…" in line for line in lines)


# For programs


def test_json_for_programs() -> None:
    found = json.loads(output("dots", "problems", "--json", "--grade", "5"))
    assert found["problems"] == [each.to_json() for each in select(grade=5)]
    assert "seed" in found["made"]
    assert json.loads(output("dots", "problems", "3", "--json")) == problem(3).to_json()
    each = problem(2)
    right, wrong = (run("dots", "problems", "2", "--json", "--move", str(m)) for m in (each.best[0], wrong_line(each)))
    assert (right.returncode, wrong.returncode) == (0, 1)
    assert json.loads(right.stdout) == {"id": 2, "move": str(each.best[0]), "right": True, "value": each.value}
    found = json.loads(wrong.stdout)
    assert (found["right"], found["value"]) == (False, each.values[wrong_line(each)])
    assert wrong.stderr == ""


# One problem


def called(number: int, **given: object) -> int:
    """Call the command; return its exit status."""
    options: dict[str, object] = {
        "grade": None, "theme": None, "size": None, "move": None, "hint": False, "answer": False, "as_json": False,
    }  # fmt: skip
    try:
        dots_problems.problems(number, **(options | given))  # type: ignore[arg-type]
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def test_every_problem_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    for each in problems():
        kind, row, col = each.game.board.coordinates(each.best[0])
        for move in (*each.best, f"{kind.upper()}{row},{col}"):
            assert called(each.id, move=str(move)) == 0
            assert joined(capsys.readouterr().out) == joined(f"Right. {each.explanation}")
        line = wrong_line(each)
        assert called(each.id, move=str(line)) == 1
        kind, row, col = each.game.board.coordinates(line)
        told = f"No. {line} ({kind} {row} {col}) {result_words(each.values[line])}. "
        assert joined(capsys.readouterr().out).startswith(told)


def test_a_problem_is_shown_with_what_is_asked() -> None:
    each = problem(1)
    shown = output("dots", "problems", "1").splitlines()
    assert shown[0] == f"Problem 1  {each.size}, grade 1"
    board = ["".join(text for text, _ in line) for line in each.game.draw(each.state)]
    assert [line.rstrip() for line in shown[1 : 1 + len(board)]] == [line.rstrip() for line in board]
    assert shown[-2] == f"{('Red', 'Blue')[each.state.to_move]} to move and {each.goal}."
    assert shown[-1] == "Answer with kibitz dots problems 1 --move LINE."
    assert each.theme not in "".join(shown)


def test_hint_and_answer(capsys: pytest.CaptureFixture[str]) -> None:
    for each in problems():
        assert called(each.id, hint=True) == 0
        told = joined(capsys.readouterr().out)
        assert told.endswith(f"Hint {each.theme}. {THEMES[each.theme]}")
        assert each.explanation not in told
        assert called(each.id, answer=True) == 0
        told = joined(capsys.readouterr().out)
        kind, row, col = each.game.board.coordinates(each.best[0])
        assert f"Best {each.best[0]} ({kind} {row} {col}). {each.explanation}" in told
        assert all(str(move) in told.rpartition(each.explanation)[2] for move in each.best[1:])
        assert told.endswith("the same.") == (len(each.best) > 1)


# At a terminal


class ProblemTerminal(Terminal):
    """A problem in a pseudo-terminal."""

    def type(self, line: str, until: str = PROMPT) -> str:
        """Return what a line brings onto the screen, up to the next prompt or another pattern, in one line."""
        os.write(self.keyboard, f"{line}\n".encode())
        return joined(self.read(f"(?s){re.escape(line)}\r\n.*{until}"))


@pytest.fixture
def terminal() -> Iterator[ProblemTerminal]:
    made = ProblemTerminal("dots", "problems", "1")
    try:
        yield made
    finally:
        made.close()


def test_a_problem_is_solved_at_a_terminal(terminal: ProblemTerminal) -> None:
    each = problem(1)
    assert f"to move and {each.goal}." in terminal.read(PROMPT)
    assert "the best line, and why" in terminal.type("?")
    assert THEMES[each.theme] in terminal.type("hint")
    assert "'e4' is not a line: write its number" in terminal.type("e4")
    assert f"Line {each.moves[0]} has already been drawn. Type ? for help." in terminal.type(str(each.moves[0]))
    wrong = wrong_line(each)
    assert f"No. {wrong} (" in terminal.type(str(wrong))
    assert terminal.type("").endswith(">")
    told = terminal.type(str(each.best[0]), until="problems 2")
    assert f"Right. {each.explanation}" in told
    assert "The next one is kibitz dots problems 2" in told
    assert terminal.end() == 0


@pytest.mark.parametrize("typed", ["answer\n", "quit\n", "\x04"])
def test_a_problem_can_be_given_up(terminal: ProblemTerminal, typed: str) -> None:
    """The last is the end of input."""
    terminal.read(PROMPT)
    os.write(terminal.keyboard, typed.encode())
    shown = terminal.read("(?!)")
    assert "Traceback" not in shown
    assert ("Best " in shown) == (typed == "answer\n")
    assert terminal.end() == 0


def test_an_interrupt_ends_it(terminal: ProblemTerminal) -> None:
    terminal.read(PROMPT)
    assert interrupted(terminal.process) == 130
    assert "Traceback" not in terminal.read("(?!)")


# Mistakes

MISTAKES = {
    "0": "Unknown problem 0: problems are numbered 1 to ",
    "--grade 6": "Unknown grade 6: grades are 1 to 5.",
    "--size 9": "'9' is not a size: write rows x columns of boxes, such as 4x4.",
    "--move 3": "Name the problem for --move, --hint or --answer: kibitz dots problems NUMBER",
    "--hint": "Name the problem",
    "1 --grade 2": "Give either the number of a problem, or a grade, theme or size to list, not both.",
    "1 --move 3 --hint": "Give an answer with --move, or ask for --hint or --answer, not both.",
    "1 --move e4": "'e4' is not a line: write its number",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_told_in_one_sentence(words: str) -> None:
    ran = run("dots", "problems", *words.split())
    assert MISTAKES[words] in complaint(ran)
    assert ran.stdout == ""


def test_a_drawn_line_is_refused() -> None:
    ran = run("dots", "problems", "1", "--move", str(problem(1).moves[0]))
    assert f"Line {problem(1).moves[0]} has already been drawn." in complaint(ran)


def test_a_list_needs_no_compiled_code() -> None:
    script = "import sys; from kibitz.cli import main; sys.argv = ['kibitz', 'dots', 'problems', '1', '--answer']\n"
    script += "try: main()\nexcept SystemExit: pass\nassert not {'numba', 'numpy'} & set(sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", timeout=300)
    assert (ran.returncode, ran.stderr) == (0, "")
