"""A real server and a real browser: what the tests of the page share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Page, expect

from clocks import PATIENCE
from kibitz.picture.png import CHROMIUM_NAMES
from web.browser.serving import NO_CHROMIUM, Server

FLAGS = ["--no-sandbox", "--disable-gpu", "--renderer-process-limit=1", "--disable-site-isolation-trials"]
"""One process draws all pages of a context: to start another takes longer than to load a page."""
PATIENCE_MS = 1000 * PATIENCE
"""Milliseconds that a browser waits for something to appear: a machine may be slow, and kernels are compiled first."""

NewPerson = Callable[..., Page]

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all tests of a process share."""
    server = Server(tmp_path_factory.mktemp("tables"))
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test alone, to be killed."""
    server = Server(tmp_path)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], browser_type: BrowserType) -> dict[str, Any]:
    """Use the Chromium of the system, wherever it is, or else Playwright's own."""
    found = next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), browser_type.executable_path)
    if not Path(found).exists():  # neither the system's nor Playwright's own
        pytest.skip(NO_CHROMIUM)
    return {**browser_type_launch_args, "executable_path": found, "args": FLAGS, "timeout": PATIENCE_MS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Ask for as little motion as there may be."""
    return {**browser_context_args, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def shared_context(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """A context that all tests of a process share; its first page keeps the process that draws."""
    context = browser.new_context(**browser_context_args)
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def context(shared_context: BrowserContext, server: Server) -> Iterator[BrowserContext]:
    """The shared context, which remembers nothing of the test before but the files it loaded."""
    yield shared_context
    first, *others = shared_context.pages
    for page in others:
        page.close()
    session = shared_context.new_cdp_session(first)
    session.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": "all"})
    session.detach()


@pytest.fixture
def page(page: Page, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that must neither complain in its console nor ask another host for anything."""
    complaints = note_complaints(page, [])
    yield page
    if request.node.get_closest_marker("complains") is None:
        assert not complaints


@pytest.fixture
def person(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[NewPerson]:
    """Return pages of browsers that share nothing and know nothing yet, each of which must not complain."""
    complaints: list[str] = []
    contexts = []

    def come(**more: Any) -> Page:
        contexts.append(browser.new_context(**{**browser_context_args, **more}))
        page = contexts[-1].new_page()
        note_complaints(page, complaints)
        return page

    yield come
    for context in contexts:
        context.close()
    assert not complaints


def note_complaints(page: Page, complaints: list[str]) -> list[str]:
    """Write down what a page complains of from now on; return the list."""
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("request", lambda asked: None if _is_local(asked.url) else complaints.append(f"left the host: {asked.url}"))
    return complaints


def _is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "about:"))
