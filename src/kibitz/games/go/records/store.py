"""The store: a folder with all games as flat columns, and Parquet tables of their heads for DuckDB.

Columns are only ever appended to. manifest.json says how much of each is valid and which tables belong to the store. It
is replaced in one step, so even if its writer is killed, a store is as it was after the last commit; data after the
valid part is overwritten. Readers need no lock, because valid data never changes. Only one writer at a time can hold
the lock.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
import platformdirs
from numpy.lib.npyio import NpzFile

from kibitz.compiled.arrays import AnyArray, Int64Array, Uint8Array, Uint16Array
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.files import open_atomically, try_lock
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.changes_kernel import NOTES_PER_GAME
from kibitz.games.go.records.layout import COLOUR, NOT_A_MOVE, PLAY, TAKEN
from kibitz.games.go.rules.board import Board
from kibitz.games.go.rules.geometry import MAX_BOARD_SIZE
from kibitz.games.go.sgf.record import PASS, colour_of, is_pass, is_setup, point_of

VERSION = 2
MANIFEST, LOCK_FILE = "manifest.json", "lock"
FORMAT = "kibitz go store"
SOURCE = np.dtype([("digest", "V16"), ("games", "<u4"), ("skipped", "<u4")])
"""An imported piece of a file."""
COLUMNS: dict[str, np.dtype[np.generic]] = {
    "changes": np.dtype("<u2"),
    "ends": np.dtype("<i8"),
    "sizes": np.dtype("u1"),
    "winners": np.dtype("u1"),
    "years": np.dtype("<i2"),
    "digests": np.dtype("<i8"),
    "notes": np.dtype(("<u4", (NOTES_PER_GAME,))),
    "sources": SOURCE,
}
"""Column -> the dtype of its rows."""
PER_GAME = ("ends", "sizes", "winners", "years", "digests", "notes")
"""Columns with one row per game. Changes has one row per change, sources one per piece."""
GAMES_PER_CHECK = 4096
TableWriter: TypeAlias = Callable[[Path, tuple[str, ...]], tuple[str, ...]]


def default_folder() -> Path:
    """Return the folder of the default store: in $KIBITZ_DATA_DIR, or in the user's data folder."""
    return Path(os.environ.get("KIBITZ_DATA_DIR") or platformdirs.user_data_dir("kibitz")) / "go"


@dataclass(frozen=True)
class StoreManifest:
    """How much of a store is valid."""

    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    """Column -> number of rows."""
    tables: tuple[str, ...] = ()
    """Files with the heads of games, in the order of the games."""
    commits: int = 0

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.rows["ends"]

    def text(self) -> str:
        """Return the text of manifest.json."""
        fields = {"format": FORMAT, "version": VERSION, "commits": self.commits}
        return json.dumps({**fields, "rows": self.rows, "tables": self.tables}, indent=1) + "\n"


def read_manifest(folder: Path) -> StoreManifest:
    """Return the manifest of a store. Raise BadText if there is no store, or this version cannot read it."""
    damaged = f"The store in {folder} is damaged: {MANIFEST} cannot be read"
    try:
        raw = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if raw["format"] != FORMAT:
            raise BadText(f"{damaged} (its format is not {FORMAT!r}).")
        if int(raw["version"]) > VERSION:
            raise BadText(
                f"The store in {folder} has version {int(raw['version'])}, but this kibitz reads only versions up to "
                f"{VERSION}; update kibitz, or name another folder with --store."
            )
        rows = {name: int(raw["rows"][name]) for name in COLUMNS}
        lengths_agree = {rows[name] for name in PER_GAME} == {rows["ends"]}
        if min(rows.values()) < 0 or not lengths_agree:
            raise BadText(f"{damaged} (its columns differ in length).")
        tables = tuple(str(name) for name in raw["tables"])
        if any(Path(name).name != name for name in tables):
            raise BadText(f"{damaged} (a table is outside the store).")
        return StoreManifest(rows, tables, int(raw["commits"]))
    except FileNotFoundError:
        raise BadText(f"There is no store in {folder}. Create one with kibitz go import.") from None
    except OSError as error:
        raise BadText(f"The store in {folder} cannot be opened: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise BadText(f"{damaged}.") from None


def open_all(folder: Path) -> dict[str, tuple[IO[bytes], int]]:
    """Open the files of a store as of one commit; return file name -> the open file and the number of its valid bytes.

    A writer may be adding to the store meanwhile. Leave out the cached comparisons of players, which can be made
    again. Raise BadText if the store is damaged.
    """
    while True:
        manifest, problem = read_manifest(folder), ""
        opened: dict[str, tuple[IO[bytes], int]] = {}
        valid = {f"{name}.bin": rows * COLUMNS[name].itemsize for name, rows in manifest.rows.items() if rows}
        try:
            for name in [MANIFEST, *(path.name for path in folder.glob("*.duckdb")), *manifest.tables, *valid]:
                file = (folder / name).open("rb")
                size = os.fstat(file.fileno()).st_size
                opened[name] = (file, valid.get(name, size))
                if size < opened[name][1]:
                    problem = f"{name} is too short"
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}"
        is_same = read_manifest(folder) == manifest  # otherwise there was a commit, which may have removed a table
        if is_same and not problem:
            return opened
        for each, _ in opened.values():
            each.close()
        if is_same:
            raise BadText(f"The store in {folder} is damaged: {problem}.")


