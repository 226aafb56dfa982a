"""The warm-up of a server: its progress, on the page too, and its end."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from playwright.sync_api import Page, expect

from clocks import PATIENCE, wait_until
from kibitz.web.server.warmup import WarmUp
from web.browser.serving import Server


def test_games_wait_until_all_their_searches_are_ready(caplog: pytest.LogCaptureFixture) -> None:
    warm_up, seen = WarmUp(), []

    def lines() -> Iterator[str]:
        for game, ready in (("uttt", 0), ("dots", 0), ("uttt", 1), ("dots", 1), ("dots", 2)):
            yield json.dumps({"game": game, "ready": ready, "searches": 1 if game == "uttt" else 2}) + "\n"
            seen.append([(each["game"], each["ready"], each["searches"]) for each in warm_up.waiting()])

    warm_up.follow(lines())
    assert seen == [[("uttt", 0, 1)], [("uttt", 0, 1), ("dots", 0, 2)], [("dots", 0, 2)], [("dots", 1, 2)], []]
    assert caplog.records == []


def test_a_warm_up_that_ends_early_is_logged_and_over(caplog: pytest.LogCaptureFixture) -> None:
    warm_up = WarmUp()
    with caplog.at_level(logging.WARNING):
        warm_up.follow(['{"game": "go", "ready": 1, "searches": 5}\n'])
    assert "ended early" in caplog.text
    assert warm_up.waiting() == []


def test_the_page_says_what_is_being_prepared_and_the_process_ends_with_the_server(page: Page, tmp_path: Path) -> None:
    server = Server(tmp_path, "--warmup", cache=tmp_path / "cache")
    try:
        assert server.process is not None
        (compiler,) = psutil.Process(server.process.pid).children()
        lowest = min(19, psutil.Process().nice() + 19)
        wait_until(lambda: compiler.nice() == lowest, "the low priority")
        wait_until(lambda: httpx.get(f"{server.url}/api/warmup", timeout=PATIENCE).json()["waiting"], "its progress")
        page.goto(server.url)
        expect(page.locator(".warm-up")).to_contain_text("Preparing the strong levels")
        expect(page.locator(".warm-up")).to_contain_text("Battle Line 0 of")
        page.goto(f"{server.url}/new/battleline")
        expect(page.locator(".warm-up")).to_contain_text("Levels 1 to 5 play at once")
    finally:
        server.stop()
    wait_until(lambda: not compiler.is_running(), "the end of the compiler")


def test_nothing_is_shown_where_nothing_is_prepared(page: Page, server: Server) -> None:
    assert httpx.get(f"{server.url}/api/warmup", timeout=PATIENCE).json() == {"waiting": []}
    page.goto(server.url)
    expect(page.locator(".game-card").first).to_be_visible()
    expect(page.locator(".warm-up")).to_be_hidden()
