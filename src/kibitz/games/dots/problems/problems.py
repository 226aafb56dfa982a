"""Problems of Dots-and-Boxes: positions with one best line, by theme and grade, listed, shown and judged.

The problems are in problems.json. tools/make/dots_problems.py made them: the exact solver proved the margin at the
end of the game after every line, and the best line wins, or draws, where no other does. Nothing is searched here, and
nothing gives the answer away before it is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Literal, NamedTuple

from kibitz.analysis.words import sentence
from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Move, Player
from kibitz.core.parts import ProblemHeading, ShownProblem, Verdict
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.page.parts import label, relabel
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.graph import Coin
from kibitz.games.dots.theory import nimstring
from kibitz.games.dots.theory.endgames import find_captures
from kibitz.games.dots.theory.structure import Structure, structure_of
from kibitz.games.dots.words.reasons import reasons

PROBLEMS_FILE = "problems.json"
GRADES = range(1, 6)  # from easy to hard: one more than the number of GRADING_AGENTS that miss the best line
GRADING_AGENTS = ("greedy", "li-2012", "chain-rule", "alphabeta(depth=8,every=true)")

THEMES: Mapping[str, str] = {
    "take them all": "You could double-deal. Count first what the rest of the board is worth.",
    "double-deal a chain": "You need not take every box that you can take.",
    "double-deal a loop": "To double-deal a loop costs four boxes. Count whether the rest is worth them.",
    "take in order": "You can take several boxes. Which of them allow a double-deal in the end?",
    "hard-hearted handout": "Something has to be given. Leave nothing to double-deal.",
    "which chain to open": "Every line lets the other double-deal. Count what each run costs, and what is left then.",
    "sacrifice for parity": "There are safe lines, but who runs out of them first? A gift changes that.",
    "make a long chain": "Count the long chains. Who wants one more?",
    "fewer long chains": "Count the long chains. Two can become one, a loop does not count, and some never come about.",
    "the right safe line": "There are safe lines. Count how many each of them leaves.",
    "boxes before control": "Who wins the fight for control need not win the game. Count the boxes.",
}
"""The subjects of problems, in the order of a lesson, with a hint for each."""


@dataclass(frozen=True)
class Problem:
    """A position of a game, and the result of each line."""

    id: int  # from 1
    game: Dots
    moves: tuple[Move, ...]  # the game up to the position
    best: tuple[Move, ...]
    """The best line first, then those with the same effect, such as all lines of the chain to open."""
    values: Mapping[Move, int]  # the margin at the end of the game for the player to move, after each line
    theme: str
    grade: int
    explanation: str

    @cached_property
    def state(self) -> DotsState:
        """The position, including which player drew each line."""
        state = self.game.start()
        for move in self.moves:
            state = state.play(move)
        return state

    @property
    def value(self) -> int:
        """The margin at the end of the game after the best line."""
        return self.values[self.best[0]]

    @property
    def second(self) -> int:
        """The margin at the end of the game after the best of the wrong lines."""
        return max(value for move, value in self.values.items() if move not in self.best)

    @property
    def goal(self) -> Literal["win", "draw"]:
        """What the best line achieves."""
        return "win" if self.value > 0 else "draw"

    @property
    def size(self) -> str:
        """The size of the board, as in 3x4."""
        return f"{self.game.rows}x{self.game.cols}"

    @property
    def boxes(self) -> int:
        """The number of unfinished boxes."""
        return self.state.owners.count(None)

    @property
    def hint(self) -> str:
        """A hint for the problem's theme: a question or a fact that leads towards the answer."""
        return THEMES[self.theme]

    def is_right(self, move: Move) -> bool:
        """Return whether a line is the best one. Raise IllegalMove if it cannot be drawn."""
        self.state.play(move)
        return move in self.best

    def to_json(self) -> JsonObject:
        """Return the entry for problems.json: lines as "h 0 1", the earlier moves and the position as in records."""
        state, line_text = self.state, self.game.board.line_text
        return {
            "id": self.id,
            **self.game.options,
            "moves": " ".join(self.game.move_text(move) for move in self.moves),
            "position": self.game.position_text(state),
            "to_move": self.game.players[state.to_move],
            "score": list(state.scores),
            "best": line_text(self.best[0]),
            "same": [line_text(move) for move in self.best[1:]],
            "value": self.value,
            "second": self.second,
            "theme": self.theme,
            "grade": self.grade,
            "explanation": self.explanation,
            "values": {line_text(move): value for move, value in self.values.items()},
        }


