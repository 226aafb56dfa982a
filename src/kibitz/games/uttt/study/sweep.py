"""Compare temperature functions of the random jump: time saved, win rate lost.

The jump of the 2014 study plays a random move with probability f(t), where t grows from
turn to turn; the paper leaves open which f is best. A sweep is an ordinary tournament in
which minimax agents that differ only in f, the challengers, each play the same field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.arena.results import Results, WinRate
from kibitz.arena.tournament import Terms, Tournament
from kibitz.core.errors import BadOption
from kibitz.core.spec import parse_spec
from kibitz.search.minimax.temperature import schedule

FUNCTIONS = ("0", "0.1", "0.25", "2/t", "1/(1+t)", "5/t^2", "10/t^3", "400/t^6", "exp(-t/3)", "0.9^t")
"""No jumps, constant rates, the paper's 5/t^2, and functions that cool down more slowly or more quickly."""
FIELD = ("MM_Winning", "MM_Recursive", "MM_Cells", "G_Winning", "random")
"""Default opponents of the challengers."""
START, STEP = 3.0, 0.1
"""The paper's t on an agent's first turn, and its increase with each of the agent's turns."""
SHOWN_TURNS = (1, 20)
"""The agent's turns for which the probability of a jump is shown."""


@dataclass(frozen=True)
class Point:
    """The result of one function against the field."""

    function: str
    chances: tuple[float, ...]
    """The probability of a jump on each of SHOWN_TURNS."""
    rate: WinRate
    ms: float
    best: bool
    """Whether no other function is at least as good in both rate and time, and better in one of them."""


@dataclass(frozen=True)
class Sweep:
    """All functions, the quickest first, and their opponents."""

    points: tuple[Point, ...]
    field: tuple[str, ...]


def sweep_tournament(
    functions: Sequence[str] = FUNCTIONS,
    field: Sequence[str] = FIELD,
    *,
    eval: str = "winning",
    start: float = START,
    step: float = STEP,
    games: int = 100,
    seed: int = 0,
) -> Tournament:
    """Return the tournament of a sweep; games: per function and opponent. Raise BadOption for invalid functions."""
    shapes = ["".join(function.split()) for function in functions]
    if len(set(shapes)) < len(shapes) or len(shapes) < 2:
        raise BadOption("A sweep needs at least 2 different temperature functions.")
    for shape in shapes:
        schedule(shape, start, step)  # raises BadOption for an invalid function
    challengers = [f"minimax(depth=2,eval={eval},start={start},step={step},jump={shape})" for shape in shapes]
    return Tournament(
        "uttt",
        (*challengers, *field),
        format="gauntlet",
        games=games,
        seed=seed,
        terms=Terms(ties="replay"),
        challengers=len(challengers),
    )


def find_sweep(results: Results) -> Sweep | None:
    """Return the sweep in the results of a tournament, or None if they contain none.

    A sweep needs at least two minimax agents whose specs differ only in the jump, and
    opponents that all of them have played.
    """
    jumps = {s.agent: jump for s in results.standings if (jump := _jump_function(s.agent)) is not None}
    specs_without_jump = {agent.replace(f"jump={jump}", "") for agent, jump in jumps.items()}
    if len(jumps) < 2 or len(specs_without_jump) != 1:
        return None
    names = [standing.agent for standing in results.standings]
    rows = dict(zip(names, results.crosstable, strict=True))
    field = [j for j, name in enumerate(names) if name not in jumps and all(rows[agent][j] for agent in jumps)]
    if not field:
        return None
    times = {standing.agent: standing.mean_ms for standing in results.standings}
    results_of = {
        agent: (sum((rate for j in field if (rate := rows[agent][j])), WinRate(0, 0, 0)), times[agent])
        for agent in jumps
    }
    points = [
        Point(jumps[agent], _jump_chances(agent), *own, not any(_beats(other, own) for other in results_of.values()))
        for agent, own in results_of.items()
    ]
    return Sweep(tuple(sorted(points, key=lambda point: point.ms)), tuple(names[j] for j in field))


def _jump_function(agent: str) -> str | None:
    """Return the temperature function of a minimax agent, or None for any other agent."""
    if not agent.startswith("minimax("):
        return None
    return parse_spec(agent)[1].get("jump")


def _jump_chances(agent: str) -> tuple[float, ...]:
    """Return the probability that an agent jumps on each of SHOWN_TURNS."""
    values = parse_spec(agent)[1]
    chances = schedule(values["jump"], float(values.get("start", START)), float(values.get("step", STEP)))
    return tuple(chances[turn - 1] for turn in SHOWN_TURNS)


def _beats(ours: tuple[WinRate, float], theirs: tuple[WinRate, float]) -> bool:
    """Return whether our win rate and time are both at least as good as theirs, and one of them better."""
    gain, saving = ours[0].share - theirs[0].share, theirs[1] - ours[1]
    return gain >= 0 and saving >= 0 and (gain > 0 or saving > 0)


def sweep_json(sweep: Sweep) -> dict[str, Any]:
    """Return a sweep as JSON."""
    return {
        "field": list(sweep.field),
        "functions": [
            {
                "function": point.function,
                "chances": {turn: round(chance, 4) for turn, chance in zip(SHOWN_TURNS, point.chances, strict=True)},
                "games": point.rate.games,
                "rate": round(point.rate.share, 4),
                "low": round(point.rate.interval[0], 4),
                "high": round(point.rate.interval[1], 4),
                "mean_ms": round(point.ms, 4),
                "best": point.best,
            }
            for point in sweep.points
        ],
    }
