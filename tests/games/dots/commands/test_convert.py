"""kibitz dots convert as a user runs it: text, file and standard input, and one plain sentence for each mistake."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import inside
from kibitz.core.record import GameRecord, replay

DBL = "2,2\n(0, 0) - (1, 0)\n(0, 0) - (0, 1)\n(0, 1) - (1, 1)\n(1, 0) - (1, 1)\n(1, 2) - (2, 2)\n"
IDS = "0 6 2 7 5\n"
ON_2X2 = ("-o", "rows=2", "-o", "cols=2")


def run(*args: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return inside.run_bytes("dots", "convert", *args, given=given)


def output(*args: str | Path, given: bytes = b"") -> str:
    ran = run(*args, given=given)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode().replace("\r\n", "\n")


def complaint(*args: str | Path, given: bytes = b"") -> str:
    ran = run(*args, given=given)
    assert (ran.returncode, ran.stdout) == (2, b"")
    lines = ran.stderr.decode().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("kibitz: ")
    assert lines[0].endswith(".")
    return lines[0].removeprefix("kibitz: ")


def test_a_text_a_file_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "game.dbl"
    path.write_bytes(b"\xef\xbb\xbf" + DBL.replace("\n", "\r\n").encode())
    assert output("--file", path, "--to", "ids") == IDS
    assert output("--to", "ids", given=DBL.encode()) == IDS
    assert output(DBL, "--to", "ids") == IDS
    assert output(IDS, "--to", "dbl", *ON_2X2) == DBL
    assert output(IDS, "--to", "trmph", "--from", "ids", *ON_2X2) == "#2,b5a4b3c4d1\n"


def test_a_game_becomes_a_position_but_no_position_a_game(tmp_path: Path) -> None:
    drawn = "0 16 1 A\n+-+ +\n|B|\n+-+ +\n\n+ +-+\n"
    assert output(DBL, "--to", "ascii") == drawn
    assert output("--to", "hex", given=drawn.encode()) == "e5 2... 1\n"
    assert "cannot be written as dbl" in complaint(drawn, "--to", "dbl")


def test_json_tells_what_was_guessed() -> None:
    told = json.loads(output(DBL, "--to", "hex", "--json"))
    assert told == {
        "from": "dbl",
        "kind": "game",
        "options": {"rows": 2, "cols": 2, "start": "empty"},
        "to": "hex",
        "text": "e5 2... 1",
    }
    assert json.loads(output("e5", "--to", "ascii", "--json", *ON_2X2))["kind"] == "position"


def test_a_record_can_be_replayed_and_comes_back(tmp_path: Path) -> None:
    line = output(DBL, "--to", "record")
    record = GameRecord.from_json(line)
    assert replay(record)[-1].game.position_text(replay(record)[-1]) == "e5 2... 1"
    path = tmp_path / "games.jsonl"
    path.write_text(line)
    assert output("--file", path, "--to", "lines").split("\n")[:2] == ["h 0 0", "v 0 0"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ((DBL,), "Missing option '--to'"),
        ((DBL, "--to", "pgn"), "There is no notation 'pgn'"),
        ((DBL, "--to", "ids", "--from", "pgn"), "There is no notation 'pgn'"),
        ((DBL, "--to", "ids", "-o", "rows=3"), "Line 1, column 1: this is a board of 2x2 boxes"),
        ((DBL, "--to", "ids", "-o", "rows=10"), "must have 1 to 9 rows of boxes, not 10"),
        ((DBL, "--to", "ids", "--file", "x"), "not both"),
        (("--to", "ids", "--file", "no/such/file"), "Cannot read no/such/file: No such file"),
        (("--to", "ids", "--file", "."), "Cannot read .: "),
        (("hello\x1b[2J", "--to", "ids"), "The notation was not recognised"),
        ((DBL + "(0, 0) - (2, 0)", "--to", "ids"), "Line 7, column 1: (0, 0) - (2, 0) is not a line"),
        (("0 1 1", "--to", "dbl"), "Line 1, column 5: Line 1 has already been drawn"),
    ],
)
def test_mistakes(args: tuple[str, ...], why: str) -> None:
    assert why in complaint(*args)


def test_files_that_are_no_texts_or_too_long(tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(b"2,2\n(0\xff")
    assert "is not UTF-8 text: see line 2, column 3" in complaint("--file", path, "--to", "ids")
    path.write_bytes(b" " * 1_000_001)
    assert "is too long: at most 1000000 bytes" in complaint("--file", path, "--to", "ids")
    assert "Standard input is too long" in complaint("--to", "ids", given=b"0 " * 600_000)
    assert "The notation was not recognised" in complaint("--to", "ids", given=b"")
