"""Fixtures of all tests: every game with every choice of its options, and games added for one test."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

import pytest
import typer.main
from hypothesis import HealthCheck, settings

from kibitz.cli import show
from kibitz.core import installed, registry
from kibitz.core.game import Game, OptionValue
from kibitz.core.package import GamePackage
from kibitz.testing import option_sets
from kibitz.testing.contract import game_id
from web.browser.serving import NO_CHROMIUM

if threading.current_thread() is threading.main_thread():  # Ctrl-C may be off in a background process
    signal.signal(signal.SIGINT, signal.default_int_handler)

typer.main.get_command = cache(typer.main.get_command)  # building all commands takes longer than most of them run

# A busy machine is no failure, and what passes once passes always.
settings.register_profile("kibitz", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kibitz")

assert show.console  # made now: one made while a test sets COLUMNS would keep that width for all later tests

pytest_plugins = ["web.browser.fixtures"]  # a server and a browser

SLOWEST_TESTS = ("test_the_marked_tests_pass", "test_warmup_compiles_the_searches_of_a_game")
"""Tests that take minutes. They run first, so that no worker waits for one at the end."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of processors: tests wait for pages, processes and compilations."""
    return (os.cpu_count() or 1) + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--katago", metavar="PATH", help="the program KataGo, for the tests that run it")
    parser.addoption("--katago-net", metavar="FILE", help="a net for KataGo")


@pytest.fixture
def katago(request: pytest.FixtureRequest) -> tuple[str, str]:
    """KataGo and its net; tests that need them are skipped unless both are named."""
    program, net = (request.config.getoption(name) for name in ("--katago", "--katago-net"))
    if not program or not net:
        pytest.skip("needs KataGo: name it by --katago PATH --katago-net FILE")
    return program, net


def pytest_collection_finish() -> None:
    """Exclude the collected tests, which stay anyway, from garbage collection."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.name.partition("[")[0] not in SLOWEST_TESTS)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end how many tests of the page were skipped, and what they need."""
    skipped = sum(NO_CHROMIUM in str(report.longrepr) for report in terminalreporter.stats.get("skipped", ()))
    if skipped:
        terminalreporter.write_line(
            f"{skipped} tests of the page were skipped: they need Chromium. On Debian or Ubuntu: apt install chromium; "
            "elsewhere: .venv/bin/playwright install chromium."
        )


OURS = tuple(
    name
    for name, same in installed.entries(installed.GAMES).items()
    if any(entry.dist is not None and entry.dist.name == "kibitz" for entry in same)
)
"""The games of this repository; others may be installed as well."""
SMALL: dict[str, dict[str, OptionValue]] = {"go": {"size": 5, "komi": 0.5}}
"""Game -> options that keep its games short, besides those with a list of choices."""


def all_games() -> Iterator[Game]:
    """Yield every game of this repository with every choice of its options, see kibitz.testing."""
    for name in OURS:
        yield from option_sets(name, SMALL.get(name))


def complaints(stderr: str) -> str:
    """Return the error output of a command, without notices about compiled searches."""
    return "".join(line for line in stderr.splitlines(True) if not line.startswith("compiling a search ("))


@pytest.fixture(params=list(all_games()), ids=game_id)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game with every choice of its options."""
    made: Game = request.param
    return made


AddGame: TypeAlias = Callable[[GamePackage], None]


@pytest.fixture
def add_game() -> Iterator[AddGame]:
    """A function that adds a game until the end of the test."""
    added = list[str]()

    def add(package: GamePackage) -> None:
        registry.add(package)
        added.append(package.name)

    yield add
    for name in added:
        registry.remove(name)


@pytest.fixture
def toy(add_game: AddGame) -> GamePackage:
    """The toy, added until the end of the test."""
    from toy.package import TOY

    add_game(TOY)
    return TOY
