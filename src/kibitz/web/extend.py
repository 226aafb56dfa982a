"""What a game may add to the server: pages, addresses and data folders. Keys and types only."""

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
    """The server, as a game's addresses may use it."""

    data: Path
    """The data folder."""
    is_open: bool
    """Whether only this machine can reach the server."""
    engines: Engines

    async def table(self, id: str) -> Table:
        """Return a table. Raise HTTPException for an unknown id."""
        ...


@dataclass(frozen=True)
class Site:
    """Pages and addresses that a game adds to the server."""

    open: Callable[[Host], Any]
    """Creates the state of the addresses, once per server; handlers get it from `site_of`."""
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
    """Parts of a file's path: 2 for NAME/FILE, 3 for NAME/ITEM/FILE."""
    plural: str
    """The items in it, for summaries: "tournaments"."""
    one: str = "a file"
    """One item: "the folder of a tournament"."""
    mark: str = ""
    """The file that marks an item; empty if any folder is one."""
    open_all: Callable[[Path], Mapping[str, tuple[IO[bytes], int]]] | None = None
    """Opens the files of an item: name -> file and bytes to copy. None: copy every file that is not being written."""


SITE: Extension[Site] = Extension("site")
DATA_FOLDERS: Extension[Sequence[DataFolder]] = Extension("data folders")
