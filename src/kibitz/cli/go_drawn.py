"""Windows and their figures on a terminal, as many beside each other as fit."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from kibitz.cli.show import console
from kibitz.core.printable import printable
from kibitz.patterns.mine.listing import Listed
from kibitz.patterns.mine.mined import Kind

STYLES = {"X": "bold red", "O": "bold blue", "*": "bold green", "?": "yellow", "#": "dim"}
GAP = 3
LEAST = 14
"""Columns for a window, so that its figures have room."""


def show_patterns(kind: Kind, facts: dict[str, int], listed: Sequence[Listed]) -> None:
    """Print what was mined, and patterns with their figures."""
    console.print(
        f"{facts['patterns']:,} patterns of {kind.shape} in {facts['windows']:,} windows of {facts['games']:,} games; "
        f"{'the mover is X and plays at *' if kind.source == 'moves' else 'boards at the end, colours either way'}, "
        "# is beyond the edge",
        style="bold",
    )
    show_boards([(one.rows, figures(one)) for one in listed])


def figures(one: Listed) -> tuple[str, ...]:
    """Return the figures of a pattern, a line each."""
    lines = [f"{one.count:,}", f"{one.share:.2%}"]
    if one.win_rate is not None:
        lines.append(f"won {one.win_rate:.1%}")
    if one.stones >= 0:
        lines.append(f"{one.stones} bit{'' if one.stones == 1 else 's'}")
    lines += [f"{name} {n / one.count:.0%}" for name, n in list(one.meanings.items())[:2]]
    if one.last_year:
        lines.append(f"{one.first_year}-{one.last_year}")
    return tuple(lines)


def show_boards(boards: Sequence[tuple[Sequence[str], Sequence[str]]]) -> None:
    """Print windows with texts below each."""
    width = max(console.width, 40)
    line: list[tuple[Sequence[str], Sequence[str]]] = []
    used = 0
    for rows, texts in boards:
        wide = _width(rows, texts) + GAP
        if line and used + wide > width:
            console.print(_line(line))
            line, used = [], 0
        line.append((rows, texts))
        used += wide
    if line:
        console.print(_line(line))


def _width(rows: Sequence[str], texts: Sequence[str]) -> int:
    return max(2 * max(map(len, rows), default=0), *(len(text) for text in texts), LEAST)


def _line(boards: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Text:
    """Return some windows beside each other."""
    text = Text(no_wrap=True)
    for at in range(max(len(rows) for rows, _ in boards)):
        for rows, texts in boards:
            row = rows[at] if at < len(rows) else ""
            for sign in row:
                text.append(f"{sign} ", STYLES.get(sign, ""))
            text.append(" " * (_width(rows, texts) - 2 * len(row) + GAP))
        text.append("\n")
    for at in range(max(len(texts) for _, texts in boards)):
        for rows, texts in boards:
            shown = printable(texts[at]) if at < len(texts) else ""
            text.append(shown.ljust(_width(rows, texts) + GAP), "dim" if at else "")
        text.append("\n")
    return text
