"""The champion's net, its first opinions and its beliefs: what they depend on, and shortcuts held to the long way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.compiled import rng
from kibitz.compiled.arrays import CACHE_LINE_BYTES
from kibitz.compiled.jit import entry
from kibitz.core.agent import Budget
from kibitz.games.battleline.kernel import layout as at
from kibitz.games.battleline.kernel import position as kernel
from kibitz.games.battleline.kernel.deal import redeal
from kibitz.games.battleline.kernel.position import BattleLinePosition
from kibitz.games.battleline.players.champion import belief_kernel
from kibitz.games.battleline.players.champion.belief_kernel import Belief, new_belief
from kibitz.games.battleline.players.champion.net import SHAPES, pack_net, shipped_net, untrained_net
from kibitz.games.battleline.players.champion.net_kernel import (
    TO_DRAW,
    TO_PLAY,
    WAITS,
    Evaluator,
    new_evaluator,
    position_chance,
)
from kibitz.games.battleline.players.champion.policy_kernel import rate_moves
from kibitz.games.battleline.rules import BattleLine, BattleLineState, stages
from kibitz.games.battleline.rules import moves as numbers
from kibitz.testing import random_game

GAMES = {False: BattleLine(tactics=False), True: BattleLine()}


@entry
def judged(
    pos: BattleLinePosition, scratch: BattleLinePosition, belief: Belief, evaluator: Evaluator, me: int, moves: Any,
    n: int, ratings: Any, stream: Any,
) -> int:  # fmt: skip
    """Rate n moves or, if there are none, work out a belief: one kernel, because each takes long to compile."""
    if n:
        rate_moves(pos.words, evaluator, moves, n, ratings)
    else:
        belief_kernel.update_beliefs(pos, scratch, belief, evaluator, me, moves, ratings, stream)
    return n


def rate(pos: BattleLinePosition, evaluator: Evaluator, moves: Any, n: int, ratings: Any) -> None:
    judged(pos, pos, new_belief(pos, ()), evaluator, 0, moves, n, ratings, rng.stream(0))


@entry
def chance(pos: BattleLinePosition, evaluator: Evaluator, me: int, stage: int) -> float:
    return position_chance(pos.words, evaluator, me, stage)


@entry
def dealt(pos: BattleLinePosition, belief: Belief, me: int, keys: Any, stream: Any) -> int:
    redeal(pos.words, me, stream)
    belief_kernel.redeal_by_weight(pos.words, me, belief, keys, stream)
    return 0


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    """Return a net of large random weights: a row too many or too few shows."""
    rng_ = np.random.default_rng(5)
    sizes = {"flag": 0.15, "base": 0.1, "context": 0.15, "w0": 0.15, "w1": 0.08, "w2": 0.3, "w3": 0.5}
    weights = {
        name: np.rint(256 * sizes[name] * rng_.standard_normal(shape)) if name in sizes else np.full(shape, 20_000)
        for name, shape in SHAPES.items()
    }
    return new_evaluator(pack_net({name: array.astype(np.int32) for name, array in weights.items()}))


def positions(game: BattleLine, seeds: range, part: float) -> Iterator[BattleLineState]:
    """Yield some positions of random games."""
    for seed in seeds:
        dice = random.Random(seed)
        yield from (state for state in random_game(game, seed)[:-1] if dice.random() < part)


def room() -> tuple[Any, Any]:
    return np.zeros(kernel.MAX_LEGAL_MOVES, np.int64), np.zeros(kernel.MAX_LEGAL_MOVES)


@pytest.mark.parametrize("tactics", [False, True])
def test_a_move_is_rated_by_what_comes_of_it(evaluator: Evaluator, tactics: bool) -> None:
    """Ratings change only the units that a move can change; here every move is made and judged from the start."""
    kinds = {"place": 0, "desert": 0, "betray": 0, "redeploy": 0, "return": 0}
    moves, ratings = room()
    for state in positions(GAMES[tactics], range(12 if tactics else 4), 0.3 if tactics else 0.2):
        legal = state.legal_moves()
        if len(legal) < 2 or legal[0] < numbers.PLACE or state.stage not in (stages.PLAY, stages.RETURN):
            continue
        moves[: len(legal)] = legal
        pos, me = kernel.pack(state), state.to_move
        rate(pos, evaluator, moves, len(legal), ratings)
        for i in range(0, len(legal), 1 + len(legal) // 20):
            move = legal[i]
            unrated = move in (numbers.USE_SCOUT, numbers.PASS, numbers.DONE)
            if unrated or (state.stage == stages.RETURN and state.left > 1):
                continue
            after = kernel.pack(state.play(move))
            stage = WAITS if state.stage == stages.RETURN else TO_DRAW
            assert chance(after, evaluator, me, stage) == pytest.approx(float(ratings[i]), abs=1e-12), move
            kind = "redeploy" if move >= numbers.USE_REDEPLOY else "betray" if move >= numbers.USE_TRAITOR else "desert"
            kinds["place" if move < numbers.USE_SCOUT else "return" if move < numbers.USE_DESERTER else kind] += 1
    assert kinds["place"] > 100
    if tactics:
        assert all(kinds.values()), kinds


def recoloured(state: BattleLineState, order: list[int]) -> BattleLinePosition:
    """Return a position with its colours exchanged."""
    pos = kernel.pack(state)

    def turned(troops: int) -> int:
        return sum((troops >> 10 * c & 1023) << 10 * order[c] for c in range(6))

    for i in (*range(at.SIDE, at.STATUS), at.HAND, at.HAND + 1, at.KNOWN, at.KNOWN + 1, at.SEEN, at.DISCARD_TROOPS):
        pos.words[i] = turned(int(pos.words[i]))
    return pos


def test_colours_have_no_names(evaluator: Evaluator) -> None:
    dice, told = random.Random(2), set()
    for state in positions(GAMES[True], range(3), 0.15):
        order = dice.sample(range(6), 6)
        for me in (0, 1):
            value = chance(kernel.pack(state), evaluator, me, TO_PLAY)
            assert chance(recoloured(state, order), evaluator, me, TO_PLAY) == value
            told.add(round(value, 3))
    assert len(told) > 20


def test_the_other_hand_is_not_looked_at(evaluator: Evaluator) -> None:
    for state in positions(GAMES[True], range(3), 0.15):
        for me in (0, 1):
            pos, other = kernel.pack(state), kernel.pack(state.view(me).sample(random.Random(1)))
            for stage in (TO_PLAY, TO_DRAW, WAITS):
                assert chance(other, evaluator, me, stage) == chance(pos, evaluator, me, stage)


def test_nothing_learned_is_even() -> None:
    assert chance(kernel.pack(GAMES[False].start(1)), new_evaluator(untrained_net()), 0, TO_PLAY) == 0.5


def test_what_vectors_read_begins_at_a_cache_line() -> None:
    evaluators = [new_evaluator(shipped_net()) for _ in range(20)]  # one alone might be aligned by luck
    for evaluator in evaluators:
        for array in (evaluator.rows, evaluator.head, evaluator.scratch):
            assert array.ctypes.data % CACHE_LINE_BYTES == 0


def test_the_learned_net_knows_who_is_about_to_win() -> None:
    """A flag more is better, and a won flag in the row of two others still more."""
    evaluator, state = new_evaluator(shipped_net()), GAMES[False].start(3)
    found = []
    for flags in ((), (0,), (0, 1), (0, 1, 3)):
        pos = kernel.pack(state)
        for f in flags:
            pos.words[at.OWNED] |= 1 << f
            pos.words[at.STATUS + f] |= 1 << at.OWNER
        found.append(chance(pos, evaluator, 0, TO_PLAY))
    assert found == sorted(found)
    assert found[-1] > found[0] + 0.2


def belief_of(state: BattleLineState, me: int, evaluator: Evaluator) -> Belief:
    belief = new_belief(kernel.pack(state.game.start(0)), state.view(me).log)
    moves, ratings = room()
    judged(kernel.pack(state), kernel.pack(state), belief, evaluator, me, moves, 0, ratings, rng.stream(1))
    return belief


def played_by(agent: str, game: BattleLine, seed: int) -> Iterator[BattleLineState]:
    """Yield the positions before each play of a game of an agent against itself."""
    player, state = kibitz.agent(game, agent, seed), game.start(seed)
    while state.outcome() is None:
        if state.stage == stages.PLAY:
            yield state
        state = state.play(player.choose(state.view(state.to_move), Budget(playouts=1)).move)


@pytest.mark.parametrize("tactics", [False, True])
def test_plays_tell_of_the_hand(tactics: bool) -> None:
    """Over some games cards that the other holds weigh more on average than cards in the deck."""
    evaluator, held, hidden, told = new_evaluator(shipped_net()), list[float](), list[float](), 0
    for seed in range(3):
        for state in played_by("champion(playouts=1,beliefs=0)", GAMES[tactics], seed):
            me = state.to_move
            weights = belief_of(state, me, evaluator).weights
            for card in state.view(me).unknown[0]:
                (held if card in state.hands[1 - me] else hidden).append(np.log(weights[card]))
            told += any(weights[card] != 1 for card in range(60))
    assert told > 60
    assert np.mean(held) > np.mean(hidden)


def test_positions_without_a_log_tell_nothing() -> None:
    evaluator, game = new_evaluator(shipped_net()), GAMES[False]
    state = list(played_by("heuristic", game, 1))[12]
    bare = game.parse_position(game.position_text(state))
    assert isinstance(bare, BattleLineState)
    assert np.all(np.asarray(belief_of(bare, bare.to_move, evaluator).weights) == 1)
    later = bare.play(bare.legal_moves()[-1])  # a log that does not begin at the start
    while later.stage != stages.PLAY:
        later = later.play(later.legal_moves()[0])
    assert np.all(np.asarray(belief_of(later, later.to_move, evaluator).weights) == 1)


def test_hands_are_dealt_by_weight() -> None:
    state, me = GAMES[False].start(4), 0
    belief = new_belief(kernel.pack(state), ())
    heavy, light = state.hands[1][0], state.decks[0][5]
    belief.weights[heavy], belief.weights[light] = 10.0, 0.05
    keys, stream, counts = np.zeros(61), rng.stream(3), np.zeros(60)
    for _ in range(2000):
        pos = kernel.pack(state)
        dealt(pos, belief, me, keys, stream)
        hand = int(pos.words[at.HAND + 1])
        deck = [int(pos.words[at.DECK + i]) for i in range(int(pos.words[at.SIZE]))]
        assert hand.bit_count() == 7
        assert sorted(deck + [c for c in range(60) if hand >> c & 1] + list(state.hands[0])) == list(range(60))
        for card in range(60):
            counts[card] += hand >> card & 1
    usual = [counts[c] for c in range(60) if c not in (*state.hands[0], heavy, light)]
    assert counts[heavy] > 3 * max(usual)
    assert counts[light] < min(usual) / 3
    assert max(usual) < 1.6 * min(usual)


def test_drawing_is_rated_by_the_cards_that_may_come(evaluator: Evaluator) -> None:
    moves, ratings = room()
    told = 0
    for state in positions(GAMES[True], range(6), 0.5):
        legal = state.legal_moves()
        if len(legal) == 2 and numbers.DRAW <= legal[0] < numbers.RETURN:
            moves[:2] = legal
            rate(kernel.pack(state), evaluator, moves, 2, ratings)
            other = state.view(state.to_move).sample(random.Random(3))
            before = (float(ratings[0]), float(ratings[1]))
            rate(kernel.pack(other), evaluator, moves, 2, ratings)
            assert (float(ratings[0]), float(ratings[1])) == before
            assert all(0 < value < 1 for value in before)
            told += 1
    assert told > 20
