"""A server in this process for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.web.server.app import make_app
from kibitz.web.server.guard import ServerLimits
from kibitz.web.tables import seats
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of an open server that keeps its tables in tmp_path; its agents do not pause between moves."""
    monkeypatch.setattr(seats, "MOVE_PAUSE_SECONDS", 0.0)
    with TestClient(make_app(TableFiles(tmp_path), limits=ServerLimits(messages=10_000, requests=10_000))) as made:
        yield made
