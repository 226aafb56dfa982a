"""The extensions by which a game adds commands, as `kibitz GAME COMMAND`, and work to `kibitz warmup`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kibitz.core.package import Extension

if TYPE_CHECKING:
    import typer

COMMANDS: Extension[typer.Typer] = Extension("commands")
"""A game's commands; loaded only when one of them, or their help, is needed."""

WARMUP: Extension[Mapping[str, Callable[[], None]]] = Extension("warm-up")
"""What a game prepares besides its agents: name of a feature -> work that needs all its compiled code."""
