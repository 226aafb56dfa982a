"""Make the problems of `kibitz dots problems`, or check those of a file.

python -m tools.make.dots_problems make --out FILE [--seed N] [--games N]
python -m tools.make.dots_problems check [FILE]

Games are played by greedy, which draws safe lines at random, takes what it can and
gives as little as it can. When few lines are left the exact solver solves every
position in which there is a choice, and three times in four its best line is played
instead. A position is a problem if one line wins and no other does, or one draws and
all others lose; lines of one effect, such as those of a chain to open, count as one.
Of all candidates those are chosen that differ most in theme, grade and board, at most
one from each game. The same seed makes the same problems. check proves everything
again: values, themes, grades and words.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import kibitz
from kibitz.analysis.words import sentence
from kibitz.core.agent import Agent
from kibitz.core.game import Move
from kibitz.games.dots.exact.solver import Solver
from kibitz.games.dots.problems.problems import (
    GRADING_AGENTS,
    PROBLEMS_FILE,
    THEMES,
    Problem,
    effect_of,
    from_json,
    line_words,
    result_words,
    theme_of,
)
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.theory.endgames import find_captures
from kibitz.games.dots.theory.structure import structure_of
from kibitz.games.dots.words.reasons import reasons

BOARDS = (
    Dots(2, 3), Dots(2, 4), Dots(3, 3), Dots(2, 5), Dots(3, 4), Dots(3, 5), Dots(4, 4), Dots(4, 5), Dots(5, 5),
    Dots(3, 4, "icelandic"), Dots(4, 4, "swedish"),
)  # fmt: skip
DEFAULT_SEED, GAMES_PER_BOARD = 1, 120
"""The defaults of --seed and --games."""
SOLVED_FROM_LINES = range(8, 28)
"""The solver begins at a random one of these numbers of lines left."""
MIN_PROBLEM_LINES = 5
"""The least number of lines left in a problem."""
BEST_LINE_SHARE = 0.75
"""How often the solver's best line is played."""
SEEDS_PER_GRADING = 5
"""A player finds a line if it draws it with each of these seeds."""
PROBLEMS_PER_THEME = 8
"""The number of problems of each theme, if there are enough."""
FIGHT_RESULTS = {
    "sacrifice for parity": "loses",
    "make a long chain": "loses",
    "fewer long chains": "loses",
    "the right safe line": "loses",
    "boxes before control": "wins",
}
"""Whether the opponent wins or loses the fight for control after the best line, by theme."""
TABLE_BYTES = 1 << 26


@cache
def _solver(game: Dots) -> Solver:
    return Solver(game.board, TABLE_BYTES)


@cache
def _player(game: Dots, spec: str) -> Agent:
    return kibitz.agent(game, spec)


# Games and the problems in them


def margins(state: DotsState) -> dict[Move, int]:
    """Return the margin at the end for the player to move, after each line."""
    found = _solver(state.game).solve(state.drawn, moves=True)
    return {move: state.margin + value for move, value in found.moves.items()}


def is_choice(state: DotsState) -> bool:
    """Return whether there is more to do than to take all there is, in any order."""
    found = find_captures(state.game.board, state.drawn)
    taking = {effect_of(state, move) for move in state.legal_moves() if state.taken_by(move)}
    return not found.coins or len(taking) > 1 or (found.declinable > 0 and len(found.coins) == found.declinable)


def problems_of(game: Dots, seed: str) -> Iterator[Problem]:
    """Play a game; yield the positions of it that are problems, not graded yet and without a number."""
    rng, habit = random.Random(seed), _player(game, "greedy")
    habit.reset(rng.getrandbits(32))
    solved_from = rng.choice(SOLVED_FROM_LINES)
    state, moves = game.start(), list[Move]()
    while (left := state.undrawn.bit_count()) >= MIN_PROBLEM_LINES:
        move = habit.choose(state).move
        if left <= solved_from and is_choice(state):
            values = margins(state)
            found = problem_at(game, moves, state, values)
            if found is not None:
                yield found
            if rng.random() < BEST_LINE_SHARE:
                move = rng.choice([line for line, value in values.items() if value == max(values.values())])
        state, moves = state.play(move), [*moves, move]


