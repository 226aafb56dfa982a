"""The store: a folder with all games as flat columns, and tables of their heads in Parquet that DuckDB reads.

Columns only grow at their ends. manifest.json says how much of each is valid
and which tables there are, and is replaced in one step, so a store is always as
it was after the last commit, whenever its writer was killed; what a killed
writer left behind the valid part is overwritten. Readers need no lock: what
they read never changes. One writer at a time holds the lock.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
import platformdirs

from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import try_lock
from kibitz.games.go.records.search.changes_kernel import COLOUR, LASTS, NOTES, TAKEN
from kibitz.games.go.rules.board import Board
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

VERSION = 1
MANIFEST, LOCK = "manifest.json", "lock"
FORMAT = "kibitz go store"
SOURCE = np.dtype([("digest", "V16"), ("games", "<u4"), ("skipped", "<u4")])
COLUMNS: dict[str, tuple[Any, int]] = {
    "changes": (np.dtype("<u2"), 1),
    "rings": (np.dtype("<u2"), 1),
    "ends": (np.dtype("<i8"), 1),
    "sizes": (np.dtype("u1"), 1),
    "winners": (np.dtype("u1"), 1),
    "years": (np.dtype("<i2"), 1),
    "digests": (np.dtype("<i8"), 1),
    "notes": (np.dtype("<u4"), NOTES),
    "sources": (SOURCE, 1),
}
"""Column -> its type, and how many of that a row has. Those of games are in step, and so are changes and rings."""
CHECKED = 4096
"""Games whose changes are looked over at a time."""
PER_GAME = ("ends", "sizes", "winners", "years", "digests", "notes")


def default_folder() -> Path:
    """Return where the store is if nothing is said: in $KIBITZ_DATA_DIR, or in the user's folder for data."""
    return Path(os.environ.get("KIBITZ_DATA_DIR") or platformdirs.user_data_dir("kibitz")) / "go"


@dataclass(frozen=True)
class Manifest:
    """What of a store is valid."""

    rows: dict[str, int]
    """Column -> how many rows."""
    tables: tuple[str, ...] = ()
    """Files with the heads of games, in the order of the games."""
    commits: int = 0

    @staticmethod
    def empty() -> Manifest:
        """Return that of a store without games."""
        return Manifest(dict.fromkeys(COLUMNS, 0))

    @property
    def games(self) -> int:
        """Return how many games there are."""
        return self.rows["ends"]

    def text(self) -> str:
        """Return it as it is kept."""
        kept = {"format": FORMAT, "version": VERSION, "commits": self.commits, "rows": self.rows, "tables": self.tables}
        return json.dumps(kept, indent=1) + "\n"


