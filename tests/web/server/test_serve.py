"""The server as a process of its own: it starts, is killed, starts again and goes on, and ends when it is told to."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from clocks import PATIENCE
from inside import run
from kibitz.core.errors import BadOption
from kibitz.core.record import GameRecord, replay
from kibitz.testing.changes import whole_table
from kibitz.web.server.config import FIRST_PORT, data_folder
from kibitz.web.server.guard import is_loopback
from kibitz.web.server.serve import listen, page_url
from web.talking import ANN, BOB, agent


@contextmanager
def serving(
    folder: Path, *more: str, stderr: int | None = None, **environ: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve in a process of its own, killed at the end; yield the process and its address."""
    options = ["--no-open", "--no-warmup", "--port", "0", "--data", str(folder), *more]
    command = [sys.executable, "-m", "kibitz", "serve", *options]
    env, no_input = {**os.environ, **environ}, subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=no_input, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env
    ) as process:
        try:
            line = next_line(process)
            found = re.search(r"http://\S+:[0-9]+", line)
            assert found, line
            yield process, found[0]
        finally:
            process.kill()


def next_line(process: subprocess.Popen[str]) -> str:
    """Return the next line that a server prints; an empty text at the end."""
    assert process.stdout is not None
    return process.stdout.readline()


def create(address: str, **wish: Any) -> str:
    asked = {"game": "dots", "options": {"rows": 2, "cols": 2}, **wish}
    request = urllib.request.Request(f"{address}/api/tables", json.dumps(asked).encode())
    with urllib.request.urlopen(request) as answer:
        found: str = json.load(answer)["id"]
    return found


_tables: WeakKeyDictionary[ClientConnection, dict[str, Any]] = WeakKeyDictionary()


def hear_table(connection: ClientConnection) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(connection.recv())
        if message["is"] == "table":
            _tables[connection] = whole_table(_tables.get(connection), message)
            return _tables[connection]


@contextmanager
def open_table(address: str, table: str) -> Iterator[ClientConnection]:
    where = f"{address.replace('http', 'ws')}/ws/tables/{table}"
    with connect(where, additional_headers={"Origin": address}, open_timeout=PATIENCE) as connection:
        yield connection


def test_a_game_survives_kills(tmp_path: Path) -> None:
    """The process is killed after every third move of a person; each acknowledged move is there after it."""
    made, seen = "", list[str]()
    for round_ in range(20):
        with serving(tmp_path) as (process, address):
            if not made:
                made = create(address, options={"rows": 3, "cols": 3}, seats=[ANN, agent("level1")])
            with open_table(address, made) as connection:
                table = hear_table(connection)
                now = [move["text"] for move in table["moves"]]
                assert now[: len(seen)] == seen, round_  # nothing that was shown is lost
                for _ in range(3):
                    while table["outcome"] is None and table["to_move"] == 1:
                        table = hear_table(connection)
                    if table["outcome"] is not None:
                        break
                    ply = table["ply"]
                    connection.send(json.dumps({"do": "move", "ply": ply, "move": table["legal"][-1]}))
                    while table["ply"] == ply:
                        table = hear_table(connection)
                seen = [move["text"] for move in table["moves"]]
                process.send_signal(signal.SIGKILL)
                process.wait()
        if table["outcome"] is not None:
            break
    assert table["outcome"] is not None
    assert round_ > 1  # 6 moves of a person, 6 answers and 9 moves for boxes are not all 24 lines
    with serving(tmp_path) as (_, address), urllib.request.urlopen(f"{address}/api/tables/{made}/record") as answer:
        record = GameRecord.from_json(answer.read().decode())
    assert list(record.moves) == seen
    assert replay(record)[-1].outcome() is not None


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_it_ends_when_it_is_told_to(tmp_path: Path, name: str) -> None:
    """Even while somebody is connected and an agent thinks."""
    with serving(tmp_path) as (process, address):
        made = create(address, options={"rows": 9, "cols": 9}, seats=[agent("champion"), BOB], seconds=300)
        with open_table(address, made) as connection:
            hear_table(connection)
            process.send_signal(getattr(signal, name))
            assert process.wait() == 0
        assert next_line(process) == ""


def test_a_second_server_of_the_same_folder_says_where_the_first_is(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address):
        second = run("serve", "--no-open", "--no-warmup", "--port", "0", "--data", tmp_path)
        assert second.returncode == 2
        assert f"open {address}/, or name another folder with --data" in second.stderr


def test_long_messages_end_the_connection_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address):
        made = create(address, seats=[ANN, BOB])
        with open_table(address, made) as connection:
            hear_table(connection)
            connection.send("x" * 20_000)
            with pytest.raises(ConnectionClosed) as closed:
                connection.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
        with open_table(address, made) as connection:
            assert hear_table(connection)["ply"] == 0


def test_ports_and_hosts_that_cannot_be_had() -> None:
    with listen("127.0.0.1", None) as one, listen("127.0.0.1", None) as other:
        first, second = (each.getsockname()[1] for each in (one, other))
        assert FIRST_PORT <= first < second
        with pytest.raises(BadOption, match=f"port {first}: it is in use"):
            listen("127.0.0.1", first)
    with pytest.raises(BadOption, match=r"Cannot serve at 203\.0\.113\.7"):  # an address for documentation only
        listen("203.0.113.7", None)


def test_addresses() -> None:
    here = {"127.0.0.1": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::1": "[::1]", "::": "[::1]", "box.local": "box.local"}
    assert {host: page_url(host, 80) for host in here} == {host: f"http://{name}:80/" for host, name in here.items()}
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.1.2.3", "localhost", "::1"))
    assert not any(is_loopback(host) for host in ("", "0.0.0.0", "::", "192.168.0.2", "box.local", "1270.example"))


def test_more_than_this_machine_is_warned_of(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as (process, address):
        assert "Anyone who can reach this machine" in next_line(process)
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)):
            pass


def test_where_games_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KIBITZ_DATA_DIR", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("KIBITZ_DATA_DIR")
    assert data_folder().name == "kibitz"


def test_help_is_true() -> None:
    done = run("serve", "--help")
    for words in ("--port", "--host", "--no-open", "--data", str(FIRST_PORT)):
        assert words in done.stdout
