"""The board of Ultimate Tic-Tac-Toe as lines for a terminal."""

from __future__ import annotations

from collections.abc import Collection

from kibitz.core.game import Line, Role
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, Fields

_LARGE_MARKS = ((" ╲ ╱ ", "  ╳  ", " ╱ ╲ "), (" ╭─╮ ", " │ │ ", " ╰─╯ "))
_MARKS = "xo"


def draw(fields: Fields, legal: Collection[int], last: int | None, closed: bool) -> tuple[Line, ...]:
    """Return the 9x9 grid with rows and columns numbered as on CodinGame; dots are legal moves.

    If `closed`, a won board shows one large mark instead of its cells; otherwise its
    marks take the colour of the owner, whose own marks are capitals.
    """
    lines: list[Line] = [_columns(), _border("┌", "┬", "┐")]
    for row in range(9):
        if row in (3, 6):
            lines.append(_border("├", "┼", "┤"))
        spans: list[tuple[str, Role]] = [(f" {row} ", "faint"), ("│", "faint")]
        for board_column in range(3):
            spans += [(" ", "")]
            spans += _board_row(fields, 3 * (row // 3) + board_column, row % 3, legal, last, closed)
            spans += [(" ", ""), ("│", "faint")]
        lines.append(tuple(spans))
    lines.append(_border("└", "┴", "┘"))
    return tuple(lines)


def _columns() -> Line:
    return (("     " + "   ".join(" ".join(str(3 * b + c) for c in range(3)) for b in range(3)), "faint"),)


def _border(left: str, middle: str, right: str) -> Line:
    return (("   " + left + middle.join(["─" * 7] * 3) + right, "faint"),)


def _board_row(
    fields: Fields, board: int, row: int, legal: Collection[int], last: int | None, closed: bool
) -> list[tuple[str, Role]]:
    """Return one row of a mini-board, five characters wide."""
    assert fields.boards is not None
    owner = fields.boards[board]
    if closed and owner in (0, 1):
        role: Role = "last" if last is not None and last // 9 == board else _role(owner)
        return [(_LARGE_MARKS[owner][row], role)]
    spans: list[tuple[str, Role]] = []
    for cell in range(3 * row, 3 * row + 3):
        move = 9 * board + cell
        mark = fields.cells[move]
        if mark == EMPTY:
            spans.append(("·", "legal") if move in legal else (" ", ""))
        elif move == last:
            spans.append((_MARKS[mark], "last"))
        elif owner == DRAWN:
            spans.append((_MARKS[mark], "faint"))
        elif owner == EMPTY:
            spans.append((_MARKS[mark], _role(mark)))
        else:
            spans.append((_MARKS[mark].upper() if mark == owner else _MARKS[mark], _role(owner)))
        if cell % 3 < 2:
            spans.append((" ", ""))
    return spans


def _role(player: int) -> Role:
    return "first" if player == 0 else "second"
