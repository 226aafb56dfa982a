"""Games in one small file, to fit a model where there is no store, and which of them no model may learn from.

A games file is an .npz. It holds the plays of every game as record.py writes
them, setup included, and of the heads only size and winner. It also says which
games are held out: a twentieth of them, told by the moves alone, so it does not
matter how files are named or in which order they come.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import open_atomically
from kibitz.games.go.records.store import DAMAGED, OtherVersion
from kibitz.games.go.rules.board import BLACK, WHITE

FORMAT, VERSION = "kibitz go games", 1
HELD_OUT_OF = 20
"""One game of so many is held out."""
_MAKE = "kibitz go games-file makes one"


def held_out(game_key: bytes) -> bool:
    """Return whether a game may not be learned from: it is kept for measuring what was learned.

    The key is the store's own, by which it knows duplicates: the eight bytes of
    its column `digests` for the game, as key_of returns them. It is the same for
    a game that was turned or mirrored.
    """
    return int.from_bytes(blake2b(game_key, digest_size=8).digest(), "little") % HELD_OUT_OF == 0


def key_of(digest: int) -> bytes:
    """Return the key of a game from the store's digest of it."""
    return int(digest).to_bytes(8, "little", signed=True)


@dataclass(frozen=True)
class GamesFile:
    """The games of a file; see sgf/record.py for plays."""

    plays: Any
    """uint16: the plays of all games, one after the other"""
    first: Any
    """int64 [games + 1]: where the plays of each game begin; at last, where they end"""
    sizes: Any
    """uint8 [games]"""
    winners: Any
    """uint8 [games]: BLACK, WHITE, or 0 where nobody won or it is not known"""
    digests: Any
    """int64 [games]: the store's digests"""

    def __len__(self) -> int:
        return len(self.sizes)

    def split(self, size: int = 19) -> tuple[Any, Any]:
        """Return the numbers of the games of a size to learn from, and of those held out."""
        held = np.array([held_out(key_of(digest)) for digest in self.digests.tolist()], bool)
        fits = self.sizes == size
        return np.flatnonzero(fits & ~held).astype(np.int64), np.flatnonzero(fits & held).astype(np.int64)

    def save(self, path: Path) -> None:
        """Write them to a file. Raises BadOption if it cannot be written."""
        about = json.dumps({"format": FORMAT, "version": VERSION, "games": len(self)})
        lengths = np.diff(self.first).astype(np.int32)
        # low and high bytes apart: they pack much better
        plays = np.stack([self.plays & 0xFF, self.plays >> 8]).astype(np.uint8)
        try:
            with open_atomically(path) as file:
                np.savez_compressed(
                    file, about=np.array(about), plays=plays, lengths=lengths, sizes=self.sizes, winners=self.winners,
                    digests=self.digests,
                )  # fmt: skip
        except OSError as error:
            raise BadOption(f"{path} cannot be written: {error.strerror}.") from None

    @staticmethod
    def load(path: Path) -> GamesFile:
        """Read a file. Raises BadText if it is no games file, a damaged one, or one of another version."""
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as held:
                about = json.loads(str(held["about"]))
                if about["format"] != FORMAT:
                    raise ValueError
                if about["version"] != VERSION:
                    raise OtherVersion
                low, high = held["plays"].astype(np.uint16)
                first = np.concatenate([[0], held["lengths"]]).cumsum().astype(np.int64)
                found = GamesFile(low | high << 8, first, held["sizes"], held["winners"], held["digests"])
            if int(first[-1]) != len(found.plays) or np.any(np.diff(first) < 0):
                raise ValueError
            if not len(found) == len(found.winners) == len(found.digests) == len(first) - 1:
                raise ValueError
        except OtherVersion:
            raise BadText(f"{path} holds games for another version of kibitz; {_MAKE} for this one.") from None
        except OSError as error:
            raise BadText(f"{path} cannot be opened: {error.strerror or error}.") from None
        except DAMAGED:
            raise BadText(f"{path} is no file of games, or a damaged one; {_MAKE}.") from None
        return found

    def spans(self, which: Any, colours: Any = BLACK | WHITE) -> Any:
        """Return where the plays of games begin and end, and whose moves count, as fit_kernel takes it.

        colours: BLACK, WHITE or both, for all games or for each.
        """
        columns = self.first[which], self.first[which + 1], np.broadcast_to(colours, len(which))
        return np.stack(columns, axis=1).astype(np.int64)


def from_store(folder: Path) -> GamesFile:
    """Return the games of a store. Raises BadText if there is none."""
    from kibitz.games.go.records.search.changes_kernel import LASTS, TAKEN
    from kibitz.games.go.records.store import Store

    store = Store(folder)
    changes = store.column("changes")
    is_play = changes & TAKEN == 0
    first = np.concatenate([[0], np.cumsum(is_play)])[store.first].astype(np.int64)
    plays = (changes[is_play] & (0xFFFF ^ LASTS)).astype(np.uint16)
    columns = [np.array(store.column(name)) for name in ("sizes", "winners", "digests")]
    return GamesFile(plays, first, *columns)


def from_records(paths: Sequence[Path]) -> GamesFile:
    """Return the games of files, folders and archives of SGF, each once, up to their first impossible move."""
    from kibitz.games.go.records.importing import import_records

    with TemporaryDirectory() as folder:
        import_records(paths, Path(folder))
        return from_store(Path(folder))


def read_games(paths: Sequence[Path]) -> GamesFile:
    """Return the games of a store, of a games file, or of files, folders and archives of SGF.

    Raises BadOption if there are none.
    """
    from kibitz.games.go.records.store import MANIFEST

    one, games = paths[0], None
    if len(paths) == 1 and (one / MANIFEST).exists():
        games = from_store(one)
    elif len(paths) == 1 and one.suffix == ".npz" and one.is_file():
        games = GamesFile.load(one)
    else:
        with suppress(BadText):  # nothing was imported
            games = from_records(paths)
    if games is None or not len(games):
        raise BadOption(f"There is no game of Go that can be read in {', '.join(map(str, paths))}.")
    return games
