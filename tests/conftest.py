"""What all tests share: every game with every choice of its options, and random games of them."""

from __future__ import annotations

import gc
import itertools
import math
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal, get_args, get_origin

import pytest
import typer.main
from hypothesis import settings

from kibitz.core import registry
from kibitz.core.game import Game, Move, State
from kibitz.core.package import GamePackage
from kibitz.core.spec import parameters

if threading.current_thread() is threading.main_thread():  # what runs us in the background may have switched it off
    signal.signal(signal.SIGINT, signal.default_int_handler)

typer.main.get_command = cache(typer.main.get_command)  # to make all commands anew takes longer than most of them

settings.register_profile("kibitz", deadline=None)  # a busy machine is no failure
settings.load_profile("kibitz")


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


SMALL: dict[str, dict[str, Any]] = {"go": {"size": 5, "komi": 0.5}}
"""Game -> options without a list of choices that keep its games short; the defaults will do for the others."""


def all_games() -> Iterator[Game]:
    """Yield every registered game with every combination of its options that have a list of choices.

    Where these are more than six, with the defaults and one other choice at a time.
    """
    for name in registry.names():
        small = SMALL.get(name, {})
        cls = registry.game_class(name)
        choices: dict[str, tuple[Any, ...]] = {
            key: get_args(kind) if get_origin(kind) is Literal else (small.get(key, default),)
            for key, (kind, default) in parameters(cls).items()
        }
        if math.prod(map(len, choices.values())) <= 6:
            for values in itertools.product(*choices.values()):
                yield registry.game(name, **dict(zip(choices, values, strict=True)))
        else:
            usual = registry.game(name, **small)
            yield usual
            others = {registry.game(name, **{**small, key: value}) for key, found in choices.items() for value in found}
            yield from sorted(others - {usual}, key=str)


def complaints(stderr: str) -> str:
    """Return what a command said on its error stream, but for searches that it had to compile."""
    return "".join(line for line in stderr.splitlines(True) if not line.startswith("compiling a search ("))


def game_id(game: Game) -> str:
    return "-".join([game.name, *(str(value) for value in game.options.values())])


def random_game(game: Game, seed: int) -> list[State]:
    """Return the positions of one random game, first to last."""
    return random_play(game, seed)[0]


def random_play(game: Game, seed: int) -> tuple[list[State], list[Move]]:
    """Return the positions of one random game, first to last, and the moves between them."""
    rng = random.Random(seed)
    states, played = [game.start(seed)], list[Move]()
    while moves := states[-1].legal_moves():
        played.append(rng.choice(moves))
        states.append(states[-1].play(played[-1]))
    return states, played


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
