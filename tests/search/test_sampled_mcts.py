"""The search for games that hide something: it knows no more than its player, and proves nothing."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

import pytest

import kibitz
from kibitz.core.agent import Budget
from kibitz.core.package import GamePackage
from kibitz.search.agents import agent_entries, analyst_spec, resolve
from kibitz.search.defaults import Random
from kibitz.search.mcts.sampled import SampledMcts
from toy.cards import CARDS, HighCard, State
from toy.package import TOY

HIGH_CARD: GamePackage = GamePackage(HighCard)


@pytest.mark.parametrize("package", [HIGH_CARD, dataclasses.replace(HIGH_CARD, kernel=TOY.kernel)])
def test_a_game_that_hides_something_gets_no_other_search(
    package: GamePackage, add_game: Callable[[GamePackage], None]
) -> None:
    add_game(package)
    assert {resolve("high-card", name)[0] for name in agent_entries("high-card")} == {Random, SampledMcts}
    assert {f"level{n}" for n in range(1, 11)} | {"champion", "random", "sampled-mcts"} == set(
        agent_entries("high-card")
    )
    assert analyst_spec("high-card") == "sampled-mcts"


def test_nothing_is_proved_and_nothing_hidden_is_told(add_game: Callable[[GamePackage], None]) -> None:
    add_game(HIGH_CARD)
    rng, state = random.Random(1), HighCard().start(1)
    while state.outcome() is None:
        for name in agent_entries("high-card"):
            choice = kibitz.agent("high-card", name).choose(state.view(state.to_move), Budget(playouts=30))
            assert not choice.proved
            assert not any(m.exact or m.line for m in choice.moves)
            assert choice.line == ()
        assert not kibitz.analyse(state, Budget(playouts=30)).proved
        state = state.play(rng.choice(state.legal_moves()))


def test_the_choice_depends_on_what_the_player_sees_alone(add_game: Callable[[GamePackage], None]) -> None:
    add_game(HIGH_CARD)
    view = HighCard().start(3).view(0)
    for seed in range(5):
        twin = view.sample(random.Random(seed)).view(0)
        choices = (kibitz.agent("high-card", "sampled-mcts").choose(each, Budget(playouts=50)) for each in (view, twin))
        assert len({dataclasses.replace(choice, seconds=0.0) for choice in choices}) == 1


@pytest.mark.parametrize("card", [2, 4, 7])
def test_a_value_is_the_share_of_deals_that_are_won(card: int, add_game: Callable[[GamePackage], None]) -> None:
    """One trick is left, each player has won one, and the cards that nobody has seen are equally likely."""
    add_game(HIGH_CARD)
    seen = (8, 0, 1, 6)
    state = State(HighCard(), seen, ((card,), (3 if card != 3 else 5,)))
    unseen = set(range(CARDS)) - {*seen, card}
    choice = kibitz.analyse(state, Budget(playouts=2000))
    assert choice.value == pytest.approx(sum(other < card for other in unseen) / len(unseen), abs=0.05)


def test_a_second_player_answers_the_card_that_lies_there(add_game: Callable[[GamePackage], None]) -> None:
    add_game(HIGH_CARD)
    state = State(HighCard(), (8, 0, 1, 6, 3), ((), (4,)))
    assert kibitz.analyse(state, Budget(playouts=50)).value == 1
    state = State(HighCard(), (8, 0, 5), ((1, 2), (4, 6)))  # 6 wins this trick, and 4 the last one
    choice = kibitz.analyse(state, Budget(playouts=500))
    assert (choice.move, choice.unit) == (6, "probability")
