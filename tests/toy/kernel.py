"""The kernel. Words of a position: stones, player to move, last move (-1 for none)."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from kibitz.compiled.arrays import Ints
from kibitz.compiled.position import register
from kibitz.core.agent import WIN
from toy.rules import State, Toy

MOVES, MAX_LEGAL_MOVES, MAX_GAME_LENGTH = 3, 3, 40


class Position(NamedTuple):
    words: Ints


def pack(state: State) -> Position:
    return Position(np.array([state.stones, state.to_move, -1 if state.last is None else state.last], np.int64))


def unpack(pos: Position, game: Toy) -> State:
    """Return the position without its turn, which the words do not have."""
    stones, to_move, last = (int(pos.words[i]) for i in range(3))
    return State(game, stones, to_move, 0, None if last < 0 else last)


def mover(pos: Position) -> int:
    return pos.words[1]


def over(pos: Position) -> bool:
    return pos.words[0] == 0


def final(pos: Position) -> int:
    if pos.words[2] == 2:
        return 0
    return WIN if pos.words[2] == 1 else -WIN


def legal(pos: Position, out: Ints, at: int) -> int:
    n = min(3, pos.words[0])
    for i in range(n):
        out[at + i] = i
    return n


def play(pos: Position, move: int) -> int:
    token = pos.words[2]
    pos.words[0] -= move + 1
    pos.words[2] = move
    if move != 1:
        pos.words[1] ^= 1
    return token


def undo(pos: Position, move: int, token: int) -> None:
    pos.words[0] += move + 1
    pos.words[2] = token
    if move != 1:
        pos.words[1] ^= 1


def copy(pos: Position, into: Position) -> None:
    for i in range(3):
        into.words[i] = pos.words[i]


def key(pos: Position) -> int:
    return (pos.words[0] * 8 + pos.words[2] * 2 + pos.words[1] + 3) * 0x1E3779B97F4A7C15


def evaluate(pos: Position, evaluation: int) -> int:
    return (pos.words[0] * 37) % 11 - 5


def quick_score(pos: Position, move: int) -> int:
    return 0


register(Position, sys.modules[__name__])
