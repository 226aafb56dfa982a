"""Talking to the server in this process: tables made, messages sent and heard."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from weakref import WeakKeyDictionary

with warnings.catch_warnings():  # starlette would like another package better, which does the same
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as TestClient
    from starlette.testclient import WebSocketTestSession as WebSocketTestSession

from anyio import fail_after
from starlette.websockets import WebSocketDisconnect

from kibitz.testing.changes import whole_table

ANN, BOB = {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bob"}
SMALL = {"rows": 1, "cols": 2}
"""Lines 0 1 above, 2 3 below, 4 5 6 upright; the boxes are (0 2 4 5) and (1 3 5 6)."""


def agent(spec: str) -> dict[str, str]:
    """Return the seat of an agent."""
    return {"kind": "agent", "spec": spec}


def new_table(client: TestClient, **wish: Any) -> tuple[str, list[str]]:
    """Return the id and the tokens of a new table, of two persons on SMALL if nothing else is wished for."""
    asked = {"game": "dots", "options": SMALL, "seats": [ANN, BOB], **wish}
    answer = client.post("/api/tables", json=asked)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"], answer.json()["tokens"]


def create(client: TestClient, **wish: Any) -> str:
    """Return the id of a new table."""
    return new_table(client, **wish)[0]


@contextmanager
def at_new_table(client: TestClient, **wish: Any) -> Iterator[tuple[str, WebSocketTestSession]]:
    """Connect to a new table; yield its id and the socket."""
    made = create(client, **wish)
    with client.websocket_connect(f"/ws/tables/{made}") as socket:
        yield made, socket


@contextmanager
def connect(client: TestClient, table: str, count: int = 2) -> Iterator[list[WebSocketTestSession]]:
    """Connect several times to a table; yield the sockets."""
    with ExitStack() as stack:
        yield [stack.enter_context(client.websocket_connect(f"/ws/tables/{table}")) for _ in range(count)]


@contextmanager
def seated(client: TestClient, **wish: Any) -> Iterator[tuple[str, list[str], list[WebSocketTestSession]]]:
    """Seat two people at a new table by link; yield its id, their tokens and sockets."""
    made, tokens = new_table(client, link=True, **wish)
    with connect(client, made) as sockets:
        for socket, token in zip(sockets, tokens, strict=True):
            sit(socket, token)
        yield made, tokens, sockets


def tell(socket: WebSocketTestSession, do: str, **fields: Any) -> None:
    """Send a message."""
    socket.send_text(json.dumps({"do": do, **fields}))


MAX_SILENCE_SECONDS = 120
"""A test that waits longer for a message fails: what it waits for does not come. The server is never silent so long."""


def receive(socket: WebSocketTestSession) -> dict[str, Any]:
    """Return the next message; a table is whole, as a client knows it after the message."""
    message: dict[str, Any] = json.loads(socket.portal.call(_text_in_time, socket))
    if message["is"] == "table":
        assert ("picture" in message) != ("change" in message)
        message = _tables[socket] = whole_table(_tables.get(socket), message)
    return message


async def _text_in_time(socket: WebSocketTestSession) -> str:
    """Return the text of the next message. Raise TimeoutError if none comes, WebSocketDisconnect if it is the last."""
    with fail_after(MAX_SILENCE_SECONDS):
        message = await socket._send_rx.receive()  # as socket.receive_text() does, which would wait for ever
    if message["type"] == "websocket.close":
        raise WebSocketDisconnect(message.get("code", 1000), message.get("reason", ""))
    text: str = message["text"]
    return text


_tables: WeakKeyDictionary[WebSocketTestSession, dict[str, Any]] = WeakKeyDictionary()
"""The last table that was heard over each socket."""


def hear(socket: WebSocketTestSession, kind: str, until: str = "is") -> dict[str, Any]:
    """Return the next message of a kind in which the field `until` is true, passing over others."""
    while (message := receive(socket))["is"] != kind or not message[until]:
        pass
    return message


def refusal(socket: WebSocketTestSession, do: str, **fields: Any) -> str:
    """Send a message that is refused; return why."""
    tell(socket, do, **fields)
    found: str = hear(socket, "refused")["words"]
    return found


def answer(socket: WebSocketTestSession) -> dict[str, Any]:
    """Return how a wish is answered: the next table, or a refusal."""
    while (message := receive(socket))["is"] not in ("table", "refused"):
        pass
    return message


def styles(picture: dict[str, Any]) -> dict[str, list[str]]:
    """Return the style words of the shapes of a picture, by key."""
    return {shape[1]: shape[2].split() for shape in picture["shapes"]}


def labels(picture: dict[str, Any]) -> dict[str, str]:
    """Return what the places of a picture say, by key."""
    return {place[0]: place[5] for place in picture["places"]}


def hear_table(socket: WebSocketTestSession, ply: int) -> dict[str, Any]:
    """Return the next table with this many moves."""
    while True:
        table = hear(socket, "table")
        if table["ply"] == ply:
            return table


def sit(socket: WebSocketTestSession, *tokens: str) -> dict[str, Any]:
    """Sit down and return the table as it is then."""
    tell(socket, "sit", tokens=list(tokens))
    return hear(socket, "table", "you")


def move(socket: WebSocketTestSession, ply: int, text: str) -> dict[str, Any]:
    """Make a move and return the table after it."""
    tell(socket, "move", ply=ply, move=text)
    return hear_table(socket, ply + 1)
