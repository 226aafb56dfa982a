"""Games of a store in which the pattern around a point was played."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kibitz.core.untrusted import JsonObject
from kibitz.games.go.patterns.windows import moves_of, played_windows, windows_around
from kibitz.games.go.records.store import GameStore
from kibitz.games.go.records.tables import heads
from kibitz.games.go.rules.board import Board

GAMES_PER_BATCH = 1000
MAX_SEARCHED_GAMES = 10_000  # search this many games for one pattern


class Examples:
    """Finds patterns in the games of a store, the latest added first."""

    def __init__(self, folder: Path) -> None:
        self.store = GameStore(folder)

    def of(self, board: Board, colour: int, point: int, shape: str, limit: int) -> list[JsonObject]:
        """Return up to limit games in which such a move was made, each with its number, the move and a line of text."""
        selected = np.flatnonzero(self.store.column("sizes") == board.size)
        (key,) = windows_around(board, colour, [point], shape)
        found: list[tuple[int, int]] = []
        for end in range(len(selected), max(len(selected) - MAX_SEARCHED_GAMES, 0), -GAMES_PER_BATCH):
            moves = moves_of(self.store, selected[max(end - GAMES_PER_BATCH, 0) : end])
            here = np.flatnonzero(played_windows(moves, shape, board.size) == key)
            found += zip((moves.games[here] + 1).tolist(), moves.numbers[here].tolist(), strict=True)
            if len(found) >= limit:
                break
        known = heads(self.store, [game for game, _ in found[:limit]])
        return [{"game": game, "move": move, "text": _text(known[game], game, move)} for game, move in found[:limit]]


def _text(head: JsonObject, game: int, move: int) -> str:
    players = f"{head['black'] or '?'} - {head['white'] or '?'}"
    date = f", {head['date']}" if head["date"] else ""
    return f"game {game}, move {move}: {players}{date}"
