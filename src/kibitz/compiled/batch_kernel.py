"""Kernels over batches of any game: one move in every game, and random legal moves."""

from __future__ import annotations

from typing import NamedTuple

from kibitz.compiled.arrays import BoolArray, Float32Array, Int8Array, Int16Array, Int32Array, Ints, Uint64Array
from kibitz.compiled.batch import Batch, deal, observe, row
from kibitz.compiled.jit import entry, jit
from kibitz.compiled.position import Position, copy, final, legal, mover, over, play
from kibitz.compiled.rng import RandomState, below


class Arrays(NamedTuple):
    """The arrays of a step, as the kernels see them."""

    observations: Float32Array  # [game, number], flat
    legal: BoolArray  # [game, move]
    players: Int8Array  # [game]
    rewards: Float32Array  # [game, player]
    over: BoolArray  # [game]
    moves: Int16Array  # [game, MAX_LEGAL_MOVES]: the legal moves, ascending
    counts: Int32Array  # [game]: the number of legal moves


@entry
def step_games(batch: Batch, streams: Uint64Array, actions: Ints, restart: bool, arrays: Arrays) -> int:
    """Make a move in every game, or with `restart` begin every game anew; return -1.

    If an action is illegal, return the number of its game, the first of them, and change nothing.
    """
    if not restart:
        for i in range(len(actions)):
            if not _is_legal(arrays.moves[i], arrays.counts[i], actions[i]):
                return i
    for i in range(len(actions)):
        pos = row(batch.start, batch.rows, i)
        arrays.rewards[i, 0], arrays.rewards[i, 1], arrays.over[i] = 0, 0, False
        if not restart:
            play(pos, actions[i])
            if over(pos):
                _reward(pos, arrays.rewards[i])
                arrays.over[i] = True
        if restart or arrays.over[i]:
            copy(batch.start, pos)
            deal(batch, pos, streams[i])
        _show(batch, pos, i, arrays)
    return -1


@jit
def _is_legal(moves: Int16Array, count: int, action: int) -> bool:
    """Return whether an action is among the first `count` moves, by bisection."""
    low, high = 0, count
    while low < high:
        middle = (low + high) >> 1
        if moves[middle] < action:
            low = middle + 1
        else:
            high = middle
    return low < count and moves[low] == action


@jit
def _reward(pos: Position, rewards: Float32Array) -> None:
    """Write the rewards of a finished game."""
    value, player = final(pos), mover(pos)
    won = 1 if value > 0 else (-1 if value < 0 else 0)
    rewards[player], rewards[1 - player] = won, -won


@jit
def _show(batch: Batch, pos: Position, i: int, arrays: Arrays) -> None:
    """Write the player to move, the observation and the legal moves of game i."""
    player = mover(pos)
    arrays.players[i] = player
    observation, moves, allowed = arrays.observations[i], arrays.moves[i], arrays.legal[i]
    for k in range(len(observation)):
        observation[k] = 0
    observe(batch, pos, player, observation)
    for k in range(len(allowed)):
        allowed[k] = False
    count = legal(pos, moves, 0)
    for k in range(count):
        allowed[moves[k]] = True
    arrays.counts[i] = count


@entry
def sample_moves(moves: Int16Array, counts: Int32Array, rng: RandomState, actions: Ints) -> None:
    """Write a random legal move of every game to `actions`."""
    for i in range(len(counts)):
        actions[i] = moves[i, below(rng, counts[i])]
