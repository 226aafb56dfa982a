"""kibitz go at the terminal, run in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import complaints
from kibitz.cli.app import app
from kibitz.core.errors import KibitzError
from kibitz.core.untrusted import JsonObject


def run(command: str, *more: str | Path | int) -> str:
    """Return what `kibitz go` prints for a command, which is split at spaces, and more words."""
    result = CliRunner().invoke(app, ["go", *command.split(), *map(str, more)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout + complaints(result.stderr)


def told(command: str, *more: str | Path | int) -> JsonObject:
    """Return what a command prints with --json."""
    answer: JsonObject = json.loads(run(command, *more, "--json"))
    return answer


def refused(kind: type[KibitzError], words: str, command: str, *more: str | Path | int) -> None:
    """Expect a command to be refused in words that match."""
    with pytest.raises(kind, match=words):
        run(command, *more)