class GameStore:
    """The games of a store as of the commit at which it was opened. Games are numbered from 0 here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        self._columns: dict[str, AnyArray] = {}

    def __len__(self) -> int:
        return self.manifest.games

    def column(self, name: str) -> AnyArray:
        """Return a column by its name in COLUMNS, memory-mapped and read-only. Raise BadText if the file is damaged."""
        if name not in self._columns:
            rows, dtype, path = self.manifest.rows[name], COLUMNS[name], self.folder / f"{name}.bin"
            try:
                mapped: AnyArray = np.memmap(path, dtype, "r", shape=(rows,)) if rows else np.zeros(rows, dtype)
            except (OSError, ValueError) as error:
                reason = f": {error.strerror}" if isinstance(error, OSError) else " is too short"
                raise BadText(f"The store in {self.folder} is damaged: {name}.bin{reason}.") from None
            plain = np.asarray(mapped).view(np.ndarray)
            plain.flags.writeable = False
            self._columns[name] = plain
        return self._columns[name]

    @cached_property
    def first(self) -> Int64Array:
        """Return the index of each game's first change, then the number of all changes. Raise BadText if damaged."""
        first = np.concatenate([np.zeros(1, np.int64), self.column("ends")])
        if np.any(first[1:] < first[:-1]) or first[-1] != self.manifest.rows["changes"]:
            raise BadText(f"The store in {self.folder} is damaged: ends.bin does not match the other columns.")
        if not _all_on_board(self.column("changes"), first, self.column("sizes")):
            raise BadText(f"The store in {self.folder} is damaged: changes.bin has points that are not on the board.")
        return first

    def changes_of(self, game: int) -> Uint16Array:
        """Return the changes of a game, see layout.py. Raise BadOption if there is no such game."""
        if not 0 <= game < len(self):
            raise BadOption(f"The store has games 1 to {len(self)}; there is no game {game + 1}.")
        return self.column("changes")[self.first[game] : self.first[game + 1]]

    def plays_of(self, game: int) -> Uint16Array:
        """Return the plays of a game as in its record, see sgf/record.py."""
        changes = self.changes_of(game)
        plays: Uint16Array = changes[changes & TAKEN == 0] & np.uint16(PLAY)
        return plays

    def moves_of(self, game: int) -> list[tuple[int, int]]:
        """Return the colour and point of each move of a game; the point of a pass is PASS."""
        plays = self.plays_of(game)
        return [(colour_of(play), point_of(play)) for play in plays.tolist() if not is_setup(play)]

    def board(self, game: int, move: int) -> Board:
        """Return the board after the first `move` moves of a game. Raise BadOption if it has fewer."""
        return self._position(game, move)[0]

    def prisoners(self, game: int, move: int) -> tuple[int, int]:
        """Return how many stones Black and White captured in the first `move` moves. Raise BadOption like board."""
        return self._position(game, move)[1]

    def _position(self, game: int, move: int) -> tuple[Board, tuple[int, int]]:
        """Return the board after the first `move` moves, and the number of stones captured by each side."""
        changes = self.changes_of(game)
        size, number, mover = int(self.column("sizes")[game]), 0, 0
        points, captured = bytearray(size * size), [0, 0, 0]
        for change in changes.tolist():
            if not change & NOT_A_MOVE:
                if number == move:
                    break
                number, mover = number + 1, colour_of(change)
            captured[mover] += change & TAKEN > 0
            if not is_pass(change):
                points[point_of(change)] = colour_of(change)
        if not 0 <= move <= number:
            raise BadOption(f"Game {game + 1} has {number} moves, so there is no move {move}.")
        return Board(size, bytes(points)), (captured[1], captured[2])


