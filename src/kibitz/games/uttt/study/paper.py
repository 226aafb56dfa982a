"""The results of the 2014 study's eleven agents, compared with the paper. A pure function of tournament results.

Amar and Ben Binyamin, "AI agent for Ultimate Tic Tac Toe Game": every agent played every
other one a hundred times on each side. Table I and the formulas below are theirs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.arena.results import Results, WinRate
from kibitz.search.agents import resolve

OPTIONS = {"variant": "closed", "tiebreak": "draw"}
"""The rules of the paper."""


@dataclass(frozen=True)
class PaperFigures:
    """The figures of one agent in Table I."""

    share: float
    """Share of games won."""
    ms: float
    """Mean milliseconds per move."""


TABLE: Mapping[str, PaperFigures] = {
    "MM_Winning": PaperFigures(0.92562708, 1515.329),
    "MM_Winning#R": PaperFigures(0.85378563, 816.9631),
    "MM_Recursive": PaperFigures(0.79045149, 897.0043),
    "MM_Recursive#R": PaperFigures(0.70149016, 496.6588),
    "MM_Cells": PaperFigures(0.58726002, 616.6018),
    "MM_Cells#R": PaperFigures(0.54405278, 392.3125),
    "G_Winning": PaperFigures(0.39798924, 3.32677),
    "reflex": PaperFigures(0.21810606, 0.017565),
    "G_Cells": PaperFigures(0.19046377, 2.298451),
    "G_Recursive": PaperFigures(0.17353463, 2.237743),
    "random": PaperFigures(0.11723913, 0.017117),
}
"""Table I: the eleven agents, best first."""

EVALUATIONS = ("Winning", "Recursive", "Cells")
GOAL = PaperFigures(0.80, 500.0)
"""The paper's open goal: a higher share of wins in less time. None of its agents reached it."""
SUMMARY = {"saved": 0.4236, "lost": 0.0879, "share": 0.75, "ms": 1009.0}
"""The paper's own summary: the time saved and win rate lost by the jump, and the means of its minimax agents."""


@dataclass(frozen=True)
class StudyEntry:
    """One of our agents, with the paper's figures if it has them. The rate counts only games against the eleven."""

    agent: str
    rate: WinRate
    ms: float
    paper: PaperFigures | None
    training_cost: Mapping[str, float] | None = None
    """The cost of training its evaluation, if it was learned: see players.net.training_cost."""

    @property
    def difference(self) -> float | None:
        """Our rate minus the paper's, in percentage points."""
        return None if self.paper is None else 100 * (self.rate.share - self.paper.share)

    @property
    def reaches_goal(self) -> bool:
        """Whether the agent wins more often than GOAL in less time."""
        return self.rate.share > GOAL.share and self.ms < GOAL.ms


@dataclass(frozen=True)
class Trade:
    """The time an agent saves and the win rate it loses, relative to plain minimax with the same evaluation."""

    evaluation: str
    saved: float
    """(t_minimax - t) / t_minimax, for times per move."""
    lost: float
    """(w_minimax - w) / w_minimax, for win rates."""
    lost_interval: tuple[float, float] | None
    """95 % interval of `lost`; None for the paper."""


@dataclass(frozen=True)
class Comparison:
    """A kind of agent compared with plain minimax, one trade per evaluation."""

    ours: tuple[Trade, ...]
    paper: tuple[Trade, ...]


@dataclass(frozen=True)
class Study:
    """The whole comparison of our results with the paper's."""

    entries: tuple[StudyEntry, ...]
    """The eleven in the order of Table I, then other agents, best first."""
    spearman: float
    """Rank correlation of the eleven rates with the paper's."""
    jump: Comparison
    greedy: Comparison
    minimax: PaperFigures
    """Means of the three plain minimax agents."""

    def entry(self, agent: str) -> StudyEntry:
        """Return the entry of one agent."""
        return next(entry for entry in self.entries if entry.agent == agent)

    @property
    def most_different(self) -> StudyEntry:
        """The entry whose rate differs most from the paper's."""
        return max(self.entries, key=lambda entry: abs(entry.difference or 0.0))


def compare_study(results: Results) -> Study | None:
    """Return our results compared with the paper's, or None unless its eleven agents have met under its rules."""
    if results.game != "uttt" or results.options != OPTIONS or not _have_met(results):
        return None
    found = {entry.agent: entry for entry in _entries(results)}
    eleven = [found[agent] for agent in TABLE]
    ours = {entry.agent: PaperFigures(entry.rate.share, entry.ms) for entry in eleven}
    games = {entry.agent: entry.rate.games for entry in eleven}
    plain = [ours[f"MM_{name}"] for name in EVALUATIONS]
    return Study(
        entries=(*eleven, *(entry for agent, entry in found.items() if agent not in TABLE)),
        spearman=spearman([entry.rate.share for entry in eleven], [row.share for row in TABLE.values()]),
        jump=Comparison(_trades(ours, "MM_{}#R", games), _trades(TABLE, "MM_{}#R", None)),
        greedy=Comparison(_trades(ours, "G_{}", games), _trades(TABLE, "G_{}", None)),
        minimax=PaperFigures(mean([row.share for row in plain]), mean([row.ms for row in plain])),
    )


