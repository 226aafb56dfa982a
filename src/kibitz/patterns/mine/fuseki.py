"""Fuseki: the first moves of games by their order, and by the board that they lead to, modulo symmetry.

Games with setup stones, and those that are shorter, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.games.go.board import BLACK, WHITE, Board
from kibitz.games.go.sgf.record import PASS, POINT_BITS
from kibitz.games.go.text import point_text
from kibitz.patterns.changes import tables
from kibitz.patterns.mine.full_kernel import IMAGES, opening_keys
from kibitz.patterns.mine.fuseki_names import lean, names
from kibitz.patterns.mine.openings_kernel import First, first_moves
from kibitz.patterns.mine.trees import NONE, Tree, build, least_images, tallied
from kibitz.patterns.mine.windows import bounds
from kibitz.patterns.store import Store

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
