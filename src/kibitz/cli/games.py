"""Commands that games add, as `kibitz GAME COMMAND`; loaded only when needed."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import typer.main
from typer.core import TyperGroup

from kibitz.cli.extend import COMMANDS
from kibitz.core import registry
from kibitz.core.package import GamePackage

Click: TypeAlias = Any
"""A context or command of the click that typer bundles; typer does not export its types."""


class GameGroup(TyperGroup):
    """The commands of one game."""

    def __init__(self, package: GamePackage) -> None:
        super().__init__(name=package.name, help=f"Commands for {package.rules.title}.", no_args_is_help=True)
        self._package = package

    @cached_property
    def _loaded(self) -> dict[str, Click]:
        app = self._package.get(COMMANDS)
        return {} if app is None else dict(typer.main.get_group(app).commands)

    def list_commands(self, ctx: Click) -> list[str]:
        """Return the names of the commands."""
        return list(self._loaded)

    def get_command(self, ctx: Click, cmd_name: str) -> Click:
        """Return the command of this name, or None if it is unknown."""
        return self._loaded.get(cmd_name)


class Commands(TyperGroup):
    """All commands: kibitz's own, then one group for each game that adds commands."""

    def list_commands(self, ctx: Click) -> list[str]:
        """Return the names of all commands and groups."""
        names = [name for name, package in registry.packages().items() if COMMANDS in package.extras]
        return [*self.commands, *(name for name in names if name not in self.commands)]

    def get_command(self, ctx: Click, cmd_name: str) -> Click:
        """Return the command or group of this name, or None if it is unknown."""
        if cmd_name not in self.commands and cmd_name in registry.names():
            package = registry.package(cmd_name)
            return GameGroup(package) if COMMANDS in package.extras else None
        return self.commands.get(cmd_name)
