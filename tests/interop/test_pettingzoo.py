"""The games as environments of PettingZoo: its own tests, what players observe, mistakes, a learner."""

from __future__ import annotations

import random
import runpy
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from kibitz.core.errors import BadOption, BadText, IllegalMove, KibitzError
from kibitz.core.game import Game
from kibitz.core.package import GamePackage
from kibitz.games.battleline.observation import observe
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.interop.observation import observe_of
from kibitz.interop.pettingzoo import PLAYERS, Environment, env
from kibitz.testing import random_game

DOCS = Path(__file__).parents[2] / "docs"
GRAPH = '{"coins": ["a", "b"], "strings": [["s", "a", "b"], ["t", "a", "ground"], ["u", "b", "ground"]]}'

pytestmark = [
    # PettingZoo warns of every environment that it does not know whose observations are dictionaries
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]


def test_pettingzoo_finds_no_fault(game: Game) -> None:
    api_test(Environment(game), num_cycles=300)
    seed_test(lambda: Environment(game), num_cycles=300)


def test_pettingzoo_finds_no_fault_in_a_graph() -> None:
    api_test(env("dots", graph=GRAPH), num_cycles=30)


def play(made: Environment, seed: int) -> list[int]:
    """Play a random game to its end; return the actions."""
    rng, actions = random.Random(seed), list[int]()
    for agent in made.agent_iter():
        seen, reward, over, _, _ = made.last()
        assert reward == 0 or over
        idle = made.observe(PLAYERS[1 - PLAYERS.index(agent)])["action_mask"]
        assert not idle.any()
        legal = np.flatnonzero(seen["action_mask"])
        assert bool(len(legal)) != over
        if not over:
            actions.append(int(rng.choice(legal)))
        made.step(None if over else actions[-1])
    return actions


def test_actions_are_moves_and_rewards_the_result(game: Game) -> None:
    made, rewards = Environment(game), dict[str, float]()
    made.reset(seed=3)
    rng = random.Random(1)
    for agent in made.agent_iter():
        seen, reward, over, _, _ = made.last()
        if over:
            rewards[agent] = reward
            made.step(None)
            continue
        assert agent == PLAYERS[made.position.to_move]
        legal = made.position.legal_moves()
        assert tuple(np.flatnonzero(seen["action_mask"])) == legal
        made.step(rng.choice(legal))
    outcome = made.position.outcome()
    assert outcome is not None
    assert rewards == {agent: outcome.value(player) for player, agent in enumerate(PLAYERS)}


def test_a_seed_decides_this_deal_and_the_next() -> None:
    first, second = env("battleline"), env("battleline")
    for made in (first, second):
        made.reset(seed=5)
    assert play(first, 1) == play(second, 1)
    first.reset()
    second.reset()
    assert first.position == second.position
    second.reset(seed=5)
    assert first.position != second.position


def hidden_swapped(state: BattleLineState, player: int, rng: random.Random) -> BattleLineState:
    """Return another state that the player cannot tell from this one."""
    other = state.view(player).sample(rng)
    return replace(other, log=state.log)


@pytest.mark.parametrize("edition", ["battle-line", "schotten-totten"])
def test_what_is_hidden_is_not_observed(edition: Any) -> None:
    rng, differed = random.Random(4), 0
    for state in random_game(BattleLine(edition=edition), 7)[::3]:
        assert isinstance(state, BattleLineState)
        for player in (0, 1):
            seen = observe(state.view(player), player)
            other = hidden_swapped(state, player, rng)
            differed += other.hands != state.hands
            assert np.array_equal(observe(other.view(player), player), seen)
            assert not seen[[card for card in range(70) if card not in state.hands[player]]].any()
            assert seen[list(state.hands[player])].all()
    assert differed > 30


def test_positions_that_a_player_can_tell_apart_look_different(game: Game) -> None:
    made, observe = Environment(game), observe_of(game.name)
    space = made.observation_space("player_0")["observation"]
    for seed in range(2):
        for player in (0, 1):
            views = [state.view(player) for state in random_game(game, seed)]
            seen = [observe(view, player) for view in views]
            assert all(space.contains(each) for each in seen)
            assert len({each.tobytes() for each in seen}) == len(set(views))


def test_a_game_off_the_grid_is_seen_as_its_text(toy: GamePackage) -> None:
    game, observe = toy.rules(), observe_of("toy")
    space = Environment(game).observation_space("player_0")["observation"]
    states = random_game(game, 1)
    for player in (0, 1):
        seen = [observe(state.view(player), player) for state in states]
        assert all(space.contains(each) for each in seen)
        assert len({each.tobytes() for each in seen}) == len(set(states)) > 8
        for state, row in zip(states, seen, strict=True):
            assert tuple(np.flatnonzero(row[:3])) == state.legal_moves()
            text = np.packbits(row[3:-1].astype(bool)).tobytes().rstrip(b"\0").decode()
            assert text == game.position_text(state)[:256]
            assert row[-1] == (state.to_move == player)


def test_a_long_text_is_cut(toy: GamePackage, monkeypatch: pytest.MonkeyPatch) -> None:
    game, observe = toy.rules(), observe_of("toy")
    short = observe(game.start().view(0), 0)
    monkeypatch.setattr(toy.rules, "position_text", lambda self, state: "ü" * 1000)
    assert observe(game.start().view(0), 0).shape == short.shape == (3 + 8 * 256 + 1,)


def test_mistakes_are_told_in_words() -> None:
    with pytest.raises(BadOption, match=r"There is no game 'chess'; the games are"):
        env("chess")
    with pytest.raises(BadOption, match="rows"):
        env("dots", rows=0)
    with pytest.raises(BadText, match="graph"):
        env("dots", graph="{}")
    made = env("dots", rows=1, cols=1)
    with pytest.raises(BadOption, match=r"call reset\(\) first"):
        made.step(0)
    made.reset()
    made.step(np.int32(1))
    with pytest.raises(IllegalMove, match="Line 1 has already been drawn"):
        made.step(1)
    for wrong in (None, 0.5, "1"):
        with pytest.raises(IllegalMove, match="is not an action"):
            made.step(wrong)
    with pytest.raises(BadOption, match="Unknown agent 'player_2'"):
        made.observe("player_2")
    assert made.agent_selection == "player_1"
    for action in (0, 2, 3):
        made.step(action)
    with pytest.raises(IllegalMove, match="The game is over"):
        made.step(0)


def test_the_board_is_drawn_as_the_agent_sees_it() -> None:
    made = env("battleline")
    made.reset(seed=1)
    text = made.render()
    assert isinstance(made.position, BattleLineState)
    assert "⚑9" in text
    assert "hand" in text
    assert "first (you) holds 7 Troops" in text
    board = env("dots", rows=1, cols=2)
    board.reset()
    assert board.render().count("\n") >= 2


def test_without_pettingzoo_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "kibitz.interop.pettingzoo")
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(KibitzError, match=r"Run: pip install 'kibitz\[rl\]'"):
        import_module("kibitz.interop.pettingzoo")


def test_the_learner_of_the_docs_learns() -> None:
    before, after = runpy.run_path(str(DOCS / "example_learner.py"))["train"](games=2000, seed=1)
    assert before < 0.2
    assert after > 0.4
