"""Charts as SVG text, coloured by the CSS variables of the page around them. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from kibitz.analysis.html.document import resource

ROW_HEIGHT = 26
LABEL_WIDTH = 260
MAX_NAME_LENGTH = 32
"""Show at most this many characters of an agent's name."""
PLOT_WIDTH = 420
CHART_WIDTH = LABEL_WIDTH + PLOT_WIDTH + 70
TOP = 24
STYLE = resource(__package__, "charts.css")

Ticks: TypeAlias = Sequence[tuple[float, str]]
"""Positions on an axis, each with its label."""
QUARTERS: Ticks = [(x / 4, f"{25 * x} %") for x in range(5)]
"""An axis for shares, labelled from 0 to 100 %."""


def svg_chart(height: float, body: Iterable[str], title: str, width: float = CHART_WIDTH, blank: float = 0.0) -> str:
    """Return a chart as SVG, cropped on the left by `blank` units; limits on its width keep the text size."""
    shown_width = width - blank
    limits = f' style="min-width:{0.75 * shown_width:.0f}px; max-width:{1.4 * shown_width:.0f}px"' if blank else ""
    return (
        f'<svg viewBox="{blank:.0f} 0 {shown_width:.0f} {height:.0f}"{limits} role="img" aria-label="{escape(title)}">'
        f"{tooltip(title)}{''.join(body)}</svg>"
    )


def element(tag: str, kind: str, inner: str = "", **attributes: float | str) -> str:
    """Return an SVG element with CSS class `kind`. Numbers are rounded to a tenth; _ in attribute names becomes -."""
    texts = [
        f'{name.replace("_", "-")}="{value if isinstance(value, str) else round(value, 1)}"'
        for name, value in attributes.items()
    ]
    return f'<{tag} class="{kind}" {" ".join(texts)}>{inner}</{tag}>'


def text(kind: str, words: str, x: float, y: float, anchor: str = "middle") -> str:
    """Return a text that starts, ends or is centred at x, depending on `anchor`."""
    return element("text", kind, escape(words), x=x, y=y, text_anchor=anchor)


def rect(kind: str, x: float, y: float, width: float, height: float, inner: str = "", **more: float | str) -> str:
    """Return a rectangle as an SVG element; inner: its contents, such as a tooltip."""
    return element("rect", kind, inner, x=x, y=y, width=width, height=height, **more)


def tooltip(words: str) -> str:
    """Return a <title>, the tooltip of the element that contains it."""
    return f"<title>{escape(words)}</title>"


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return element("line", kind, x1=x1, y1=y1, x2=x2, y2=y2)


def _circle(kind: str, x: float, y: float, r: float, note: str = "") -> str:
    return element("circle", kind, tooltip(note) if note else "", cx=x, cy=y, r=r)


def group(note: str, *shapes: str) -> str:
    """Return a group of shapes that share a tooltip."""
    return f"<g>{tooltip(note)}{''.join(shapes)}</g>"


def blank_width(names: Iterable[str]) -> float:
    """Return the width of the blank space before a column of row names, which svg_chart can crop."""
    longest = max((len(shorten(name, MAX_NAME_LENGTH)) for name in names), default=0)
    return max(0, LABEL_WIDTH - 20 - 8 * longest)  # a letter is at most 8 units wide


def shorten(text: str, max_length: int) -> str:
    """Shorten a text to max_length characters, cutting out the middle because specs differ at both ends."""
    if len(text) <= max_length:
        return text
    tail = (max_length - 1) * 3 // 5
    return f"{text[: max_length - 1 - tail]}…{text[-tail:]}"


def name_text(name: str, y: float) -> str:
    """Return the label of a row, shortened to fit."""
    return text("name", shorten(name, MAX_NAME_LENGTH), LABEL_WIDTH - 12, y + 4, "end")


def _axis(ticks: Ticks, height: float) -> Iterator[str]:
    for x, words in ticks:
        yield _line("grid", x, TOP - 6, x, height - 4)
        yield text("tick", words, x, TOP - 10)


