"""Temperature functions as a section of the report. A pure function of the sweep."""

from __future__ import annotations

from html import escape

from kibitz.analysis.html.charts import Dot, scatter, time_text
from kibitz.analysis.html.document import section, table
from kibitz.games.uttt.study.sweep import SHOWN_TURNS, Point, Sweep

CHANCES = tuple(f"jump, turn {turn}" for turn in SHOWN_TURNS)
"""Headings of the columns with the probability of a jump."""


def sweep_section(sweep: Sweep) -> str:
    """Return the section "Temperatures"."""
    dots = [
        Dot(point.ms, point.rate.share, point.rate.interval, point.function, _note(point), point.best)
        for point in sweep.points
    ]
    return section(
        "Temperatures",
        "<p>The same minimax agent with different temperature functions of the random jump, each against "
        f"{escape(', '.join(sweep.field))}. The line joins the best trade-offs: none is better in both win "
        "rate and time. Whiskers are 95 % intervals of the rates.</p>"
        f'<div class="scroll">{scatter(dots, "Winning rate against time per move", time_text)}</div>'
        f'<div class="scroll">{_table(sweep)}</div>',
    )


def _note(point: Point) -> str:
    low, high = point.rate.interval
    return (
        f"{point.function}: {point.rate.share:.1%} of {point.rate.games} games (95 % {low:.1%} to {high:.1%}), "
        f"{time_text(point.ms)} a move"
    )


def _table(sweep: Sweep) -> str:
    head = ("", "function", *CHANCES, "games", "rate", "95 %", "time per move")
    rows = [("●" if point.best else "", escape(point.function), *point_cells(point)) for point in sweep.points]
    return f"{table(head, rows)}<p>● no other function is better in both win rate and time.</p>"


def point_cells(point: Point) -> tuple[str, ...]:
    """Return the table cells of a temperature function: its jump probabilities, games, win rate, interval and time."""
    low, high = point.rate.interval
    chances = (f"{chance:.0%}" for chance in point.chances)
    return *chances, str(point.rate.games), f"{point.rate.share:.1%}", f"{low:.1%} to {high:.1%}", time_text(point.ms)
