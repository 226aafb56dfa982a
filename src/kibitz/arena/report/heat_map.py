"""The cross table of a tournament as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kibitz.analysis.html.charts import CHART_WIDTH, LABEL_WIDTH, TOP, blank_width, name_text, svg_chart
from kibitz.arena.results import WinRate


def heat_map(names: Sequence[str], rates: Sequence[Sequence[WinRate | None]], title: str) -> str:
    """Return an SVG of the cross table, each cell coloured by the win rate of its row against its column."""
    n, cell = len(names), 46.0
    width, height = LABEL_WIDTH + cell * n + 10, TOP + 30 * (n + 0.2)
    body = []
    for j in range(n):
        x = LABEL_WIDTH + cell * (j + 0.5)
        body.append(f'<text class="tick" x="{x:.1f}" y="{TOP - 8}" text-anchor="middle">{j + 1}</text>')
    for i, row in enumerate(rates):
        y = TOP + 30 * i
        body.append(name_text(f"{i + 1}  {names[i]}", y + 15))
        for j, rate in enumerate(row):
            x = LABEL_WIDTH + cell * j
            if rate is None:
                body.append(f'<rect class="void" x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"/>')
                continue
            low, high = rate.interval
            tooltip = (
                f"{names[i]} v {names[j]}: {rate.share:.1%} of {rate.games} games (95 % {low:.0%} to {high:.0%}), "
                f"+{rate.wins} ={rate.draws} -{rate.losses}"
            )
            colour, strength = ("good", 2 * rate.share - 1) if rate.share >= 0.5 else ("bad", 1 - 2 * rate.share)
            shade = f"fill-opacity:{0.08 + 0.72 * strength:.2f}"
            box = f'x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"'
            centre = f'x="{x + cell / 2 - 1:.1f}" y="{y + 18}" text-anchor="middle"'
            body.append(f'<g><title>{escape(tooltip)}</title><rect class="{colour}" style="{shade}" {box}/>')
            body.append(f'<text class="cell" {centre}>{rate.share:.0%}</text></g>')
    return svg_chart(
        height, "".join(body), title, max(width, CHART_WIDTH), blank_width(f"{n}  {name}" for name in names)
    )
