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
from kibitz.games.dots.problems import problems as stock
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
            raise BadOption("Which problem? Write its number: kibitz dots problems NUMBER.")
        listed = stock.select(grade, theme, size)
        if as_json:
            typer.echo(json.dumps({"made": stock.provenance(), "problems": [each.to_json() for each in listed]}))
        else:
            _show_list(listed)
        return
    if (grade, theme, size) != (None, None, None):
        raise BadOption("Give the number of a problem, or a grade, theme or size to list, not both.")
    if move is not None and (hint or answer):
        raise BadOption("Give an answer with --move, or ask for --hint or --answer, not both.")
    asked = stock.problem(number)
    if move is not None:
        _judge(asked, move, as_json)
    elif as_json:
        typer.echo(json.dumps(asked.to_json()))
    else:
        _solve(asked, hint, answer)


# The list


def _show_list(found: Sequence[Problem]) -> None:
    """Print problems as a table, how to start one, and what grades mean."""
    *first, last = stock.GRADING_AGENTS
    show.console.print(list_table(found, show.console.width))
    several, asked = (f"{len(found)} problems", "the first of them") if len(found) > 1 else ("1 problem", "it")
    grades = f"A grade is one more than how many of {', '.join(first)} and {last} miss the best line."
    show.console.print(f"\n{several}; kibitz dots problems {found[0].id} asks {asked}. {grades}", style="dim")


def list_table(found: Sequence[Problem], width: int) -> Table:
    """Return a table with a row per problem, grouped by grade, with narrower gaps if needed to fit the width."""
    table = show.new_table()
    for heading in ("", "board", "task", "boxes", "theme"):
        table.add_column(heading, no_wrap=heading != "theme", justify="right" if heading in ("", "boxes") else "left")
    for before, each in zip((None, *found), found, strict=False):
        if before is None or before.grade != each.grade:
            table.add_row()
            table.add_row("", Text(f"grade {each.grade}", "bold"))
        task = show.player_text(each.game, each.state.to_move) + Text(f" to {each.goal}")
        table.add_row(str(each.id), board_words(each), task, str(each.boxes), each.theme)
    return show.fitted(table, width)


def board_words(problem: Problem) -> str:
    """Return the size of the board and its start, if it is not empty: "3x4 icelandic"."""
    start = problem.game.start_
    return problem.size if start == "empty" else f"{problem.size} {start}"


# One problem


def _judge(problem: Problem, words: str, as_json: bool) -> None:
    """Print whether a line is the best; exit with status 1 if not. Raise BadText or IllegalMove if it is invalid."""
    line = problem.game.parse_move(words)
    right = problem.is_right(line)
    if as_json:
        answer = {"id": problem.id, "move": problem.game.move_text(line), "right": right, "value": problem.values[line]}
        typer.echo(json.dumps(answer))
    else:
        show.console.print(verdict(problem, line))
    if not right:
        raise typer.Exit(1)


def verdict(problem: Problem, line: int) -> Text:
    """Return whether a line is right, and why, in words. Raise IllegalMove if it cannot be drawn."""
    if problem.is_right(line):
        return Text.assemble(("Right. ", "bold green"), problem.explanation)
    name = line_words(problem.game, line)
    why = f"{name} {result_words(problem.values[line])}. {sentence(reasons(problem.state, line))}"
    return Text.assemble(("No. ", "bold yellow"), why.strip())


def answer_text(problem: Problem) -> Text:
    """Return the best line, and why."""
    first, *same = problem.best
    others = ", ".join(problem.game.move_label(line) for line in same)
    alike = f" {others} {'does' if len(same) == 1 else 'do'} the same." if same else ""
    name = f"{line_words(problem.game, first)}. "
    return Text.assemble(("Best   ", "dim"), (name, "bold"), f"{problem.explanation}{alike}")


def hint_text(problem: Problem) -> Text:
    """Return the theme with its hint."""
    return Text.assemble(("Hint   ", "dim"), (problem.theme, "bold"), f". {problem.hint}")


def _solve(problem: Problem, hint: bool, answer: bool) -> None:
    """Show a problem, with a hint or the answer if asked for; otherwise ask for the line at a terminal."""
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
        if problem.id < len(stock.problems()):
            console.print(f"The next one is kibitz dots problems {problem.id + 1}.", style="dim")
    else:
        console.print(f"Answer with kibitz dots problems {problem.id} --move LINE.", style="dim")


def _ask(problem: Problem) -> bool:
    """Prompt for one answer or command and respond to it; return whether to ask again."""
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
