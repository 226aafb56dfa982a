"""The board as lines for a terminal. A pure function of what is given.

A grid is drawn with its dots, each open line as its number; another graph as a
list of its coins with the strings that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kibitz.core.game import Line, Role
from kibitz.games.dots.rules.graph import GROUND, GROUND_ID, Coin, Graph, String
from kibitz.games.dots.rules.text import NOBODY

WIDTH = 5
"""Characters between two dots."""
_PLAYERS: tuple[Role, Role, Role] = ("first", "second", "faint")
_MARKS = ("Red", "Blue", "\N{MIDDLE DOT}")

Stretch = tuple[str, Role]


def draw(
    graph: Graph, drawn: int, drew: tuple[int, int], owners: Sequence[int | None], last: String | None
) -> tuple[Line, ...]:
    """Return a position: lines and boxes in the colour of who drew or owns them."""
    score = _score(owners)
    if not graph.is_grid:
        return (*_draw_list(graph, drawn, owners, last), score)

    def line(string: String) -> Stretch:
        kind = graph.line(string)[0]
        width = WIDTH if kind == "h" else 3
        if not drawn >> string & 1:
            return f"{string:^{width}}", "legal"
        mark = "─" * WIDTH if kind == "h" else " │ "
        return mark, "last" if string == last else _PLAYERS[drawer(string, drew)]

    def box(coin: Coin) -> Stretch:
        owner = owners[coin]
        return (" " * (WIDTH - 2), "") if owner is None else (f"{_MARKS[owner][0]:^{WIDTH - 2}}", _PLAYERS[owner])

    return (*grid_lines(graph, line, box), score)


def _score(owners: Sequence[int | None]) -> Line:
    """Return how many boxes each player has."""
    first, second = (f"{_MARKS[player]} {owners.count(player):2}" for player in (0, 1))
    return ("   ", ""), (first, "first"), ("   ", ""), (second, "second")


def draw_values(graph: Graph, drawn: int, values: Mapping[String, int]) -> tuple[Line, ...]:
    """Return a grid with a value on each open line, the best ones marked."""
    best = max(values.values(), default=0)

    def line(string: String) -> Stretch:
        across = graph.line(string)[0] == "h"
        if drawn >> string & 1:
            return "─" * WIDTH if across else " │ ", "faint"
        value = values.get(string)
        text = "" if value is None else "0" if value == 0 else f"{value:+d}"
        return f"{text:^{WIDTH if across else 3}}", "last" if value == best else ""

    def box(coin: Coin) -> Stretch:
        return f"{'' if graph.masks[coin] & ~drawn else _MARKS[NOBODY]:^{WIDTH - 2}}", "faint"

    return grid_lines(graph, line, box)


def drawer(string: String, drew: tuple[int, int]) -> int:
    """Return who drew a line: 0, 1, or NOBODY if it is not known."""
    return 0 if drew[0] >> string & 1 else 1 if drew[1] >> string & 1 else NOBODY


def grid_lines(graph: Graph, line: Callable[[String], Stretch], box: Callable[[Coin], Stretch]) -> tuple[Line, ...]:
    """Return a grid with each line and each box as given: WIDTH characters across, 3 down, WIDTH - 2 for a box."""
    lines: list[Line] = []
    for row in range(graph.rows + 1):
        spans: list[Stretch] = [("   \N{BULLET}", "")]
        for col in range(graph.cols):
            spans += [line(graph.horizontal(row, col)), ("\N{BULLET}", "")]
        lines.append(tuple(spans))
        if row < graph.rows:
            spans = [("  ", "")]
            for col in range(graph.cols):
                spans += [line(graph.vertical(row, col)), box(row * graph.cols + col)]
            lines.append((*spans, line(graph.vertical(row, graph.cols))))
    return tuple(lines)


def _draw_list(graph: Graph, drawn: int, owners: Sequence[int | None], last: String | None) -> tuple[Line, ...]:
    """Return the coins, each with its owner or with its strings and where they lead."""
    width = max(len(coin) for coin in graph.coins)
    lines: list[Line] = []
    for coin, name in enumerate(graph.coins):
        owner = owners[coin]
        spans: list[Stretch] = [(f" {name:>{width}} ", "" if owner is None else _PLAYERS[owner])]
        if owner is not None:
            spans.append((_MARKS[owner], _PLAYERS[owner]))
        for string in graph.strings_of[coin]:
            other = graph.other_end(string, coin)
            leads = GROUND_ID if other == GROUND else graph.coins[other]
            if string == last:
                spans.append((f"  {graph.ids[string]}\N{MULTIPLICATION SIGN}", "last"))
            elif not drawn >> string & 1:
                spans += [("  ", ""), (graph.ids[string], "legal"), (f"\N{RIGHTWARDS ARROW}{leads}", "faint")]
        lines.append(tuple(spans))
    return tuple(lines)
