"""Charts as SVG texts, in the colours of the page that they stand in (CSS variables). Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from kibitz.arena.results import Rate

ROW = 26
LABEL = 260
NAME = 32
"""How many letters of an agent's name there is room for."""
PLOT = 420
WIDTH = LABEL + PLOT + 70
TOP = 24


def _svg(height: float, body: str, title: str, width: float = WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def shorten(text: str, room: int) -> str:
    """Return a text of at most so many letters, cut in the middle: specs differ at both ends."""
    if len(text) <= room:
        return text
    tail = (room - 1) * 3 // 5
    return f"{text[: room - 1 - tail]}…{text[-tail:]}"


def _name(text: str, y: float) -> str:
    shown = escape(shorten(text, NAME))
    return f'<text class="name" x="{LABEL - 12}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'


def _axis(ticks: Sequence[tuple[float, str]], height: float) -> str:
    lines = []
    for x, text in ticks:
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 4:.1f}"/>')
        lines.append(f'<text class="tick" x="{x:.1f}" y="{TOP - 10}" text-anchor="middle">{escape(text)}</text>')
    return "".join(lines)


def intervals(
    rows: Sequence[tuple[str, float, float, float, str]], ticks: Sequence[tuple[float, str]], title: str
) -> str:
    """Return a chart of values with whiskers: (name, value, low, high, note) a row, ticks as (value, text)."""
    values = [x for row in rows for x in row[1:4]] + [x for x, _ in ticks]
    low, high = min(values), max(values)

    def at(value: float) -> float:
        return LABEL + PLOT * (value - low) / ((high - low) or 1)

    height = TOP + ROW * len(rows) + 8
    body = [_axis([(at(value), text) for value, text in ticks], height)]
    for i, (name, value, least, most, note) in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        body.append(_name(name, y))
        body.append(f'<line class="whisker" x1="{at(least):.1f}" x2="{at(most):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(
            f'<circle class="dot" cx="{at(value):.1f}" cy="{y:.1f}" r="5"><title>{escape(note)}</title></circle>'
        )
        body.append(
            f'<text class="note" x="{LABEL + PLOT + 64}" y="{y + 4:.1f}" text-anchor="end">{escape(note)}</text>'
        )
    return _svg(height, "".join(body), title)


def log_times(rows: Sequence[tuple[str, float, float, float]], title: str) -> str:
    """Return a chart of (name, mean, median, 99th percentile) in milliseconds on a logarithmic scale."""
    seen = [ms for row in rows for ms in row[1:] if ms > 0] or [1.0]
    low, high = math.floor(math.log10(min(seen))), math.ceil(math.log10(max(seen)) + 1e-9)
    high = max(high, low + 1)

    def at(ms: float) -> float:
        return LABEL + PLOT * (math.log10(max(ms, 10.0**low)) - low) / (high - low)

    height = TOP + ROW * len(rows) + 8
    body = [_axis([(at(10.0**e), _time_text(10.0**e)) for e in range(low, high + 1)], height)]
    for i, (name, mean, median, p99) in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        note = f"mean {_time_text(mean)}, median {_time_text(median)}, 99 % {_time_text(p99)}"
        body.append(_name(name, y))
        body.append(f'<line class="whisker" x1="{at(median):.1f}" x2="{at(p99):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<line class="end" x1="{at(p99):.1f}" x2="{at(p99):.1f}" y1="{y - 5:.1f}" y2="{y + 5:.1f}"/>')
        body.append(
            f'<circle class="dot" cx="{at(mean):.1f}" cy="{y:.1f}" r="5"><title>{escape(note)}</title></circle>'
        )
        body.append(f'<circle class="ring" cx="{at(median):.1f}" cy="{y:.1f}" r="4"/>')
        text = _time_text(mean)
        body.append(f'<text class="note" x="{LABEL + PLOT + 64}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    return _svg(height, "".join(body), title)


def _time_text(ms: float) -> str:
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    if ms >= 1:
        return f"{ms:.3g} ms"
    return f"{ms * 1000:.3g} µs"


def heat_map(names: Sequence[str], rates: Sequence[Sequence[Rate | None]], title: str) -> str:
    """Return the cross table with a colour for each rate: row against column."""
    n, cell = len(names), 46.0
    width, height = LABEL + cell * n + 10, TOP + 30 * (n + 0.2)
    body = []
    for j in range(n):
        x = LABEL + cell * (j + 0.5)
        body.append(f'<text class="tick" x="{x:.1f}" y="{TOP - 8}" text-anchor="middle">{j + 1}</text>')
    for i, row in enumerate(rates):
        y = TOP + 30 * i
        body.append(_name(f"{i + 1}  {names[i]}", y + 15))
        for j, rate in enumerate(row):
            x = LABEL + cell * j
            if rate is None:
                body.append(f'<rect class="void" x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"/>')
                continue
            low, high = rate.interval
            note = (
                f"{names[i]} v {names[j]}: {rate.share:.1%} of {rate.games} games (95 % {low:.0%} to {high:.0%}), "
                f"+{rate.wins} ={rate.draws} -{rate.losses}"
            )
            side, strength = ("good", 2 * rate.share - 1) if rate.share >= 0.5 else ("bad", 1 - 2 * rate.share)
            shade = f"fill-opacity:{0.08 + 0.72 * strength:.2f}"
            box = f'x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"'
            at = f'x="{x + cell / 2 - 1:.1f}" y="{y + 18}" text-anchor="middle"'
            body.append(f'<g><title>{escape(note)}</title><rect class="{side}" style="{shade}" {box}/>')
            body.append(f'<text class="cell" {at}>{rate.share:.0%}</text></g>')
    return _svg(height, "".join(body), title, max(width, WIDTH))


def histogram(values: Sequence[int], title: str) -> str:
    """Return how often each value occurs, in at most 40 columns."""
    if not values:
        return ""
    low, high = min(values), max(values)
    step = max(1, math.ceil((high - low + 1) / 40))
    columns = [0] * ((high - low) // step + 1)
    for value in values:
        columns[(value - low) // step] += 1
    width, height, most = LABEL + PLOT, 150.0, max(columns)
    wide = (width - 40) / len(columns)
    body = []
    for i, count in enumerate(columns):
        tall = (height - 40) * count / most
        span = f"{low + i * step}" if step == 1 else f"{low + i * step} to {low + (i + 1) * step - 1}"
        body.append(
            f'<rect class="bar" x="{20 + wide * i:.1f}" y="{height - 24 - tall:.1f}" width="{max(wide - 2, 1):.1f}" '
            f'height="{tall:.1f}"><title>{span}: {count}</title></rect>'
        )
    for i in range(0, len(columns), max(1, len(columns) // 10)):
        x = 20 + wide * (i + 0.5)
        body.append(f'<text class="tick" x="{x:.1f}" y="{height - 8}" text-anchor="middle">{low + i * step}</text>')
    return _svg(height, "".join(body), title, width)
