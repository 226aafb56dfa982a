"""Game records: one JSON object a line, appended and never rewritten.

A record holds what is needed to play the game again: game, options, seed,
moves as texts. replay() does so on the rules and checks every move; nothing in
a record is trusted before that.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from kibitz.core import registry
from kibitz.core.errors import BadText, KibitzError
from kibitz.core.game import State
from kibitz.core.seeds import derive
from kibitz.core.untrusted import read_field, read_texts

HUMAN = "human"
"""What a record calls a person, where it names the agents."""
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The first player's points before the second's; * for a game that was not finished."""
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""The result of a finished game -> the first player's points."""


@dataclass(frozen=True)
class GameRecord:
    """One game, complete enough to be replayed."""

    game: str
    options: dict[str, Any]
    agents: tuple[str, str]
    moves: tuple[str, ...]
    result: str
    reason: str
    """In words: how it ended, or which rule a forfeit broke."""
    seed: int = 0
    start: str | None = None
    """The position it started from, where that is not the game's first."""
    times: tuple[float, ...] = ()
    """Seconds spent on each move, if they were measured."""
    id: str = ""
    """The pairing of a tournament that it belongs to."""
    ties: int = 0
    """How many drawn games were replayed before this one."""
    marks: tuple[str, ...] | None = None
    """What the players agreed on at the end, see Game.settle; None if there was nothing to agree on."""

    def __str__(self) -> str:
        from kibitz.core.defaults.shown import record_text

        return record_text(self)

    def _repr_html_(self) -> str:
        from kibitz.core.defaults.shown import record_html

        return record_html(self)

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        told = {key: value for key, value in vars(self).items() if key != "marks" or value is not None}
        return json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @staticmethod
    def from_json(line: str) -> GameRecord:
        """Return the record on a line. Raises BadText; does not replay the moves."""
        return GameRecord.from_object(parse_line(line))

    @staticmethod
    def from_object(raw: object) -> GameRecord:
        """Return the record in an object that was read from JSON. Raises BadText."""
        if not isinstance(raw, dict):
            raise BadText("not a JSON object")
        if "game" not in raw:
            raise BadText("not a game record: 'game' is missing")
        return GameRecord(
            game=read_field(raw, "game", str),
            options=read_field(raw, "options", dict),
            agents=_pair(read_texts(raw, "agents")),
            moves=read_texts(raw, "moves"),
            result=_result(read_field(raw, "result", str)),
            reason=read_field(raw, "reason", str),
            seed=read_field(raw, "seed", int),
            start=None if raw.get("start") is None else read_field(raw, "start", str),
            times=_numbers(raw, "times"),
            id=read_field(raw, "id", str),
            ties=read_field(raw, "ties", int) if "ties" in raw else 0,
            marks=read_texts(raw, "marks") if "marks" in raw else None,
        )


def parse_line(line: str) -> object:
    """Return what a line of JSON says. Raises BadText."""
    try:
        raw: object = json.loads(line.rstrip(), parse_constant=_no_number)
        if "\\u" in line or not line.isascii():  # a lone surrogate is no character; json lets it pass
            json.dumps(raw, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadText(f"not JSON ({_why_not_json(error)})") from None
    return raw


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _why_not_json(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"from column {error.colno} on" if error.lineno == 1 else f"from line {error.lineno} on"
    if isinstance(error, UnicodeError):
        return "it holds half a character"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return "a number has too many digits" if "digits" in str(error) else str(error)


def _numbers(raw: dict[str, Any], key: str) -> tuple[float, ...]:
    values = read_field(raw, key, list)
    if not all(type(value) in (int, float) and abs(value) <= sys.float_info.max for value in values):
        raise BadText(f"{key!r} holds something that is not a number")
    return tuple(values)


def _pair(values: tuple[str, ...]) -> tuple[str, str]:
    if len(values) != 2:
        raise BadText(f"'agents' names {len(values)} players, not 2")
    return values[0], values[1]


def _result(text: str) -> str:
    if text not in RESULTS:
        raise BadText(f"'result' is {text!r}, not one of {', '.join(RESULTS)}")
    return text


@dataclass(frozen=True)
class Records:
    """What a record file holds: the good records, and the lines that are not."""

    good: list[GameRecord] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line of each good record, from 1."""
    bad: list[tuple[int, str]] = field(default_factory=list)
    """(line number from 1, what is wrong with it)"""


def read_records(path: str | PathLike[str]) -> Records:
    """Return every record of a file, and every line that is none. Raises BadText if it cannot be opened."""
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
                    torn = "" if line.endswith("\n") else "; the line is cut off"
                    records.bad.append((number, f"{error}{torn}"))
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise BadText(f"Cannot read {path}: {reason_of(error)}.") from None
    return records


def check_record_file(path: str | PathLike[str]) -> None:
    """Raise BadText unless records can be added to this file: a new one, or one that holds a record."""
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
    """Add a record to a file, which is made if need be, and wait until it is on the disk.

    Raises BadText for a file that holds something, but no record; it is left as it was.
    """
    check_record_file(path)
    try:
        with Path(path).open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the last line was torn: keep it apart
                    file.write(b"\n")
            file.write(record.to_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except (OSError, ValueError) as error:
        raise BadText(f"Cannot write {path}: {reason_of(error)}.") from None


def reason_of(error: OSError | ValueError) -> str:
    """Return in words why a file cannot be read or written."""
    if isinstance(error, UnicodeError):
        return "it is not a text in UTF-8"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def deal_seed(seed: int) -> int:
    """Return the seed of a game's deal, independent of its agents' seeds."""
    return derive(seed, "deal")


def replay(record: GameRecord) -> tuple[State, ...]:
    """Return every position of a recorded game, the first one included.

    Raises BadText naming the first move that does not fit the rules, or a
    result that contradicts the last position.
    """
    try:
        game = registry.game(record.game, **record.options)
        states = [game.start(deal_seed(record.seed)) if record.start is None else game.parse_position(record.start)]
    except KibitzError as error:
        raise BadText(f"The record cannot be set up: {error}") from None
    for number, text in enumerate(record.moves, 1):
        try:
            states.append(states[-1].play(game.parse_move(text)))
        except KibitzError as error:
            raise BadText(f"Move {number} of the record ({text!r}) does not fit: {error}") from None
    outcome = states[-1].outcome()
    if record.marks is not None:
        try:
            outcome, _ = game.settle(states[-1], record.marks)
        except KibitzError as error:
            raise BadText(f"What the players agreed on does not fit: {error}") from None
    agreed = record.marks is not None or record.result != "*" or not game.settles
    if outcome is not None and agreed and outcome.result != record.result:
        raise BadText(f"The record says {record.result}, but its moves end in {outcome.result}.")
    return tuple(states)
