"""Extensions by which a game adds pages, addresses and data folders to the server. Keys and types only."""

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
    """The parts of the server that a game's request handlers may use."""

    data: Path
    """The data folder."""
    is_open: bool
    """Whether only this machine can reach the server."""
    engines: Engines

    async def table(self, id: str) -> Table:
        """Return a table. Raise HTTPException for an unknown id."""
        ...


@dataclass(frozen=True)
class Opponent:
    """An agent that visitors may play against under a name, without seeing its spec, which may name files."""

    spec: str
    about: str
    """How it plays, in a sentence."""


@dataclass(frozen=True)
class Site:
    """Pages and addresses that a game adds to the server."""

    open: Callable[[Host], Any]
    """Creates the state shared by the game's request handlers, once per server; kept in app.state.sites by game."""
    routes: Sequence[BaseRoute]
    folder: Traversable
    """The folder with the pages' scripts and style sheets; served as games/NAME/page."""
    pages: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Address of a page -> files in the folder: the script that shows it, then style sheets for this page only."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Links in the header of every page: label -> address."""
    styles: Sequence[str] = ()
    """Style sheets in the folder that are loaded on every page."""
    opponents: Callable[..., Mapping[str, Opponent]] = lambda state: {}
    """Lists the opponents that the server's data offers now, by name, given the state that `open` created."""


@dataclass(frozen=True)
class DataFolder:
    """A subfolder of a server's data folder, described for backups."""

    name: str
    depth: int
    """Number of parts in a file's path: 2 for NAME/FILE, 3 for NAME/ITEM/FILE."""
    plural: str
    """What its items are called in summaries, such as "tournaments"."""
    one: str = "a file"
    """What one item is called in messages, such as "the folder of a tournament"."""
    mark: str = ""
    """The file that identifies an item's folder; empty if any folder is an item."""
    open_all: Callable[[Path], Mapping[str, tuple[IO[bytes], int]]] | None = None
    """Opens an item's files: name -> file and number of bytes to copy. If None, every finished file is copied."""


SITE: Extension[Site] = Extension("site")
DATA_FOLDERS: Extension[Sequence[DataFolder]] = Extension("data folders")