def _have_met(results: Results) -> bool:
    """Return whether all pairs of the eleven have played."""
    rows = [i for i, standing in enumerate(results.standings) if standing.agent in TABLE]
    return len(rows) == len(TABLE) and all(results.crosstable[i][j] for i in rows for j in rows if i != j)


def _entries(results: Results) -> list[StudyEntry]:
    """Return an entry for each agent that met one of the paper's eleven, best first; only those games count."""
    names = [standing.agent for standing in results.standings]
    entries = []
    for standing, row in zip(results.standings, results.crosstable, strict=True):
        met = [rate for name, rate in zip(names, row, strict=True) if rate is not None and name in TABLE]
        if met:
            rate, paper = sum(met, WinRate(0, 0, 0)), TABLE.get(standing.agent)
            entries.append(StudyEntry(standing.agent, rate, standing.mean_ms, paper, _training_cost(standing.agent)))
    return sorted(entries, key=lambda entry: -entry.rate.share)


def _training_cost(agent: str) -> Mapping[str, float] | None:
    """Return the cost of training an agent's evaluation, or None if it is not learned."""
    if ":" in agent or resolve("uttt", agent)[1].get("eval") != "learned":
        return None
    from kibitz.games.uttt.players.net import training_cost

    return training_cost()


def _trades(figures: Mapping[str, PaperFigures], pattern: str, games: Mapping[str, int] | None) -> tuple[Trade, ...]:
    trades = []
    for name in EVALUATIONS:
        plain, other = figures[f"MM_{name}"], figures[pattern.format(name)]
        interval = None
        if games is not None:
            interval = _lost_interval(plain.share, games[f"MM_{name}"], other.share, games[pattern.format(name)])
        saved, lost = _relative_loss(plain.ms, other.ms), _relative_loss(plain.share, other.share)
        trades.append(Trade(name, saved, lost, interval))
    return tuple(trades)


def _relative_loss(before: float, after: float) -> float:
    return (before - after) / before if before else 0.0


def _lost_interval(plain: float, n: int, other: float, m: int) -> tuple[float, float]:
    """Return the 95 % interval of 1 - other / plain, two shares of n and m games (log method, Katz et al. 1978)."""
    if not plain or not other:
        return _relative_loss(plain, other), _relative_loss(plain, other)
    log_margin = 1.96 * math.sqrt((1 - plain) / (n * plain) + (1 - other) / (m * other))
    return 1 - other / plain * math.exp(log_margin), 1 - other / plain * math.exp(-log_margin)


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of the values."""
    return sum(values) / len(values)


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation of two lists, or 0 if all numbers of a list are equal; ties share a rank.

    >>> spearman([1, 2, 3], [10, 30, 20])
    0.5
    """
    a, b = _ranks(first), _ranks(second)
    mean_rank = (len(a) + 1) / 2
    spread = math.sqrt(sum((x - mean_rank) ** 2 for x in a) * sum((y - mean_rank) ** 2 for y in b))
    return sum((x - mean_rank) * (y - mean_rank) for x, y in zip(a, b, strict=True)) / spread if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, 1 for the lowest."""
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def study_json(study: Study) -> dict[str, Any]:
    """Return the comparison as JSON."""
    return {
        "table": [_entry_json(entry) for entry in study.entries],
        "spearman": round(study.spearman, 4),
        "farthest": {"agent": study.most_different.agent, "difference": _rounded(study.most_different.difference)},
        "jump": _comparison_json(study.jump),
        "greedy": _comparison_json(study.greedy),
        "minimax": {"rate": round(study.minimax.share, 4), "mean_ms": round(study.minimax.ms, 4)},
        "paper": SUMMARY,
        "goal": {
            "rate": GOAL.share,
            "mean_ms": GOAL.ms,
            "reached": [entry.agent for entry in study.entries if entry.reaches_goal],
        },
    }


def _entry_json(entry: StudyEntry) -> dict[str, Any]:
    low, high = entry.rate.interval
    return {
        "agent": entry.agent,
        "games": entry.rate.games,
        "rate": round(entry.rate.share, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "mean_ms": round(entry.ms, 4),
        "paper_rate": None if entry.paper is None else entry.paper.share,
        "paper_ms": None if entry.paper is None else entry.paper.ms,
        "difference": _rounded(entry.difference),
        "learning": entry.training_cost and {name: round(cost, 2) for name, cost in entry.training_cost.items()},
    }


def _rounded(points: float | None) -> float | None:
    return None if points is None else round(points, 2)


def _comparison_json(compared: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "evaluation": ours.evaluation,
            "saved": round(ours.saved, 4),
            "lost": round(ours.lost, 4),
            "lost_interval": [round(end, 4) for end in ours.lost_interval or ()],
            "paper_saved": round(paper.saved, 4),
            "paper_lost": round(paper.lost, 4),
        }
        for ours, paper in zip(compared.ours, compared.paper, strict=True)
    ]
