"""Prepare scanned games for a store: their changes, notes of the opening, and a digest that all symmetries share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Int64Array, Uint16Array, Uint32Array
from kibitz.games.go.kernel.board import new_board, random_words
from kibitz.games.go.records import changes_kernel as kernel
from kibitz.games.go.records.replay import REASONS, RETAKES, replay
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.sgf.record import MOVE, PASS, SETUP
from kibitz.games.go.sgf.scan import ScannedGames

SHORT_GAME_PLAYS = 20  # shorter games are duplicates only if players and date also agree
_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass
class PreparedGames:
    """What a store keeps of games."""

    games: ScannedGames
    legal: Int64Array  # [game]: the number of plays that are kept
    problems: dict[int, str]  # game -> its first illegal move, and how far the game was kept
    changes: list[Uint16Array]  # one array for each game, see layout.py
    notes: Uint32Array  # [game, NOTES_PER_GAME]
    oriented: Uint16Array  # the plays in the least of their symmetries, indexed by games.first

    def illegal_move(self, game: int) -> str | None:
        """Describe the first move of a game that is illegal or off the board, and why; return None if there is none."""
        outside = (problem.reason for problem in self.games.problems.get(game, ()) if problem.reason.startswith(MOVE))
        return self.problems.get(game) or next(outside, None)

    def digest(self, game: int, head: bytes) -> int:
        """Return a digest of a game's plays without passes at the end, and of its head if the game is short."""
        start = int(self.games.first[game])
        plays = self.oriented[start : start + int(self.legal[game])]
        n = len(plays)
        while n and plays[n - 1] & PASS == PASS:
            n -= 1
        hashed = blake2b(plays[:n].tobytes(), digest_size=8, salt=bytes([int(self.games.sizes[game])]))
        if n < SHORT_GAME_PLAYS:
            hashed.update(b"\0" + head)
        return int.from_bytes(hashed.digest(), "little", signed=True)


def prepare_games(games: ScannedGames) -> PreparedGames:
    """Play games up to their first impossible move and return what a store keeps of them.

    Report a ko that is retaken at once, but continue: usually the record omits a threat and its answer.
    """
    strict = replay(games)
    lenient = replay(games, allow_retakes=True) if RETAKES in strict.reasons else strict
    n, total = len(games), len(games.plays)
    changes = np.zeros(2 * total + 1, np.uint16)
    oriented, notes = np.zeros(total, np.uint16), np.zeros((n, kernel.NOTES_PER_GAME), np.uint32)
    counts = np.zeros(n, np.int64)
    regions = kernel.REGIONS
    for size in np.unique(games.sizes).tolist():
        chosen = np.flatnonzero(games.sizes == size)
        work = kernel.WorkArrays(
            symmetry_tables(size), changes, counts, oriented, notes,
            last=np.zeros(size * size, np.int64), hashes=np.zeros((regions, kernel.IMAGES), np.int64),
            stones=np.zeros(regions, np.int64), passed_limit=np.zeros(regions, np.int64),
        )  # fmt: skip
        kernel.change_games(new_board(size), games.plays, games.first, chosen, lenient.legal, work)
    starts = 2 * games.first[:-1]
    spans = list(zip(starts.tolist(), (starts + counts).tolist(), strict=True))
    problems = {
        game: _describe_illegal(
            games, game, int(strict.legal[game]), int(strict.reasons[game]), bool(lenient.reasons[game])
        )
        for game in np.flatnonzero(strict.reasons).tolist()
    }
    return PreparedGames(games, lenient.legal, problems, [changes[a:b] for a, b in spans], notes, oriented)


def _describe_illegal(games: ScannedGames, game: int, legal_plays: int, reason: int, is_cut: bool) -> str:
    """Describe the move after the legal plays, with the reason why it is illegal and how much of the game is kept."""
    number = int(np.count_nonzero(games.plays_of(game)[:legal_plays] & SETUP == 0)) + 1
    kept = "kept up to there" if reason != RETAKES else "kept up to an impossible move" if is_cut else "kept anyway"
    return f"move {number} is illegal: {REASONS[reason]}; {kept}"


@lru_cache(maxsize=MAX_BOARD_SIZE)
def symmetry_tables(size: int) -> kernel.SymmetryTables:
    """Return the symmetries of a board, numbered as in turn(), and the hash keys of its stones."""
    points = np.arange(size * size).reshape(size, size)
    images = np.array([np.argsort(turn(points, image).reshape(-1)) for image in range(8)])
    words = random_words(31, 2 * MAX_BOARD_SIZE * MAX_BOARD_SIZE).reshape(MAX_BOARD_SIZE * MAX_BOARD_SIZE, 2)
    return kernel.SymmetryTables(images, _stone_keys(words, images), _corner_cells(size), corner_keys())


def turn(array: NDArray[_Scalar], image: int) -> NDArray[_Scalar]:
    """Return a two-dimensional array under one of the eight symmetries.

    Bit 2 of image transposes it; after that, bit 0 flips it upside down and bit 1 mirrors it left to right.
    """
    if image & 4:
        array = array.T
    if image & 1:
        array = array[::-1]
    if image & 2:
        array = array[:, ::-1]
    return array


def _stone_keys(words: Int64Array, images: Int64Array) -> Int64Array:
    """Return the hash keys of stones, [image, point, colour]: for each image, then again with the colours swapped."""
    plain = words[images]
    # the padding adds a colour before Black: EMPTY, with key 0
    return np.pad(np.concatenate([plain, plain[:, :, ::-1]]), ((0, 0), (0, 0), (1, 0)))


@lru_cache(maxsize=1)
def corner_keys() -> Int64Array:
    """Return the hash keys of stones in a corner: [image, cell, colour], with the cells of _corner_cells.

    Images 0 and 1 are the corner as it is and mirrored in its diagonal, 2 and 3 the same with the colours swapped.
    """
    lines = kernel.CORNER_LINES
    cells = np.arange(lines**2)
    mirrored = cells % lines * lines + cells // lines
    return _stone_keys(random_words(32, 2 * len(cells)).reshape(-1, 2), np.array([cells, mirrored]))


def _corner_cells(size: int) -> Int64Array:
    """Return which cell of a corner each point of the board is, for each of the four corners: [corner, point].

    A corner is a square of CORNER_LINES by CORNER_LINES points, its cells. Of the two edges of
    the board that meet there, cell a * CORNER_LINES + b lies a lines from the upper or lower one, and b lines from the
    left or right one. A point outside the corner has -1.
    """
    lines, distances = kernel.CORNER_LINES, np.arange(size)
    from_either_side = (distances, distances[::-1])
    from_edges = [(down[:, None], across) for down in from_either_side for across in from_either_side]
    cells = [np.where((a < lines) & (b < lines), a * lines + b, -1) for a, b in from_edges]
    return np.array(cells).reshape(4, size * size)
