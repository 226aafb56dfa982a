"""A tournament on disk: DIR/tournament.json, written once, and DIR/games.jsonl, only ever appended to.

A process may be killed at any moment: at worst the last line is truncated; it is then ignored and its game is played
again. Every line ends with a checksum, which reveals lines edited by hand. Only one process writes at a time.
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
from kibitz.core.files import open_atomically, try_lock
from kibitz.core.record import GameRecord, parse_line


@dataclass
class TournamentGames:
    """The contents of games.jsonl as of the last time it was read."""

    records: dict[str, GameRecord] = field(default_factory=dict)
    """Games by pairing id."""
    truncated: list[int] = field(default_factory=list)
    """Line numbers of truncated lines, left by a crash or a full disk."""
    lines: int = 0
    """Number of lines read so far; `size` is the number of bytes read."""
    size: int = 0


def seal(record: GameRecord) -> str:
    """Return a record as a line of games.jsonl, with the format version first and a checksum last."""
    body = f'{{"version":{VERSION},{record.to_json()[1:-1]}'
    return f'{body},"check":"{_checksum(body.encode())}"}}'


def _checksum(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=6).hexdigest()


def _checksum_matches(line: bytes) -> bool:
    """Return whether the checksum of a line is correct."""
    body, _, check = line.rpartition(b',"check":"')
    return check == _checksum(body).encode() + b'"}'


class TournamentFolder:
    """The folder of one tournament."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.description = folder / "tournament.json"
        self.path = folder / "games.jsonl"

    @staticmethod
    def create(folder: Path, tournament: Tournament) -> TournamentFolder:
        """Write the description of a tournament to a new folder; return the folder. Raise BadOption if it is in use."""
        store = TournamentFolder(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                if not store.description.exists():
                    raise BadOption(f"{folder} contains other files; choose a new folder.")
                if store.tournament() != tournament:
                    raise BadOption(f"{folder} contains another tournament; choose a new folder.")
                raise BadOption(f"{folder} already has this tournament; continue it with kibitz arena resume {folder}.")
            with open_atomically(store.description) as file:
                file.write(f"{tournament.to_json()}\n".encode())
                file.flush()
                os.fsync(file.fileno())
            store.path.touch()
        except OSError as error:
            raise BadOption(f"Cannot create a tournament in {folder}: {error.strerror}.") from None
        return store

    def tournament(self) -> Tournament:
        """Read and return the description of the tournament. Raise BadText if it is missing or invalid."""
        try:
            text = self.description.read_text(encoding="utf-8")
        except (OSError, ValueError):
            raise BadText(f"{self.folder} is not a tournament folder: tournament.json cannot be read.") from None
        return Tournament.from_json(text)

    def games(self) -> TournamentGames:
        """Read all games played so far. Raise BadText, with the line number, for a line that was edited."""
        games = TournamentGames()
        last_line = self.read_new_games(games)
        if last_line:
            self._read(last_line, games.lines + 1, games)
        return games

    def read_new_games(self, games: TournamentGames) -> bytes:
        """Add the games appended since the last call to `games`; return an unfinished last line, or b"".

        Raise BadText, with the line number, for a line that was edited.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(games.size)
                content = file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise BadText(f"Cannot read {self.path}: {error.strerror}.") from None
        *lines, last_line = content.split(b"\n")
        games.size += len(content) - len(last_line)
        for line in lines:
            games.lines += 1
            if line:
                self._read(line, games.lines, games)
        return last_line

    def _read(self, line: bytes, number: int, games: TournamentGames) -> None:
        where = f"{self.path}, line {number}"
        try:
            raw = parse_line(line.decode())
        except (BadText, UnicodeDecodeError):
            games.truncated.append(number)
            return
        if not isinstance(raw, dict) or not isinstance(raw.get("version"), int):
            raise BadText(f"{where}: not a tournament game; remove the line.")
        if raw["version"] > VERSION:
            raise BadText(f"{where}: the game has version {raw['version']}; this kibitz reads up to {VERSION}.")
        if not _checksum_matches(line):
            raise BadText(f"{where}: the line was changed after it was written; remove it to replay the game.")
        record = GameRecord.from_object(raw)
        if record.id in games.records:
            raise BadText(f"{where}: game {record.id} occurs twice; remove one of the two lines.")
        games.records[record.id] = record

    def append(self, lines: Sequence[str]) -> None:
        """Append lines to games.jsonl and flush them to disk. Raise BadText if that fails."""
        self._append_bytes("".join(line + "\n" for line in lines).encode())

    def _append_bytes(self, content: bytes) -> None:
        try:
            with self.path.open("ab") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise BadText(
                f"Cannot write {self.path}: {error.strerror}. Finished games are safe; use kibitz arena resume."
            ) from None

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Hold the folder's write lock during the block. First end a truncated last line with a newline.

        Raise BadOption if another process holds the lock, or if the folder cannot be written.
        """
        try:
            lock = (self.folder / "lock").open("w")
        except OSError as error:
            raise BadOption(f"Cannot continue the tournament in {self.folder}: {error.strerror}.") from None
        with lock:
            if not try_lock(lock):
                raise BadOption(f"Another process is running the tournament in {self.folder}; stop it first.")
            content = self.path.read_bytes() if self.path.exists() else b""
            if content and not content.endswith(b"\n"):
                self._append_bytes(b"\n")
            yield
