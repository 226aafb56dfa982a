"""Fuseki: the first moves of games by their order, and by the board that they lead to, modulo symmetry.

Games with setup stones, and those that are shorter, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.kernels.full import IMAGES, opening_keys
from kibitz.games.go.patterns.kernels.openings import First, first_moves
from kibitz.games.go.patterns.mining.windows import bounds
from kibitz.games.go.patterns.openings.trees import NONE, Tree, build, least_images, tallied
from kibitz.games.go.records.search.changes import tables
from kibitz.games.go.records.store import Store
from kibitz.games.go.rules.board import BLACK, WHITE, Board
from kibitz.games.go.rules.geometry import symmetries
from kibitz.games.go.rules.text import point_text
from kibitz.games.go.sgf.record import PASS, POINT_BITS

MOST_MOVES = 60
BY = ("order", "state")
UPPER_RIGHT = 6
"""The symmetry that takes the least points, those of the upper left, to where players write the first move."""


@dataclass(frozen=True)
class Fuseki:
    """An opening that was played."""

    moves: tuple[tuple[int, int], ...]
    """Colour and point of each move; by state, in the order of one game."""
    count: int
    black_won: int
    decided: int
    first_year: int
    last_year: int
    game: int
    """One that began so, from 1."""
    names: tuple[str, ...]
    lean: str
    """territory, influence or balanced"""

    def text(self, size: int) -> str:
        """Return the moves as players write them."""
        return " ".join(point_text(size, point) for _, point in self.moves)

    def rows(self, size: int) -> tuple[str, ...]:
        """Return the board that the moves lead to as rows of signs."""
        board = Board.empty(size)
        for colour, point in self.moves:
            board = board.place(point, colour).board
        signs = "".join(".XO"[code] for code in board.points)
        return tuple(signs[at : at + size] for at in range(0, size * size, size))


def openings(store: Store, which: Any, moves: int, size: int = 19) -> tuple[Any, Any]:
    """Return the games that have so many moves, and [game, move] these, in the same orientation for all symmetries.

    The first move is in the upper right corner, on its right side.
    """
    if not 1 <= moves <= MOST_MOVES:
        raise BadOption(f"A fuseki has 1 to {MOST_MOVES} moves, not {moves}.")
    starts, ends = bounds(store, which)
    found = np.zeros((len(which), moves), np.int16)
    first_moves(First(found), store.column("changes"), starts, ends)
    long = found[:, -1] != NONE
    least = least_images(found[long], board_images(size))
    return which[long], board_images(size)[UPPER_RIGHT][least].astype(np.int16)


def board_images(size: int) -> Any:
    """Return [symmetry, colour * 1024 + point] what each move becomes."""
    images = np.zeros((8, 3 << POINT_BITS), np.int64)
    for colour in (BLACK, WHITE):
        start = colour << POINT_BITS
        images[:, start : start + size * size] = start + tables(size).images
    return images


def fuseki(
    store: Store, which: Any, moves: int = 10, by: str = "order", size: int = 19, least: int = 2
) -> list[Fuseki]:
    """Return the openings of some games that were played at least so often, those played most first.

    Raises BadOption if by is neither order nor state.
    """
    if by not in BY:
        raise BadOption(f"Fuseki are counted by {' or by '.join(BY)}, not {by[:20]!r}.")
    games, first = openings(store, which, moves, size)
    if by == "order":
        rows = np.ascontiguousarray(first).view(np.dtype((np.void, first.itemsize * moves))).reshape(-1)
    else:
        rows = _states(store, games, moves, size)
    different, numbers = np.unique(rows, return_inverse=True)
    winners, years = store.column("winners")[games], store.column("years")[games]
    results = np.where(winners == 0, -1, winners == BLACK)
    count, black_won, decided, first_year, last_year, example = tallied(
        numbers, np.arange(len(games)), len(different), results, years
    )
    order = np.lexsort((example, -count))
    found = []
    for at in order[count[order] >= least].tolist():
        line = tuple((code >> POINT_BITS, code & PASS) for code in first[example[at]].tolist())
        black_stones, white_stones = (
            frozenset(point for colour, point in line if colour == side) for side in (BLACK, WHITE)
        )
        found.append(
            Fuseki(
                line, int(count[at]), int(black_won[at]), int(decided[at]), int(first_year[at]), int(last_year[at]),
                int(games[example[at]]) + 1,
                names(black_stones, white_stones, size), lean(black_stones, white_stones, size),
            )
        )  # fmt: skip
    return found


def _states(store: Store, games: Any, moves: int, size: int) -> Any:
    """Return a key of the board after so many moves of each game."""
    starts, ends = bounds(store, games)
    keys, changes = np.zeros(len(games), np.int64), store.column("changes")
    board, hashes = np.zeros(size * size, np.uint8), np.zeros(IMAGES, np.int64)
    opening_keys(tables(size), changes, board, hashes, starts, ends, np.array([moves], np.int64), keys)
    return keys


def fuseki_tree(store: Store, which: Any, moves: int = 10, size: int = 19, min_count: int = 5) -> tuple[Any, Tree]:
    """Return the openings of some games as a tree, and the games that its examples are rows of."""
    games, first = openings(store, which, moves, size)
    winners = store.column("winners")[games]
    movers = first[:, 0] >> POINT_BITS
    results = np.where(winners == 0, -1, winners == movers)
    return games, build(first, results, store.column("years")[games], min_count)


FORMATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("sanrensei", ("pd", "pj", "pp"), ()),
    ("nirensei", ("pd", "pp"), ()),
    ("Chinese", ("pd", "pq", "qk"), ()),
    ("high Chinese", ("pd", "pq", "pk"), ()),
    ("Kobayashi", ("pd", "pq", "fq", "jp"), ("dp",)),
    ("Kobayashi", ("pd", "pq", "fq", "iq"), ("dp",)),
    ("Shusaku", ("qd", "pq", "cp"), ()),
)
"""Name, stones of who has it, and stones that the opponent must have. Shusaku's are three 3-4 points, each turned by a
quarter from the one before. Sanrensei holds a nirensei, which is not told then."""
TERRITORY = {(3, 3), (3, 4)}
INFLUENCE = {(4, 4), (4, 5)}
"""Lines of corner points that are played for one or the other. 3-5 is played for both."""


def _point(text: str) -> int:
    return (ord(text[1]) - 97) * 19 + ord(text[0]) - 97


@cache
def _formations() -> tuple[tuple[str, frozenset[int], frozenset[int]], ...]:
    """Return all formations in all orientations."""
    found: dict[tuple[str, frozenset[int], frozenset[int]], None] = {}
    for name, own, other in FORMATIONS:
        for image in symmetries(19):
            turned = [frozenset(image[_point(text)] for text in points) for points in (own, other)]
            found[name, turned[0], turned[1]] = None
    return tuple(found)


def names(black: frozenset[int], white: frozenset[int], size: int = 19) -> tuple[str, ...]:
    """Return the names of formations of both sides, such as "Black nirensei"; there are none on other sizes."""
    found: dict[str, None] = {}
    if size == 19:
        for side, own, other in (("Black", black, white), ("White", white, black)):
            mine = {name: None for name, stones, against in _formations() if stones <= own and against <= other}
            if "sanrensei" in mine:
                mine.pop("nirensei", None)
            found.update({f"{side} {name}": None for name in mine})
    return tuple(found)


def lean(black: frozenset[int], white: frozenset[int], size: int = 19) -> str:
    """Return whether more corner stones of both sides are for territory, or for influence, or neither."""
    score = 0
    for point in black | white:
        row, col = divmod(point, size)
        lines = sorted((min(row, size - 1 - row) + 1, min(col, size - 1 - col) + 1))
        score += ((lines[0], lines[1]) in INFLUENCE) - ((lines[0], lines[1]) in TERRITORY)
    return "influence" if score > 0 else "territory" if score < 0 else "balanced"
