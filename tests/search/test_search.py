"""The compiled searches against their readable references, and against plain minimax."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import takewhile

import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.agent import Budget, Choice
from kibitz.core.game import Game, State
from kibitz.search.values import probability
from kibitz.testing import random_game
from search.asking import ask, small_positions
from search.naive import is_small, solve, value, worth


def sample(game: Game, seeds: range) -> list[State]:
    """Return a few positions of each of some random games, none of them finished."""
    found: list[State] = []
    for seed in seeds:
        states = random_game(game, seed)[:-1]
        found += random.Random(seed).sample(states, min(4, len(states)))
    return found


def facts(choice: Choice) -> tuple[object, ...]:
    """Return what a search and its reference must agree on."""
    return choice.move, choice.value, choice.exact, choice.unit, choice.nodes, choice.depth, choice.line


@pytest.mark.modes
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_alphabeta_is_its_reference_node_by_node(game: Game, depth: int) -> None:
    bare = kibitz.agent(game, f"alphabeta(depth={depth},table=0)")
    plain = kibitz.agent(game, f"plain-alphabeta(depth={depth})")
    for state in sample(game, range(3)):
        assert facts(ask(bare, state)) == facts(ask(plain, state))


def test_a_search_cut_short_anywhere_is_its_reference_too(game: Game) -> None:
    bare, plain = kibitz.agent(game, "alphabeta(table=0)"), kibitz.agent(game, "plain-alphabeta")
    wins = 0
    for state in [*sample(game, range(2)), *random_game(game, 7)[-6:-1], *random_game(game, 8)[-6:-1]]:
        for nodes in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377):
            ours = ask(bare, state, Budget(nodes=nodes))
            assert facts(ours) == facts(ask(plain, state, Budget(nodes=nodes)))
            assert ours.exact == (ours.unit == "result")
            wins += ours.exact and ours.value == 1
    assert wins > 0


def test_deeper_too_and_the_table_changes_no_answer(game: Game) -> None:
    plain = kibitz.agent(game, "plain-alphabeta(depth=5)")
    bare, tabled = (kibitz.agent(game, f"alphabeta(depth=5,table={bits})") for bits in (0, 16))
    for state in sample(game, range(4)):
        reference = ask(plain, state)
        for agent in (bare, tabled):
            answer = ask(agent, state)
            assert (answer.move, answer.value, answer.exact) == (reference.move, reference.value, reference.exact)
        assert ask(bare, state).nodes == reference.nodes


def test_the_table_saves_nodes(game: Game) -> None:
    bare, tabled = (kibitz.agent(game, f"alphabeta(depth=9,table={bits})") for bits in (0, 18))
    nodes = [[ask(agent, state).nodes for state in sample(game, range(4))] for agent in (bare, tabled)]
    assert sum(nodes[1]) < 0.8 * sum(nodes[0])


def test_a_table_kept_through_a_game_never_gives_a_wrong_result(game: Game) -> None:
    """A kept table may know more than the depth asked for, but what it holds for solved must be so."""
    known: dict[State, int] = {}
    agent, checked = kibitz.agent(game, "alphabeta(every=true,table=14)"), 0
    for seed in range(8):
        agent.reset(0)
        late = random_game(game, seed)[:-1][-12:]
        small = list(takewhile(is_small, reversed(late)))  # what follows a small position is small too
        for state in late:
            answer = agent.choose(state.view(state.to_move), Budget(nodes=60_000))
            if state in small:
                checked += 1
                assert answer.exact
                assert {m.move: m.value for m in answer.moves} == {
                    move: worth(state, move, known) for move in state.legal_moves()
                }
    assert checked >= 16


def test_a_table_of_16_slots_never_gives_a_wrong_answer(game: Game) -> None:
    tiny, bare = kibitz.agent(game, "alphabeta(depth=4,table=4)"), kibitz.agent(game, "alphabeta(depth=4,table=0)")
    for state in sample(game, range(4)):
        answer, reference = ask(tiny, state), ask(bare, state)
        assert (answer.move, answer.value) == (reference.move, reference.value)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_alphabeta_finds_the_minimax_value_of_every_move(game: Game, depth: int) -> None:
    readable = registry.evaluations(game.name)
    agent = kibitz.agent(game, f"alphabeta(depth={depth},every=true)")
    evaluate = next(iter(readable.known.values())).function
    for state in sample(game, range(1)):
        answer = ask(agent, state)
        for m in answer.moves:
            after = state.play(m.move)
            sign = 1 if after.to_move == state.to_move else -1
            raw = sign * value(after, depth - 1, evaluate, readable.final)
            if answer.unit == "probability" and not m.exact:
                assert m.value == probability(raw, agent.scale)  # type: ignore[attr-defined]
            elif m.exact:
                assert (m.value > (0.5 if answer.unit == "probability" else 0)) == (raw > 0)


def test_solved_positions_are_solved_right(game: Game) -> None:
    known: dict[State, int] = {}
    assert len(small_positions(game)) >= 10
    for state in small_positions(game):
        answer = ask(kibitz.agent(game, "alphabeta(every=true)"), state, Budget(seconds=600))
        best = solve(state, known)
        assert answer.exact
        assert answer.value == best
        assert {m.move: m.value for m in answer.moves} == {m: worth(state, m, known) for m in state.legal_moves()}
        assert list(answer.best) == [m for m in state.legal_moves() if worth(state, m, known) == best]


@pytest.mark.modes
@pytest.mark.parametrize("leaf", ["rollout", "evaluation"])
def test_mcts_grows_the_same_tree_as_its_reference(game: Game, leaf: str) -> None:
    name = leaf if leaf == "rollout" else next(iter(registry.evaluations(game.name).known))
    ours, theirs = (kibitz.agent(game, f"{kind}(playouts=120,leaf={name})") for kind in ("mcts", "plain-mcts"))
    proved = 0
    for state in [*sample(game, range(2)), *random_game(game, 9)[-5:-1]]:
        answer, reference = ask(ours, state), ask(theirs, state)
        assert replace(answer, line=()) == replace(reference, line=())  # the reference looks no further than one move
        proved += answer.exact
    assert proved > 0


def test_mcts_proofs_are_right(game: Game) -> None:
    known: dict[State, int] = {}
    proved = 0
    for state in small_positions(game):
        answer = ask(kibitz.agent(game, "mcts(playouts=3000)"), state)
        if answer.exact:
            proved += 1
            assert answer.value == solve(state, known)
            assert worth(state, answer.move, known) == answer.value
    assert proved >= 8


def test_mcts_lives_with_a_full_tree(game: Game) -> None:
    agent = kibitz.agent(game, "mcts(playouts=4000,tree=1000)")
    answer = ask(agent, game.start())
    assert agent._tree.used[0] <= 1000  # type: ignore[attr-defined]
    assert answer.exact or answer.playouts == 4000


def test_a_node_budget_is_kept_to_the_node(game: Game) -> None:
    for nodes in (1, 10, 777):
        for name in ("alphabeta", "plain-alphabeta"):
            assert ask(kibitz.agent(game, name), game.start(), Budget(nodes=nodes)).nodes <= nodes
        assert ask(kibitz.agent(game, "mcts"), game.start(), Budget(playouts=nodes)).playouts <= nodes
