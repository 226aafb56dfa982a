"""What every agent of every game promises: legal moves, honest figures, the same play from the same seed."""

from __future__ import annotations

import dataclasses

import pytest

import kibitz
from conftest import random_game
from kibitz.core.agent import Agent, Budget, Choice, Watch
from kibitz.core.game import Game, State, hides
from kibitz.search.agents import agent_entries

SMALL = Budget(seconds=5.0, nodes=300, playouts=25)
LEVELS = [f"level{number}" for number in range(1, 11)]


def positions(game: Game) -> list[State]:
    """Return positions from all stages of a game, the last move of one included."""
    states = random_game(game, 5)
    return [states[0], states[len(states) // 3], states[2 * len(states) // 3], states[-5], states[-2]]


def check_choice(state: State, choice: Choice) -> None:
    legal = state.legal_moves()
    assert choice.move in legal
    assert choice.move in (choice.best or (choice.move,))
    assert set(choice.best) <= set(legal)
    if choice.moves:
        assert [m.move for m in choice.moves] == list(legal)
    if choice.unit == "probability":
        assert choice.value is not None
        assert 0 <= choice.value <= 1
    if choice.unit == "result":
        assert choice.exact
        assert choice.value in (-1, 0, 1)
    if choice.line:
        assert choice.line[0] == choice.move
    for move in choice.line:
        state = state.play(move)


def test_every_game_offers_ten_levels_and_a_champion(game: Game) -> None:
    table = agent_entries(game.name)
    assert {*LEVELS, "champion", "random"} <= set(table)
    assert table["level10"].make == "champion"


def test_every_agent_answers_with_a_legal_move(game: Game) -> None:
    for name in agent_entries(game.name):
        agent = kibitz.agent(game, name)
        for state in positions(game):
            check_choice(state, agent.choose(state.view(state.to_move), SMALL))


def test_the_analyst_values_every_move(game: Game) -> None:
    for state in positions(game):
        choice = kibitz.analyse(state, Budget(nodes=20_000, playouts=500))
        check_choice(state, choice)
        assert len(choice.moves) == len(state.legal_moves())
        assert choice.value == max(m.value for m in choice.moves)


def test_the_same_seed_gives_the_same_choices(game: Game) -> None:
    for name in agent_entries(game.name):
        agent = kibitz.agent(game, name)
        answers = []
        for _ in range(2):
            agent.reset(7)
            answers.append(
                [
                    dataclasses.replace(agent.choose(state.view(state.to_move), SMALL), seconds=0.0)
                    for state in positions(game)[1:3]
                ]
            )
        assert answers[0] == answers[1], name


@pytest.mark.parametrize("name", ["alphabeta", "mcts", "plain-alphabeta", "plain-mcts"])
def test_a_stop_is_obeyed_with_a_legal_move(game: Game, name: str) -> None:
    if hides(game.start()):
        pytest.skip("these searches are for games that hide nothing")
    watch = Watch()
    watch.stop()
    state = game.start(0)
    choice = kibitz.agent(game, name).choose(state.view(0), Budget(seconds=60), watch)
    assert choice.move in state.legal_moves()
    assert choice.seconds < 5


class Wrong(Agent):
    """Plays a move that does not exist."""

    def choose(self, view: kibitz.View, budget: Budget = Budget(), watch: Watch | None = None) -> Choice:
        return Choice(10**6)


def test_random_games_replay_move_by_move(game: Game) -> None:
    for seed in range(5):
        agents = [kibitz.agent(game, "random"), kibitz.agent(game, "random")]
        record = kibitz.play(game, agents, seed=seed)
        states = kibitz.replay(record)
        assert len(states) == len(record.moves) + 1
        outcome = states[-1].outcome()
        assert outcome is not None
        assert outcome.result == record.result
        assert kibitz.GameRecord.from_json(record.to_json()) == record


def test_an_illegal_move_loses_and_says_so(game: Game) -> None:
    record = kibitz.play(game, [kibitz.agent(game, "random"), Wrong(game)], seed=1)
    assert record.result == "1-0"
    assert "illegal" in record.reason
