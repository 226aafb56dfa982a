"""A server with records, in this process, and its answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kibitz.core.untrusted import JsonObject
from kibitz.games.go.records.importing import import_records
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from web.talking import TestClient


def import_text(records: str, store: Path) -> None:
    """Add records to a store."""
    file = store.with_suffix(".sgf")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(records)
    import_records([file], store)


@contextmanager
def serving(folder: Path, records: str = "") -> Iterator[TestClient]:
    """Serve from a data folder, with these records as the collection."""
    if records:
        import_text(records, folder / "go")
    with TestClient(make_app(TableFiles(folder / "tables"), data=folder)) as client:
        yield client


def answer_of(response: Any) -> JsonObject:
    """Return the JSON of a successful response."""
    assert response.status_code == 200, response.text
    answer: JsonObject = response.json()
    return answer


def refusal_of(response: Any) -> str:
    """Return the words of a refused request."""
    assert response.status_code == 400, response.text
    words: str = response.json()["error"]
    return words
