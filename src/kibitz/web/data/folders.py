"""The parts of a data folder: those of the server, and those that games add."""

from __future__ import annotations

from collections.abc import Mapping

from kibitz.core import registry
from kibitz.web.extend import DATA_FOLDERS, DataFolder

TABLES = DataFolder("tables", 2, "tables")
ARENA = DataFolder("arena", 3, "tournaments", "the folder of a tournament", "tournament.json")
GAMES = DataFolder("games", 2, "files of games")


def data_folders() -> Mapping[str, DataFolder]:
    """Return every part of a data folder by its name."""
    added = [folder for package in registry.packages().values() for folder in package.get(DATA_FOLDERS) or ()]
    return {folder.name: folder for folder in (TABLES, ARENA, *added, GAMES)}
