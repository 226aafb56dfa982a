"""What an operator sees of a server: figures for Prometheus and logs, without anything of a visitor."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from clocks import PATIENCE
from kibitz.web.arena.tournaments import Tournaments
from kibitz.web.server.app import make_app
from kibitz.web.server.engines import MAX_QUICK_JOBS
from kibitz.web.server.monitoring import MASK, JsonFormatter, TextFormatter
from kibitz.web.tables.files import TableFiles
from kibitz.web.tables.setup import new_token
from web.server.test_serve import serving
from web.talking import ANN, BOB, TestClient, agent, create, hear_table, move

SAMPLE = re.compile(r'([a-z_]+)(\{[a-z]+="[^"\\\n]*"\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)')


def read(text: str) -> dict[str, float]:
    """Return the figures of a text, each announced by its HELP and TYPE, as the format asks for."""
    found, name = dict[str, float](), ""
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            before, name = name, line.split()[2]
            assert name != before
        elif line.startswith("# TYPE "):
            assert line.split()[2:] in ([name, "gauge"], [name, "counter"])
            assert line.endswith("counter") == name.endswith("_total")
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample, line
            assert sample[1] == name
            assert sample[1] + (sample[2] or "") not in found
            found[sample[1] + (sample[2] or "")] = float(sample[3])
    return found


def test_figures_follow_what_happens(tmp_path: Path) -> None:
    app = make_app(TableFiles(tmp_path / "tables"), tournaments=Tournaments(tmp_path / "arena"), metrics=True)
    with TestClient(app, raise_server_exceptions=False) as client:
        before = read(client.get("/metrics").text)
        made = create(client, seats=[ANN, agent("level1")])
        client.get("/nowhere")
        app.state.server.tables.newest = None  # a bug of ours
        assert client.get("/api/tables").status_code == 500
        with client.websocket_connect(f"/ws/tables/{made}") as socket:
            hear_table(socket, 0)
            move(socket, 0, "0")
            hear_table(socket, 2)
            answer = client.get("/metrics")
        text, now = answer.text, read(answer.text)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert before['kibitz_requests_total{status="2xx"}'] == 0  # an answer is counted when it is given
    grown = {name: now[name] - before[name] for name in before}
    assert {name[-5:-2]: grown[name] for name in grown if "requests" in name} == {
        "1xx": 0, "2xx": 2, "3xx": 0, "4xx": 1, "5xx": 1,
    }  # fmt: skip
    assert now["kibitz_sockets"] == now['kibitz_tables{state="open"}'] == now['kibitz_tables{state="kept"}'] == 1
    assert 0 <= now['kibitz_engines_running{queue="quick"}'] <= MAX_QUICK_JOBS
    assert now['kibitz_engine_seconds_total{queue="quick"}'] > 0
    assert now['kibitz_engine_seconds_total{queue="slow"}'] == now['kibitz_arena_runs{state="running"}'] == 0
    assert now["process_cpu_seconds_total"] > 0
    if sys.platform == "linux":
        assert 1e7 < now["process_resident_memory_bytes"] < 1e11
    assert made not in text
    assert "Ann" not in text


def test_without_being_asked_for_there_are_none(tmp_path: Path) -> None:
    with TestClient(make_app(TableFiles(tmp_path))) as client:
        assert client.get("/metrics").status_code == 404


@pytest.mark.parametrize("form", [TextFormatter(), JsonFormatter()])
def test_no_token_is_logged_wherever_it_stands(form: logging.Formatter) -> None:
    token = new_token()
    try:
        raise KeyError(token)
    except KeyError:
        record = logging.LogRecord("kibitz", 30, "", 1, "/play/x#%s and %s", (token, "kept"), sys.exc_info())
    record.seat = {"token": token}
    told = form.format(record)
    assert token not in told
    assert told.count(MASK) >= 2
    assert "and kept" in told
    assert "KeyError" in told
    if isinstance(form, JsonFormatter):
        assert json.loads(told)["fields"] == {"seat": {"token": MASK}}
        assert "\n" not in told


def test_a_server_tells_everything_but_secrets(tmp_path: Path) -> None:
    """All that a visitor sends is sent, at the lowest level of logging: tokens in headers, messages and addresses."""
    config = tmp_path / "kibitz.toml"
    config.write_text('name = "Games.example"\nlog = "debug"\nmetrics = true\n')
    flags = ("--config", str(config))
    with serving(tmp_path, *flags, stderr=subprocess.PIPE, KIBITZ_SERVE_LOG_FORMAT="json") as (server, address):
        talk_with_tokens(address)
        for visitor in ("203.0.113.7", "203.0.113.8"):
            check_limit(address, visitor)
        server.terminate()
        _, told = server.communicate(timeout=PATIENCE)
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["message"] for line in lines] == ["new table: battleline, by link"]
    assert lines[0]["fields"] == {"game": "battleline", "link": True}
    assert set(lines[0]) == {"time", "level", "logger", "message", "fields"}
    assert (lines[0]["level"], lines[0]["logger"]) == ("info", "kibitz.web.server.app")


def check_limit(address: str, visitor: str) -> None:
    """Wish for tables through a proxy, as a visitor who makes up addresses, until there were too many a minute."""
    found, began = list[int](), time.monotonic()
    while 429 not in found:
        passed = f"198.51.100.{len(found)}, {visitor}"
        request = urllib.request.Request(f"{address}/api/tables", b"{}", {"X-Forwarded-For": passed})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        found.append(refused.value.code)
        refused.value.close()
        assert len(found) < 200
    granted = len(found) - 1
    assert found == [400] * granted + [429]
    assert 30 <= granted <= 30 + (time.monotonic() - began) / 2, "thirty, and one more every two seconds"


def talk_with_tokens(address: str) -> None:
    """Be a visitor who came through a proxy, as the page calls its server."""
    named = {"Host": "games.example", "Origin": "https://games.example"}

    def ask(path: str, body: Any = None, **headers: str) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{address}{path}", data, {**named, **headers})) as answer:
            return json.load(answer) if "json" in answer.headers["content-type"] else answer.read().decode()

    assert ask("/api/house")["open"] is False
    made = ask("/api/tables", {"game": "battleline", "options": {}, "seats": [ANN, BOB], "link": True})
    ask(f"/api/tables/{made['id']}/at/0", **{"X-Kibitz-Seats": " ".join(made["tokens"])})
    ask(f"/api/tables?ids={made['tokens'][0]}")
    where = f"{address.replace('http', 'ws')}/ws/tables/{made['id']}?{made['tokens'][1]}"
    with connect(where, additional_headers={"Origin": address}, open_timeout=PATIENCE) as socket:
        socket.send(json.dumps({"do": "sit", "tokens": made["tokens"]}))
        while not json.loads(socket.recv()).get("you"):
            pass
        socket.send(json.dumps({"do": "nonsense", "token": made["tokens"][0]}))
        while json.loads(socket.recv())["is"] != "refused":
            pass
    figures = ask("/metrics")
    assert 'kibitz_requests_total{status="2xx"} 4' in figures
    assert not [secret for secret in (made["id"], *made["tokens"], "Ann") if secret in figures]
