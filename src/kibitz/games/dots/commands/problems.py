"""kibitz dots problems: find the one best line in positions by theme and grade."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from kibitz.analysis.words import sentence
from kibitz.cli import show
from kibitz.cli.options import AsJson
from kibitz.core.errors import BadOption, KibitzError
from kibitz.games.dots.problems import problems as collection
from kibitz.games.dots.problems.problems import Problem, line_words, result_words
from kibitz.games.dots.words.reasons import reasons

_HELP = """  a line    its number on the board, or as in h 0 1
  hint      show a hint
  answer    show the best line, and why
  quit      leave"""


def problems(
    number: Annotated[int | None, typer.Argument(metavar="[NUMBER]", help="The problem to solve.")] = None,
    grade: Annotated[int | None, typer.Option(metavar="N", help="List problems of this grade, 1 (easy) to 5.")] = None,
    theme: Annotated[
        str | None, typer.Option(metavar="TEXT", help="List problems with this theme, or part of one.")
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="RxC", help="List problems on this board size, such as 4x4.")
    ] = None,
    move: Annotated[
        str | None, typer.Option("--move", metavar="LINE", help="Answer; the exit status is 0 if right, else 1.")
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Show the problem with a hint.")] = False,
    answer: Annotated[bool, typer.Option("--answer", help="Show the problem with the best line, and why.")] = False,
    as_json: AsJson = False,
) -> None:
    """List problems, or solve one: the best line wins, or draws, and no other does.

    At a terminal you are asked for the line; type ? for help. The solver has proved every answer.
    """
    if number is None:
        if move is not None or hint or answer:
            raise BadOption("Name the problem for --move, --hint or --answer: kibitz dots problems NUMBER ...")
        listed = collection.select(grade, theme, size)
        if as_json:
            typer.echo(json.dumps({"made": collection.provenance(), "problems": [each.to_json() for each in listed]}))
        else:
            _show_list(listed)
        return
    if (grade, theme, size) != (None, None, None):
        raise BadOption("Give either the number of a problem, or a grade, theme or size to list, not both.")
    if move is not None and (hint or answer):
        raise BadOption("Give an answer with --move, or ask for --hint or --answer, not both.")
    problem = collection.problem(number)
    if move is not None:
        _judge(problem, move, as_json)
    elif as_json:
        typer.echo(json.dumps(problem.to_json()))
    else:
        _solve(problem, hint, answer)


def _show_list(listed: Sequence[Problem]) -> None:
    """Print a table of problems, the command to solve the first one, and the meaning of the grades."""
    *first, last = collection.GRADING_AGENTS
    show.console.print(list_table(listed, show.console.width))
    count, which = (f"{len(listed)} problems", "the first of them") if len(listed) > 1 else ("1 problem", "it")
    grades = f"A grade is one more than how many of {', '.join(first)} and {last} miss the best line."
    show.console.print(f"\n{count}; kibitz dots problems {listed[0].id} shows {which}. {grades}", style="dim")


def list_table(listed: Sequence[Problem], width: int) -> Table:
    """Return a table with a row per problem, grouped by grade, with narrower gaps if needed to fit the width."""
    table = show.new_table()
    for heading in ("", "board", "task", "boxes", "theme"):
        table.add_column(heading, no_wrap=heading != "theme", justify="right" if heading in ("", "boxes") else "left")
    for previous, problem in zip((None, *listed), listed, strict=False):
        if previous is None or previous.grade != problem.grade:
            table.add_row()
            table.add_row("", Text(f"grade {problem.grade}", "bold"))
        task = show.player_text(problem.game, problem.state.to_move) + Text(f" to {problem.goal}")
        table.add_row(str(problem.id), board_words(problem), task, str(problem.boxes), problem.theme)
    return show.fitted(table, width)


def board_words(problem: Problem) -> str:
    """Return the size of the board and its start, if it is not empty: "3x4 icelandic"."""
    start = problem.game.start_
    return problem.size if start == "empty" else f"{problem.size} {start}"


def _judge(problem: Problem, line_text: str, as_json: bool) -> None:
    """Print whether a line is the best one; exit with status 1 if not. Raise BadText or IllegalMove for a bad line."""
    line = problem.game.parse_move(line_text)
    right = problem.is_right(line)
    if as_json:
        answer = {"id": problem.id, "move": problem.game.move_text(line), "right": right, "value": problem.values[line]}
        typer.echo(json.dumps(answer))
    else:
        show.console.print(verdict(problem, line))
    if not right:
        raise typer.Exit(1)


def verdict(problem: Problem, line: int) -> Text:
    """Return a text that says whether a line is the best one, and why. Raise IllegalMove if it cannot be drawn."""
    if problem.is_right(line):
        return Text.assemble(("Right. ", "bold green"), problem.explanation)
    name = line_words(problem.game, line)
    why = f"{name} {result_words(problem.values[line])}. {sentence(reasons(problem.state, line))}"
    return Text.assemble(("No. ", "bold yellow"), why.strip())


def answer_text(problem: Problem) -> Text:
    """Return a text with the best line, the lines that are just as good, and why."""
    first, *equally_good = problem.best
    others = ", ".join(problem.game.move_label(line) for line in equally_good)
    note = f" {others} {'does' if len(equally_good) == 1 else 'do'} the same." if equally_good else ""
    name = f"{line_words(problem.game, first)}. "
    return Text.assemble(("Best   ", "dim"), (name, "bold"), f"{problem.explanation}{note}")


def hint_text(problem: Problem) -> Text:
    """Return a text with the theme of a problem and its hint."""
    return Text.assemble(("Hint   ", "dim"), (problem.theme, "bold"), f". {problem.hint}")


def _solve(problem: Problem, hint: bool, answer: bool) -> None:
    """Print a problem, with the hint or the answer if requested; otherwise ask for the line, if at a terminal."""
    state, console = problem.state, show.console
    console.print(Text.assemble((f"Problem {problem.id}", "bold"), f"  {board_words(problem)}, grade {problem.grade}"))
    show.show_board(state, problem.moves[-1])
    console.print(Text.assemble(show.player_text(problem.game, state.to_move), f" to move and {problem.goal}."))
    if hint:
        console.print(hint_text(problem))
    if answer:
        console.print(answer_text(problem))
    if hint or answer:
        return
    if console.is_terminal and sys.stdin.isatty():
        while _ask(problem):
            pass
        if problem.id < len(collection.problems()):
            console.print(f"The next one is kibitz dots problems {problem.id + 1}.", style="dim")
    else:
        console.print(f"Answer with kibitz dots problems {problem.id} --move LINE.", style="dim")


def _ask(problem: Problem) -> bool:
    """Read one answer or command from the user and respond to it; return whether to ask again."""
    console = show.console
    try:
        typed = console.input(Text.assemble(show.player_text(problem.game, problem.state.to_move), " > ")).strip()
    except (EOFError, KeyboardInterrupt) as ended:
        console.print()
        if isinstance(ended, KeyboardInterrupt):
            raise
        return False
    shown = {"?": _HELP, "help": _HELP, "hint": hint_text(problem), "answer": answer_text(problem)}
    word = typed.lower()
    if word in shown:
        console.print(shown[word])
        return word != "answer"
    if word in ("", "quit", "exit", "q"):
        return not word
    try:
        line = problem.game.parse_move(typed)
        console.print(verdict(problem, line))
    except KibitzError as error:
        console.print(Text(f"{error} Type ? for help.", "yellow"))
        return True
    return not problem.is_right(line)
