"""The 2014 study as a section of the report: Table I, its six figures, its summary. A pure function of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from kibitz.analysis.html.charts import Bar, grouped_bars, time_text
from kibitz.analysis.html.document import section, table
from kibitz.games.uttt.study.paper import EVALUATIONS, GOAL, SUMMARY, TABLE, Comparison, Study, StudyEntry, mean

_PERCENT = [(x / 4, f"{25 * x} %") for x in range(5)]


def study_section(study: Study) -> str:
    """Return the section "The 2014 study"."""
    figures = [
        _rates(study, 1, "Winning rate of minimax and greedy", "G_{}", "greedy"),
        _times(study, 2, "Time per move of minimax and greedy", "G_{}", "greedy"),
        _times(study, 3, "Time per move of minimax with and without the jump", "MM_{}#R", "with the jump"),
        _rates(study, 4, "Winning rate of minimax with and without the jump", "MM_{}#R", "with the jump"),
        _trades(study.jump, 5, "What the jump saves and loses"),
        _trades(study.greedy, 6, "What greedy saves and loses"),
    ]
    return section(
        "The 2014 study",
        "<p>Our results beside those of Amar and Ben Binyamin, AI agent for Ultimate Tic Tac Toe Game (2014). "
        "Rates count games among the paper's eleven agents; other agents are measured against these eleven.</p>"
        f'<div class="scroll">{_table(study)}</div>{_findings_list(study)}'
        f'<div class="figures">{"".join(figures)}</div>',
    )


def findings(study: Study) -> list[str]:
    """Return the findings of the study, a sentence each."""
    far, trades = study.most_different, study.jump.ours
    reached = [f"{entry.agent} ({entry.rate.share:.1%})" for entry in study.entries if entry.reaches_goal]
    printed = mean([TABLE[f"MM_{name}"].share for name in EVALUATIONS])
    return [
        f"The ranking of the eleven agents agrees with the paper's (Spearman's correlation {study.spearman:.3f}). "
        f"The largest difference is {far.difference:+.1f} points ({far.agent}).",
        f"The jump saves {mean([t.saved for t in trades]):.1%} of the time and loses "
        f"{mean([t.lost for t in trades]):.1%} of the win rate, averaged over the three evaluations "
        f"(paper: {SUMMARY['saved']:.2%} and {SUMMARY['lost']:.2%}).",
        f"The three minimax agents win {study.minimax.share:.1%} of their games at {time_text(study.minimax.ms)}/move "
        f"(paper: {SUMMARY['share']:.0%} and {SUMMARY['ms'] / 1000:.3f} s; its Table I gives {printed:.1%}).",
        f"The paper's open goal was to win more than {GOAL.share:.0%} in less than {GOAL.ms / 1000:g} s a move. "
        + (f"It is reached by {', '.join(reached)}." if reached else "No agent reaches it."),
        *(_training_sentence(entry.agent, entry.training_cost) for entry in study.entries if entry.training_cost),
    ]


def _training_sentence(agent: str, cost: Mapping[str, float]) -> str:
    return (
        f"{agent} was trained on {cost['positions'] / 1e6:.1f} million positions: "
        f"{cost['playing_core_hours']:.1f} core hours of play and {cost['fitting_minutes']:.0f} minutes of fitting."
    )


def _findings_list(study: Study) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in findings(study))}</ul>"


def _table(study: Study) -> str:
    head = ("", "agent", "games", "rate", "95 %", "paper", "difference", "time per move", "paper")
    rows = [
        (str(place), escape(entry.agent), str(entry.rate.games), *table_cells(entry))
        for place, entry in enumerate(study.entries, 1)
    ]
    return table(head, rows)


def table_cells(entry: StudyEntry) -> tuple[str, str, str, str, str, str]:
    """Return an agent's table cells: rate, interval, the paper's rate, difference, time per move, the paper's time."""
    low, high = entry.rate.interval
    paper, difference = entry.paper, entry.difference
    return (
        f"{entry.rate.share:.1%}",
        f"{low:.1%} to {high:.1%}",
        "" if paper is None else f"{paper.share:.1%}",
        "" if difference is None else f"{difference:+.1f}",
        time_text(entry.ms),
        "" if paper is None else time_text(paper.ms),
    )