def _row_chart(names: Sequence[str], ticks: Ticks, title: str, draw: Callable[[int, float], Iterable[str]]) -> str:
    """Return a chart with one row per name; draw(index, y) returns the shapes of a row."""
    height = TOP + ROW_HEIGHT * len(names) + 8
    body = [*_axis(ticks, height)]
    for i, name in enumerate(names):
        y = TOP + ROW_HEIGHT * (i + 0.5)
        body += [name_text(name, y), *draw(i, y)]
    return svg_chart(height, body, title, blank=blank_width(names))


def _note(words: str, y: float) -> str:
    return text("note", words, CHART_WIDTH - 6, y + 4, "end")


def intervals(rows: Sequence[tuple[str, float, float, float, str]], ticks: Ticks, title: str) -> str:
    """Return a chart of values with their intervals. rows: (name, value, lower end, upper end, note)."""
    values = [x for row in rows for x in row[1:4]] + [x for x, _ in ticks]
    low, high = min(values), max(values)

    def at(value: float) -> float:
        return LABEL_WIDTH + PLOT_WIDTH * (value - low) / ((high - low) or 1)

    def draw(i: int, y: float) -> tuple[str, ...]:
        _, value, lower, upper, note = rows[i]
        return _line("whisker", at(lower), y, at(upper), y), _circle("dot", at(value), y, 5, note), _note(note, y)

    return _row_chart([row[0] for row in rows], [(at(value), words) for value, words in ticks], title, draw)


def log_times(rows: Sequence[tuple[str, float, float, float]], title: str) -> str:
    """Return a chart of times on a logarithmic scale. rows: (name, mean, median, 99th percentile) in milliseconds."""
    seen = [ms for row in rows for ms in row[1:] if ms > 0] or [1.0]
    low, high = math.floor(math.log10(min(seen))), math.ceil(math.log10(max(seen)) + 1e-9)
    high = max(high, low + 1)

    def at(ms: float) -> float:
        return LABEL_WIDTH + PLOT_WIDTH * (math.log10(max(ms, 10.0**low)) - low) / (high - low)

    def draw(i: int, y: float) -> Iterator[str]:
        _, mean, median, p99 = rows[i]
        yield _line("whisker", at(median), y, at(p99), y)
        yield _line("end", at(p99), y - 5, at(p99), y + 5)
        note = f"mean {time_text(mean)}, median {time_text(median)}, 99 % {time_text(p99)}"
        yield _circle("dot", at(mean), y, 5, note)
        yield _circle("ring", at(median), y, 4)
        yield _note(time_text(mean), y)

    ticks = [(at(10.0**e), time_text(10.0**e)) for e in range(low, high + 1)]
    return _row_chart([row[0] for row in rows], ticks, title, draw)


def time_text(ms: float) -> str:
    """Return a duration with its unit: "1.52 s", "3.33 ms", "17.6 µs"."""
    if ms >= 1000:
        return f"{ms / 1000:.3g} s"
    return f"{ms:.3g} ms" if ms >= 1 else f"{ms * 1000:.3g} µs"