class _Spoilt(Exception):
    """Says what is wrong with a manifest."""


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a store. Raises BadText if there is no store, or none that this version can read."""
    path = folder / MANIFEST
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["format"] != FORMAT:
            raise _Spoilt("it is of something else")
        version = int(kept["version"])
        if version <= VERSION:
            rows = {name: int(kept["rows"][name]) for name in COLUMNS}
            in_step = {rows[name] for name in PER_GAME} == {rows["ends"]} and rows["rings"] == rows["changes"]
            if min(rows.values()) < 0 or not in_step:
                raise _Spoilt("its rows are not in step")
            tables = tuple(str(name) for name in kept["tables"])
            if any(Path(name).name != name for name in tables):
                raise _Spoilt("a table lies outside the store")
            return Manifest(rows, tables, int(kept["commits"]))
    except FileNotFoundError:
        raise BadText(f"There is no store in {folder}; kibitz go import makes one.") from None
    except OSError as error:
        raise BadText(f"The store in {folder} cannot be opened: {error.strerror}.") from None
    except _Spoilt as error:
        raise BadText(f"The store in {folder} is damaged: {MANIFEST} cannot be read ({error}).") from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise BadText(f"The store in {folder} is damaged: {MANIFEST} cannot be read.") from None
    raise BadText(
        f"The store in {folder} is of version {version}, but this kibitz knows versions up to {VERSION}; "
        "update kibitz, or name another folder with --store."
    )


def open_all(folder: Path) -> dict[str, tuple[IO[bytes], int]]:
    """Open the files of a store as it was after one commit; return each with how many of its bytes belong to that.

    Somebody may be adding to the store. Raises BadText if it is damaged. Comparisons of
    players are left out: they are made again.
    """
    while True:
        before, problem = read_manifest(folder), ""
        found: dict[str, tuple[IO[bytes], int]] = {}
        valid = {
            f"{name}.bin": rows * COLUMNS[name][0].itemsize * COLUMNS[name][1] for name, rows in before.rows.items()
        }
        names = [MANIFEST, *(path.name for path in folder.glob("*.duckdb")), *before.tables]
        try:
            for name in [*names, *(name for name, size in valid.items() if size)]:
                file = (folder / name).open("rb")
                size = os.fstat(file.fileno()).st_size
                found[name] = (file, valid.get(name, size))
                if size < found[name][1]:
                    problem = f"{name} is too short"
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}"
        is_same = read_manifest(folder) == before  # else there was a commit meanwhile, which may remove a table
        if is_same and not problem:
            return found
        for opened, _ in found.values():
            opened.close()
        if is_same:
            raise BadText(f"The store in {folder} is damaged: {problem}.")


class Store:
    """The games of a store as they were when it was opened. Games are numbered from 0 here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        self._columns: dict[str, Any] = {}

    def __len__(self) -> int:
        return self.manifest.games

    def column(self, name: str) -> Any:
        """Return a column, mapped from its file; it cannot be written to. Raises BadText if the file is too short."""
        if name not in self._columns:
            kind, width = COLUMNS[name]
            rows = self.manifest.rows[name]
            shape = (rows,) if width == 1 else (rows, width)
            try:
                array = (
                    np.memmap(self.folder / f"{name}.bin", kind, "r", shape=shape) if rows else np.zeros(shape, kind)
                )
            except (OSError, ValueError) as error:
                why = f": {error.strerror}" if isinstance(error, OSError) else " is too short"
                raise BadText(f"The store in {self.folder} is damaged: {name}.bin{why}.") from None
            plain = np.asarray(array).view(np.ndarray)
            plain.flags.writeable = False
            self._columns[name] = plain
        return self._columns[name]

    @cached_property
    def first(self) -> Any:
        """Return where the changes of each game begin; at last, where they end. Raises BadText if they cannot be."""
        first = np.concatenate([np.zeros(1, np.int64), self.column("ends")])
        if np.any(first[1:] < first[:-1]) or first[-1] != self.manifest.rows["changes"]:
            raise BadText(f"The store in {self.folder} is damaged: ends.bin does not fit the other columns.")
        if not _lie_on_boards(self.column("changes"), first, self.column("sizes")):
            raise BadText(f"The store in {self.folder} is damaged: changes.bin has points that are not on the board.")
        return first

    def changes_of(self, game: int) -> Any:
        """Return the changes of a game. Raises BadOption if there is no such game."""
        if not 0 <= game < len(self):
            raise BadOption(f"The store has games 1 to {len(self)}; there is no game {game + 1}.")
        return self.column("changes")[self.first[game] : self.first[game + 1]]

    def plays_of(self, game: int) -> Any:
        """Return the plays of a game as its record had them, see record.py."""
        changes = self.changes_of(game)
        return changes[changes & TAKEN == 0] & (0xFFFF ^ LASTS)

    def moves_of(self, game: int) -> list[tuple[int, int]]:
        """Return colour and point of each move of a game; the point of a pass is PASS."""
        plays = self.plays_of(game)
        return [(play >> POINT_BITS & 3, play & PASS) for play in plays.tolist() if not play & SETUP]

    def board(self, game: int, move: int) -> Board:
        """Return the board after so many moves of a game. Raises BadOption if it has fewer."""
        changes = self.changes_of(game)
        size, number = int(self.column("sizes")[game]), 0
        points = bytearray(size * size)
        for change in changes.tolist():
            if not change & (SETUP | TAKEN):
                if number == move:
                    break
                number += 1
            if change & PASS != PASS:
                points[change & PASS] = change >> POINT_BITS & 3
        if not 0 <= move <= number:
            raise BadOption(f"Game {game + 1} has {number} moves, so there is no move {move}.")
        return Board(size, bytes(points))

    def prisoners(self, game: int, move: int) -> tuple[int, int]:
        """Return the stones that Black and White have captured after so many moves of a game."""
        counts, number, mover = [0, 0, 0], 0, 0
        for change in self.changes_of(game).tolist():
            if change & TAKEN:
                counts[mover] += 1
            elif not change & SETUP:
                if number == move:
                    break
                number, mover = number + 1, change >> POINT_BITS & 3
        return counts[1], counts[2]


