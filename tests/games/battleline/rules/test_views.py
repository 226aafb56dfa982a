"""What a player of Battle Line may know: no more, no less, and what follows from it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.compiled.jit import entry
from kibitz.compiled.rng import stream
from kibitz.core.agent import Budget
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.deal import redeal
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.cards import is_troop
from kibitz.games.battleline.rules.view import BattleLineView
from kibitz.search.agents import agent_entries
from kibitz.testing import random_game

GAME = BattleLine()
PUBLIC = [field.name for field in fields(BattleLineState) if field.name not in ("hands", "decks", "known", "log")]


def shuffled(state: BattleLineState, player: int, rng: random.Random) -> BattleLineState:
    """Return a state in which all that a player cannot see is dealt anew. Written apart from BattleLineView.sample.

    A card he put back by Scout keeps its place, in a deck or in the other hand.
    """
    fixed = set(state.known[player])
    hidden = [[card for card in cards if card not in fixed] for cards in (state.hands[1 - player], *state.decks)]
    troops = [card for cards in hidden for card in cards if is_troop(card)]
    tactics = [card for cards in hidden for card in cards if not is_troop(card)]
    rng.shuffle(troops)
    rng.shuffle(tactics)
    new = {}
    for cards in (state.hands[1 - player], *state.decks):
        for card in cards:
            if card not in fixed:
                new[card] = (troops if is_troop(card) else tactics).pop()
    moved = [tuple(new.get(card, card) for card in cards) for cards in (state.hands[1 - player], *state.decks)]
    theirs = tuple(sorted(new.get(card, card) for card in state.known[1 - player]))
    hands, known = (state.hands[player], tuple(sorted(moved[0]))), (state.known[player], theirs)
    if player == 1:
        hands, known = (hands[1], hands[0]), (known[1], known[0])
    return replace(state, hands=hands, decks=(moved[1], moved[2]), known=known)


def all_states(seeds: range, step: int = 3) -> list[BattleLineState]:
    return [state for seed in seeds for state in random_game(GAME, seed)[::step]]


def test_views_do_not_change_with_hidden_cards() -> None:
    rng, changed, scouted = random.Random(1), 0, 0
    for state in all_states(range(12)):
        for player in (0, 1):
            view, other = state.view(player), shuffled(state, player, rng)
            changed += other != state
            scouted += bool(state.known[player])
            assert other.view(player) == view
            assert repr(other.view(player)) == repr(view)
            assert GAME.view_text(other.view(player)) == GAME.view_text(view)
            assert GAME.draw(other.view(player)) == GAME.draw(view)
    assert changed > 800
    assert scouted > 30


def test_a_view_holds_no_state() -> None:
    """Nothing that can be reached from a view is a BattleLineState or holds the other hand."""
    view = GAME.start(1).view(0)
    held = [getattr(view, field.name) for field in fields(BattleLineView)]
    assert not [part for part in held if isinstance(part, BattleLineState)]
    assert not hasattr(view, "hands")
    assert not hasattr(view, "decks")


def test_samples_fit_and_differ() -> None:
    rng = random.Random(2)
    for state in all_states(range(6), 7):
        for player in (0, 1):
            view = state.view(player)
            sampled = view.sample(rng)
            assert sampled.view(player) == view
            assert [getattr(sampled, name) for name in PUBLIC] == [getattr(state, name) for name in PUBLIC]
            assert sampled.hands[player] == state.hands[player]
            assert sampled.sizes == state.sizes
            assert sampled.log == state.log
    first = GAME.start(3).view(0)
    assert len({first.sample(rng).hands[1] for _ in range(50)}) > 45


def scouted_state() -> BattleLineState:
    """Return a position in which the second player has drawn one of the two cards the first put back."""
    text = "turn=6 hands=SCOUT,r1,r2,p1,p2,p3,p4/y1,y2,y3,y4,y5,y6,y7"
    state = GAME.parse_position(text)
    for move in ("scout", "draw troop", "draw tactics", "draw troop", "return r1", "return r2", "y1 > 1", "draw troop"):
        state = state.play(GAME.parse_move(move))
    return state


def test_scout_is_remembered() -> None:
    state = scouted_state()
    mine, theirs = state.view(0), state.view(1)
    assert (mine.top, mine.known, mine.back) == (((0,), ()), (1,), (1, 0))
    assert (theirs.top, theirs.known, theirs.back, theirs.exposed) == (((), ()), (), (1, 0), (1,))
    assert [GAME.move_text(move) for move in theirs.log[4:6]] == ["return troop", "return troop"]
    rng = random.Random(1)
    assert all(1 in mine.sample(rng).hands[1] and mine.sample(rng).decks[0][0] == 0 for _ in range(20))
    tops = {theirs.sample(rng).decks[0][0] for _ in range(200)}
    assert len(tops) > 30, "the second player does not know what is on top"
    after = state.play(GAME.parse_move("p1 > 2")).play(GAME.parse_move("draw troop"))
    assert after.known == ((1,), ()), "what was drawn back is the own hand's"
    played = after.play(GAME.parse_move("r2 > 3"))
    assert played.known == ((), ())


@entry
def deal(pos: Any, player: int, rng: Any) -> None:
    redeal(pos.words, player, rng)


@pytest.mark.modes
def test_compiled_deals_fit_the_view() -> None:
    rng = stream(5)
    states = [*all_states(range(4), 9), scouted_state()]
    for state in states:
        for player in (0, 1):
            pos = kernel.pack(state)
            deal(pos, player, rng)
            dealt = kernel.unpack(pos, GAME)
            assert dealt.view(player) == state.view(player)
            assert kernel.pack(dealt).words.tolist() == pos.words.tolist()  # type: ignore[attr-defined]  # arrays


def test_compiled_deals_are_even() -> None:
    """Each of 53 hidden Troops is in the other hand of 7 with the same chance, and on top of the deck too."""
    state, rng, n = GAME.start(9), stream(7), 6000
    held: Counter[int] = Counter()
    top: Counter[int] = Counter()
    pos = kernel.pack(state)
    for _ in range(n):
        deal(pos, 0, rng)
        dealt = kernel.unpack(pos, GAME)
        held.update(dealt.hands[1])
        top[dealt.decks[0][0]] += 1
    assert set(held) == set(range(60)) - set(state.hands[0])
    expected = n * 7 / 53
    assert np.abs(np.array(list(held.values())) - expected).max() < 6 * (expected * (1 - 7 / 53)) ** 0.5
    assert max(top.values()) < n / 53 + 6 * (n / 53) ** 0.5


def test_no_agent_chooses_by_hidden_cards() -> None:
    rng, budget = random.Random(3), Budget(nodes=200, playouts=40)
    states = [state for seed, first in ((1, 4), (2, 20)) for state in random_game(GAME, seed)[first::31]]
    for name in agent_entries("battleline"):
        agent = kibitz.agent(GAME, name)
        for state in states:
            if state.outcome() is None:
                choices = []
                for seen in (state, shuffled(state, state.to_move, rng)):
                    agent.reset(4)
                    choices.append(replace(agent.choose(seen.view(seen.to_move), budget), seconds=0.0))
                assert choices[0] == choices[1], name


@pytest.mark.parametrize("options", [{}, {"edition": "schotten-totten"}, {"tactics": False}], ids=str)
def test_view_texts_are_inverse(options: dict[str, Any]) -> None:
    game = BattleLine(**options)
    for seed in range(3):
        for state in random_game(game, seed)[::4]:
            for player in (0, 1):
                view = state.view(player)
                read = game.parse_view(game.view_text(view))
                assert read == view
                assert read.log == view.log
