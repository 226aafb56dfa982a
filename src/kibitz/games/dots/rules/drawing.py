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
OWNER_ROLES: tuple[Role, Role, Role] = ("first", "second", "faint")  # the role of things that 0, 1 or NOBODY owns
_MARKS = ("Red", "Blue", "\N{MIDDLE DOT}")

Span = tuple[str, Role]  # a piece of text and its role


def draw(
    graph: Graph, drawn: int, drawn_by: tuple[int, int], owners: Sequence[int | None], last: String | None
) -> tuple[Line, ...]:
    """Draw a position: lines and boxes in the colours of their players, and the score below."""
    first, second = (f"{_MARKS[player]} {owners.count(player):2}" for player in (0, 1))
    score: Line = ("   ", ""), (first, "first"), ("   ", ""), (second, "second")
    if not graph.is_grid:
        return (*_draw_list(graph, drawn, owners, last), score)

    def line_span(string: String) -> Span:
        if not drawn >> string & 1:
            return str(string), "legal"
        return "", "last" if string == last else OWNER_ROLES[player_who_drew(string, drawn_by)]

    def box_span(coin: Coin) -> Span:
        owner = owners[coin]
        return ("", "") if owner is None else (_MARKS[owner][0], OWNER_ROLES[owner])

    return (*grid_lines(graph, drawn, line_span, box_span), score)


def draw_values(graph: Graph, drawn: int, values: Mapping[String, int]) -> tuple[Line, ...]:
    """Draw a grid with a value on each open line, the best ones marked."""
    best = max(values.values(), default=0)

    def line_span(string: String) -> Span:
        if drawn >> string & 1:
            return "", "faint"
        value = values.get(string)
        text = "" if value is None else "0" if value == 0 else f"{value:+d}"
        return text, "last" if value == best else ""

    def box_span(coin: Coin) -> Span:
        return "" if graph.masks[coin] & ~drawn else _MARKS[NOBODY], "faint"

    return grid_lines(graph, drawn, line_span, box_span)


def player_who_drew(string: String, drawn_by: tuple[int, int]) -> int:
    """Return the player who drew a line: 0, 1, or NOBODY if that is not known. drawn_by: each player's lines."""
    return 0 if drawn_by[0] >> string & 1 else 1 if drawn_by[1] >> string & 1 else NOBODY


def grid_lines(
    graph: Graph, drawn: int, line_span: Callable[[String], Span], box_span: Callable[[Coin], Span]
) -> tuple[Line, ...]:
    """Draw a grid. line_span returns the text (used if undrawn) and role of a line, box_span those of a box."""

    def stroke(string: String, mark: str) -> Span:
        text, role = line_span(string)
        return mark if drawn >> string & 1 else f"{text:^{len(mark)}}", role

    lines: list[Line] = []
    for row in range(graph.rows + 1):
        spans: list[Span] = [("   \N{BULLET}", "")]
        for col in range(graph.cols):
            spans += [stroke(graph.horizontal(row, col), "─" * LINE_WIDTH), ("\N{BULLET}", "")]
        lines.append(tuple(spans))
        if row < graph.rows:
            spans = [("  ", "")]
            for col in range(graph.cols):
                text, role = box_span(row * graph.cols + col)
                spans += [stroke(graph.vertical(row, col), " │ "), (f"{text:^{BOX_WIDTH}}", role)]
            lines.append((*spans, stroke(graph.vertical(row, graph.cols), " │ ")))
    return tuple(lines)


def _draw_list(graph: Graph, drawn: int, owners: Sequence[int | None], last: String | None) -> tuple[Line, ...]:
    """List the coins, each with its owner or with its uncut strings and where they lead."""
    width = max(len(coin) for coin in graph.coins)
    lines: list[Line] = []
    for coin, name in enumerate(graph.coins):
        owner = owners[coin]
        spans: list[Span] = [(f" {name:>{width}} ", "" if owner is None else OWNER_ROLES[owner])]
        if owner is not None:
            spans.append((_MARKS[owner], OWNER_ROLES[owner]))
        for string in graph.strings_of[coin]:
            other = graph.other_end(string, coin)
            target_id = GROUND_ID if other == GROUND else graph.coins[other]
            if string == last:
                spans.append((f"  {graph.ids[string]}\N{MULTIPLICATION SIGN}", "last"))
            elif not drawn >> string & 1:
                spans += [("  ", ""), (graph.ids[string], "legal"), (f"\N{RIGHTWARDS ARROW}{target_id}", "faint")]
        lines.append(tuple(spans))
    return tuple(lines)