def _all_on_board(changes: Uint16Array, first: Int64Array, sizes: Uint8Array) -> bool:
    """Return whether the point of every change is on the board of its game, or PASS, and its colour is valid."""
    if len(sizes) and not 1 <= sizes.min() <= sizes.max() <= MAX_BOARD_SIZE:
        return False
    for start in range(0, len(sizes), GAMES_PER_CHECK):
        end = min(start + GAMES_PER_CHECK, len(sizes))
        batch, area = changes[first[start] : first[end]], sizes[start:end].astype(np.uint16) ** 2
        points = batch & PASS
        outside = (points >= np.repeat(area, np.diff(first[start : end + 1]))) & (points != PASS)
        if np.any(outside | (batch & COLOUR == COLOUR)):
            return False
    return True


class StoreWriter:
    """Adds games to a store. A context manager that holds the store's lock."""

    def __init__(self, folder: Path) -> None:
        """Lock the store in a folder, which is created if needed. Raise KibitzError if that is not possible."""
        self.folder = folder
        self._files: dict[str, IO[bytes]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(folder / LOCK_FILE, "w", encoding="utf-8")  # noqa: SIM115  # held until close
        except OSError as error:
            reason = f"The store in {folder} cannot be written to: {error.strerror}"
            raise BadOption(f"{reason}; name another folder with --store.") from None
        if not try_lock(self._lock):
            self._lock.close()
            raise BadOption(f"Another program is adding to the store in {folder}; try again when it is done.")
        try:
            self.manifest = read_manifest(folder) if (folder / MANIFEST).exists() else StoreManifest()
            self._remove_leftovers()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock; uncommitted data is lost."""
        for file in self._files.values():
            with suppress(OSError):  # on a full disk, closing tries to flush once more
                file.close()
        self._files.clear()
        self._lock.close()

    def _remove_leftovers(self) -> None:
        """Remove tables that are not in the manifest, files left by a killed writer, and a column of version 1."""
        for path in [path for path in self.folder.glob("*.bin") if path.stem not in COLUMNS]:
            path.unlink(missing_ok=True)
        for path in [*self.folder.glob("games-*.parquet"), *self.folder.glob("*.part")]:
            if path.name not in self.manifest.tables:
                path.unlink(missing_ok=True)

    def column(self, name: str) -> AnyArray:
        """Return the valid part of a column. Raise BadText if the file is too short."""
        return GameStore(self.folder).column(name) if self.manifest.rows[name] else np.zeros(0, COLUMNS[name])

    def commit(self, columns: Mapping[str, AnyArray], write_table: TableWriter) -> None:
        """Add rows to columns, and the table that write_table(path, earlier tables) writes, all in one step.

        write_table returns the new list of all tables. If the disk is full, raise
        KibitzError and leave the store as it was.
        """
        rows = dict(self.manifest.rows)
        try:
            for name, array in columns.items():
                self._append(name, array)
                rows[name] += len(array)
            name = f"games-{self.manifest.commits + 1:06d}.parquet"
            tables = write_table(self.folder / name, self.manifest.tables)
            manifest = StoreManifest(rows, tables, self.manifest.commits + 1)
            with open_atomically(self.folder / MANIFEST) as file:
                file.write(manifest.text().encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise KibitzError(
                f"Nothing more can be added to the store in {self.folder}: {error.strerror or error}. "
                "The games added before are safe; free some space and run the same command again to resume."
            ) from None
        self.manifest = manifest
        with suppress(OSError):  # Windows does not remove a table that a reader has open
            self._remove_leftovers()

    def _append(self, name: str, array: AnyArray) -> None:
        """Write rows after the valid part of a column, and flush them to disk."""
        if name not in self._files:
            path = self.folder / f"{name}.bin"
            self._files[name] = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115  # held until close
        file = self._files[name]
        file.seek(self.manifest.rows[name] * COLUMNS[name].itemsize)
        file.write(np.ascontiguousarray(array, COLUMNS[name].base).tobytes())
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


DAMAGE_ERRORS = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)
"""Errors raised when an .npz file or the JSON in it is damaged. Their own messages do not help users."""


@contextmanager
def open_npz(path: Path, expected: JsonObject, kind: str, remedy: str) -> Iterator[tuple[JsonObject, NpzFile]]:
    """Open an .npz file of kibitz: yield its description, which must hold the expected values, and its arrays.

    kind: such as "a pattern model". remedy: a sentence on how to get a good file. Raise BadText if the file cannot be
    opened, is of another kind or version, or is damaged: also if the with block raises one of DAMAGE_ERRORS.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
            if about["format"] != expected["format"]:
                raise ValueError
            if any(about[name] != value for name, value in expected.items()):
                raise BadText(f"{path} is {kind} for another version of kibitz. {remedy}")
            yield about, arrays
    except OSError as error:
        raise BadText(f"Cannot open {path}: {error.strerror or error}.") from None
    except DAMAGE_ERRORS:
        raise BadText(f"{path} is not {kind}, or is damaged. {remedy}") from None
