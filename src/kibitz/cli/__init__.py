"""The command line: kibitz COMMAND."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from kibitz.core.errors import KibitzError
from kibitz.core.faults import GameFailed, game_failures
from kibitz.core.untrusted import printable
from kibitz.core.version import __version__

DEBUG = "KIBITZ_DEBUG"
"""Environment variable that makes errors print a traceback instead of a sentence."""


def main() -> NoReturn:
    """Run the command line. An error by the user or in an installed game prints one sentence and exits with code 2."""
    if sys.argv[1:] == ["--version"]:  # without loading what only commands need
        sys.stdout.write(f"kibitz {__version__}\n")
        sys.exit(0)
    import typer

    from kibitz.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the terminal may lack characters of a board
    try:
        with game_failures():
            code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except KibitzError as error:
        if os.environ.get(DEBUG):
            raise
        more = f" {DEBUG}=1 shows the traceback." if isinstance(error, GameFailed) else ""
        _fail(f"{error}{more}")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:  # the program that reads our output has ended, such as head
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's usage errors have it, bugs do not
            raise
        if not error.format_message():  # help was shown instead of a command
            sys.exit(2)
        _fail(error.format_message())
    sys.exit(code or 0)


def _fail(sentence: str) -> NoReturn:
    """Print an error on one line, without control characters, and exit with code 2."""
    sys.stderr.write(f"kibitz: {printable(' '.join(sentence.split()))}\n")
    sys.exit(2)
