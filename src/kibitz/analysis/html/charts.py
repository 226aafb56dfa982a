"""Charts as SVG text, coloured by the CSS variables of the page around them. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

ROW_HEIGHT = 26
LABEL_WIDTH = 260
MAX_NAME_LENGTH = 32
"""Characters shown of an agent's name."""
PLOT_WIDTH = 420
CHART_WIDTH = LABEL_WIDTH + PLOT_WIDTH + 70
NOTE_X = CHART_WIDTH - 6
TOP = 24
STYLE = """
.name, .note { fill:var(--ink) } .name { font-size:12.5px }
.tick { fill:var(--soft); font-size:12px } .note { font-size:12px }
.cell { fill:var(--ink); font-size:12px } .grid { stroke:var(--line) } .whisker { stroke:var(--main); stroke-width:2 }
.end { stroke:var(--main); stroke-width:2 } .dot { fill:var(--main) } .ring { fill:var(--page); stroke:var(--main) }
.bar { fill:var(--main) } .good { fill:var(--good) } .bad { fill:var(--bad) } .void { fill:var(--line); opacity:.4 }
.one { fill:var(--main) } .two { fill:var(--second) } .faded { opacity:.35 }
.small { fill:var(--ink); font-size:11.5px } .error { stroke:var(--ink); stroke-width:1.2 }
.path { fill:none; stroke:var(--soft); stroke-dasharray:4 4 }
"""
"""CSS of the charts; the page defines the colours --ink, --soft, --line, --page, --main and so on."""


def svg_chart(height: float, body: str, title: str, width: float = CHART_WIDTH, blank: float = 0.0) -> str:
    """Return a chart, cropped by `blank` on the left with the text size unchanged."""
    shown = width - blank
    scale = f' style="min-width:{0.75 * shown:.0f}px; max-width:{1.4 * shown:.0f}px"' if blank else ""
    return (
        f'<svg viewBox="{blank:.0f} 0 {shown:.0f} {height:.0f}"{scale} role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )


def blank_width(names: Iterable[str]) -> float:
    """Return the width that stays blank on the left of a column of names."""
    return max(0, LABEL_WIDTH - 20 - 8 * max((len(shorten(name, MAX_NAME_LENGTH)) for name in names), default=0))


def shorten(text: str, room: int) -> str:
    """Return a text of at most `room` characters, cut in the middle because specs differ at both ends."""
    if len(text) <= room:
        return text
    tail = (room - 1) * 3 // 5
    return f"{text[: room - 1 - tail]}…{text[-tail:]}"


def name_text(text: str, y: float) -> str:
    """Return the label of a row, shortened to fit."""
    shown = escape(shorten(text, MAX_NAME_LENGTH))
    return f'<text class="name" x="{LABEL_WIDTH - 12}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'


def _axis(ticks: Sequence[tuple[float, str]], height: float) -> str:
    lines = []
    for x, text in ticks:
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 4:.1f}"/>')
        lines.append(f'<text class="tick" x="{x:.1f}" y="{TOP - 10}" text-anchor="middle">{escape(text)}</text>')
    return "".join(lines)


def _row_chart(
    names: Sequence[str], ticks: Sequence[tuple[float, str]], title: str, draw: Callable[[int, float], Iterable[str]]
) -> str:
    """Return a chart with a named row for each index; draw(index, y) returns its shapes, ticks are (x, text)."""
    height = TOP + ROW_HEIGHT * len(names) + 8
    body = [_axis(ticks, height)]
    for i, name in enumerate(names):
        y = TOP + ROW_HEIGHT * (i + 0.5)
        body += [name_text(name, y), *draw(i, y)]
    return svg_chart(height, "".join(body), title, blank=blank_width(names))


def _whisker(x1: float, x2: float, y: float) -> str:
    return f'<line class="whisker" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _dot(x: float, y: float, note: str) -> str:
    return f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{escape(note)}</title></circle>'


def _note(text: str, y: float) -> str:
    return f'<text class="note" x="{NOTE_X}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'


