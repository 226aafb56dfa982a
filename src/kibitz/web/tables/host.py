"""What the agents and the analyst of a table may use of the room that it is in."""

from __future__ import annotations

import asyncio
from typing import Protocol

from kibitz.core.untrusted import JsonObject
from kibitz.web.server.engines import Engines
from kibitz.web.tables.clients import Client
from kibitz.web.tables.events import Event
from kibitz.web.tables.table import Table


class TableHost(Protocol):
    """A table with its clients."""

    table: Table
    engines: Engines
    paused: bool
    changing: asyncio.Lock
    """Held while the table is being changed."""

    @property
    def clients(self) -> list[Client]:
        """Everybody who is here."""
        ...

    @property
    def is_followed(self) -> bool:
        """Whether somebody has the position on the board analysed, move after move."""
        ...

    def tell(self, message: JsonObject) -> None:
        """Send a message to everybody."""
        ...

    def publish(self, then: JsonObject | None = None) -> None:
        """Send everybody the table as it is, and then a message."""
        ...

    async def published(self) -> None:
        """Wait until everything that was to be published has been sent."""
        ...

    async def change(self, event: Event, paused: bool = False, then: JsonObject | None = None) -> None:
        """Let an event happen, on the disk first, and publish the table. Called while `changing` is held."""
        ...
