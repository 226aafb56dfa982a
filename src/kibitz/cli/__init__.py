"""The command line: kibitz COMMAND."""

from __future__ import annotations

import sys

from kibitz.core.errors import KibitzError


def main() -> None:
    """Run the command line; a user's mistake is one sentence and exit code 2."""
    from kibitz.cli.app import app

    try:
        app()
    except KibitzError as error:
        sys.stderr.write(f"kibitz: {error}\n")
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has left, as head does
        sys.stderr.close()
        sys.exit(1)
