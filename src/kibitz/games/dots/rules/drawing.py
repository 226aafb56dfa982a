"""The board as lines of text for a terminal: a pure function of a graph, its drawn lines and the owners.

A grid is drawn with its dots, each open line as its number; another graph as a
list of its coins with the strings that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kibitz.core.game import Line, Role
from kibitz.games.dots.rules.graph import GROUND, GROUND_ID, Coin, Graph, String

NOBODY = 2  # the owner of a finished box that neither player took, and the drawer of a line if it is not known
LINE_WIDTH, BOX_WIDTH = 5, 3  # characters between two dots, and between two upright lines
OWNER_ROLES: tuple[Role, Role, Role] = ("first", "second", "faint")  # the role of what belongs to 0, 1 or NOBODY
_MARKS = ("Red", "Blue", "\N{MIDDLE DOT}")

Stretch = tuple[str, Role]


def draw(
    graph: Graph, drawn: int, drew: tuple[int, int], owners: Sequence[int | None], last: String | None
) -> tuple[Line, ...]:
    """Draw a position: lines and boxes in the colours of their players, and the score below."""
    first, second = (f"{_MARKS[player]} {owners.count(player):2}" for player in (0, 1))
    score: Line = ("   ", ""), (first, "first"), ("   ", ""), (second, "second")
    if not graph.is_grid:
        return (*_draw_list(graph, drawn, owners, last), score)

    def line(string: String) -> Stretch:
        if not drawn >> string & 1:
            return str(string), "legal"
        return "", "last" if string == last else OWNER_ROLES[drawer(string, drew)]

    def box(coin: Coin) -> Stretch:
        owner = owners[coin]
        return ("", "") if owner is None else (_MARKS[owner][0], OWNER_ROLES[owner])

    return (*grid_lines(graph, drawn, line, box), score)


def draw_values(graph: Graph, drawn: int, values: Mapping[String, int]) -> tuple[Line, ...]:
    """Draw a grid with a value on each open line, the best ones marked."""
    best = max(values.values(), default=0)

    def line(string: String) -> Stretch:
        if drawn >> string & 1:
            return "", "faint"
        value = values.get(string)
        text = "" if value is None else "0" if value == 0 else f"{value:+d}"
        return text, "last" if value == best else ""

    def box(coin: Coin) -> Stretch:
        return "" if graph.masks[coin] & ~drawn else _MARKS[NOBODY], "faint"

    return grid_lines(graph, drawn, line, box)


def drawer(string: String, drew: tuple[int, int]) -> int:
    """Return the player who drew a line: 0, 1, or NOBODY if it is not known."""
    return 0 if drew[0] >> string & 1 else 1 if drew[1] >> string & 1 else NOBODY


def grid_lines(
    graph: Graph, drawn: int, line: Callable[[String], Stretch], box: Callable[[Coin], Stretch]
) -> tuple[Line, ...]:
    """Draw a grid. line gives the text (used if undrawn) and role of a line, box the text and role of a box."""

    def stroke(string: String, mark: str) -> Stretch:
        text, role = line(string)
        return mark if drawn >> string & 1 else f"{text:^{len(mark)}}", role

    lines: list[Line] = []
    for row in range(graph.rows + 1):
        spans: list[Stretch] = [("   \N{BULLET}", "")]
        for col in range(graph.cols):
            spans += [stroke(graph.horizontal(row, col), "─" * LINE_WIDTH), ("\N{BULLET}", "")]
        lines.append(tuple(spans))
        if row < graph.rows:
            spans = [("  ", "")]
            for col in range(graph.cols):
                text, role = box(row * graph.cols + col)
                spans += [stroke(graph.vertical(row, col), " │ "), (f"{text:^{BOX_WIDTH}}", role)]
            lines.append((*spans, stroke(graph.vertical(row, graph.cols), " │ ")))
    return tuple(lines)


def _draw_list(graph: Graph, drawn: int, owners: Sequence[int | None], last: String | None) -> tuple[Line, ...]:
    """List the coins, each with its owner, or with the strings it has left and where they lead."""
    width = max(len(coin) for coin in graph.coins)
    lines: list[Line] = []
    for coin, name in enumerate(graph.coins):
        owner = owners[coin]
        spans: list[Stretch] = [(f" {name:>{width}} ", "" if owner is None else OWNER_ROLES[owner])]
        if owner is not None:
            spans.append((_MARKS[owner], OWNER_ROLES[owner]))
        for string in graph.strings_of[coin]:
            other = graph.other_end(string, coin)
            leads = GROUND_ID if other == GROUND else graph.coins[other]
            if string == last:
                spans.append((f"  {graph.ids[string]}\N{MULTIPLICATION SIGN}", "last"))
            elif not drawn >> string & 1:
                spans += [("  ", ""), (graph.ids[string], "legal"), (f"\N{RIGHTWARDS ARROW}{leads}", "faint")]
        lines.append(tuple(spans))
    return tuple(lines)
