"""The commands that games add: `kibitz GAME COMMAND`. A game's commands are loaded when one of them is asked for.

Contexts and commands are those of typer's own copy of click, which it does not export.
"""

from __future__ import annotations

from typing import Any

import typer.main
from typer.core import TyperGroup

from kibitz.cli.extend import COMMANDS
from kibitz.core import registry
from kibitz.core.package import GamePackage


class GameGroup(TyperGroup):
    """The commands of one game."""

    def __init__(self, package: GamePackage) -> None:
        super().__init__(name=package.name, help=f"{package.rules.title}: its own commands.", no_args_is_help=True)
        self._package = package
        self._loaded = False

    def _load(self) -> None:
        app = self._package.get(COMMANDS)
        if app is not None and not self._loaded:
            self.commands = typer.main.get_group(app).commands
            self._loaded = True

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        self._load()
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if there is none of this name."""
        self._load()
        return self.commands.get(cmd_name)


class Commands(TyperGroup):
    """The commands of kibitz: those of the platform, then a group for each game that has some."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands and groups."""
        names = [name for name, package in registry.packages().items() if COMMANDS in package.extras]
        return [*self.commands, *(name for name in names if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command or group, or None if there is none of this name."""
        if cmd_name not in self.commands and cmd_name in registry.names():
            package = registry.package(cmd_name)
            return GameGroup(package) if COMMANDS in package.extras else None
        return self.commands.get(cmd_name)
