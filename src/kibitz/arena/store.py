"""A tournament on disk: DIR/tournament.json, written once, and DIR/games.jsonl, only ever appended to.

A process may be killed at any moment: what remains is a whole description and
whole lines, but for one torn line at most, which is passed over and its game
played again. Every line carries a check of itself, so that a line that was
edited by hand is noticed. Only one process writes at a time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kibitz.arena.tournament import VERSION, Tournament
from kibitz.core.errors import BadOption, BadText
from kibitz.core.files import try_lock
from kibitz.core.record import GameRecord, parse_line


@dataclass
class Games:
    """What games.jsonl holds, or held when it was last read."""

    records: dict[str, GameRecord] = field(default_factory=dict)
    """Id of the pairing -> its game."""
    torn: list[int] = field(default_factory=list)
    """Lines that a kill cut off."""
    lines: int = 0
    """How many lines were read, and so many bytes."""
    size: int = 0


def seal(record: GameRecord) -> str:
    """Return a record as a line with its version and, at the end, a check of all that stands before."""
    body = f'{{"version":{VERSION},{record.to_json()[1:-1]}'
    return f'{body},"check":"{_check(body.encode())}"}}'


def _check(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=6).hexdigest()


def _is_sealed(line: bytes) -> bool:
    """Return whether a line is as it was written."""
    body, _, check = line.rpartition(b',"check":"')
    return check == _check(body).encode() + b'"}'


class Store:
    """The folder of one tournament."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = folder / "tournament.json"
        self.path = folder / "games.jsonl"

    @staticmethod
    def create(folder: Path, tournament: Tournament) -> Store:
        """Return a new store. Raises BadOption for a folder that is in use."""
        store = Store(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                kind = "another tournament" if store.description.exists() else "other files"
                if store.description.exists() and store.tournament() == tournament:
                    raise BadOption(
                        f"{folder} holds this tournament already: kibitz arena resume {folder} goes on with it."
                    )
                raise BadOption(f"{folder} holds {kind}: choose a new folder.")
            draft = folder / "tournament.json.new"
            with draft.open("w", encoding="utf-8") as file:
                file.write(tournament.to_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(store.description)
            store.path.touch()
        except OSError as error:
            raise BadOption(f"Cannot make a tournament in {folder}: {error.strerror}.") from None
        return store

    def tournament(self) -> Tournament:
        """Return the description. Raises BadText."""
        try:
            text = self.description.read_text(encoding="utf-8")
        except (OSError, ValueError):
            raise BadText(
                f"{self.folder} is not the folder of a tournament: it has no readable tournament.json."
            ) from None
        return Tournament.from_json(text)

    def games(self) -> Games:
        """Return the games played so far. Raises BadText that names a line which was edited."""
        found = Games()
        rest = self.read_on(found)
        if rest:
            self._read(rest, found.lines + 1, found)
        return found

    def read_on(self, found: Games) -> bytes:
        """Add the games whose lines were written since; return the beginning of a line that is not whole yet.

        Raises BadText that names a line which was edited.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(found.size)
                content = file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise BadText(f"Cannot read {self.path}: {error.strerror}.") from None
        *whole, rest = content.split(b"\n")
        found.size += len(content) - len(rest)
        for line in whole:
            found.lines += 1
            if line:
                self._read(line, found.lines, found)
        return rest

    def _read(self, line: bytes, number: int, found: Games) -> None:
        where = f"{self.path}, line {number}"
        try:
            raw = parse_line(line.decode())
        except (BadText, UnicodeDecodeError):
            found.torn.append(number)
            return
        if not isinstance(raw, dict) or not isinstance(raw.get("version"), int):
            raise BadText(f"{where}: this is not a game of a tournament.")
        if raw["version"] > VERSION:
            raise BadText(f"{where}: the game is of version {raw['version']}; this kibitz reads up to {VERSION}.")
        if not _is_sealed(line):
            raise BadText(
                f"{where}: the line was changed after it was written; remove it to have the game played again."
            )
        record = GameRecord.from_object(raw)
        if record.id in found.records:
            raise BadText(f"{where}: game {record.id} is there twice; remove one of the two lines.")
        found.records[record.id] = record

    def append(self, lines: Sequence[str]) -> None:
        """Add lines to the games, and wait until they are on the disk. Raises BadText."""
        self._add("".join(line + "\n" for line in lines).encode())

    def _add(self, content: bytes) -> None:
        try:
            with self.path.open("ab") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadText(
                f"Cannot write {self.path}: {error.strerror}; what was written is safe, kibitz arena resume goes on."
            ) from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only writer for a while; ends a torn last line.

        Raises BadOption if another process is it, or if nothing can be written.
        """
        try:
            lock = (self.folder / "lock").open("w")
        except OSError as error:
            raise BadOption(f"Cannot go on with the tournament in {self.folder}: {error.strerror}.") from None
        with lock:
            if not try_lock(lock):
                raise BadOption(f"Another process is running the tournament in {self.folder}.")
            content = self.path.read_bytes() if self.path.exists() else b""
            if content and not content.endswith(b"\n"):
                self._add(b"\n")
            yield