def problem_at(game: Dots, moves: Sequence[Move], state: DotsState, values: dict[Move, int]) -> Problem | None:
    """Return the problem of a position; None if it has more than one best line, or others do as well in the end."""
    value = max(values.values())
    best = [move for move in values if values[move] == value]
    theme = theme_of(state, best[0])
    if theme is None or len(best) == len(values) or len({effect_of(state, move) for move in best}) > 1:
        return None
    found = Problem(0, game, tuple(moves), tuple(best), values, theme, 0, "")
    if not (value > 0 >= found.second or value == 0 > found.second):
        return None
    return replace(found, explanation=explain(found))


def explain(problem: Problem) -> str:
    """Return what the best line does, and what comes of it and of another."""
    state, board = problem.state, problem.game.board
    wins, you = result_words(problem.value), problem.game.players[1 - state.to_move]
    boxes = {2: "both boxes", 4: "all 4 boxes"}.get(find_captures(board, state.drawn).declinable, "")
    taking = max((value for move, value in problem.values.items() if state.taken_by(move)), default=0)
    if problem.theme.startswith("double-deal"):
        leaves = f"Double-deals: leaves {boxes} to {you}, who takes them and has to move in the rest."
        return f"{leaves} It {wins}; taking them {result_words(taking)}."
    next_best = next(move for move, value in problem.values.items() if value == problem.second)
    if problem.theme == "take them all":
        return f"Takes {boxes}. It {wins}; leaving them to {you} {result_words(problem.second)}."
    other = f"the next best line, {line_words(problem.game, next_best)}, {result_words(problem.second)}"
    if problem.theme == "take in order":
        left = find_captures(board, state.drawn | 1 << problem.best[0]).declinable
        return f"Takes this box first, so that the last {left} can still be left (a double-deal). It {wins}; {other}."
    does = [clause for clause in reasons(state, problem.best[0]) if not clause.endswith("with best play")]
    words = sentence(does)
    then = structure_of(state.play(problem.best[0])).counts.long_chains
    if problem.theme == "fewer long chains" and then == structure_of(state).counts.long_chains:
        words += " No safe line can make another long chain then."
    if problem.theme in FIGHT_RESULTS and "control" not in words and "loony" not in words:
        words += f" {you} {FIGHT_RESULTS[problem.theme]} the fight for control."
    return f"{words} It {wins}; {other}."


# Grades


def grade(problem: Problem) -> int:
    """Return one more than the number of players who miss the best line."""
    return 1 + sum(not finds(problem, spec) for spec in GRADING_AGENTS)


def finds(problem: Problem, spec: str) -> bool:
    """Return whether a player draws the best line with every seed; one that values all lines must value it highest."""
    player = _player(problem.game, spec)
    for seed in range(SEEDS_PER_GRADING):
        player.reset(seed)
        choice = player.choose(problem.state)
        if choice.moves:
            most = max(move.value for move in choice.moves)
            return {move.move for move in choice.moves if move.value == most} <= set(problem.best)
        if choice.move not in problem.best:
            return False
    return True


# The choice of problems


def shape(problem: Problem) -> tuple[Any, ...]:
    """Return a key that is the same for problems that feel alike: what is on the board, not where."""
    found = structure_of(problem.state)
    runs = sorted((run.name, run.size) for run in found.runs)
    joints = sorted(joint.degree for joint in found.joints)
    return problem.theme, len(found.dead), len(found.safe_lines), tuple(runs), tuple(joints)


