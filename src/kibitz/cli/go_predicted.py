"""Predicted moves and their figures, on a terminal."""

from __future__ import annotations

from typing import Any

from kibitz.cli.show import board_text, console, new_table
from kibitz.core.game import Line
from kibitz.core.printable import printable
from kibitz.games.go.drawing import draw
from kibitz.games.go.text import parse_move, point_text
from kibitz.patterns.predict.course import Moment
from kibitz.patterns.predict.figures import Figures, Share

MARKED = 9
"""Points that are numbered on the board."""
REASONS = 4
DRAWN = 3
"""Candidates whose pattern is drawn."""


def show_predicted(moment: Moment, shares: Any, found: list[dict[str, Any]], model: str) -> None:
    """Print the board with the likeliest points numbered, and what speaks for each."""
    size, mover = moment.board.size, "Black" if moment.colour == 1 else "White"
    console.print(f"After move {moment.moves}, {mover} to move; predicted by {model}", style="bold")
    last = moment.recent[0] if moment.recent and moment.recent[0] >= 0 else None
    lines = draw(moment.board, moment.ko, (0, 0), last)[: size + 2]
    console.print(board_text(_numbered(lines, size, [parse_move(size, one["point"]) for one in found[:MARKED]])))
    for number, one in enumerate(found, 1):
        console.print(f"{number:>2}  {one['point']:<4} {one['probability']:6.1%}", style="bold")
        for reason in one.get("reasons", [])[:REASONS]:
            console.print(f"      {reason['weight']:+5.2f}  {reason['text']}", style="dim", highlight=False)
        for game in one.get("games", []):
            console.print(f"      {printable(game['text'])}", highlight=False)
    _show_windows(found)
    if moment.played >= 0:
        place = 1 + int((shares > shares[moment.played]).sum())
        share = float(shares[moment.played])
        console.print(f"played was {point_text(size, moment.played)}: number {place}, {share:.1%}")


def _numbered(lines: tuple[Line, ...], size: int, points: list[int]) -> tuple[Line, ...]:
    """Return a drawn board with numbers at points: after its label a row has two spans for each column."""
    rows = [list(line) for line in lines]
    for number, point in enumerate(points, 1):
        rows[1 + point // size][2 + 2 * (point % size)] = (str(number), "last")
    return tuple(tuple(row) for row in rows)


def _show_windows(found: list[dict[str, Any]]) -> None:
    """Print the patterns of the first candidates beside each other."""
    from kibitz.cli.go_drawn import show_boards

    boards = [
        (one["pattern"]["rows"], (one["point"], one["pattern"]["shape"])) for one in found[:DRAWN] if one.get("pattern")
    ]
    if boards:
        console.print("The largest known patterns; the mover is X and plays at *, # is beyond the edge", style="dim")
        show_boards(boards)


def show_figures(found: Figures, model: str, seconds: float) -> None:
    """Print figures with their intervals, by phase, and the calibration."""
    whole = found.whole
    console.print(
        f"{model}: {whole.n:,} positions of {found.games:,} games, {whole.n / seconds:,.0f} positions/s", style="bold"
    )
    table = new_table()
    for heading in ("", "n", "top1 %", "top5 %", "top10 %", "log_evidence"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for part in (whole, *found.phases):
        tops = [_percent(share) for share in (part.top1, part.top5, part.top10)]
        evidence = part.log_evidence
        table.add_row(part.name, f"{part.n:,}", *tops, f"{evidence.value:.3f} ±{evidence.high - evidence.value:.3f}")
    console.print(table)
    console.print("The likeliest move: its probability, how often it was played in %", style="dim")
    for one in found.calibration:
        console.print(f"  {one.predicted:6.1%}  {_percent(one.played)}  of {one.n:,}", highlight=False)


def _percent(share: Share) -> str:
    return f"{100 * share.value:.1f} ±{100 * (share.high - share.value):.1f}"
