"""How often a move was played in a corner position, in a store of games, and how often it won: joseki by numbers.

A corner is a square of CORNER_LINES lines. Moves elsewhere and the order of moves do not matter, a corner may be
mirrored in its diagonal, and either colour may be to move. Games with setup stones are left out.
"""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kibitz.compiled.folder import cache_root
from kibitz.core.errors import KibitzError
from kibitz.games.go.rules import EMPTY, Board, Colour, Point

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kibitz.games.go.records.store import GameStore

SIZE, CORNER_LINES = 19, 9
LAST_MOVE = 100
"""Moves of a game after this one do not count: in a corner they are seldom joseki."""
GAMES_PER_BATCH = 4096
VERSION = 1  # raise it when the table changes
_LOCK = threading.Lock()
"""Held while the corner moves of a store are counted."""


class CornerFigures(NamedTuple):
    """How often a move was played in a corner position."""

    times: int
    wins: int
    decided: int
    """Of these games, those with a winner."""
    total: int
    """How often this side played any move next in this corner position."""
    has_stones: bool
    """Whether the corner had stones."""


class Corners:
    """The corner moves of a store, sorted by position."""

    def __init__(self, store: GameStore) -> None:
        import numpy as np

        name = f"{store.folder.resolve()} {store.manifest.commits} {VERSION}"
        path = cache_root() / f"go-corners-{blake2b(name.encode(), digest_size=8).hexdigest()}.npy"
        try:
            self._rows = np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError):
            self._rows = _count(store)
            _save(self._rows, path)

    def figures(self, board: Board, point: Point, colour: Colour) -> CornerFigures | None:
        """Return how often a move was played, or None if it is in no corner, or never was."""
        import numpy as np

        corner = _corner(board, point, colour)
        if corner is None:
            return None
        key, cell = corner  # a corner without stones has key 0
        keys = self._rows["key"]
        here = self._rows[slice(*(np.searchsorted(keys, np.int64(key), side) for side in ("left", "right")))]
        found = here[here["cell"] == cell]
        if not len(found):
            return None
        count, wins, decided = (int(found[name][0]) for name in ("count", "wins", "decided"))
        return CornerFigures(count, wins, decided, int(here["count"].sum()), key != 0)


@lru_cache(maxsize=2)
def _corners(folder: Path, commits: int) -> Corners:
    from kibitz.games.go.records.store import GameStore

    return Corners(GameStore(folder))


def corners_at_hand() -> Corners | None:
    """Return the corner moves of the user's own store, or else of the masters' games if they were ever opened.

    None if there is neither, or it cannot be read. The first call after an import counts the moves of all games.
    """
    from kibitz.games.go.records.masters import masters_folder
    from kibitz.games.go.records.store import MANIFEST, default_folder, read_manifest

    folder = next((each for each in (default_folder(), masters_folder()) if (each / MANIFEST).exists()), None)
    if folder is None:
        return None
    try:
        with _LOCK:
            return _corners(folder, read_manifest(folder).commits)
    except KibitzError:
        return None


@lru_cache(maxsize=1)
def _codes() -> NDArray[np.int64]:
    """Return random numbers as [0 the mover's stone or 1 the opponent's, cell of a corner]."""
    import numpy as np

    return np.random.default_rng(2013).integers(-(1 << 62), 1 << 62, (2, CORNER_LINES**2))


def _corner(board: Board, point: Point, colour: Colour) -> tuple[int, int] | None:
    """Return the key of the corner that a point lies in, and the cell of the point there; None if it lies in none."""
    far = SIZE - 1
    down, across = divmod(point, SIZE)
    flip_down, flip_across = down > far - down, across > far - across
    down, across = min(down, far - down), min(across, far - across)
    if board.size != SIZE or max(down, across) >= CORNER_LINES:
        return None
    codes, keys = _codes().tolist(), [0, 0]
    for a in range(CORNER_LINES):
        for b in range(CORNER_LINES):
            code = board.points[(far - a if flip_down else a) * SIZE + (far - b if flip_across else b)]
            if code != EMPTY:
                side = codes[code != colour]
                keys[0] ^= side[a * CORNER_LINES + b]
                keys[1] ^= side[b * CORNER_LINES + a]
    cells = down * CORNER_LINES + across, across * CORNER_LINES + down
    return min(zip(keys, cells, strict=True))


