"""What every game's readable rules promise, checked by random play."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from conftest import random_game
from kibitz.core import registry
from kibitz.core.errors import BadText, IllegalMove
from kibitz.core.game import Game

SEEDS = range(12)
MOST_TRIED = 200
"""So many moves are tried in each position, others in the next one; all, if a game has no more."""


def test_every_game_has_diagrams() -> None:
    folders = {path.name for path in (Path(__file__).parent.parent / "games").iterdir() if any(path.glob("test_*.py"))}
    assert folders >= set(registry.names())


@pytest.mark.parametrize("seed", SEEDS)
def test_legal_moves_are_ascending_and_end_with_the_game(game: Game, seed: int) -> None:
    for state in random_game(game, seed):
        moves = state.legal_moves()
        assert list(moves) == sorted(set(moves))
        assert all(move in game.moves() for move in moves)
        assert (not moves) == (state.outcome() is not None)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_other_move_is_refused_and_changes_nothing(game: Game, seed: int) -> None:
    rng = random.Random(seed)
    for state in random_game(game, seed)[::9]:
        before = (hash(state), repr(state))
        tried = rng.sample(game.moves(), min(MOST_TRIED, len(game.moves())))
        for move in {*tried, -1, len(game.moves()), 10**9} - set(state.legal_moves()):
            with pytest.raises(IllegalMove, match=r"\w+.*\."):
                state.play(move)
        for move in state.legal_moves():
            assert state.play(move) != state
        assert (hash(state), repr(state)) == before


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_moves_make_equal_states(game: Game, seed: int) -> None:
    first, second = random_game(game, seed), random_game(game, seed)
    assert first == second
    assert [hash(state) for state in first] == [hash(state) for state in second]
    assert len(set(first)) == len(first)


def test_the_turn_counts_up(game: Game) -> None:
    turns = [state.turn for state in random_game(game, 1)]
    assert turns[0] == 0
    assert all(later - earlier in (0, 1) for earlier, later in itertools.pairwise(turns))


def test_move_texts_are_inverse_for_all_moves(game: Game) -> None:
    moves = game.moves()
    assert [game.parse_move(game.move_text(move)) for move in moves] == list(moves)
    assert [game.parse_move(game.move_label(move)) for move in moves] == list(moves)
    assert len({game.move_text(move) for move in moves}) == len(moves)


def test_nonsense_is_no_move(game: Game) -> None:
    for text in ("", " ", "x", "-1", "1e3", "99999999999999999999", "٣", "1 2 3", "0x1", "\x00"):
        with pytest.raises(BadText):
            game.parse_move(text)


@pytest.mark.parametrize("seed", SEEDS)
def test_position_texts_are_inverse_on_every_ply(game: Game, seed: int) -> None:
    for state in random_game(game, seed):
        assert game.parse_position(game.position_text(state)) == state


@pytest.mark.parametrize("seed", SEEDS)
def test_symmetric_games_go_the_same_way(game: Game, seed: int) -> None:
    symmetries = game.symmetries()
    assert symmetries[0] == tuple(game.moves())
    assert len(set(symmetries)) == len(symmetries)
    turned = symmetries[random.Random(seed).randrange(len(symmetries))]
    rng, state, image = random.Random(seed), game.start(seed), game.start(seed)
    while moves := state.legal_moves():
        assert sorted(turned[move] for move in moves) == list(image.legal_moves())
        move = rng.choice(moves)
        state, image = state.play(move), image.play(turned[move])
        assert image.to_move == state.to_move
    assert image.outcome() == state.outcome()


def test_drawn_boards_keep_their_size_and_mark_the_last_move(game: Game) -> None:
    states = random_game(game, 2)
    sizes = set()
    for before, state in itertools.pairwise(states):
        last = next(move for move in before.legal_moves() if before.play(move) == state)
        lines = game.draw(state.view(state.to_move), last)
        sizes.add((len(lines), max(sum(len(stretch) for stretch, _ in line) for line in lines)))
        assert any(role == "last" for line in lines for _, role in line)
    assert len(sizes) == 1


def test_a_view_knows_what_the_mover_knows(game: Game) -> None:
    for state in random_game(game, 3):
        view = state.view(state.to_move)
        assert (view.to_move, view.turn, view.legal_moves()) == (state.to_move, state.turn, state.legal_moves())
        sampled = view.sample(random.Random(0))
        assert sampled.view(state.to_move) == view
