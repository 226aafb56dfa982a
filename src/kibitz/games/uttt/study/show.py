"""The 2014 study and the comparison of temperature functions on a terminal."""

from __future__ import annotations

from rich.text import Text

from kibitz.analysis.html.charts import shorten
from kibitz.cli.show import console, new_table
from kibitz.core.untrusted import printable
from kibitz.games.uttt.study.paper import Study
from kibitz.games.uttt.study.paper_html import findings, table_cells
from kibitz.games.uttt.study.sweep import Sweep
from kibitz.games.uttt.study.sweep_html import CHANCES, point_cells

_SWEEP = "Temperatures (● no other is better in both win rate and time)"


def show_study(study: Study) -> None:
    """Print our results beside Table I of the 2014 study, and the findings."""
    table = new_table(title="The 2014 study")
    table.add_column("agent", no_wrap=True)
    for heading in ("rate", "95 %", "paper", "points", "time", "paper"):
        table.add_column(heading, justify="right", no_wrap=True)
    for entry in study.entries:
        rate, interval, *others = table_cells(entry)
        name = Text(shorten(printable(entry.agent), max(console.width - 62, 14)), "bold")
        table.add_row(name, rate, Text(interval, "dim"), *others)
    console.print()
    console.print(table)
    for line in findings(study):
        console.print(line)


def show_sweep(sweep: Sweep) -> None:
    """Print the results of each temperature function."""
    table = new_table(title=_SWEEP)
    table.add_column("function", no_wrap=True)
    for heading in (*CHANCES, "games", "rate", "95 %", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for point in sweep.points:
        name = Text(shorten(printable(point.function), max(console.width - 69, 12)), "bold" if point.best else "")
        table.add_row(name, *point_cells(point), "●" if point.best else "")
    console.print()
    console.print(table)
