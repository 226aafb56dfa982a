"""Vectorised play: in lockstep with the rules, for every game and option; deals, seeds and mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

import kibitz
from conftest import AddGame
from kibitz.compiled.arrays import BoolArray
from kibitz.core import registry
from kibitz.core.errors import BadOption, IllegalMove
from kibitz.core.game import Game, State
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.interop.observation import observe_of
from kibitz.interop.vector import Step, VectorGames
from toy.package import TOY


def same(game: Game, state: State) -> State:
    """Return a state as kernels keep it: without its log."""
    kernel = registry.package(game.name).kernel
    assert kernel is not None
    twin = kernel()
    kept: State = twin.unpack(twin.pack(state), game)
    return kept


def check_shown(games: VectorGames, step: Step, states: Mapping[int, State]) -> None:
    """Compare what is shown of some games with their states."""
    observe = observe_of(games.game.name)
    for i, state in states.items():
        view = state.view(state.to_move)
        assert step.player[i] == state.to_move
        assert tuple(np.flatnonzero(step.legal[i])) == state.legal_moves()
        assert np.array_equal(step.observation[i], observe(view, state.to_move))


@pytest.mark.modes
def test_every_step_is_as_the_rules_say(game: Game) -> None:
    games = VectorGames(game, 3, seed=1)
    step = games.reset()
    states = {i: games.state(i) for i in range(games.n)}
    check_shown(games, step, states)
    ended = 0
    for _ in range(min(game.max_game_length, 150)):
        actions = games.sample()
        step = games.step(actions)
        for i, action in enumerate(actions.tolist()):
            after = states[i].play(action)
            outcome = after.outcome()
            assert step.over[i] == (outcome is not None)
            if outcome is None:
                assert games.state(i) == same(game, after)
                assert step.rewards[i].tolist() == [0, 0]
            else:
                assert step.rewards[i].tolist() == [outcome.value(0), outcome.value(1)]
                ended += 1
            states[i] = games.state(i)
        check_shown(games, step, states)
    assert ended


def test_every_number_of_an_observation_is_used_and_right() -> None:
    games = VectorGames(BattleLine(), 40, seed=2)
    step = games.reset()
    used = np.zeros(games.observation_shape, bool)
    for _ in range(300):
        step = games.step(games.sample())
        for i in np.flatnonzero((step.observation != 0)[:, ~used].any(axis=1)).tolist():  # what was not seen before
            check_shown(games, step, {i: games.state(i)})
            used |= step.observation[i] != 0
    cards, flags, rest = np.split(used, [26 * 70, 26 * 70 + 6 * 9])
    planes: BoolArray = cards.reshape(26, 70)
    assert planes[:24, :60].any(axis=1).all()  # Troops are everywhere but among the Tactics played
    assert planes[[0, *range(1, 20), 24, 25], 60:].any(axis=1).all()  # and Tactics too, but hardly ever put back
    assert flags.all()
    assert np.delete(rest, 1 + stages.CLAIM).all()  # only in a variant of the rules are claims a stage


def test_deals_are_complete_and_random() -> None:
    games = VectorGames(BattleLine(), 200, seed=5)
    games.reset()
    dealt = [games.state(i) for i in range(games.n)]
    for state in dealt:
        assert isinstance(state, BattleLineState)
        cards = [*state.hands[0], *state.hands[1], *state.decks[0], *state.decks[1]]
        assert sorted(cards) == sorted(BattleLine().all_cards)
        assert [len(hand) for hand in state.hands] == [7, 7]
        assert (
            same(state.game, state.game.deal((*state.hands[0], *state.hands[1], *state.decks[0]), state.decks[1]))
            == state
        )
    in_first_hand = np.bincount([card for state in dealt for card in state.hands[0]], minlength=60)  # type: ignore[attr-defined]
    assert in_first_hand.min() > 5  # 23 expected, with a standard deviation of 4.5
    assert in_first_hand.max() < 45
    assert len({state.decks for state in dealt}) == games.n  # type: ignore[attr-defined]


def played(games: VectorGames, steps: int) -> list[bytes]:
    """Play random games; return all that is shown, as bytes."""
    shown = [games.reset()[:3]]
    rows = []
    for _ in range(steps):
        rows.append(b"".join(np.ascontiguousarray(array).tobytes() for array in shown[-1]))
        shown.append(games.step(games.sample())[:3])
    return rows


def test_a_seed_repeats_everything() -> None:
    game = BattleLine()
    assert played(VectorGames(game, 4, seed=3), 60) == played(VectorGames(game, 4, seed=3), 60)
    assert played(VectorGames(game, 4, seed=3), 5) != played(VectorGames(game, 4, seed=4), 5)
    games = VectorGames(game, 4)
    games.reset(seed=3)
    first = games.state(0)
    games.reset()
    assert games.state(0) != first  # the streams go on
    games.reset(seed=3)
    assert games.state(0) == first


def test_a_game_does_not_depend_on_those_beside_it() -> None:
    few, many = VectorGames(BattleLine(), 2, seed=3), VectorGames(BattleLine(), 50, seed=3)
    few.reset(), many.reset()
    assert [few.state(i) for i in range(2)] == [many.state(i) for i in range(2)]


def test_an_illegal_action_changes_nothing() -> None:
    games = kibitz.vector.make("uttt", n=3, seed=1)
    games.reset()
    games.step([0, 1, 2])
    before = [games.state(i) for i in range(3)]
    with pytest.raises(IllegalMove, match=r"^Game 1, action 80: "):
        games.step([1, 80, 80])
    with pytest.raises(IllegalMove, match=r"^Game 2, action 99999999999: "):
        games.step([1, 9, 99999999999])
    with pytest.raises(IllegalMove, match=r"^Game 0, action -1: "):
        games.step([-1, 9, 18])
    assert [games.state(i) for i in range(3)] == before
    games.step(np.array([1, 9, 18], np.uint8))
    assert all(one != other for one, other in pairwise([games.state(i) for i in range(3)]))


def test_what_a_learner_writes_into_the_arrays_does_no_harm() -> None:
    games = kibitz.vector.make("dots", n=2, rows=2, cols=2)
    step = games.reset()
    games.step([0, 1])
    step.legal[:], step.observation[:] = True, 7
    step = games.step([1, 0])
    check_shown(games, step, {i: games.state(i) for i in range(2)})
    with pytest.raises(IllegalMove):
        games.step([0, 0])


@pytest.mark.parametrize("n", [0, -1, 1 << 21, 2.0, "4", True])
def test_a_bad_number_of_games_is_refused(n: object) -> None:
    with pytest.raises(BadOption, match="number of games"):
        kibitz.vector.make("uttt", n=n)  # type: ignore[arg-type]


@pytest.mark.parametrize("actions", [[0], [[0, 1]], [0.0, 1.0], ["a", "b"], [True, False], None])
def test_bad_actions_are_refused(actions: object) -> None:
    games = kibitz.vector.make("uttt", n=2)
    with pytest.raises(BadOption, match="reset"):
        games.step([0, 1])
    with pytest.raises(BadOption, match="reset"):
        games.sample()
    games.reset()
    with pytest.raises(BadOption, match="2 whole numbers"):
        games.step(actions)  # type: ignore[arg-type]
    with pytest.raises(BadOption, match="no game 2"):
        games.state(2)


def test_unknown_games_and_options_are_refused(add_game: AddGame) -> None:
    with pytest.raises(BadOption, match="nim"):
        kibitz.vector.make("nim", n=1)
    with pytest.raises(BadOption, match="size"):
        kibitz.vector.make("go", n=1, size=99)
    add_game(TOY)
    with pytest.raises(BadOption, match="compiled observation"):
        kibitz.vector.make(TOY.name, n=1)
