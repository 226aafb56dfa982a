"""What all tests share: every game with every choice of its options, and random games of them."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import typer.main
from hypothesis import settings

from kibitz.core import installed, registry
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.testing import option_sets
from kibitz.testing.contract import game_id

if threading.current_thread() is threading.main_thread():  # what runs us in the background may have switched it off
    signal.signal(signal.SIGINT, signal.default_int_handler)

typer.main.get_command = cache(typer.main.get_command)  # to make all commands anew takes longer than most of them

settings.register_profile("kibitz", deadline=None)  # a busy machine is no failure
settings.load_profile("kibitz")


pytest_plugins = ["web.browser.fixtures"]  # a server and a browser, for the tests of the page and of games' own pages

LONGEST = ("test_the_marked_tests_pass", "test_warmup_compiles_what_there_is")
"""Tests that take minutes. They go first, so that no processor waits for one at the end."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Take one more than there are processors: tests wait for pages, processes, and kernels that others compile."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Spare the collector of garbage the tests themselves, which are many and stay."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.name.partition("[")[0] not in LONGEST)


OURS = tuple(
    name
    for name, same in installed.entries(installed.GAMES).items()
    if any(entry.dist is not None and entry.dist.name == "kibitz" for entry in same)
)
"""The games of this repository; whoever runs the tests may have installed others."""
SMALL: dict[str, dict[str, Any]] = {"go": {"size": 5, "komi": 0.5}}
"""Game -> options without a list of choices that keep its games short; the defaults will do for the others."""


def all_games() -> Iterator[Game]:
    """Yield every game of ours with every choice of its options, see kibitz.testing."""
    for name in OURS:
        yield from option_sets(name, SMALL.get(name))


def complaints(stderr: str) -> str:
    """Return what a command said on its error stream, but for searches that it had to compile."""
    return "".join(line for line in stderr.splitlines(True) if not line.startswith("compiling a search ("))


@pytest.fixture(params=list(all_games()), ids=game_id)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game with every choice of options, one after the other."""
    made: Game = request.param
    return made


@pytest.fixture
def add_game() -> Iterator[Callable[[GamePackage], None]]:
    """Make a game known until the end of the test."""
    added = list[str]()

    def add(package: GamePackage) -> None:
        registry.add(package)
        added.append(package.name)

    yield add
    for name in added:
        registry.remove(name)


@pytest.fixture
def toy(add_game: Callable[[GamePackage], None]) -> GamePackage:
    """The toy, known until the end of the test."""
    from toy.package import TOY

    add_game(TOY)
    return TOY
