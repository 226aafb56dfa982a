"""Every game's kernel in lockstep with its rules, ply by ply over random games.

Only with bounds checked and with the JIT off, by compiled/test_modes.py: what is right there is right without.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from compiled_game import advance, duplicate, facts, promises, retreat
from conftest import random_game, random_play
from kibitz.core import registry
from kibitz.core.agent import WIN
from kibitz.core.game import Game, State

pytestmark = pytest.mark.checked


def arrays(pos: Any) -> list[list[Any]]:
    """Return the words of a position; what is not int64 is equipment, such as nets and scratch."""
    return [part.tolist() for part in pos if isinstance(part, np.ndarray) and part.dtype == np.int64]


def rooms(game: Game) -> tuple[Any, Any]:
    """Return arrays for the legal moves and for the facts of a position, one for each evaluation among them."""
    evaluations = registry.evaluations(game.name).known
    return np.zeros(registry.kernel(game.name).ROOM, np.int64), np.zeros(4 + len(evaluations), np.int64)


def check(state: State, pos: Any, kernel: Any) -> None:
    """Compare one state with one position in all they can say."""
    readable = registry.evaluations(state.game.name)
    moves, out = rooms(state.game)
    n = facts(pos, moves, out)
    assert tuple(moves[:n].tolist()) == state.legal_moves()
    assert kernel.unpack(pos, state.game) == state
    assert out[0] == state.to_move
    over = state.outcome() is not None
    assert bool(out[1]) == over
    if over:
        assert out[2] == readable.final(state)
    else:
        values = [evaluation.function(state) for evaluation in readable.known.values()]
        assert out[4:].tolist() == values
        assert all(abs(value) < WIN for value in values)
    promises(pos, moves, n)
    assert np.abs(moves[:n]).max(initial=0) <= 16, "a promise is a few points, see kibitz.compiled.position"
    assert arrays(kernel.pack(state)) == arrays(pos)


@pytest.mark.parametrize("seed", range(3))
def test_kernel_and_rules_agree_on_every_ply(game: Game, seed: int) -> None:
    kernel = registry.kernel(game.name)
    rng = random.Random(seed)
    states, moves = random_play(game, seed)
    pos = kernel.pack(states[0])
    for state, move in zip(states[:-1], moves, strict=True):
        check(state, pos, kernel)
        before = arrays(pos)
        tried = rng.choice(state.legal_moves())
        token = advance(pos, tried)
        check(state.play(tried), pos, kernel)
        retreat(pos, tried, token)
        assert arrays(pos) == before
        advance(pos, move)
    check(states[-1], pos, kernel)
    other = kernel.pack(states[0])
    duplicate(pos, other)
    assert arrays(other) == arrays(pos)


def key_of(state: State) -> int:
    kernel = registry.kernel(state.game.name)
    moves, out = rooms(state.game)
    facts(kernel.pack(state), moves, out)
    return int(out[3])


@pytest.mark.parametrize(
    "texts",
    [
        ("4x4/4o4/9/9/9/9/9/9/9 x 4", "9/4o4/4x4/9/9/9/9/9/9 x 4"),
        ("4x4/3xo4/9/9/o8/9/9/9/9 x 4", "4x4/3xo4/9/9/o8/9/9/9/9 x 0"),
        ("xxxooo3/9/9/9/9/9/9/9/9 x 3 x........", "xxxooo3/9/9/9/9/9/9/9/9 x 3 o........"),
    ],
    ids=["other marks", "other forced board", "other owner"],
)
def test_keys_of_uttt_tell_apart_what_differs_in_one_thing(texts: tuple[str, str]) -> None:
    first, second = (registry.game("uttt", variant="open").parse_position(text) for text in texts)
    assert first != second
    assert key_of(first) != key_of(second)


def go_on_alike(one: State, other: State) -> bool:
    """Return whether two positions are equal, or a random game goes the same way from both, as when boxes of the
    same number belong to other players.
    """
    rng = random.Random(1)
    while one != other and (moves := one.legal_moves()):
        if other.to_move != one.to_move or other.legal_moves() != moves:
            return False
        move = rng.choice(moves)
        one, other = one.play(move), other.play(move)
    return one == other or one.outcome() == other.outcome()


def test_keys_tell_positions_apart(game: Game) -> None:
    kernel = registry.kernel(game.name)
    moves, out = rooms(game)
    seen: dict[int, State] = {}
    for seed in range(20):
        for state in random_game(game, seed):
            facts(kernel.pack(state), moves, out)
            if state.outcome() is None:
                assert go_on_alike(seen.setdefault(int(out[3]), state), state)
    assert len(seen) > 500
