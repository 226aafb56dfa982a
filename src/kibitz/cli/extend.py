"""The extension by which a game adds commands to the command line, as `kibitz GAME COMMAND`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.core.package import Extension

if TYPE_CHECKING:
    import typer

COMMANDS: Extension[typer.Typer] = Extension("commands")
"""A game's commands; loaded only when one of them, or their help, is needed."""