def from_json(entry: JsonObject) -> Problem:
    """Return the problem that an entry of problems.json describes."""
    game = Dots(entry["rows"], entry["cols"], entry["start"])
    line = game.parse_move
    return Problem(
        entry["id"],
        game,
        tuple(line(word) for word in entry["moves"].split()),
        (line(entry["best"]), *(line(word) for word in entry["same"])),
        {line(word): value for word, value in entry["values"].items()},
        entry["theme"],
        entry["grade"],
        entry["explanation"],
    )


@cache
def _stored_problems() -> JsonObject:
    read: JsonObject = json.loads(resources.files(__package__).joinpath(PROBLEMS_FILE).read_text(encoding="utf-8"))
    return read


def provenance() -> JsonObject:
    """Return how the problems were made, such as the command, seed, version and date."""
    return dict(_stored_problems()["made"])


@cache
def problems() -> tuple[Problem, ...]:
    """Return all problems, in the order of their numbers."""
    return tuple(from_json(entry) for entry in _stored_problems()["problems"])


def problem(number: int) -> Problem:
    """Return a problem by its number. Raise BadOption for an unknown number."""
    count = len(problems())
    if not 1 <= number <= count:
        raise BadOption(f"Unknown problem {number}: problems are numbered 1 to {count}.")
    return problems()[number - 1]


def select(grade: int | None = None, theme: str | None = None, size: str | None = None) -> tuple[Problem, ...]:
    """Return the problems with this grade, theme and size. Raise BadOption if none match, BadText for a bad size."""
    if grade is not None and grade not in GRADES:
        raise BadOption(f"Unknown grade {grade}: grades are {GRADES[0]} to {GRADES[-1]}.")
    theme = None if theme is None else theme_named(theme)
    size = None if size is None else _parse_size(size)
    chosen = [p for p in problems() if grade in (None, p.grade) and theme in (None, p.theme) and size in (None, p.size)]
    if not chosen:
        filters = {"grade": grade, "size": size, "theme": theme and repr(theme)}
        wanted = [f"{name} {value}" for name, value in filters.items() if value is not None]
        raise BadOption(f"No problem matches {', '.join(wanted)}; kibitz dots problems lists them all.")
    return tuple(chosen)


def theme_named(text: str) -> str:
    """Return the theme with this name, or the only one that contains it. Raise BadOption if none or several match."""
    word = " ".join(text.lower().split())
    themes = [theme for theme in THEMES if word == theme] or [theme for theme in THEMES if word and word in theme]
    if len(themes) == 1:
        return themes[0]
    listed = ", ".join(themes or THEMES)
    if themes:
        raise BadOption(f"{text!r} matches several themes: {listed}.")
    raise BadOption(f"Unknown theme {text!r}; the themes are {listed}.")


def _parse_size(text: str) -> str:
    """Parse a size such as 4x4. Raise BadText if it is malformed, BadOption if no problem has it."""
    found = re.fullmatch(r"([0-9]{1,3})[xX]([0-9]{1,3})", text.strip(), re.ASCII)
    if not found:
        raise BadText(f"{text!r} is not a size: write rows x columns of boxes, such as 4x4.")
    size, sizes = f"{int(found[1])}x{int(found[2])}", sorted({p.size for p in problems()})
    if size not in sizes:
        raise BadOption(f"No problem has a {size} board; use one of {', '.join(sizes)}.")
    return size


