"""The problems of Dots-and-Boxes: listed, shown and judged. Nothing gives the answer away before it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.parts import ProblemHeading, ShownProblem, Verdict
from kibitz.games.dots.page.label import label, relabel
from kibitz.games.dots.problems.problems import Problem, problem, problems, result_words
from kibitz.games.dots.words.reasons import reasons


class DotsProblems:
    """The problems of problems.json."""

    def headings(self) -> Sequence[ProblemHeading]:
        """Return all problems in order."""
        return [_heading(each) for each in problems()]

    def show(self, number: int, /) -> ShownProblem:
        """Return a problem with the line drawn last. Raise BadOption for an unknown number."""
        asked = problem(number)
        return ShownProblem(_heading(asked), len(problems()), asked.state, asked.moves[-1:], asked.hint)

    def judge(self, number: int, move: str | None, /) -> Verdict:
        """Return the verdict on a line; None asks for the answer. Raise BadOption, BadText or IllegalMove.

        The best lines are told with a right answer, or when they are asked for.
        """
        asked = problem(number)
        best = tuple(asked.game.move_text(line) for line in asked.best)
        if move is None:
            words = f"{label(asked.game, asked.best[0])}. {asked.explanation}"
            return Verdict(None, relabel(asked.game, words), best)
        line = asked.game.parse_move(move)
        after = asked.state.play(line)
        if asked.is_right(line):
            return Verdict(True, relabel(asked.game, f"Right. {asked.explanation}"), best, after, (line,))
        clauses = "; ".join(reasons(asked.state, line))
        why = f" {clauses[0].upper()}{clauses[1:]}." if clauses else ""
        words = f"No. {label(asked.game, line)} {result_words(asked.values[line])}.{why}"
        return Verdict(False, relabel(asked.game, words), (), after, (line,))


def _heading(asked: Problem) -> ProblemHeading:
    mover = asked.game.players[asked.state.to_move]
    return ProblemHeading(asked.id, f"{mover} to {asked.goal}", asked.grade, asked.theme, asked.size)
