"""What a game may add to the command line: commands of its own, as `kibitz GAME COMMAND`. A key only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.core.package import Extension

if TYPE_CHECKING:
    import typer

COMMANDS: Extension[typer.Typer] = Extension("commands")
"""The commands of a game; loaded when one of them, or its help, is asked for."""
