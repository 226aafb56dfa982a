"""The files of the page: kept by browsers, and asked for again when one has changed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kibitz.web import assets
from kibitz.web.app import make_app
from kibitz.web.tables import Tables
from web.talking import TestClient

KEPT = "public, max-age=31536000, immutable"


def test_the_files_of_a_page_may_be_kept_and_the_page_may_not(tmp_path: Path) -> None:
    with TestClient(make_app(Tables(tmp_path))) as client:
        page = client.get("/", headers={"accept": "text/html"})
        assert page.headers["cache-control"] == "no-store"
        named = re.findall(r'"(/assets/[^"]+)"', page.text)
        assert len(named) >= 8
        for address in named:
            assert address.startswith(f"/assets/{assets.version()}/")
            answer = client.get(address)
            assert (answer.status_code, answer.headers["cache-control"]) == (200, KEPT)
        missing = client.get(f"/assets/{assets.version()}/none.js")
        assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")
        nowhere = client.get("/nowhere", headers={"accept": "text/html"})
        assert nowhere.status_code == 404
        assert re.findall(r'"(/assets/[^"]+)"', nowhere.text) == named


@pytest.mark.parametrize("change", ["edit", "add", "remove", "rename"])
def test_another_file_is_another_version(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "static"
    shutil.copytree(assets.FOLDER, folder)
    monkeypatch.setattr(assets, "FOLDER", folder)
    before, file = assets.version(), folder / "boards" / "go.js"
    assert assets.version() == before
    match change:
        case "edit":
            file.write_text(file.read_text() + " ")
        case "add":
            (folder / "new.js").write_text("")
        case "remove":
            file.unlink()
        case "rename":
            file.rename(folder / "boards" / "baduk.js")
    assert assets.version() != before


def test_without_its_files_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    with TestClient(make_app(Tables(tmp_path))) as client:
        assert "The page is not installed" in client.get("/").text
