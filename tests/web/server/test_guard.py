"""Strangers are refused, visitors are limited, browsers get strict headers, and no path reaches the file system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.websockets import WebSocketDisconnect

from kibitz.web.server.app import make_app
from kibitz.web.server.guard import LOOPBACK, MAX_BODY_BYTES, RequestLimit
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient, create, hear

HERE = "http://127.0.0.1:8000"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "secret.txt").write_text("secret")
    with TestClient(make_app(TableFiles(tmp_path / "tables"), LOOPBACK), base_url=HERE) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/api/games", "/api/tables/none", "/nowhere", "/assets/1/none.js"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000.evil.example", ""])
def test_pages_of_other_sites_can_neither_post_nor_connect(client: TestClient, origin: str) -> None:
    made = create(client)
    answer = client.post("/api/tables", json={}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert "other sites" in answer.json()["error"]
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect(f"/ws/tables/{made}", headers={"Origin": origin}),
    ):
        pass
    assert closed.value.code == 4403


def test_our_own_page_may(client: TestClient) -> None:
    made = create(client)
    assert client.post("/api/tables", json={}, headers={"Origin": HERE}).status_code == 400  # it lacks a game
    with client.websocket_connect(f"/ws/tables/{made}", headers={"Origin": HERE, "Host": "127.0.0.1:8000"}) as socket:
        assert hear(socket, "table")["id"] == made


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::1", "a b"])
def test_a_name_that_was_made_to_lead_here_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/api/tables", headers={"Host": host})
    assert answer.status_code == 403
    assert "does not answer to the host name" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "localhost:8123", "127.0.0.1", "[::1]:8000", "LOCALHOST:1"])
def test_this_machine_has_several_names(client: TestClient, host: str) -> None:
    assert client.get("/api/tables", headers={"Host": host}).status_code == 200


def test_long_requests_are_refused(client: TestClient) -> None:
    answer = client.post("/api/position", content=b"[" * (MAX_BODY_BYTES + 1))
    assert answer.status_code == 413
    assert str(MAX_BODY_BYTES) in answer.json()["error"]
    assert client.post("/api/position", content=b"[" * MAX_BODY_BYTES).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        *("/assets/1/../app.py", "/assets/1/%2e%2e/app.py", "/assets/1/..%2f..%2fsecret.txt", "/assets/1//etc/passwd"),
        *("/assets/1/%00", "/api/tables/..%2fsecret/record", "/api/tables/%2e%2e/record", "/api/problems/..%2f.."),
        "/api/nothing",
    ],
)
def test_no_path_leads_to_a_file(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert answer.json()["error"]
    assert "secret" not in answer.text.replace("..%2fsecret", "")
    assert "def " not in answer.text


def test_addresses_used_in_a_wrong_way(client: TestClient) -> None:
    answer = client.delete("/api/tables")
    assert answer.status_code == 405
    assert answer.json()["error"] == "This address does not accept this method."
    assert client.get("/nowhere").json()["error"] == "Page not found."
    for raw in (b"", b"\xff", b"null", b'{"game":"dots","options":{},"text":5}'):
        answer = client.post("/api/position", content=raw)
        assert answer.status_code == 400
        assert answer.json()["error"]


def test_a_rate_is_kept_by_visitor() -> None:
    now = [0.0]
    rate = RequestLimit(3, 6.0, lambda: now[0])
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b")
    now[0] = 1.9
    assert not rate.allows("a")
    now[0] = 2.0  # one every two seconds
    assert rate.allows("a")
    assert not rate.allows("a")
    now[0] = 100.0
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