def _figure(number: int, title: str, legend: Sequence[tuple[str, str]], svg: str, note: str = "") -> str:
    """Return a figure with its caption and legend; legend: (CSS class, label) of each colour."""
    words = "".join(f'<span class="swatch {kind}"></span>{escape(text)}' for kind, text in legend)
    return (
        f"<figure><figcaption>Figure {number}. {escape(title)}</figcaption>"
        f'<p class="key">{words}; lighter: the paper{note}</p>{svg}</figure>'
    )


def _rates(study: Study, number: int, title: str, pattern: str, other: str) -> str:
    groups = []
    for name in EVALUATIONS:
        bars = []
        for kind, agent in (("one", f"MM_{name}"), ("two", pattern.format(name))):
            rate, paper = study.entry(agent).rate, TABLE[agent].share
            low, high = rate.interval
            note = f"{agent}: {rate.share:.1%} of {rate.games} games (95 % {low:.1%} to {high:.1%})"
            bars.append(Bar(rate.share, f"{rate.share:.1%}", kind, note, rate.interval))
            bars.append(Bar(paper, f"{paper:.1%}", f"{kind} faded", f"{agent}: {paper:.1%} in the paper"))
        groups.append((name, bars))
    return _figure(number, title, [("one", "minimax"), ("two", other)], grouped_bars(groups, _PERCENT, title))


def _times(study: Study, number: int, title: str, pattern: str, other: str) -> str:
    groups, seen = [], []
    for name in EVALUATIONS:
        bars = []
        for kind, agent in (("one", f"MM_{name}"), ("two", pattern.format(name))):
            for ms, kinds, who in ((study.entry(agent).ms, kind, ""), (TABLE[agent].ms, f"{kind} faded", " (paper)")):
                value = math.log10(max(ms, 1e-6))
                bars.append(Bar(value, time_text(ms), kinds, f"{agent}{who}: {time_text(ms)} a move"))
                seen.append(value)
        groups.append((name, bars))
    first, last = math.floor(min(seen)), math.ceil(max(seen))
    ticks = [(float(e), time_text(10.0**e) if last - first < 7 or e % 2 == 0 else "") for e in range(first, last + 1)]
    key, svg = [("one", "minimax"), ("two", other)], grouped_bars(groups, ticks, title, points=True)
    return _figure(number, title, key, svg, "; the scale is logarithmic")


def _trades(compared: Comparison, number: int, title: str) -> str:
    groups, ends = [], [0.0]
    for ours, paper in zip(compared.ours, compared.paper, strict=True):
        bars = [
            _trade(ours.saved, "good", "of the time saved", None),
            _trade(paper.saved, "good faded", "of the time saved in the paper", None),
            _trade(ours.lost, "bad", "of the rate lost", ours.lost_interval),
            _trade(paper.lost, "bad faded", "of the rate lost in the paper", None),
        ]
        ends += [end for bar in bars for end in (bar.value, *(bar.interval or ()))]
        groups.append((ours.evaluation, bars))
    ticks = [(x / 4, f"{25 * x} %") for x in range(max(math.floor(4 * min(ends)), -4), math.ceil(4 * max(ends)) + 1)]
    key = [("good", "time saved"), ("bad", "rate lost")]
    return _figure(number, f"{title}, against plain minimax", key, grouped_bars(groups, ticks, title))


def _trade(value: float, kind: str, words: str, interval: tuple[float, float] | None) -> Bar:
    note = f"{value:.1%} {words}"
    if interval is not None:
        note += f" (95 % {interval[0]:.1%} to {interval[1]:.1%})"
    return Bar(value, f"{value:.1%}", kind, note, interval)