def histogram(values: Sequence[int], title: str) -> str:
    """Return a histogram of whole numbers with at most 40 columns; empty if there are no values."""
    if not values:
        return ""
    low, high = min(values), max(values)
    step = max(1, math.ceil((high - low + 1) / 40))
    columns = [0] * ((high - low) // step + 1)
    for value in values:
        columns[(value - low) // step] += 1
    width, height = LABEL_WIDTH + PLOT_WIDTH, 150.0
    col_width, cols_per_tick = (width - 40) / len(columns), max(1, len(columns) // 10)
    body = []
    for i, count in enumerate(columns):
        first, col_height = low + i * step, (height - 40) * count / max(columns)
        span = f"{first}" if step == 1 else f"{first} to {first + step - 1}"
        note = tooltip(f"{span}: {count}")
        body.append(rect("bar", 20 + col_width * i, height - 24 - col_height, max(col_width - 2, 1), col_height, note))
        if i % cols_per_tick == 0:
            body.append(text("tick", str(first), 20 + col_width * (i + 0.5), height - 8))
    return svg_chart(height, body, title, width)


@dataclass(frozen=True)
class Bar:
    """One bar of a grouped_bars chart."""

    value: float
    text: str
    kind: str
    """CSS classes: one, two, good or bad, and faded for a reference value."""
    note: str
    interval: tuple[float, float] | None = None


def grouped_bars(groups: Sequence[tuple[str, Sequence[Bar]]], ticks: Ticks, title: str, points: bool = False) -> str:
    """Return a chart of groups of horizontal bars, or of dots with `points`, between the first tick and the last.

    For a logarithmic scale pass logarithms as values and ticks, and use points: a bar would have no origin.
    """
    label, plot, row, gap = 84.0, 300.0, 15.0, 12.0
    low, high = ticks[0][0], ticks[-1][0]

    def at(value: float) -> float:
        return label + plot * (min(max(value, low), high) - low) / (high - low)

    height = TOP + sum(row * len(bars) + gap for _, bars in groups)
    body = [*_axis([(at(value), words) for value, words in ticks], height)]
    y, base = TOP + gap / 2, at(0.0 if low < 0 else low)
    for name, bars in groups:
        body.append(text("name", name, label - 10, y + row * len(bars) / 2 + 4, "end"))
        for bar in bars:
            end = at(bar.value)
            if points:
                shapes = [_circle(bar.kind, end, y + row / 2, 5)]
            else:
                shapes = [rect(bar.kind, min(base, end), y + 1.5, abs(end - base), 12)]
            if bar.interval is not None:
                x1, x2 = (at(bound) for bound in bar.interval)
                shapes.append(_line("error", x1, y + row / 2, x2, y + row / 2))
                end = max(end, x2, base)
            body.append(group(bar.note, *shapes, text("small", bar.text, end + 8, y + 11.5, "start")))
            y += row
        y += gap
    return svg_chart(height, body, title, label + plot + 76)


@dataclass(frozen=True)
class _Plane:
    """A plotting area with linear scales, which span the ticks of both axes."""

    left: float
    right: float
    top: float
    bottom: float
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the drawing coordinates of a point, given by its values on both axes."""
        (x0, *_, x1), (y0, *_, y1) = self.x_ticks, self.y_ticks
        return (
            self.left + (self.right - self.left) * (x - x0) / (x1 - x0),
            self.bottom - (self.bottom - self.top) * (y - y0) / (y1 - y0),
        )

    def grid(self, x_text: Callable[[float], str]) -> Iterator[str]:
        """Yield the lines and labels of the ticks; the labels of the vertical axis are percentages."""
        for tick in self.x_ticks:
            x, _ = self.at(tick, self.y_ticks[0])
            yield _line("grid", x, self.top, x, self.bottom)
            yield text("tick", x_text(tick), x, self.bottom + 18)
        for tick in self.y_ticks:
            _, y = self.at(self.x_ticks[0], tick)
            yield _line("grid", self.left, y, self.right, y)
            yield text("tick", _percent(tick), self.left - 8, y + 4, "end")


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


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
    """Whether it is one of the best points, which a line connects."""


def scatter(dots: Sequence[Dot], title: str, x_text: Callable[[float], str]) -> str:
    """Return a scatter plot of shares over a non-negative x, with whiskers, names and a line through marked dots."""
    x_ticks = round_ticks(0.0, max(dot.x for dot in dots))
    y_ticks = round_ticks(min(dot.interval[0] for dot in dots), max(dot.interval[1] for dot in dots))
    plane = _Plane(56.0, CHART_WIDTH - 20.0, 16.0, 380.0, x_ticks, y_ticks)
    best = [plane.at(dot.x, dot.y) for dot in sorted(dots, key=lambda dot: dot.x) if dot.marked]
    body = [*plane.grid(x_text), element("polyline", "path", points=_points(best))]
    boxes = []
    for dot in dots:
        x, y = plane.at(dot.x, dot.y)
        bottom, top = (plane.at(dot.x, bound)[1] for bound in dot.interval)
        boxes.append((x - 6, x + 6, top, bottom))
        circle = _circle("dot" if dot.marked else "ring", x, y, 5.5)
        body.append(group(dot.note, _line("whisker", x, bottom, x, top), circle))
    body += _names(dots, plane, boxes)
    return svg_chart(plane.bottom + 30, body, title)


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


_Box: TypeAlias = tuple[float, float, float, float]
"""Left, right, top and bottom."""


def _names(dots: Sequence[Dot], plane: _Plane, taken: list[_Box]) -> Iterator[str]:
    """Yield the names beside their dots, each in the first place that overlaps none of the boxes taken, if any.

    No dot lies above and left of a marked one, so its name is tried there first.
    """
    for dot in dots:
        x, y = plane.at(dot.x, dot.y)
        name = shorten(dot.name, MAX_NAME_LENGTH)
        width = 6.8 * len(name)
        starts = [x - 9 - width, x + 9] if dot.marked else [x + 9, x - 9 - width]
        tried = [(start, start + width, y + dy - 10, y + dy + 2) for dy in (4, -8, 16, -20, 28) for start in starts]
        inside = [box for box in tried if plane.left <= box[0] and box[1] <= plane.right] or tried
        free = [box for box in inside if not any(_overlap(box, other) for other in taken)]
        box = (free or inside)[0]
        taken.append(box)
        start, anchor = (box[0], "start") if box[0] > x else (box[1], "end")
        yield text("small", name, start, box[3] - 2, anchor)


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def round_ticks(low: float, high: float) -> list[float]:
    """Return four to nine evenly spaced round numbers that span an interval, for the ticks of an axis.

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
    """Return a chart of the course of a game; values: 0 to 1 for the first side, before each move and at the end.

    Each mark (move number from 1, CSS class, note) puts a dot on the position after that move.
    """
    left, right = 16.0 + 9.0 * max(map(len, sides)), CHART_WIDTH - 12.0
    top, middle, bottom, half_height = 14.0, 114.0, 214.0, 100.0
    step = (right - left) / max(len(values) - 1, 1)
    places = [(left + step * i, bottom - (bottom - top) * value) for i, value in enumerate(values)]
    area = _points([(left, middle), *places, (places[-1][0], middle)])
    body = [rect("field", left, top, right - left, bottom - top, rx=4)]
    for name, side, y in (("first", sides[0], top), ("second", sides[1], middle)):
        body += [
            f'<clipPath id="{name}"><rect x="0" y="{y}" width="{CHART_WIDTH}" height="{half_height}"/></clipPath>',
            element("polygon", f"area-{name}", points=area, clip_path=f"url(#{name})"),
            text("side", side, left - 10, y + half_height / 2 + 5, "end"),
        ]
    body += [_line("grid", left, middle, right, middle), element("polyline", "curve", points=_points(places))]
    body += [_circle(kind, *places[number], 5.5, note) for number, kind, note in marks]
    moves_per_tick = next(n for n in (1, 2, 5, 10, 20, 50, 100, len(values)) if len(values) / n <= 16)
    body += [text("tick", str(i), places[i][0], bottom + 18) for i in range(0, len(values), moves_per_tick)]
    return svg_chart(bottom + 26, body, title)


def calibration(bins: Sequence[tuple[float, float, float, float, int]], title: str) -> str:
    """Return a calibration plot. bins: (predicted share, actual share, its lower and upper bound, number of cases)."""
    ticks = [tick / 100 for tick in range(0, 101, 20)]
    plane = _Plane(56.0, 436.0, 14.0, 394.0, ticks, ticks)
    body = [*plane.grid(_percent), _line("path", plane.left, plane.bottom, plane.right, plane.top)]
    max_cases = max((cases for *_, cases in bins), default=1)
    for predicted, actual, low, high, cases in bins:
        x, y = plane.at(predicted, actual)
        note = f"predicted {predicted:.1%}, scored {actual:.1%} (95 % {low:.1%} to {high:.1%}), {cases} positions"
        whisker = _line("whisker", x, plane.at(0, low)[1], x, plane.at(0, high)[1])
        body.append(group(note, whisker, _circle("dot", x, y, 3 + 5 * math.sqrt(cases / max_cases))))
    return svg_chart(plane.bottom + 28, body, title, plane.right + 24)
