"""The files of the page: kept by browsers, and asked for again when one has changed."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

import inside
from conftest import OURS
from kibitz.core import registry
from kibitz.core.defaults.page import PlainPage
from kibitz.core.package import GamePackage
from kibitz.web.server import assets
from kibitz.web.server.app import make_app
from kibitz.web.tables.files import TableFiles
from web.tables.test_changes import Rules
from web.talking import ANN, BOB, TestClient, create

KEPT = "public, max-age=31536000, immutable"


def test_the_files_of_a_page_may_be_kept_and_the_page_may_not(tmp_path: Path) -> None:
    with TestClient(make_app(TableFiles(tmp_path))) as client:
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
    shutil.copytree(assets.PAGE_FOLDER, folder)
    monkeypatch.setattr(assets, "PAGE_FOLDER", folder)
    before, file = assets.version(), folder / "board" / "steps.js"
    assert assets.version() == before
    changes: dict[str, Callable[[], object]] = {
        "edit": lambda: file.write_text(file.read_text() + " "),
        "add": (folder / "new.js").touch,
        "remove": file.unlink,
        "rename": lambda: file.rename(folder / "board" / "way.js"),
    }
    changes[change]()
    assert assets.version() != before


def test_what_boards_are_drawn_with_is_part_of_the_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "picture"
    shutil.copytree(assets.PICTURE_FOLDER, folder)
    monkeypatch.setattr(assets, "PICTURE_FOLDER", folder)
    before, seen = assets.version(), set[str]()
    (folder / "wire.py").write_text("")
    assert assets.version() == before  # a source is no file of the page
    (folder / "tokens.css").write_text("")
    seen.add(assets.version())
    for part in ("style", "art"):
        monkeypatch.setattr(type(registry.page("uttt")), part, tmp_path / part)
        (tmp_path / part).write_text(part)
        seen.add(assets.version())
    assert len({before, *seen}) == 4


def test_what_boards_are_drawn_with(tmp_path: Path, add_game: Callable[[GamePackage], None]) -> None:
    add_game(GamePackage(Rules))
    with TestClient(make_app(TableFiles(tmp_path))) as client:
        for path, kind, part in (
            ("picture/tokens.css", "text/css", b"--baize"),
            ("picture/board.css", "text/css", b".board"),
            ("picture/fonts/young-serif.woff2", "font/woff2", b"wOF2"),
            ("games/uttt/page/board.css", "text/css", b".uttt"),
            ("games/uttt/page/board.svg", "image/svg+xml", b"uttt-"),
            ("games/rules/page/board.css", "text/css", b""),
            ("games/rules/page/board.svg", "image/svg+xml", b""),
        ):
            answer = client.get(f"/assets/1/{path}")
            assert (answer.status_code, answer.headers["cache-control"]) == (200, KEPT), path
            assert answer.headers["content-type"].startswith(kind)
            assert part in answer.content
        for path in (
            *("picture/wire.py", "picture/__init__.py", "picture/../wire.py", "picture/fonts/"),
            *("games/uttt/page/picture.py", "games/go/page/page.py", "games/go/page/../rules/board.py"),
            "games/none/page/board.css",
        ):
            assert client.get(f"/assets/1/{path}").status_code == 404, path


class MissingStyle(PlainPage[Any, Any]):
    style = Path("/nowhere/board.css")


class BadCover(PlainPage[Any, Any]):
    cover: ClassVar[tuple[Mapping[str, Any], str]] = ({}, "nonsense")


class NoPicture(PlainPage[Any, Any]):
    def picture(self, *args: Any, **how: Any) -> Any:
        return None


def fail() -> Any:
    raise KeyError("oops")


FAILING = {
    "page": (GamePackage(Rules, page=fail), "The page of 'rules' cannot be used (KeyError: 'oops')."),
    "no page": (
        GamePackage(Rules, page=lambda: 3),  # type: ignore[arg-type,return-value]  # that is the mistake
        "The page of 'rules' cannot be used (TypeError: page() returned a value of type int, not a PlainPage).",
    ),
    "style": (GamePackage(Rules, page=lambda: MissingStyle(Rules)), "[Errno 2] No such file or directory"),
    "cover": (
        GamePackage(Rules, page=lambda: BadCover(Rules)),
        "The cover of 'rules' cannot be drawn ('nonsense' is not a position: ",
    ),
    "picture": (GamePackage(Rules, page=lambda: NoPicture(Rules)), "The cover of 'rules' cannot be drawn ("),
    "agents": (GamePackage(Rules, agents=fail), "'rules' cannot be listed (KeyError: 'oops')."),
}


@pytest.mark.parametrize("part", FAILING)
def test_a_game_that_cannot_be_shown_leaves_the_others_alone(
    part: str, tmp_path: Path, add_game: Callable[[GamePackage], None], caplog: pytest.LogCaptureFixture
) -> None:
    package, said = FAILING[part]
    add_game(package)
    registry.warn_once.cache_clear()
    with caplog.at_level(logging.WARNING), TestClient(make_app(TableFiles(tmp_path))) as client:
        for _ in range(2):
            page = client.get("/", headers={"accept": "text/html"})
            assert page.status_code == 200
            listed = [game["name"] for game in client.get("/api/games").json()["games"]]
            assert set(OURS) <= set(listed)
            assert "rules" not in listed
        create(client)
        if part in ("page", "no page", "style"):
            answer = client.post("/api/tables", json={"game": "rules", "options": {}, "seats": [ANN, BOB]})
            assert answer.status_code == 400
            assert "The page of 'rules' cannot be used" in answer.text
    warned = [record.getMessage() for record in caplog.records if "Skipped a game on the page" in record.getMessage()]
    assert len(warned) == 1
    assert said in warned[0]
    if part != "agents":
        ran = inside.run("games")
        assert ran.returncode == 0
        assert "rules   " in ran.stdout
        assert said in ran.stdout


def test_without_its_files_the_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "PAGE_FOLDER", tmp_path)
    with TestClient(make_app(TableFiles(tmp_path))) as client:
        assert "The page is not installed" in client.get("/").text
