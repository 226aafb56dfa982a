"""Faults that the contract tests must find, each in a game that is otherwise correct."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from conftest import AddGame
from kibitz.core.defaults.page import PlainPage
from kibitz.core.game import Game, View
from kibitz.core.package import GamePackage
from kibitz.picture import Circle, Fact, Note, Overlay, Panel, Picture
from kibitz.testing import GameContract, KernelContract, PictureContract
from toy.cards import HighCard, State
from toy.cards import View as CardView

CONTRACT_TESTS = [
    name
    for name, test in inspect.getmembers(GameContract, inspect.isfunction)
    if name.startswith("test_") and not hasattr(KernelContract, name)
]


@pytest.mark.parametrize("name", CONTRACT_TESTS)
def test_a_game_with_hidden_cards_keeps_the_contract(name: str, add_game: AddGame) -> None:
    add_game(GamePackage(HighCard))
    test = getattr(GameContract, name)
    seed = {"seed": 1} if "seed" in inspect.signature(test).parameters else {}
    test(GameContract(), HighCard(), **seed)


# What is hidden


@dataclass(frozen=True)
class Knowing(CardView):
    """A view that carries the whole state, where comparisons do not see it."""

    whole: State = field(compare=False)

    def sample(self, rng: random.Random) -> State:
        return KnowingState(**vars(super().sample(rng)))


@dataclass(frozen=True)
class Sampling(Knowing):
    """One that samples nothing else."""

    def sample(self, rng: random.Random) -> State:
        return self.whole


@dataclass(frozen=True)
class KnowingState(State):
    def view(self, player: int | None) -> CardView:
        return self.game.view_class(**vars(super().view(player)), whole=self)  # type: ignore[attr-defined,no-any-return]


@dataclass(frozen=True)
class LooseState(State):
    """A position that shows spectators the first player's hand."""

    def view(self, player: int | None) -> CardView:
        return super().view(0 if player is None else player)


@dataclass(frozen=True)
class Leaky(HighCard):
    name: ClassVar[str] = "leaky"
    view_class: ClassVar[type[CardView]] = Knowing
    state_class: ClassVar[type[State]] = KnowingState
    view_text = Game.view_text  # none

    def start(self, seed: int = 0) -> State:
        first = super().start(seed)
        return self.state_class(self, first.played, first.hands)


@dataclass(frozen=True)
class Telling(Leaky):
    def view_text(self, view: View) -> str:
        return hands(view)


@dataclass(frozen=True)
class Unsampled(Leaky):
    view_class = Sampling


@dataclass(frozen=True)
class Loose(Leaky):
    state_class = LooseState


def hands(view: View) -> str:
    assert isinstance(view, Knowing)
    return str(view.whole.hands)


PARTS: dict[str, Callable[..., Any]] = {
    "notes": lambda page, view, marks=None: (hands(view), ""),
    "overlay": lambda page, view: Overlay(facts=(Fact("Hands", hands(view)),)),
    "panels": lambda page, view: [Panel("Hands", (Note(hands(view)),))],
    "picture": lambda page, view, last=(), **how: Picture((0, 0, 9, 9), (), label=hands(view)),
}
LEAKS: dict[str, tuple[type[HighCard], str]] = {
    "notes": (Leaky, "a note shows what is hidden"),
    "overlay": (Leaky, "the overlay shows what is hidden"),
    "panels": (Leaky, "a panel shows what is hidden"),
    "picture": (Leaky, "the picture shows what is hidden"),
    "view_text": (Telling, "view_text() shows what is hidden"),
    "sample": (Unsampled, "sample() never returns another position"),
    "spectators": (Loose, "spectators see what is hidden from"),
}


@pytest.mark.parametrize("fault", LEAKS)
def test_leaks_of_hidden_cards_are_found(fault: str, add_game: AddGame) -> None:
    rules, message = LEAKS[fault]
    page = type("Page", (PlainPage,), {fault: PARTS[fault]} if fault in PARTS else {})
    add_game(GamePackage(rules, page=lambda: page(rules)))
    with pytest.raises(AssertionError, match=re.escape(message)):
        PictureContract().test_nothing_hidden_is_shown(rules())


# Kernels


@pytest.mark.parametrize("limit", ["MOVES", "MAX_LEGAL_MOVES", "MAX_GAME_LENGTH"])
def test_the_limits_of_a_kernel_are_checked(limit: str) -> None:
    enough = {"MOVES": 9, "MAX_LEGAL_MOVES": 3, "MAX_GAME_LENGTH": 6}
    contract, game = KernelContract(), HighCard()
    contract.test_the_limits_of_the_kernel_are_large_enough(game, SimpleNamespace(**enough))
    enough[limit] -= 1
    with pytest.raises(AssertionError, match=f"{limit} is {enough[limit]}, but"):
        contract.test_the_limits_of_the_kernel_are_large_enough(game, SimpleNamespace(**enough))


# Pictures


FAULTY: dict[str, tuple[Callable[..., Any], str]] = {
    "overlay": (lambda page, view: Overlay((Circle("", "odd", 5, 5, 2),)), "the class 'odd' is not in board.css"),
    "panels": (lambda page, view: [Panel("", (Note("Cards"),))], "a panel has no title"),
}


@pytest.mark.parametrize("part", FAULTY)
def test_overlays_and_panels_are_checked(part: str, add_game: AddGame) -> None:
    method, message = FAULTY[part]
    page = type("Page", (PlainPage,), {part: method})
    add_game(GamePackage(HighCard, page=lambda: page(HighCard)))
    with pytest.raises(AssertionError, match=message):
        PictureContract().test_overlays_and_panels_are_sound(HighCard())


class TwoAlike(PlainPage[Any, Any]):
    """A page on which two shapes have one key, so that changes cannot tell them apart."""

    def picture(self, view: Any, last: Any = (), **how: Any) -> Picture:
        picture = super().picture(view, last, **how)
        return replace(picture, shapes=tuple(replace(shape, key="shape") for shape in picture.shapes))


def test_changes_are_applied(add_game: AddGame) -> None:
    add_game(GamePackage(HighCard, page=lambda: TwoAlike(HighCard)))
    with pytest.raises((AssertionError, ValueError)):
        PictureContract().test_changes_lead_from_picture_to_picture(HighCard())
