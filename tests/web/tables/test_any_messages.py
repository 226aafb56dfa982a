"""Random messages of several clients at one table, held against a small model.

Nobody is sent what is hidden from them, whatever is acknowledged is on the disk, and a
finished game whose cards have been shown stays finished.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kibitz.core import registry
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.testing.changes import whole_table
from kibitz.web.server.engines import Engines
from kibitz.web.tables.clients import Client
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.messages import read_message
from kibitz.web.tables.room import Room
from kibitz.web.tables.setup import Seat, Setup, key_of
from kibitz.web.tables.table import Table
from web.tables.test_hidden import CARDS, SECRET, Cards

TOKENS = ("first token", "second token")
PERSONS = (Seat("person", "Ann"), Seat("person", "Bob"))
SIMPLE = ("undo", "redo", "restart", "agree", "decline", "pause", "resume", "sync", "now")


class AnyMessages(RuleBasedStateMachine):
    """One table, four clients, and what each of them knows."""

    game: Game
    link: bool

    def __init__(self) -> None:
        super().__init__()
        self.runner, self.thread = asyncio.Runner(), ThreadPoolExecutor(1)
        self.folder = tempfile.TemporaryDirectory()
        self.known: dict[Client, dict[str, Any]] = {}
        """By client: the table as it was sent last."""
        self.final: dict[str, Any] | None = None
        """The first table that was shown as finished, of a game that hides something."""

    def run_there(self, work: Coroutine[Any, Any, None]) -> None:
        """Run to the end on another thread: in this one a browser of earlier tests may keep an event loop running."""
        self.thread.submit(self.runner.run, work).result()

    @initialize(seed=st.integers(0, 99))
    def sit_down(self, seed: int) -> None:
        keys = (key_of(TOKENS[0]), key_of(TOKENS[1]))
        setup = Setup("", self.game, PERSONS, None, seed, None, self.link, keys)
        self.tables = TableFiles(Path(self.folder.name))
        self.table = self.tables.create(Table(setup))
        self.run_there(self._open())
        for client, tokens in zip(self.clients, (TOKENS[:1], TOKENS[1:], (), TOKENS[:1]), strict=True):
            if self.link and tokens:
                self.say(client, {"do": "sit", "tokens": list(tokens)})

    async def _open(self) -> None:
        self.room = Room(self.table, self.tables, Engines(1.0), lambda room: None)
        self.clients = [Client(str(number)) for number in range(4)]
        for client in self.clients:
            self.room.join(client)
        await self.room.publisher.wait_until_published()

    def say(self, client: Client, message: dict[str, Any]) -> None:
        """Send a message, and let every client hear what comes of it."""

        async def handle() -> None:
            with suppress(KibitzError):  # it may be refused
                await self.room.handle(client, read_message(json.dumps(message)))
            await self.room.publisher.wait_until_published()

        self.run_there(handle())

    who = st.integers(0, 3)

    @rule(who=who, number=st.integers(0, 9), behind=st.integers(0, 1))
    def move(self, who: int, number: int, behind: int) -> None:
        legal = self.table.state.legal_moves()
        text = self.game.move_text(legal[number % len(legal)]) if legal else "0"
        self.say(self.clients[who], {"do": "move", "ply": max(0, self.table.ply - behind), "move": text})

    @rule(who=who, do=st.sampled_from(SIMPLE))
    def ask(self, who: int, do: str) -> None:
        self.say(self.clients[who], {"do": do})

    @rule(who=who, seat=st.integers(0, 1))
    def resign(self, who: int, seat: int) -> None:
        self.say(self.clients[who], {"do": "resign", "seat": seat})

    @rule(who=who, seat=st.integers(0, 1), name=st.sampled_from(["Zoe", "Max"]))
    def rename(self, who: int, seat: int, name: str) -> None:
        self.say(self.clients[who], {"do": "name", "seat": seat, "name": name})

    @rule(who=who, mark=st.sampled_from(["0", "A1"]))
    def mark(self, who: int, mark: str) -> None:
        self.say(self.clients[who], {"do": "mark", "mark": mark})
        self.say(self.clients[who], {"do": "settle", "marks": list(self.table.marks)})

    @rule(who=who)
    def come_again(self, who: int) -> None:
        """Reload the page."""
        old, new = self.clients[who], Client(str(who))

        async def swap() -> None:
            self.room.leave(old)
            self.room.join(new)
            await self.room.publisher.wait_until_published()

        self.run_there(swap())
        self.known.pop(old, None)
        self.clients[who] = new

    @precondition(lambda self: hasattr(self, "room"))
    @invariant()
    def everybody_knows_what_is_true_and_no_more(self) -> None:
        for client in self.clients:
            while not client.outbox.empty():
                text = client.outbox.get_nowait()
                self.hides_from(client, text)
                message = json.loads(text)
                if message["is"] == "table":
                    self.known[client] = whole_table(self.known.get(client), message)
        kept = TableFiles(Path(self.folder.name)).find(self.table.setup.id)
        for table in self.known.values():
            assert len(table["moves"]) == table["ply"] == self.table.ply == kept.ply
            assert (table["outcome"] is None) == (self.table.outcome is None) == (kept.outcome is None)
            assert [seat["name"] for seat in table["seats"]] == [seat.name for seat in kept.seats]
        assert (kept.states, kept.moves, kept.marks) == (self.table.states, self.table.moves, self.table.marks)

    def hides_from(self, client: Client, text: str) -> None:
        """Fail if a message names a card that its reader may not know; two people at one screen see both in turn."""
        state = self.table.state
        if self.link and isinstance(state, Cards) and self.table.outcome is None:
            viewer = self.table.viewer(client.seats)
            hidden = {card for player, card in enumerate(state.cards) if player != viewer}
            assert not [card for card in CARDS if card in text and card in hidden]

    @precondition(lambda self: hasattr(self, "room"))
    @invariant()
    def a_disclosed_game_is_over_for_good(self) -> None:
        if self.final is not None:
            assert self.table.outcome is not None
            assert self.table.moves[: self.table.ply] == self.final["moves"]
        elif self.table.is_disclosed:
            self.final = {"moves": self.table.moves[: self.table.ply]}

    def teardown(self) -> None:
        if hasattr(self, "room"):
            self.run_there(self._close())
        self.thread.submit(self.runner.close).result()
        self.thread.shutdown()
        self.folder.cleanup()

    async def _close(self) -> None:
        self.room.close()
        await asyncio.sleep(0)


@pytest.mark.parametrize("link", [False, True], ids=["one screen", "by link"])
@pytest.mark.parametrize("name", ["secret", "dots", "go"])
def test_any_messages(name: str, link: bool, request: pytest.FixtureRequest) -> None:
    if name == "secret":
        request.getfixturevalue("add_game")(SECRET)
    options = {"dots": {"rows": 1, "cols": 2}, "go": {"size": 2}}.get(name, {})
    kind = {"game": registry.game(name, **options), "link": link}
    machine = cast(type[AnyMessages], type("Machine", (AnyMessages,), kind))
    run_state_machine_as_test(machine, settings=settings(max_examples=15, stateful_step_count=25, derandomize=True))
