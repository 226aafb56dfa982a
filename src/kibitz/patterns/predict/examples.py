"""Games of a store in which the pattern around a point was played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.games.go.board import EMPTY, Board
from kibitz.games.go.sgf.record import POINT_BITS, SETUP
from kibitz.patterns.mine.shapes import parse_shape
from kibitz.patterns.mine.windows import moves_of, played
from kibitz.patterns.mine.windows_kernel import played_keys
from kibitz.patterns.store import Store
from kibitz.patterns.tables import heads

BATCH = 1000
MOST = 10_000
"""So many games are looked at for one pattern."""


class Examples:
    """Looks for patterns in the games of a store, the latest added first."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)

    def of(self, board: Board, colour: int, point: int, shape: str, limit: int) -> list[dict[str, Any]]:
        """Return games, each with its number, the move and its head in one line, in which such a move was made."""
        which = np.flatnonzero(self.store.column("sizes") == board.size)
        key = key_around(board, colour, point, shape)
        found: list[tuple[int, int]] = []
        for end in range(len(which), max(len(which) - MOST, 0), -BATCH):
            moves = moves_of(self.store, which[max(end - BATCH, 0) : end])
            here = np.flatnonzero(played(self.store, moves, shape, board.size) == key)
            found += zip((moves.games[here] + 1).tolist(), moves.numbers[here].tolist(), strict=True)
            if len(found) >= limit:
                break
        known = heads(self.store, [game for game, _ in found[:limit]])
        return [{"game": game, "move": move, "text": _text(known[game], game, move)} for game, move in found[:limit]]


def key_around(board: Board, colour: int, point: int, shape: str) -> int:
    """Return the key of a window as windows_kernel has it: from a game that sets the board up and plays the point."""
    stones = [SETUP | code << POINT_BITS | at for at, code in enumerate(board.points) if code != EMPTY]
    changes = np.array([*stones, colour << POINT_BITS | point], np.uint16)
    chosen, keys = parse_shape(shape), np.zeros(1, np.int64)
    room = np.zeros((board.size + 2 * chosen.radius) ** 2, np.uint8)
    ends = np.array([len(changes)], np.int64)
    played_keys(chosen.window(board.size), changes, room, np.zeros(1, np.int64), ends, keys)
    return int(keys[0])


def _text(head: dict[str, Any], game: int, move: int) -> str:
    players = f"{head['black'] or '?'} - {head['white'] or '?'}"
    date = f", {head['date']}" if head["date"] else ""
    return f"game {game}, move {move}: {players}{date}"
