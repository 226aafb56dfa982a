"""The command line: kibitz COMMAND."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from kibitz.core.errors import KibitzError
from kibitz.core.faults import GameFailed, game_failures
from kibitz.core.untrusted import printable

DEBUG = "KIBITZ_DEBUG"
"""Environment variable: if it is set, a mistake ends with a traceback instead of a sentence."""


def main() -> NoReturn:
    """Run the command line; a mistake of the user or of an installed game is one sentence and exit code 2."""
    import typer

    from kibitz.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # boards on a terminal that lacks their characters
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
    except BrokenPipeError:  # the reader of our output has left, as head does
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's own complaints have it, a bug of ours does not
            raise
        if not error.format_message():  # help was shown instead of a command
            sys.exit(2)
        _fail(error.format_message())
    sys.exit(code or 0)


def _fail(sentence: str) -> NoReturn:
    """Print what was wrong, in one line and without control characters, and exit with 2."""
    sys.stderr.write(f"kibitz: {printable(' '.join(sentence.split()))}\n")
    sys.exit(2)