def intervals(
    rows: Sequence[tuple[str, float, float, float, str]], ticks: Sequence[tuple[float, str]], title: str
) -> str:
    """Return a chart of values with whiskers: rows of (name, value, low, high, note), ticks of (value, text)."""
    values = [x for row in rows for x in row[1:4]] + [x for x, _ in ticks]
    low, high = min(values), max(values)

    def at(value: float) -> float:
        return LABEL_WIDTH + PLOT_WIDTH * (value - low) / ((high - low) or 1)

    def draw(i: int, y: float) -> tuple[str, ...]:
        _, value, least, most, note = rows[i]
        return _whisker(at(least), at(most), y), _dot(at(value), y, note), _note(note, y)

    return _row_chart([row[0] for row in rows], [(at(value), text) for value, text in ticks], title, draw)


def log_times(rows: Sequence[tuple[str, float, float, float]], title: str) -> str:
    """Return a chart of (name, mean, median, 99th percentile) in milliseconds on a logarithmic scale."""
    seen = [ms for row in rows for ms in row[1:] if ms > 0] or [1.0]
    low, high = math.floor(math.log10(min(seen))), math.ceil(math.log10(max(seen)) + 1e-9)
    high = max(high, low + 1)

    def at(ms: float) -> float:
        return LABEL_WIDTH + PLOT_WIDTH * (math.log10(max(ms, 10.0**low)) - low) / (high - low)

    def draw(i: int, y: float) -> Iterator[str]:
        _, mean, median, p99 = rows[i]
        yield _whisker(at(median), at(p99), y)
        yield f'<line class="end" x1="{at(p99):.1f}" x2="{at(p99):.1f}" y1="{y - 5:.1f}" y2="{y + 5:.1f}"/>'
        yield _dot(at(mean), y, f"mean {time_text(mean)}, median {time_text(median)}, 99 % {time_text(p99)}")
        yield f'<circle class="ring" cx="{at(median):.1f}" cy="{y:.1f}" r="4"/>'
        yield _note(time_text(mean), y)

    ticks = [(at(10.0**e), time_text(10.0**e)) for e in range(low, high + 1)]
    return _row_chart([row[0] for row in rows], ticks, title, draw)


def time_text(ms: float) -> str:
    """Return a duration with its unit: "1.52 s", "3.33 ms", "17.6 µs"."""
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    if ms >= 1:
        return f"{ms:.3g} ms"
    return f"{ms * 1000:.3g} µs"


