"""Draw windows and clusters as standalone SVG. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from kibitz.compiled.arrays import Int32Array, Int64Array

CELL_PIXELS = 24
COLOURS = ("#3465a4", "#cc5500", "#4e9a06", "#a40000", "#75507b", "#c4a000", "#2e8b8b", "#8f5902", "#555753", "#d33682",
           "#5c3566", "#204a87")  # fmt: skip


def _window_svg(rows: Sequence[str]) -> str:
    """Return the SVG of a window given as WindowShape.rows: stones, a cross for the move, ? for a don't-care point."""
    parts = []
    for row, line in enumerate(rows):
        for col, sign in enumerate(line):
            if sign in " #":
                continue
            x, y = CELL_PIXELS * col, CELL_PIXELS * row
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL_PIXELS}" height="{CELL_PIXELS}" fill="#e3b765"/>')
            parts.append(_lines_svg(rows, row, col))
            parts.append(_sign_svg(sign, CELL_PIXELS * (col + 0.5), CELL_PIXELS * (row + 0.5)))
    return "".join(parts)


def _lines_svg(rows: Sequence[str], row: int, col: int) -> str:
    """Return the SVG of the lines from a point to its four neighbours, except where the board ends."""
    x, y, arm = CELL_PIXELS * (col + 0.5), CELL_PIXELS * (row + 0.5), CELL_PIXELS / 2
    path = ""
    for r, c, line in ((row, col - 1, "h-"), (row, col + 1, "h"), (row - 1, col, "v-"), (row + 1, col, "v")):
        leaves_board = 0 <= r < len(rows) and 0 <= c < len(rows[r]) and rows[r][c] == "#"
        path += "" if leaves_board else f"M{x:g} {y:g}{line}{arm:g}"
    return f'<path d="{path}" stroke="#6b5223" stroke-width="1" fill="none"/>'


def _sign_svg(sign: str, x: float, y: float) -> str:
    if sign in "XO":
        fill = "#111" if sign == "X" else "#fff"
        return f'<circle cx="{x:g}" cy="{y:g}" r="{CELL_PIXELS * 0.45:g}" fill="{fill}" stroke="#111"/>'
    if sign == "*":
        arm = CELL_PIXELS // 4
        cross = f"M{x - arm:g} {y - arm:g}l{2 * arm} {2 * arm}M{x + arm:g} {y - arm:g}l{-2 * arm} {2 * arm}"
        return f'<path d="{cross}" stroke="#a40000" stroke-width="3"/>'
    if sign == "?":
        return (
            f'<rect x="{x - 8:g}" y="{y - 9:g}" width="16" height="18" fill="#e3b765"/>'
            f'<text x="{x:g}" y="{y + 5:g}" font-size="15" font-family="sans-serif" text-anchor="middle">?</text>'
        )
    return ""


def sheet_svg(windows: Sequence[tuple[Sequence[str], str]], across: int = 8) -> str:
    """Return an SVG sheet of (rows, caption) windows, `across` of them in a row."""
    if not windows:
        return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
    side = max(len(rows) for rows, _ in windows)
    wide, high = max(CELL_PIXELS * side, 110) + 16, CELL_PIXELS * side + 34
    lines = math.ceil(len(windows) / across)
    parts = []
    for at, (rows, caption) in enumerate(windows):
        x, y = at % across * wide + (wide - CELL_PIXELS * len(rows)) / 2, at // across * high + 8
        wide_rows = CELL_PIXELS * len(rows)
        place = f'x="{wide_rows / 2:g}" y="{wide_rows + 16}" font-size="11" font-family="sans-serif"'
        text = f'<text {place} text-anchor="middle">{escape(caption)}</text>'
        parts.append(f'<g transform="translate({x:g} {y:g})">{_window_svg(rows)}{text}</g>')
    width = min(across, len(windows)) * wide
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {lines * high}" width="{width}" role="img" '
        f'aria-label="{len(windows)} patterns">{"".join(parts)}</svg>'
    )


def clusters_svg(
    counts: Int32Array, stones: Int64Array, cluster_of: Int64Array, names: Sequence[str], title: str
) -> str:
    """Return an SVG chart of patterns: stones on the x axis, counts on the y axis, coloured by cluster.

    Counts are rounded to half a power of ten. Each bubble stands for all patterns of one cluster at its place.
    """
    left, top, width, height = 80, 34, 560, 360
    bins = np.round(2 * np.log10(np.maximum(counts, 1))).astype(np.int64)
    cells, sizes = np.unique(np.stack([stones, bins, cluster_of], axis=1), axis=0, return_counts=True)
    most_stones, highest_bin = max(int(stones.max()), 1), max(int(bins.max()), 1)

    def position(stone: float, half_power: float) -> tuple[float, float]:
        return left + width * stone / most_stones, top + height * (1 - half_power / highest_bin)

    parts = []
    for stone in range(0, most_stones + 1, max(1, most_stones // 12)):
        x = position(stone, 0)[0]
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + height}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{top + height + 30}" text-anchor="middle">{stone}</text>')
    for power in range(highest_bin // 2 + 1):
        y = position(0, 2 * power)[1]
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    scale = 17 / math.sqrt(max(int(sizes.max()), 1))
    for (stone, half_power, cluster), n in zip(cells.tolist(), sizes.tolist(), strict=True):
        x, y = position(stone, half_power)
        shift = (cluster % 3 - 1) * 2
        parts.append(
            f'<circle cx="{x + shift:.1f}" cy="{y:.1f}" r="{max(2.0, scale * math.sqrt(n)):.1f}" '
            f'fill="{COLOURS[cluster % len(COLOURS)]}" fill-opacity="0.55"><title>{n:,} patterns</title></circle>'
        )
    for place, name in enumerate(names):
        y = top + 16 * place
        parts.append(f'<rect x="{left + width + 24}" y="{y}" width="11" height="11" fill="{COLOURS[place]}"/>')
        parts.append(f'<text x="{left + width + 41}" y="{y + 10}">{escape(name)}</text>')
    parts.append(f'<text x="{left + width / 2:.0f}" y="{top + height + 48}" text-anchor="middle">stones: K bits</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 {top + height + 58}" width="960" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="12"><title>{escape(title)}</title>'
        f'<text x="{left}" y="18" font-size="14">{escape(title)}</text>{"".join(parts)}</svg>'
    )