def select(found: dict[str, list[Problem]], of_a_theme: int) -> list[Problem]:
    """Return problems of every theme, each time one whose grade and board are rarest so far; found is by game."""
    left = [(game, problem, shape(problem)) for game, problems in found.items() for problem in problems]
    chosen, used = list[Problem](), set[Any]()
    for _ in range(of_a_theme):
        for theme in THEMES:
            grades = Counter(problem.grade for problem in chosen)
            boards = Counter(problem.game for problem in chosen)
            here = Counter((problem.theme, problem.grade) for problem in chosen)
            fit = [x for x in left if x[1].theme == theme and x[0] not in used and x[2] not in used]
            if fit:
                game, problem, form = min(
                    fit, key=lambda x: (grades[x[1].grade] + 3 * here[theme, x[1].grade], boards[x[1].game])
                )
                chosen.append(problem)
                used |= {game, form}
    themes = list(THEMES)
    chosen.sort(key=lambda p: (p.grade, themes.index(p.theme), p.game.rows * p.game.cols, p.state.undrawn.bit_count()))
    return [replace(problem, id=number) for number, problem in enumerate(chosen, 1)]


def make(seed: int, games: int, of_a_theme: int = PROBLEMS_PER_THEME, boards: Sequence[Dots] = BOARDS) -> list[Problem]:
    """Return the problems of a seed."""
    found = dict[str, list[Problem]]()
    for game in boards:
        for number in range(games):
            name = f"{seed} {game.options} {number}"
            found[name] = [replace(problem, grade=grade(problem)) for problem in problems_of(game, name)]
        print(f"{game.options}: {sum(map(len, found.values()))} problems so far", file=sys.stderr, flush=True)
    return select(found, of_a_theme)


def write(path: Path, problems: Sequence[Problem], seed: int, games: int) -> None:
    """Write a file of problems, one on each line."""
    made = {
        "command": f"python -m tools.make.dots_problems make --seed {seed} --games {games} --out {path.name}",
        "seed": seed,
        "kibitz": kibitz.__version__,
        "date": date.today().isoformat(),
        "grades": f"one more than how many of {', '.join(GRADING_AGENTS)} miss the best line in one of "
        f"{SEEDS_PER_GRADING} tries",
        "values": "the margin at the end of the game for the player to move, with best play, proved by the solver",
    }
    lines = ",\n".join(json.dumps(problem.to_json()) for problem in problems)
    path.write_text(f'{{"made": {json.dumps(made, indent=1)},\n"problems": [\n{lines}\n]}}\n', encoding="utf-8")


def faults(problem: Problem) -> Iterator[str]:
    """Prove a problem again; yield what is not as it says."""
    again = problem_at(problem.game, problem.moves, problem.state, margins(problem.state))
    if again is None:
        yield "is no problem"
        return
    again = replace(again, id=problem.id, grade=grade(problem))
    for key, value in again.to_json().items():
        if problem.to_json()[key] != value:
            yield f"{key} should be {value!r}"


def check(path: Path | None) -> None:
    """Prove all problems of a file again, by default of the file in the package; exit with 1 if one is wrong."""
    where: Any = path or resources.files("kibitz.games.dots.problems").joinpath(PROBLEMS_FILE)
    entries = json.loads(where.read_text(encoding="utf-8"))["problems"]
    wrong = [f"problem {entry['id']} {fault}" for entry in entries for fault in faults(from_json(entry))]
    wrong += [f"problem {e['id']} is not written as it is read" for e in entries if from_json(e).to_json() != e]
    print("\n".join(wrong) or f"{len(entries)} problems proved again")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["make", "check"])
    parser.add_argument("file", nargs="?", type=Path, help="what to check; the file in the package if not given")
    parser.add_argument("--out", type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--games", type=int, default=GAMES_PER_BOARD)
    given = parser.parse_args()
    if given.part == "check":
        check(given.file)
    elif given.out is None:
        parser.error("make needs --out FILE")
    else:
        write(given.out, make(given.seed, given.games), given.seed, given.games)
