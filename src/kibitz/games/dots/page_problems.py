"""The problems of Dots-and-Boxes for the page: listed, shown, judged. Nothing tells the answer before it is asked."""

from __future__ import annotations

from typing import Any

from kibitz.core.game import Move
from kibitz.games.dots.explain import reasons
from kibitz.games.dots.page_label import label, words
from kibitz.games.dots.problems import Problem, problem, problems, result_words
from kibitz.games.dots.rules import State


def list_problems() -> list[dict[str, Any]]:
    """Return what the list of problems shows."""
    return [_heading(each) for each in problems()]


def _heading(asked: Problem) -> dict[str, Any]:
    mover = asked.game.players[asked.state.to_move]
    return {
        "number": asked.id,
        "title": f"{mover} to {asked.goal}",
        "grade": asked.grade,
        "theme": asked.theme,
        "size": asked.size,
    }


def show_problem(number: int) -> tuple[State, tuple[Move, ...], dict[str, Any]]:
    """Return the position of a problem, its last move, and what is told of it. Raises BadOption."""
    asked = problem(number)
    told = {**_heading(asked), "of": len(problems()), "hint": asked.hint, "options": asked.game.options}
    return asked.state, asked.moves[-1:], told


def judge_answer(number: int, text: str) -> tuple[State, tuple[Move, ...], dict[str, Any]]:
    """Return the position after a line, that line, and whether it is right, in words.

    Raises BadOption, BadText or IllegalMove.
    """
    asked = problem(number)
    line = asked.game.parse_move(text)
    after, right = asked.state.play(line), asked.is_right(line)
    if right:
        told: dict[str, Any] = {"words": words(asked.game, f"Right. {asked.explanation}"), "best": _best(asked)}
    else:
        clauses = "; ".join(reasons(asked.state, line))
        why = f" {clauses[0].upper()}{clauses[1:]}." if clauses else ""
        told = {"words": f"No. {label(asked.game, line)} {result_words(asked.values[line])}.{why}"}
    return after, (line,), {"right": right, "move": asked.game.move_text(line), **told}


def show_answer(number: int) -> dict[str, Any]:
    """Return the best line of a problem, and why. Raises BadOption."""
    asked = problem(number)
    return {
        "right": None,
        "words": words(asked.game, f"{label(asked.game, asked.best[0])}. {asked.explanation}"),
        "best": _best(asked),
    }


def _best(asked: Problem) -> list[str]:
    return [asked.game.move_text(line) for line in asked.best]