class DotsProblems:
    """The problems as a part of the game package."""

    def headings(self) -> Sequence[ProblemHeading]:
        """Return the headings of all problems in order."""
        return [_heading(each) for each in problems()]

    def show(self, number: int, /) -> ShownProblem:
        """Return a problem to show, with the line drawn last. Raise BadOption for an unknown number."""
        asked = problem(number)
        return ShownProblem(_heading(asked), len(problems()), asked.state, asked.moves[-1:], asked.hint)

    def judge(self, number: int, move: str | None, /) -> Verdict:
        """Return the verdict on a line, or the answer if the move is None. Raise BadOption, BadText or IllegalMove.

        The verdict contains the best lines only if the line is right or the answer was requested.
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
        why = sentence(reasons(asked.state, line))
        words = f"No. {label(asked.game, line)} {result_words(asked.values[line])}. {why}".strip()
        return Verdict(False, relabel(asked.game, words), (), after, (line,))


def _heading(asked: Problem) -> ProblemHeading:
    mover = asked.game.players[asked.state.to_move]
    return ProblemHeading(asked.id, f"{mover} to {asked.goal}", asked.grade, asked.theme, asked.size)


class Effect(NamedTuple):
    """The effect of a line. Lines with the same effect, such as all of a long chain, count as one answer."""

    to_move: Player
    taken: frozenset[Coin]  # the boxes that the line takes and those that can be taken next
    declinable: int  # how many of these can be declined
    drawn_after: int  # the lines drawn when all of these are taken, as a set of bits


def effect_of(state: DotsState, move: Move) -> Effect:
    """Return the effect of a line: the player who moves next, what can be taken and declined, and the rest."""
    after = state.play(move)
    found = find_captures(state.game.board, after.drawn)
    return Effect(after.to_move, frozenset((*state.taken_by(move), *found.coins)), found.declinable, found.drawn_after)


def theme_of(state: DotsState, move: Move) -> str | None:
    """Return the theme of a problem with this best line, or None if the problem is too easy or too large.

    Too easy: all boxes should be taken, the best gift cannot be declined, or only one
    safe line is left. Too large: the nimber of the position cannot be computed.
    """
    board = state.game.board
    if find_captures(board, state.drawn).coins:
        return _taking_theme(state, move)
    now = structure_of(state)
    if not now.safe_lines:
        if move in now.handouts.hard_hearted:
            return "hard-hearted handout"
        return "which chain to open" if find_captures(board, state.drawn | 1 << move).declinable else None
    nimber = nimstring.nimber(board, state.drawn | 1 << move)
    if nimber is None or now.safe_lines == (move,):
        return None
    if nimber:
        return "boxes before control"
    return _safe_theme(state, now, move) if move in now.safe_lines else "sacrifice for parity"


def _taking_theme(state: DotsState, move: Move) -> str | None:
    """Return the theme of a problem where boxes can be taken, or None if it is too easy. move: the best line."""
    found = find_captures(state.game.board, state.drawn)
    at_last_boxes = found.declinable == len(found.coins) and found.drawn_after != state.game.board.all_strings
    if not state.taken_by(move):
        return {2: "double-deal a chain", 4: "double-deal a loop"}[found.declinable] if at_last_boxes else None
    if at_last_boxes:
        return "take them all"
    taking = [line for line in state.legal_moves() if state.taken_by(line)]
    return "take in order" if len({effect_of(state, line) for line in taking}) > 1 else None


def _safe_theme(state: DotsState, now: Structure, move: Move) -> str:
    """Return the theme of a problem where a safe line, `move`, is best and wins the fight for control."""
    after = state.play(move)
    then = structure_of(after)
    before_count, after_count = now.counts.long_chains, then.counts.long_chains
    if after_count > before_count:
        return "make a long chain"
    could_add, can_add = _can_add_chain(state, now.safe_lines), _can_add_chain(after, then.safe_lines)
    prevents_chains = then.safe_lines and could_add and not can_add
    return "fewer long chains" if after_count < before_count or prevents_chains else "the right safe line"


def _can_add_chain(state: DotsState, lines: Iterable[Move]) -> bool:
    """Return whether one of these safe lines adds a long chain."""
    n_chains = structure_of(state).counts.long_chains
    return any(structure_of(state.play(line)).counts.long_chains > n_chains for line in lines)


def result_words(margin: int) -> str:
    """Return the margin at the end of a game in words: "wins by 3", "draws"."""
    return "draws" if not margin else f"{'wins' if margin > 0 else 'loses'} by {abs(margin)}"


def line_words(game: Dots, move: Move) -> str:
    """Return the number of a line and where it lies: "20 (v 0 0)"."""
    return f"{game.move_label(move)} ({game.board.line_text(move)})"
