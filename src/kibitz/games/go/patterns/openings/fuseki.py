"""Fuseki: the first moves of games by their order, and by the board that they lead to, modulo symmetry.

Games with setup stones, and those that are shorter, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int16Array, Int64Array, Ints
from kibitz.compiled.jit import entry
from kibitz.core.errors import BadOption
from kibitz.games.go.patterns.kernels.full import hashed_board, opening_keys
from kibitz.games.go.patterns.kernels.windows import GameSpans
from kibitz.games.go.patterns.mining.windows import spans_of
from kibitz.games.go.patterns.openings.trees import NO_MOVE, MoveTree, build_tree, group_figures, least_images
from kibitz.games.go.records.changes import symmetry_tables
from kibitz.games.go.records.layout import COLOUR, TAKEN, point_of
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.rules.board import BLACK, WHITE, Board
from kibitz.games.go.rules.geometry import symmetries
from kibitz.games.go.rules.text import point_text
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

MAX_FUSEKI_MOVES = 60
COUNTED_BY = ("order", "state")
UPPER_RIGHT = 6
"""The symmetry that takes the least points, those of the upper left, to where players show the first move."""


@dataclass(frozen=True)
class Fuseki:
    """An opening that was played."""

    moves: tuple[tuple[int, int], ...]  # colour and point of each move; by state, in the order of one game
    count: int
    black_won: int
    decided: int
    first_year: int
    last_year: int
    game: int  # a game that began like this, from 1
    names: tuple[str, ...]
    lean: str  # territory, influence or balanced

    def text(self, size: int) -> str:
        """Return the moves as in Q16 D4."""
        return " ".join(point_text(size, point) for _, point in self.moves)

    def rows(self, size: int) -> tuple[str, ...]:
        """Return the board after the moves as rows of signs."""
        board = Board.empty(size)
        for colour, point in self.moves:
            board = board.place(point, colour).board
        signs = "".join(".XO"[code] for code in board.points)
        return tuple(signs[at : at + size] for at in range(0, size * size, size))


@entry
def first_moves(moves: Ints, games: GameSpans) -> None:
    """Write the first moves of games, int16 [game, move]: 1024 * colour + point.

    They end with a pass. From where a game ends, and for all of a game with setup
    stones, NO_MOVE is written.
    """
    most = moves.shape[1]
    for game in range(len(games.starts)):
        made = 0
        for move in range(most):
            moves[game, move] = NO_MOVE
        for at in range(games.starts[game], games.ends[game]):
            change = games.changes[at]
            if change & SETUP:
                for move in range(made):
                    moves[game, move] = NO_MOVE
                break
            if change & TAKEN:
                continue
            if made == most or point_of(change) == PASS:
                break
            moves[game, made] = change & (COLOUR | PASS)
            made += 1


def openings_as_played(store: GameStore, games: Int64Array, moves: int) -> tuple[Int64Array, Int16Array]:
    """Return the games that have this many moves, and [game, move] these moves as in first_moves."""
    found = np.zeros((len(games), moves), np.int16)
    first_moves(found, spans_of(store, games))
    is_long = found[:, -1] != NO_MOVE
    return games[is_long], found[is_long]


def openings(store: GameStore, games: Int64Array, moves: int, size: int = 19) -> tuple[Int64Array, Int16Array]:
    """Return the games that have this many moves, and [game, move] these, in one orientation for all symmetries.

    The first move is in the upper right corner, on its right side.
    """
    if not 1 <= moves <= MAX_FUSEKI_MOVES:
        raise BadOption(f"A fuseki has 1 to {MAX_FUSEKI_MOVES} moves, not {moves}.")
    long_games, played = openings_as_played(store, games, moves)
    images = board_images(size)
    return long_games, images[UPPER_RIGHT][least_images(played, images)].astype(np.int16)


def rows_as_one(moves: Int16Array) -> NDArray[np.void]:
    """Return each row of moves as one value, which sorts faster than a row."""
    return np.ascontiguousarray(moves).view(np.dtype((np.void, moves.itemsize * moves.shape[1]))).reshape(-1)


def board_images(size: int) -> Int64Array:
    """Return [symmetry, 1024 * colour + point] what each move becomes."""
    images = np.zeros((8, 3 << POINT_BITS), np.int64)
    for colour in (BLACK, WHITE):
        start = colour << POINT_BITS
        images[:, start : start + size * size] = start + symmetry_tables(size).images
    return images


def fuseki(
    store: GameStore, games: Int64Array, moves: int = 10, by: str = "order", size: int = 19, min_count: int = 2
) -> list[Fuseki]:
    """Return the openings of games that were played at least min_count times, the most played first.

    Raise BadOption if by is neither order nor state.
    """
    if by not in COUNTED_BY:
        raise BadOption(f"Fuseki are counted by {' or by '.join(COUNTED_BY)}, not {by[:20]!r}.")
    games, first = openings(store, games, moves, size)
    if by == "order":
        _, numbers = np.unique(rows_as_one(first), return_inverse=True)
    else:
        keys = np.zeros(len(games), np.int64)
        opening_keys(hashed_board(size), spans_of(store, games), moves, keys)
        _, numbers = np.unique(keys, return_inverse=True)
    winners, years = store.column("winners")[games], store.column("years")[games]
    results = np.where(winners == 0, -1, winners == BLACK)
    groups = group_figures(numbers, np.arange(len(games)), numbers.max(initial=-1) + 1, results, years)
    order = np.lexsort((groups.example, -groups.counts))
    found = []
    for at in order[groups.counts[order] >= min_count].tolist():
        count, won, decided, first_year, last_year, example = (int(column[at]) for column in groups)
        line = tuple((code >> POINT_BITS, code & PASS) for code in first[example].tolist())
        black, white = (frozenset(point for colour, point in line if colour == side) for side in (BLACK, WHITE))
        about = names(black, white, size), lean(black, white, size)
        found.append(Fuseki(line, count, won, decided, first_year, last_year, int(games[example]) + 1, *about))
    return found


def fuseki_tree(
    store: GameStore, games: Int64Array, moves: int = 10, size: int = 19, min_count: int = 5
) -> tuple[Int64Array, MoveTree]:
    """Return the openings of games as a tree, and the games that its examples are rows of."""
    games, first = openings(store, games, moves, size)
    winners = store.column("winners")[games]
    results = np.where(winners == 0, -1, winners == first[:, 0] >> POINT_BITS)
    return games, build_tree(first, results, store.column("years")[games], min_count)


FORMATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("sanrensei", ("pd", "pj", "pp"), ()),
    ("nirensei", ("pd", "pp"), ()),
    ("Chinese", ("pd", "pq", "qk"), ()),
    ("high Chinese", ("pd", "pq", "pk"), ()),
    ("Kobayashi", ("pd", "pq", "fq", "jp"), ("dp",)),
    ("Kobayashi", ("pd", "pq", "fq", "iq"), ("dp",)),
    ("Shusaku", ("qd", "pq", "cp"), ()),
)
"""Name, stones of the side that has it, and stones that the opponent must have. Shusaku's are three 3-4 points, each
turned by a quarter from the one before. A sanrensei contains a nirensei, which is then not named."""
TERRITORY = {(3, 3), (3, 4)}
INFLUENCE = {(4, 4), (4, 5)}  # lines of corner points that are played for one or the other; 3-5 is played for both


@cache
def _formations() -> tuple[tuple[str, frozenset[int], frozenset[int]], ...]:
    """Return all formations in all orientations."""
    found: dict[tuple[str, frozenset[int], frozenset[int]], None] = {}
    for name, *sides in FORMATIONS:
        points = [[(ord(text[1]) - 97) * 19 + ord(text[0]) - 97 for text in side] for side in sides]
        for image in symmetries(19):
            own, other = (frozenset(image[point] for point in side) for side in points)
            found[name, own, other] = None
    return tuple(found)


def names(black: frozenset[int], white: frozenset[int], size: int = 19) -> tuple[str, ...]:
    """Return the formations of both sides, such as "Black nirensei"; only 19x19 boards have any."""
    found: dict[str, None] = {}
    if size == 19:
        for side, own, other in (("Black", black, white), ("White", white, black)):
            mine = {name: None for name, stones, against in _formations() if stones <= own and against <= other}
            if "sanrensei" in mine:
                mine.pop("nirensei", None)
            found.update({f"{side} {name}": None for name in mine})
    return tuple(found)


def lean(black: frozenset[int], white: frozenset[int], size: int = 19) -> str:
    """Return whether the corner stones of both sides lean to territory, to influence, or are balanced."""
    score = 0
    for point in black | white:
        row, col = divmod(point, size)
        lines = sorted((min(row, size - 1 - row) + 1, min(col, size - 1 - col) + 1))
        score += ((lines[0], lines[1]) in INFLUENCE) - ((lines[0], lines[1]) in TERRITORY)
    return "influence" if score > 0 else "territory" if score < 0 else "balanced"
