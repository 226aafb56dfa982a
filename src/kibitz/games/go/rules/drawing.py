"""The board as lines for a terminal. A pure function of what is given."""

from __future__ import annotations

from kibitz.core.game import Line, Role
from kibitz.games.go.rules.board import EMPTY, Board
from kibitz.games.go.rules.geometry import star_points
from kibitz.games.go.rules.text import LETTERS

_STONES = (".", "X", "O")
_ROLES: tuple[Role, Role, Role] = ("", "first", "second")
_WIDTH = 46
"""Characters of the lines below the board."""


def draw(board: Board, ko: int, prisoners: tuple[int, int], last: int | None, owners: bytes = b"") -> tuple[Line, ...]:
    """Return a board with its coordinates: X for Black, O for White, + for a star point, # for a forbidden ko.

    With owners, each empty point of Black's is x, of White's o. Below it stand
    the prisoners, and the last move if it was a pass.
    """
    size = board.size
    columns: Line = ((" " * 4 + " ".join(LETTERS[:size]), "faint"),)
    lines: list[Line] = [columns]
    for row in range(size):
        label = f"{size - row:>3}"
        spans: list[tuple[str, Role]] = [(label, "faint")]
        for col in range(size):
            point = row * size + col
            mark, role = _mark(board, ko, owners, point)
            if point == last:
                spans += [("(", "last"), (mark, "last")]
            else:
                spans += [(")" if col and point - 1 == last else " ", "last" if col and point - 1 == last else "")]
                spans += [(mark, role)]
        closing = last is not None and last % size == size - 1 and last // size == row and last < size * size
        spans += [(")", "last")] if closing else [(" ", "")]
        lines.append((*spans, (label.strip().ljust(3), "faint")))
    lines.append(columns)
    taken = f"    prisoners: Black {prisoners[0]}, White {prisoners[1]}"
    passed = "    pass" if last == size * size else ""
    return (*lines, ((taken.ljust(_WIDTH), "faint"),), ((passed.ljust(_WIDTH), "last" if passed else ""),))


def _mark(board: Board, ko: int, owners: bytes, point: int) -> tuple[str, Role]:
    """Return how a point is shown."""
    code = board.points[point]
    if code != EMPTY:
        return _STONES[code], _ROLES[code]
    if owners and owners[point] != EMPTY:
        return _STONES[owners[point]].lower(), _ROLES[owners[point]]
    if point == ko:
        return "#", "faint"
    return "+" if point in star_points(board.size) else "\N{MIDDLE DOT}", "legal"
