"""Compiled perft (counting move sequences of a given length) and random games, for any game's position."""

from __future__ import annotations

from typing import Any

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import ZERO, entry, jit
from kibitz.compiled.position import Position, copy, final, legal, mover, play, undo
from kibitz.compiled.rng import below
from kibitz.search.control import STOP


@entry
def perft(pos: Position, depth: int, moves: Ints, signal: Ints) -> int:
    """Return the number of sequences of `depth` legal moves; after a stop, the result is meaningless.

    moves: int64[depth * MAX_LEGAL_MOVES], scratch. signal: see search/control.py.
    """
    return _leaves(pos, depth, moves, ZERO, signal) if depth else 1


@jit
def _leaves(pos: Position, depth: int, moves: Ints, at: int, signal: Ints) -> int:
    """Return the number of sequences of `depth` >= 1 moves; move lists are written from index `at` on."""
    n = legal(pos, moves, at)
    if depth == 1 or signal[STOP]:
        return n
    total = 0
    for i in range(at, at + n):
        move = moves[i]
        token = play(pos, move)
        total += _leaves(pos, depth - 1, moves, at + n, signal)
        undo(pos, move, token)
    return total


@entry
def random_games(pos: Position, scratch: Position, games: int, rng: Any, moves: Ints, tally: Ints) -> int:
    """Play random games from a position; return their total number of moves.

    scratch: any position of the same kind. moves: int64[MAX_LEGAL_MOVES], for one move list. tally:
    int64[3], to which the first player's wins, the draws and the second player's wins are added.
    """
    plies = 0
    for _ in range(games):
        copy(pos, scratch)
        n = legal(scratch, moves, 0)
        while n:
            play(scratch, moves[below(rng, n)])
            plies += 1
            n = legal(scratch, moves, 0)
        value = final(scratch) if mover(scratch) == 0 else -final(scratch)
        tally[0 if value > 0 else (1 if value == 0 else 2)] += 1
    return plies


@entry
def sample_games(pos: Position, scratch: Position, rng: Any, moves: Ints, played: Ints, widths: Ints) -> None:
    """Play random games from a position, one for each row of `played`, and record every move.

    scratch, moves: as in random_games. played: int64[games, MAX_GAME_LENGTH], the moves. widths: the same
    shape, the number of legal moves before each. After the end of a game they are -1 and 0.
    """
    for game in range(played.shape[0]):
        copy(pos, scratch)
        n = legal(scratch, moves, 0)
        for ply in range(played.shape[1]):
            move = moves[below(rng, n)] if n else -1
            played[game, ply] = move
            widths[game, ply] = n
            if n:
                play(scratch, move)
                n = legal(scratch, moves, 0)