def histogram(values: Sequence[int], title: str) -> str:
    """Return a histogram of at most 40 columns."""
    if not values:
        return ""
    low, high = min(values), max(values)
    step = max(1, math.ceil((high - low + 1) / 40))
    columns = [0] * ((high - low) // step + 1)
    for value in values:
        columns[(value - low) // step] += 1
    width, height, most = LABEL_WIDTH + PLOT_WIDTH, 150.0, max(columns)
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
    return svg_chart(height, "".join(body), title, width)


@dataclass(frozen=True)
class Bar:
    """One bar of a grouped chart."""

    value: float
    text: str
    kind: str
    """CSS classes: one, two, good or bad, and faded for a reference value."""
    note: str
    interval: tuple[float, float] | None = None


def grouped(
    groups: Sequence[tuple[str, Sequence[Bar]]], ticks: Sequence[tuple[float, str]], title: str, points: bool = False
) -> str:
    """Return groups of horizontal bars, or of dots with `points`, between the first tick and the last.

    For a logarithmic scale pass logarithms as values and ticks, and use points: a bar would have no origin.
    """
    label, plot, row, gap = 84.0, 300.0, 15.0, 12.0
    low, high = ticks[0][0], ticks[-1][0]

    def at(value: float) -> float:
        return label + plot * (min(max(value, low), high) - low) / (high - low)

    height = TOP + sum(row * len(bars) + gap for _, bars in groups)
    body = [_axis([(at(value), text) for value, text in ticks], height)]
    y = TOP + gap / 2
    for name, bars in groups:
        middle = y + row * len(bars) / 2
        body.append(f'<text class="name" x="{label - 10}" y="{middle + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        for bar in bars:
            base, beyond = at(0.0 if low < 0 else low), at(bar.value)
            body.append(f"<g><title>{escape(bar.note)}</title>")
            if points:
                body.append(f'<circle class="{bar.kind}" cx="{beyond:.1f}" cy="{y + row / 2:.1f}" r="5"/>')
            else:
                box = f'x="{min(base, beyond):.1f}" y="{y + 1.5:.1f}" width="{abs(beyond - base):.1f}" height="12"'
                body.append(f'<rect class="{bar.kind}" {box}/>')
            if bar.interval is not None:
                x1, x2 = (at(end) for end in bar.interval)
                body.append(f'<path class="error" d="M{x1:.1f} {y + row / 2:.1f}H{x2:.1f}"/>')
                beyond = max(beyond, x2, base)
            body.append(f'<text class="small" x="{beyond + 8:.1f}" y="{y + 11.5:.1f}">{escape(bar.text)}</text></g>')
            y += row
        y += gap
    return svg_chart(height, "".join(body), title, label + plot + 76)


@dataclass(frozen=True)
class Dot:
    """A point of a scatter plot."""

    x: float
    y: float
    """A share, 0 to 1."""
    interval: tuple[float, float]
    name: str
    note: str
    marked: bool
    """Whether the line of best points passes through it."""


def scatter(dots: Sequence[Dot], title: str, x_text: Callable[[float], str]) -> str:
    """Return a scatter plot of shares over a non-negative x, with whiskers, names and a line through marked dots."""
    left, right, top, bottom = 56.0, CHART_WIDTH - 20.0, 16.0, 380.0
    across = round_ticks(0.0, max(dot.x for dot in dots))
    up = round_ticks(min(dot.interval[0] for dot in dots), max(dot.interval[1] for dot in dots))

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            left + (right - left) * (x - across[0]) / (across[-1] - across[0]),
            bottom - (bottom - top) * (y - up[0]) / (up[-1] - up[0]),
        )

    body = []
    for tick in across:
        x = at(tick, up[0])[0]
        body.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>')
        body.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{x_text(tick)}</text>')
    for tick in up:
        y = at(across[0], tick)[1]
        body.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(f'<text class="tick" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{100 * tick:.3g} %</text>')
    best = [at(dot.x, dot.y) for dot in sorted(dots, key=lambda dot: dot.x) if dot.marked]
    body.append(f'<polyline class="path" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in best)}"/>')
    boxes = []
    for dot in dots:
        x, y = at(dot.x, dot.y)
        low, high = (at(dot.x, end)[1] for end in dot.interval)
        boxes.append((x - 6, x + 6, high, low))
        body.append(f'<g><title>{escape(dot.note)}</title><path class="whisker" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
        body.append(f'<circle class="{"dot" if dot.marked else "ring"}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/></g>')
    body += _names(dots, [at(dot.x, dot.y) for dot in dots], boxes, (left, right))
    return svg_chart(bottom + 30, "".join(body), title)


_Box: TypeAlias = tuple[float, float, float, float]
"""Left, right, top and bottom."""


def _names(
    dots: Sequence[Dot], places: Sequence[tuple[float, float]], taken: list[_Box], sides: tuple[float, float]
) -> list[str]:
    """Return the names beside their dots, placed where they cover nothing if possible.

    No dot lies above and left of a marked one, so its name is tried there first.
    """
    texts = []
    for dot, (x, y) in zip(dots, places, strict=True):
        name = shorten(dot.name, MAX_NAME_LENGTH)
        wide = 6.8 * len(name)
        starts = [x - 9 - wide, x + 9] if dot.marked else [x + 9, x - 9 - wide]
        tried = [(start, start + wide, y + up - 10, y + up + 2) for up in (4, -8, 16, -20, 28) for start in starts]
        inside = [box for box in tried if sides[0] <= box[0] and box[1] <= sides[1]] or tried
        free = [box for box in inside if not any(_overlap(box, other) for other in taken)]
        box = (free or inside)[0]
        taken.append(box)
        at, anchor = (box[0], "start") if box[0] > x else (box[1], "end")
        texts.append(
            f'<text class="small" x="{at:.1f}" y="{box[3] - 2:.1f}" text-anchor="{anchor}">{escape(name)}</text>'
        )
    return texts


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def round_ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers that span an interval.

    >>> round_ticks(0.61, 0.78)
    [0.6, 0.65, 0.7, 0.75, 0.8]
    """
    rough = (high - low) / 4 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * max(factor for factor in (1, 2, 5) if factor * power <= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * i, 12) for i in range(first, max(last, first + 1) + 1)]


def evaluation_curve(
    values: Sequence[float], marks: Sequence[tuple[int, str, str]], sides: tuple[str, str], title: str
) -> str:
    """Return the course of a game: values from 0 to 1 for the first side, before each move and at the end.

    Each mark (move number from 1, CSS class, note) puts a dot on the position after that move.
    """
    left = 16.0 + 9.0 * max(map(len, sides))
    right, top, bottom = CHART_WIDTH - 12.0, 14.0, 214.0
    step = (right - left) / max(len(values) - 1, 1)
    places = [(left + step * i, bottom - (bottom - top) * value) for i, value in enumerate(values)]
    middle = (top + bottom) / 2
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    area = f"{left:.1f},{middle} {line} {places[-1][0]:.1f},{middle}"
    half = (bottom - top) / 2
    body = [f'<rect class="field" x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" rx="4"/>']
    for name, side, y in (("first", sides[0], top), ("second", sides[1], middle)):
        clip = f'<clipPath id="{name}"><rect x="0" y="{y}" width="{CHART_WIDTH}" height="{half}"/></clipPath>'
        body.append(f'{clip}<polygon class="area-{name}" points="{area}" clip-path="url(#{name})"/>')
        body.append(
            f'<text class="side" x="{left - 10}" y="{y + half / 2 + 5}" text-anchor="end">{escape(side)}</text>'
        )
    body.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{middle}" y2="{middle}"/>')
    body.append(f'<polyline class="curve" points="{line}"/>')
    for number, kind, note in marks:
        x, y = places[number]
        body.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="5.5"><title>{escape(note)}</title></circle>')
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, len(values)) if len(values) / n <= 16)
    for i in range(0, len(values), every):
        body.append(f'<text class="tick" x="{places[i][0]:.1f}" y="{bottom + 18}" text-anchor="middle">{i}</text>')
    return svg_chart(bottom + 26, "".join(body), title)


def calibration(bins: Sequence[tuple[float, float, float, float, int]], title: str) -> str:
    """Return a calibration plot of bins (predicted share, actual share, low, high, number of cases)."""
    left, right, top, bottom = 56.0, 436.0, 14.0, 394.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (right - left) * x, bottom - (bottom - top) * y

    body = []
    for tick in range(0, 101, 20):
        x, y = at(tick / 100, tick / 100)
        body.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom}M{left} {y:.1f}H{right}"/>')
        body.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick} %</text>')
        body.append(f'<text class="tick" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick} %</text>')
    body.append(f'<path class="path" d="M{left} {bottom}L{right} {top}"/>')
    most = max((cases for *_, cases in bins), default=1)
    for predicted, happened, low, high, cases in bins:
        x, y = at(predicted, happened)
        note = f"predicted {predicted:.1%}, scored {happened:.1%} (95 % {low:.1%} to {high:.1%}), {cases} positions"
        ends = f"M{x:.1f} {at(0, low)[1]:.1f}V{at(0, high)[1]:.1f}"
        body.append(f'<g><title>{escape(note)}</title><path class="whisker" d="{ends}"/>')
        body.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{3 + 5 * math.sqrt(cases / most):.1f}"/></g>')
    return svg_chart(bottom + 28, "".join(body), title, right + 24)