def _count(store: GameStore) -> NDArray[np.void]:
    """Return the corner moves of a store with their figures, sorted by position."""
    import numpy as np

    games = np.flatnonzero(store.column("sizes") == SIZE)
    parts = [_corner_moves(store, games[at : at + GAMES_PER_BATCH]) for at in range(0, len(games), GAMES_PER_BATCH)]
    keys, cells, results = (
        (np.concatenate(columns) for columns in zip(*parts, strict=True)) if parts else (np.zeros(0, np.int64),) * 3
    )
    order = np.lexsort((cells, keys))
    keys, cells, results = keys[order], cells[order], results[order]
    is_first = np.ones(len(keys), bool)
    is_first[1:] = (keys[1:] != keys[:-1]) | (cells[1:] != cells[:-1])
    starts = np.flatnonzero(is_first)
    dtype = [("key", "<i8"), ("cell", "<i2"), ("count", "<i4"), ("wins", "<i4"), ("decided", "<i4")]
    rows = np.zeros(len(starts), dtype)
    rows["key"], rows["cell"] = keys[starts], cells[starts]
    rows["count"] = np.diff(starts, append=len(keys))
    if len(starts):
        rows["wins"], rows["decided"] = np.add.reduceat(results == 1, starts), np.add.reduceat(results >= 0, starts)
    return rows


def _corner_moves(
    store: GameStore, games: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the key, the cell and the result of each corner move of some games.

    The result is 1 if the player of the move won the game, 0 if the opponent did, -1 if there is no winner.
    """
    import numpy as np

    from kibitz.games.go.records.layout import TAKEN
    from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

    first, changes = store.first, store.column("changes")
    lengths = np.minimum(first[games + 1] - first[games], 2 * LAST_MOVE)
    game = np.repeat(games, lengths)
    starts = np.cumsum(lengths) - lengths
    at = np.arange(len(game)) - np.repeat(starts, lengths)
    change = changes[first[game] + at].astype(np.int64)
    is_move = change & TAKEN == 0
    moves_before = np.cumsum(is_move)
    number = moves_before - np.repeat(moves_before[starts] - is_move[starts], lengths) if len(game) else moves_before
    has_setup = np.zeros(len(store), bool)
    has_setup[game[change & SETUP != 0]] = True
    point, colour = change & PASS, change >> POINT_BITS & 3
    last_move = np.maximum.accumulate(np.where(is_move, np.arange(len(game)), 0))
    mover = colour[last_move]
    colour = np.where(is_move, colour, 3 - mover)  # of a captured stone
    down, across = np.divmod(point, SIZE)
    corner = 2 * (down > SIZE - 1 - down) + (across > SIZE - 1 - across)
    down, across = np.minimum(down, SIZE - 1 - down), np.minimum(across, SIZE - 1 - across)
    chosen = (point < SIZE * SIZE) & (np.maximum(down, across) < CORNER_LINES) & (number <= LAST_MOVE)
    chosen = np.flatnonzero(chosen & ~has_setup[game])
    chosen = chosen[np.argsort(4 * game[chosen] + corner[chosen], kind="stable")]
    down, across, colour, mover = down[chosen], across[chosen], colour[chosen], mover[chosen]
    group, codes = 4 * game[chosen] + corner[chosen], _codes()
    cells = down * CORNER_LINES + across, across * CORNER_LINES + down
    keys = np.zeros((2, len(chosen)), np.int64)
    for mirrored, cell in enumerate(cells):
        for side in (1, 2):  # the mover
            seen = _before(codes[(colour != side).astype(np.int64), cell], group)
            keys[mirrored] = np.where(mover == side, seen, keys[mirrored])
    use_mirror = (keys[1] < keys[0]) | ((keys[1] == keys[0]) & (cells[1] < cells[0]))
    key, cell = np.where(use_mirror, keys[1], keys[0]), np.where(use_mirror, cells[1], cells[0])
    winner, is_move = store.column("winners")[game[chosen]], is_move[chosen]
    result = np.where(winner == 0, -1, winner == mover)
    return key[is_move], cell[is_move], result[is_move]


def _before(codes: NDArray[np.int64], group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each element the exclusive or of those before it in its group."""
    import numpy as np

    if not len(codes):
        return codes
    upto = np.bitwise_xor.accumulate(codes) ^ codes  # of all elements before
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    found: NDArray[np.int64] = upto ^ np.repeat(upto[starts], np.diff(starts, append=len(group)))
    return found


def _save(rows: NDArray[np.void], path: Path) -> None:
    """Write the table to the cache, if that is possible."""
    import numpy as np

    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".npy", delete=False) as file:
            np.save(file, rows)
        os.replace(file.name, path)
