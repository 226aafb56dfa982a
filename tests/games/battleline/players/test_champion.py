"""The champion of Battle Line: what it may know, what it must see, its limits, and the kernels it is made of."""

from __future__ import annotations

import random

import pytest

import kibitz
from clocks import StopWatch
from kibitz.core.agent import Agent, Budget, Watch
from kibitz.core.errors import BadOption
from kibitz.games.battleline.players.champion.agent import Champion
from kibitz.games.battleline.rules import BattleLine, BattleLineState
from kibitz.games.battleline.rules.moves import PLACE

GAME, TROOPS_ONLY = BattleLine(), BattleLine(tactics=False)


@pytest.fixture(scope="module")
def champion() -> Agent:
    agent = kibitz.agent(GAME, "champion")
    agent.prepare()
    return agent


@pytest.mark.parametrize(
    "game", [GAME, TROOPS_ONLY, BattleLine(edition="schotten-totten"), BattleLine(claim_timing="end")]
)
def test_it_plays_whole_games(game: BattleLine) -> None:
    agent = kibitz.agent(game, "champion(playouts=12)")
    for seed in range(2):
        record = kibitz.play(game, [agent, kibitz.agent(game, "champion(playouts=5,turns=0)")], seed, raise_faults=True)
        assert record.result in ("1-0", "0-1", "1/2-1/2")


def test_hidden_cards_change_nothing(champion: Agent) -> None:
    from games.battleline.rules.test_views import shuffled

    rng, told = random.Random(5), 0
    for seed in range(4):
        state = GAME.start(seed)
        while state.outcome() is None:
            me = state.to_move
            if rng.random() < 0.06:
                answers = []
                for position_ in (state, shuffled(state, me, rng), shuffled(state, me, rng)):
                    champion.reset(9)
                    choice = champion.choose(position_.view(me), Budget(playouts=60))
                    answers.append((choice.move, choice.value, choice.moves, choice.line))
                assert answers[0] == answers[1] == answers[2]
                told += 1
            state = state.play(rng.choice(state.legal_moves()))
    assert told >= 10


def test_it_claims_and_wins_when_it_can(champion: Agent) -> None:
    flags = "|".join(["r8,r9,r10/-", "o8,o9,o10/-", "y8,y9/-", *["-/-"] * 6])
    hands = "y10,g1,g2,g3,p1,p2,p3/b1,b2,b3,b4,b5,b6,b7"
    state = GAME.parse_position(f"turn=20 flags={flags} hands={hands}")
    choice = champion.choose(state.view(0), Budget(playouts=50))
    assert choice.move < PLACE
    while state.legal_moves()[0] < PLACE:
        state = state.play(state.legal_moves()[0])
    choice = champion.choose(state.view(0), Budget(playouts=800))
    assert GAME.move_text(choice.move) == "y10 > 3"
    assert choice.value is not None
    assert choice.value > 0.9
    assert {value.move for value in choice.moves} == set(state.legal_moves())
    assert "simulated deals" in choice.note


def best_result(state: BattleLineState) -> int:
    """Return the result for the player to move, everything tried."""
    outcome = state.outcome()
    if outcome is not None:
        return outcome.value(state.to_move)
    results = []
    for move in state.legal_moves():
        after = state.play(move)
        results.append(best_result(after) if after.to_move == state.to_move else -best_result(after))
        if results[-1] == 1:
            break
    return max(results)


def test_it_plays_exactly_once_nothing_is_hidden(champion: Agent) -> None:
    agent = kibitz.agent(TROOPS_ONLY, "champion")
    solved = 0
    for seed in range(40):
        rng, state = random.Random(seed), TROOPS_ONLY.start(seed)
        while state.outcome() is None and (state.sizes[0] or sum(map(len, state.hands)) > 11):
            claims = [move for move in state.legal_moves() if move < PLACE]
            state = state.play(claims[0] if claims else rng.choice(state.legal_moves()))
        free = sum(not flag.is_complete(p) for flag in state.flags if flag.owner < 0 for p in (0, 1))
        if state.outcome() is not None or free > 3 or len(state.legal_moves()) < 2 or state.legal_moves()[0] < PLACE:
            continue
        choice = agent.choose(state.view(state.to_move), Budget(playouts=20_000))
        if choice.exact:
            after = state.play(choice.move)
            value = best_result(after) if after.to_move == state.to_move else -best_result(after)
            assert choice.value == best_result(state) == value
            assert choice.unit == "result"
            solved += 1
    assert solved >= 5


def test_it_keeps_its_limits(champion: Agent) -> None:
    state = GAME.start(4)
    assert champion.choose(state.view(0), Budget(playouts=100)).playouts == 85  # the draw has the rest
    assert champion.choose(state.view(0), Budget(nodes=40)).nodes <= 40
    assert kibitz.agent(GAME, "champion(playouts=20)").choose(state.view(0), Budget(playouts=90)).playouts <= 20
    assert champion.choose(state.view(0), Budget(seconds=0.05)).seconds < 60


def test_a_stop_is_obeyed(champion: Agent) -> None:
    watch = StopWatch(lambda watch: watch.nodes > 0 and watch.move is not None)
    choice = champion.choose(GAME.start(4).view(0), Budget(seconds=600), watch)
    assert choice.seconds < 300
    stopped = Watch()
    stopped.stop()
    assert champion.choose(GAME.start(4).view(0), Budget(seconds=600), stopped).playouts >= 1


def test_a_full_tree_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    from kibitz.games.battleline.players.champion import search

    monkeypatch.setattr(search, "MAX_NODES", 70)
    agent = kibitz.agent(GAME, "champion(playouts=400)")
    assert isinstance(agent, Champion)
    assert agent.choose(GAME.start(4).view(0)).playouts == 340
    assert int(agent.search.tree.used[0]) == 70


@pytest.mark.parametrize(
    "spec",
    ["champion(turns=-1)", "champion(trust=0)", "champion(playouts=0)", "champion(seconds=0)", "champion(beliefs=1.5)"],
)
def test_impossible_options_are_refused(spec: str) -> None:
    with pytest.raises(BadOption):
        kibitz.agent(GAME, spec)


def test_it_beats_a_greedy_player() -> None:
    """Not a measurement, see docs/games/battleline/champion.md: a search gone wrong loses most of these."""
    agent, other = kibitz.agent(TROOPS_ONLY, "champion(playouts=60)"), kibitz.agent(TROOPS_ONLY, "reflex")
    won = 0
    for number in range(4):
        pair = [agent, other] if number % 2 == 0 else [other, agent]
        record = kibitz.play(TROOPS_ONLY, pair, number // 2, raise_faults=True)
        won += record.result == ("1-0", "0-1")[number % 2]
    assert won >= 3