def _lie_on_boards(changes: Any, first: Any, sizes: Any) -> bool:
    """Return whether all changes have a point of their board, or are passes, and a colour that there is."""
    if len(sizes) and not 1 <= sizes.min() <= sizes.max() <= MAX_BOARD_SIZE:
        return False
    for start in range(0, len(sizes), CHECKED):
        end = min(start + CHECKED, len(sizes))
        some, points = changes[first[start] : first[end]], sizes[start:end].astype(np.uint16) ** 2
        at = some & PASS
        beside = (at >= np.repeat(points, np.diff(first[start : end + 1]))) & (at != PASS)
        if np.any(beside | (some & COLOUR == COLOUR)):
            return False
    return True


class Writer:
    """The one who adds to a store. A context: it holds the lock until it is left."""

    def __init__(self, folder: Path) -> None:
        """Take the lock of a store, made if need be. Raises KibitzError if it cannot be had."""
        self.folder = folder
        self._files: dict[str, IO[bytes]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(folder / LOCK, "w", encoding="utf-8")  # noqa: SIM115  # held until close
        except OSError as error:
            reason = f"The store in {folder} cannot be written to: {error.strerror}"
            raise BadOption(f"{reason}; name another folder with --store.") from None
        if not try_lock(self._lock):
            self._lock.close()
            raise BadOption(f"Somebody is adding to the store in {folder} just now; try again when that is done.")
        try:
            self.manifest = read_manifest(folder) if (folder / MANIFEST).exists() else Manifest.empty()
            self._sweep()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give up the lock; what was not committed is lost."""
        for file in self._files.values():
            with suppress(OSError):  # on a full disk, what could not be written is tried once more
                file.close()
        self._files.clear()
        self._lock.close()

    def _sweep(self) -> None:
        """Remove what a killed writer left."""
        for path in [*self.folder.glob("games-*.parquet"), *self.folder.glob("*.part")]:
            if path.name not in self.manifest.tables:
                path.unlink(missing_ok=True)

    def column(self, name: str) -> Any:
        """Return the valid part of a column. Raises BadText if the file is too short."""
        return Store(self.folder).column(name) if self.manifest.rows[name] else np.zeros(0, COLUMNS[name][0])

    def commit(self, columns: dict[str, Any], write_table: Any) -> None:
        """Add rows to columns, and a table that write_table(path, earlier tables) writes, all in one step.

        write_table returns the names of the tables that are there then. Raises
        KibitzError, with the store as it was, if there is no room.
        """
        rows = dict(self.manifest.rows)
        try:
            for name, array in columns.items():
                self._write(name, array)
                rows[name] += len(array)
            name = f"games-{self.manifest.commits + 1:06d}.parquet"
            tables = write_table(self.folder / name, self.manifest.tables)
            manifest = Manifest(rows, tables, self.manifest.commits + 1)
            part = self.folder / f"{MANIFEST}.part"
            with open(part, "w", encoding="utf-8") as file:
                file.write(manifest.text())
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, self.folder / MANIFEST)
        except OSError as error:
            raise KibitzError(
                f"Nothing more can be added to the store in {self.folder}: {error.strerror or error}; "
                "what was added before is safe, and the same command goes on from there once there is room."
            ) from None
        self.manifest = manifest
        self._sweep_tables()

    def _sweep_tables(self) -> None:
        with suppress(OSError):  # a reader may have one open where files cannot be removed then
            self._sweep()

    def _write(self, name: str, array: Any) -> None:
        """Write rows behind the valid part of a column, down to the disk."""
        kind, width = COLUMNS[name]
        if name not in self._files:
            path = self.folder / f"{name}.bin"
            self._files[name] = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115  # held until close
        file = self._files[name]
        file.seek(self.manifest.rows[name] * kind.itemsize * width)
        file.write(np.ascontiguousarray(array, kind).tobytes())
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


DAMAGED = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)
"""Also for what one finds in such a file: JSON that is none, a name that is missing. Their words help nobody."""


class OtherVersion(Exception):
    """Tells that a file is whole, but of another version of kibitz."""
