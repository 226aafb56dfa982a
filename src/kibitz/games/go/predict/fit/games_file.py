"""Games in one small file, to fit a model where there is no store; and which games are held out from learning.

A games file is an .npz with the plays of every game as sgf/record.py writes them, including setup, and from the headers
only size and winner. One game in twenty is held out. The moves alone decide which, so the names and order of files do
not matter.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from kibitz.compiled.arrays import BoolArray, Int64Array, Uint8Array, Uint16Array
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import open_atomically
from kibitz.games.go.records.layout import PLAY, TAKEN
from kibitz.games.go.records.store import MANIFEST, GameStore, open_npz
from kibitz.games.go.rules.board import BLACK, WHITE

_EXPECTED = {"format": "kibitz go games", "version": 1}
GAMES_PER_HELD_OUT = 20  # one game of this many is held out


def held_out(game_key: bytes) -> bool:
    """Return whether a game is held out from training, to measure models on it.

    game_key: the eight bytes that key_of makes of the store's column `digests`, by which the store recognises
    duplicates. Rotations and reflections of a game have the same key, so they are held out together.
    """
    return int.from_bytes(blake2b(game_key, digest_size=8).digest(), "little") % GAMES_PER_HELD_OUT == 0


def key_of(digest: int) -> bytes:
    """Return the key of a game from its digest in the store."""
    return digest.to_bytes(8, "little", signed=True)


@dataclass(frozen=True)
class GamesFile:
    """The games of a file; see sgf/record.py for plays."""

    plays: Uint16Array  # the plays of all games, one after the other
    first: Int64Array  # [games + 1]: where the plays of each game begin; the last entry is where they end
    sizes: Uint8Array  # [games]
    winners: Uint8Array  # [games]: BLACK, WHITE, or 0 if nobody won or the winner is unknown
    digests: Int64Array  # [games]: the store's digests

    def __len__(self) -> int:
        return len(self.sizes)

    def plays_of(self, game: int) -> Uint16Array:
        """Return the plays of the game with this number."""
        return self.plays[self.first[game] : self.first[game + 1]]

    def held_out_mask(self) -> BoolArray:
        """Return for each game whether it is held out."""
        return np.array([held_out(key_of(digest)) for digest in self.digests.tolist()], bool)

    def split(self, size: int = 19) -> tuple[Int64Array, Int64Array]:
        """Return the numbers of the games of a board size to train on, and of those held out."""
        held, fits = self.held_out_mask(), self.sizes == size
        return np.flatnonzero(fits & ~held).astype(np.int64), np.flatnonzero(fits & held).astype(np.int64)

    def spans(self, selected: Int64Array, colours: int | Int64Array = BLACK | WHITE) -> Int64Array:
        """Return where the plays of each game begin and end, and the colours whose moves count, as [game, 3].

        colours: BLACK, WHITE or BLACK | WHITE, for all games or one per game.
        """
        columns = self.first[selected], self.first[selected + 1], np.broadcast_to(colours, len(selected))
        return np.ascontiguousarray(np.stack(columns, axis=1), np.int64)

    def save(self, path: Path) -> None:
        """Write the games to a file. Raise BadOption if it cannot be written."""
        about = json.dumps({**_EXPECTED, "games": len(self)})
        lengths = np.diff(self.first).astype(np.int32)
        # low and high bytes separately: they compress much better
        plays = np.stack([self.plays & 0xFF, self.plays >> 8]).astype(np.uint8)
        try:
            with open_atomically(path) as file:
                np.savez_compressed(
                    file, about=np.array(about), plays=plays, lengths=lengths, sizes=self.sizes, winners=self.winners,
                    digests=self.digests,
                )  # fmt: skip
        except OSError as error:
            raise BadOption(f"Cannot write {path}: {error.strerror}.") from None

    @staticmethod
    def load(path: Path) -> GamesFile:
        """Read a games file. Raise BadText if it is damaged, of another version, or not a games file."""
        with open_npz(path, _EXPECTED, "a file of games", "Make one with kibitz go games-file.") as (_, arrays):
            low, high = arrays["plays"].astype(np.uint16)
            first = np.concatenate([[0], arrays["lengths"]]).cumsum().astype(np.int64)
            games = GamesFile(low | high << 8, first, arrays["sizes"], arrays["winners"], arrays["digests"])
            if int(first[-1]) != len(games.plays) or np.any(np.diff(first) < 0):
                raise ValueError
            if not len(games) == len(games.winners) == len(games.digests) == len(first) - 1:
                raise ValueError
        return games


def from_store(folder: Path) -> GamesFile:
    """Return the games of a store. Raise BadText if the folder has no store."""
    store = GameStore(folder)
    changes = store.column("changes")
    is_play = changes & TAKEN == 0
    first = np.concatenate([[0], np.cumsum(is_play)])[store.first].astype(np.int64)
    plays = (changes[is_play] & PLAY).astype(np.uint16)
    columns = [np.array(store.column(name)) for name in ("sizes", "winners", "digests")]
    return GamesFile(plays, first, *columns)


def from_records(paths: Sequence[Path]) -> GamesFile:
    """Return the games of SGF files, folders and archives, without duplicates, each up to its first illegal move."""
    from kibitz.games.go.records.importing import import_records

    with TemporaryDirectory() as folder:
        import_records(paths, Path(folder))
        return from_store(Path(folder))


def read_games(paths: Sequence[Path]) -> GamesFile:
    """Return the games of a store, of a games file, or of SGF files, folders and archives.

    Raise BadOption if there are none.
    """
    path, games = paths[0], None
    if len(paths) == 1 and (path / MANIFEST).exists():
        games = from_store(path)
    elif len(paths) == 1 and path.suffix == ".npz" and path.is_file():
        games = GamesFile.load(path)
    else:
        with suppress(BadText):  # nothing was imported
            games = from_records(paths)
    if games is None or not len(games):
        raise BadOption(f"No readable Go games in {', '.join(map(str, paths))}.")
    return games
