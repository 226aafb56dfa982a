"""Games worked out for the store: changes, notes of the opening, and a digest that is the same for all symmetries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from kibitz.games.go.kernel.board import new_board, random_words
from kibitz.games.go.records.replay import REASONS, replay
from kibitz.games.go.records.replay_kernel import RETAKES
from kibitz.games.go.records.search import changes_kernel as kernel
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.sgf.record import MOVE, PASS, SETUP
from kibitz.games.go.sgf.scan import ScannedGames

SHORT = 20
"""Games of fewer plays are the same only if their players and dates are the same too."""


@dataclass
class Worked:
    """What is made of some games."""

    games: ScannedGames
    kept: Any
    """int64 [game]: how many plays are legal"""
    problems: dict[int, str]
    """Game -> which of its moves is illegal, and how far it was kept."""
    changes: list[Any]
    """uint16 arrays, one for each game, see changes_kernel.py"""
    rings: list[Any]
    """The same"""
    notes: Any
    """uint32 [game, NOTES]"""
    turned: Any
    """uint16: plays as the least of their symmetries, from games.first on"""

    def illegal(self, game: int) -> str | None:
        """Return which move of a game is illegal, also one beside the board, or None."""
        beside = (problem.reason for problem in self.games.problems.get(game, ()) if problem.reason.startswith(MOVE))
        return self.problems.get(game) or next(beside, None)

    def digest(self, game: int, extra: bytes) -> int:
        """Return a digest of the plays, passes at the end left out; that of a short game is of extra too."""
        start = int(self.games.first[game])
        plays = self.turned[start : start + int(self.kept[game])]
        n = len(plays)
        while n and plays[n - 1] & PASS == PASS:
            n -= 1
        hashed = blake2b(plays[:n].tobytes(), digest_size=8, salt=bytes([int(self.games.sizes[game])]))
        if n < SHORT:
            hashed.update(b"\0" + extra)
        return int.from_bytes(hashed.digest(), "little", signed=True)


def work_out(games: ScannedGames) -> Worked:
    """Play games up to their first impossible move and return what the store keeps of them.

    A ko that is retaken at once is reported, but the record goes on: usually a
    threat and its answer were left out.
    """
    legal, illegal = replay(games)
    kept, reasons = replay(games, retakes=True) if RETAKES in illegal else (legal, illegal)
    n, total = len(games), len(games.plays)
    made = kernel.Made(
        changes=np.zeros(2 * total + 1, np.uint16),
        rings=np.zeros(2 * total + 1, np.uint16),
        counts=np.zeros(n, np.int64),
        turned=np.zeros(total, np.uint16),
        notes=np.zeros((n, kernel.NOTES), np.uint32),
        last=np.zeros(MAX_BOARD_SIZE * MAX_BOARD_SIZE, np.int64),
        hashes=np.zeros((5, 16), np.int64),
        stones=np.zeros(5, np.int64),
        over=np.zeros(5, np.int64),
    )
    for size in np.unique(games.sizes).tolist():
        which = np.flatnonzero(games.sizes == size).astype(np.int64)
        kernel.change_games(new_board(size), games.plays, games.first, which, kept, tables(size), made)
    starts = 2 * games.first[:-1]
    spans = list(zip(starts.tolist(), (starts + np.asarray(made.counts)).tolist(), strict=True))
    changes, rings = [made.changes[a:b] for a, b in spans], [made.rings[a:b] for a, b in spans]
    problems = {
        game: _problem(games.plays_of(game), int(legal[game]), int(illegal[game]), bool(reasons[game]))
        for game in np.flatnonzero(illegal).tolist()
    }
    return Worked(games, kept, problems, changes, rings, made.notes, made.turned)


def _problem(plays: Any, legal: int, reason: int, ends: bool) -> str:
    number = int(np.count_nonzero(plays[:legal] & SETUP == 0)) + 1
    kept = "kept up to there" if reason != RETAKES else "kept up to an impossible move" if ends else "kept all the same"
    return f"move {number} is illegal: {REASONS[reason]}; {kept}"


@lru_cache(maxsize=MAX_BOARD_SIZE)
def tables(size: int) -> kernel.Tables:
    """Return the symmetries of a board, numbered as in turn(), and the keys of its stones."""
    points = np.arange(size * size).reshape(size, size)
    images = np.zeros((8, size * size), np.int64)
    for image in range(8):
        turned = turn(points, image)
        images[image, turned.reshape(-1)] = np.arange(size * size)
    words = random_words(31, 2 * MAX_BOARD_SIZE * MAX_BOARD_SIZE).reshape(MAX_BOARD_SIZE * MAX_BOARD_SIZE, 2)
    return kernel.Tables(images, _keys(words, images), _corners(size), corner_keys())


def turn(array: Any, image: int) -> Any:
    """Return a two-dimensional array under one of the eight symmetries: transposed if image has 4, then flipped."""
    if image & 4:
        array = array.T
    if image & 1:
        array = array[::-1]
    if image & 2:
        array = array[:, ::-1]
    return array


def _keys(words: Any, images: Any) -> Any:
    """Return [image, point, colour] keys for each image, and again with the colours swapped; that of EMPTY is 0."""
    n = len(images)
    keys = np.zeros((2 * n, images.shape[1], 3), np.int64)
    for image in range(n):
        for colour, other in ((BLACK, WHITE), (WHITE, BLACK)):
            keys[image, :, colour] = words[images[image], colour - 1]
            keys[n + image, :, colour] = words[images[image], other - 1]
    keys[:, :, EMPTY] = 0
    return keys


@lru_cache(maxsize=1)
def corner_keys() -> Any:
    """Return the keys of the cells of a corner, and mirrored; cell 7 a + b lies a and b lines from its edges."""
    cells = np.arange(kernel.CORNER**2)
    mirrored = cells % kernel.CORNER * kernel.CORNER + cells // kernel.CORNER
    return _keys(random_words(32, 2 * len(cells)).reshape(-1, 2), np.array([cells, mirrored]))


def _corners(size: int) -> Any:
    """Return which cell of each corner a point is; -1 where it lies outside."""
    low = np.arange(size)
    high = size - 1 - low
    found = np.full((4, size, size), -1, np.int64)
    for corner, (down, across) in enumerate(((low, low), (low, high), (high, low), (high, high))):
        cells = down[:, None] * kernel.CORNER + across[None, :]
        inside = (down[:, None] < kernel.CORNER) & (across[None, :] < kernel.CORNER)
        found[corner] = np.where(inside, cells, -1)
    return found.reshape(4, size * size)
