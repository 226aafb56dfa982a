"""Game records: one JSON object per line, appended and never rewritten.

A record holds what is needed to replay the game: game, options, seed and the moves as texts. replay() checks every move
against the rules; trust nothing in a record before that.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from kibitz.core import registry
from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import State
from kibitz.core.seeds import derive
from kibitz.core.untrusted import JsonObject, read_field, read_texts

HUMAN = "human"
"""The name in GameRecord.agents that stands for a person."""
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The first player's points before the second's; * for an unfinished game."""
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""Result of a finished game -> points of the first player."""


@dataclass(frozen=True)
class GameRecord:
    """A game with everything needed to replay it."""

    game: str
    options: JsonObject
    agents: tuple[str, str]
    moves: tuple[str, ...]
    result: str
    reason: str
    """How the game ended, in words, or why it was forfeited."""
    seed: int = 0
    start: str | None = None
    """The position text of the start; None for the usual start position of the game."""
    times: tuple[float, ...] = ()
    """Seconds spent on each move; empty if they were not measured."""
    id: str = ""
    """The id of the pairing in a tournament; empty outside tournaments."""
    ties: int = 0
    """How many earlier games of this pairing were drawn and therefore played again."""
    marks: tuple[str, ...] | None = None
    """The marks that the players agreed on at the end, see Game.settle; None if there was nothing to settle."""

    def __str__(self) -> str:
        from kibitz.core.defaults.shown import record_text

        return record_text(self)

    def _repr_html_(self) -> str:
        from kibitz.core.defaults.shown import record_html

        return record_html(self)

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        fields = {key: value for key, value in vars(self).items() if key != "marks" or value is not None}
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @staticmethod
    def from_json(line: str) -> GameRecord:
        """Parse one line of JSON. Raise BadText if it is malformed. The moves are not checked; see replay()."""
        return GameRecord.from_object(parse_line(line))

    @staticmethod
    def from_object(raw: object) -> GameRecord:
        """Convert a parsed JSON value to a record. Raise BadText if it is malformed."""
        if not isinstance(raw, dict):
            raise BadText("not a JSON object")
        if "game" not in raw:
            raise BadText("not a game record: 'game' is missing")
        return GameRecord(
            game=read_field(raw, "game", str),
            options=read_field(raw, "options", dict),
            agents=_read_agents(raw),
            moves=read_texts(raw, "moves"),
            result=_read_result(raw),
            reason=read_field(raw, "reason", str),
            seed=read_field(raw, "seed", int),
            start=None if raw.get("start") is None else read_field(raw, "start", str),
            times=_read_times(raw),
            id=read_field(raw, "id", str),
            ties=read_field(raw, "ties", int) if "ties" in raw else 0,
            marks=read_texts(raw, "marks") if "marks" in raw else None,
        )


def parse_line(line: str) -> object:
    """Parse one line of JSON. Raise BadText if it is not valid JSON."""
    try:
        raw: object = json.loads(line.rstrip(), parse_constant=_refuse_constant)
        if "\\u" in line or not line.isascii():  # json accepts lone surrogates, which cannot be encoded
            json.dumps(raw, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadText(f"not JSON ({_why_not_json(error)})") from None
    return raw


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _why_not_json(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"from column {error.colno} on" if error.lineno == 1 else f"from line {error.lineno} on"
    if isinstance(error, UnicodeError):
        return "it contains half of a character"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "a number has too many digits" if "digits" in str(error) else str(error)


def _read_times(raw: JsonObject) -> tuple[float, ...]:
    values = read_field(raw, "times", list)
    if not all(type(value) in (int, float) and abs(value) <= sys.float_info.max for value in values):
        raise BadText("'times' contains something that is not a finite number")
    return tuple(values)


def _read_agents(raw: JsonObject) -> tuple[str, str]:
    agents = read_texts(raw, "agents")
    if len(agents) != 2:
        raise BadText(f"'agents' names {len(agents)} players, not 2")
    return agents[0], agents[1]


def _read_result(raw: JsonObject) -> str:
    text = read_field(raw, "result", str)
    if text not in RESULTS:
        raise BadText(f"'result' is {text!r}, not one of {', '.join(RESULTS)}")
    return text


@dataclass(frozen=True)
class Records:
    """The contents of a record file: its records, and the lines that are not records."""

    good: list[GameRecord] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line number of each good record, from 1."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """(line number from 1, what is wrong with it)"""


def read_records(path: str | PathLike[str]) -> Records:
    """Read a record file; return its records and its bad lines. Raise BadText if the file cannot be read."""
    records = Records()
    try:
        with Path(path).open(encoding="utf-8", errors="surrogateescape") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    records.good.append(GameRecord.from_json(line))
                    records.lines.append(number)
                except BadText as error:
                    cut_off = "" if line.endswith("\n") else "; the line is cut off"
                    records.bad.append((number, f"{error}{cut_off}"))
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        raise BadText(f"Cannot read {path}: {reason_of(error)}.") from None
    return records


def check_record_file(path: str | PathLike[str]) -> None:
    """Raise BadText unless records can be appended to this file: it must be new or empty, or already hold a record."""
    path = Path(path)
    try:
        if path.exists() and path.stat().st_size:
            if path.is_file() and not _holds_a_record(path):
                raise BadText(f"{path} exists and holds no game records: choose another file.")
            path.open("ab").close()
        elif not path.parent.is_dir():
            raise BadText(f"Cannot write {path}: there is no folder {path.parent}.")
    except (OSError, ValueError) as error:
        raise BadText(f"Cannot write {path}: {reason_of(error)}.") from None


def _holds_a_record(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            with suppress(BadText):
                GameRecord.from_json(line)
                return True
    return False


def append_record(path: str | PathLike[str], record: GameRecord) -> None:
    """Append a record to a file, creating it if necessary, and flush it to disk.

    Raise BadText if the file cannot be written, or has contents but not a single record.
    """
    check_record_file(path)
    append_line(path, record.to_json())


def append_line(path: str | PathLike[str], line: str) -> None:
    """Append a line to a file, creating it if necessary, and flush it to disk. Raise BadText if that fails."""
    try:
        with Path(path).open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the last line was cut off: start a new one
                    file.write(b"\n")
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except (OSError, ValueError) as error:
        raise BadText(f"Cannot write {path}: {reason_of(error)}.") from None


def reason_of(error: OSError | ValueError) -> str:
    """Return why a file cannot be read or written, in words."""
    if isinstance(error, UnicodeError):
        return "it is not text in UTF-8"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def deal_seed(seed: int) -> int:
    """Derive the seed for dealing a game's cards, independent of the seeds of its agents."""
    return derive(seed, "deal")


def replay(record: GameRecord) -> tuple[State, ...]:
    """Replay a recorded game; return all its positions, from first to last.

    Raise BadText if a move is illegal, naming the first such move, or if the result contradicts the last position.
    """
    try:
        game = registry.game(record.game, **record.options)
        states = [game.start(deal_seed(record.seed)) if record.start is None else game.parse_position(record.start)]
    except KibitzError as error:
        raise BadText(f"The record cannot be replayed: {error}") from None
    for number, text in enumerate(record.moves, 1):
        try:
            states.append(states[-1].play(game.parse_move(text)))
        except KibitzError as error:
            raise BadText(f"Move {number} of the record ({text!r}) cannot be played: {error}") from None
    outcome = states[-1].outcome()
    if record.marks is not None:
        try:
            outcome, _ = game.settle(states[-1], record.marks)
        except KibitzError as error:
            raise BadText(f"The marks in the record are not possible: {error}") from None
    is_settled = record.marks is not None or record.result != "*" or not game.settles
    if outcome is not None and is_settled and outcome.result != record.result:
        raise BadText(f"The record says {record.result}, but its moves end in {outcome.result}.")
    return tuple(states)
