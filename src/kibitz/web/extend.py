"""What a game may add to the server: pages and addresses of its own, and folders of data. Keys and types only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

from kibitz.core.package import Extension

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from kibitz.web.server.engines import Engines
    from kibitz.web.tables.table import Table


class Host(Protocol):
    """What a game's addresses may use of the server."""

    data: Path
    """The data folder."""
    is_open: bool
    """Whether only this machine can reach the server."""
    engines: Engines

    async def table(self, id: str) -> Table:
        """Return a table. Raise HTTPException if there is none with this id."""
        ...


@dataclass(frozen=True)
class Site:
    """Pages and addresses that a game adds to the server."""

    open: Callable[[Host], Any]
    """Makes what the addresses work on, once per server; handlers find it with `site_of`."""
    routes: Sequence[BaseRoute]
    folder: Traversable
    """The folder with the scripts and style sheets of the pages; browsers see it as games/NAME/page."""
    pages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Address that people see -> the module in the folder that shows it, then the style sheets of this page alone."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Label -> address, in the header of every page."""
    styles: Sequence[str] = ()
    """Style sheets in the folder that tables of the game need."""


@dataclass(frozen=True)
class DataFolder:
    """A part of a server's data folder, as backups know it."""

    name: str
    depth: int
    """The parts of a file's name: 2 for NAME/FILE, 3 for NAME/ITEM/FILE."""
    plural: str
    """What it holds, for summaries: "tournaments"."""
    one: str = "a file"
    """One of these: "the folder of a tournament"."""
    mark: str = ""
    """The file by which an item is known; empty if any folder is one."""
    open_all: Callable[[Path], Mapping[str, tuple[IO[bytes], int]]] | None = None
    """item -> its open files with the bytes wanted of each; None to take every file that is not being written."""


SITE: Extension[Site] = Extension("site")
DATA_FOLDERS: Extension[Sequence[DataFolder]] = Extension("data folders")
