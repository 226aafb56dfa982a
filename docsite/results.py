"""The page of results, made from the files in docs/results/ and from nothing else. A pure function of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from kibitz.analysis.html import charts
from kibitz.arena.report.html import heat_map
from kibitz.arena.results import WinRate

INTRODUCTION = """# Results

Every figure on this page comes from a stored output of a command; none was typed. The command stands with each, and
when, with which version and on what machine it ran. Speeds and times are those of that machine while others used it
too. Counts of nodes do not depend on it, nor do results of agents whose budget is nodes or playouts.

`python -m docsite.record NAME TITLE COMMAND...` runs a command and stores what it found in `docs/results`.
"""


def results_page(folder: Path) -> str:
    """Return the page in Markdown: a section for each file, in the order of their names."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    style = f"<style>.chart {{ {' '.join(charts.STYLE.split())} }}</style>\n"
    return "\n".join([INTRODUCTION, style, *map(_section, files)])


def _section(kept: dict[str, Any]) -> str:
    told = f"{kept['date']}, kibitz {kept['version']}, {kept['machine']}; it took {kept['seconds']:g} seconds."
    body = _tournament(kept["output"]) if isinstance(kept["output"], dict) else _rows(kept["output"])
    return f"## {kept['title']}\n\n```console\n{kept['command']}\n```\n\n{told}\n\n{body}"


def _tournament(found: dict[str, Any]) -> str:
    standings = found["standings"]
    rates = [(s["agent"], s["rate"], s["low"], s["high"], f"{s['rate']:.1%}") for s in standings]
    cross = [
        [cell and WinRate(cell["wins"], cell["draws"], cell["losses"]) for cell in row] for row in found["crosstable"]
    ]
    ticks = [(x / 4, f"{25 * x} %") for x in range(5)]
    rows = [
        {
            "agent": f"`{s['agent']}`",
            "rating": _together(f"{s['elo']:+.0f} ± {s['elo_margin']:.0f}"),
            "games": s["games"],
            "won": s["wins"],
            "drawn": s["draws"],
            "lost": s["losses"],
            "rate": f"{s['rate']:.1%}",
            "95 %": _together(f"{s['low']:.0%} to {s['high']:.0%}"),
            "a turn": _together(charts.time_text(s["mean_ms"])),
        }
        for s in standings
    ]
    options = ", ".join(f"`{key}={value}`" for key, value in found["options"].items())
    parts = [
        f"{found['games']} games of `{found['game']}` with {options}.",
        _rows(rows),
        "The share of points of each agent, a draw counting half, with its 95 % interval:",
        _chart(charts.intervals(rates, ticks, "Winning rate of each agent")),
        "Row against column:",
        _chart(heat_map([s["agent"] for s in standings], cross, "Cross table")),
        "How many moves the games had:",
        _chart(charts.histogram(found["lengths"], "Length of games in moves")),
    ]
    return "\n\n".join(parts) + "\n"


def _together(text: str) -> str:
    """Return a text that is not broken into lines."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _chart(svg: str) -> str:
    return f'<div class="chart">{svg}</div>'


def _rows(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table with a column for each name; numbers stand to the right."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    sides = [":--" if any(isinstance(row.get(name), str) for row in rows) else "--:" for name in names]
    lines = [[_cell(row.get(name)) for name in names] for row in rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [names, sides, *lines]) + "\n"


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case float():
            return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        case int():
            return f"{value:,}"
        case _:
            return escape(str(value), quote=False).replace("|", "\\|")
