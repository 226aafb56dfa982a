"""Plain minimax without any pruning, over the readable rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kibitz.core.game import State


def solve(state: State, known: dict[State, int]) -> int:
    """Return the result with best play for the player to move: 1, 0 or -1. known: what was solved before."""
    if state not in known:
        outcome = state.outcome()
        if outcome is not None:
            known[state] = outcome.value(state.to_move)
        else:
            known[state] = max(worth(state, move, known) for move in state.legal_moves())
    return known[state]


def is_small(state: State, limit: int = 3000) -> bool:
    """Return whether at most `limit` positions can follow."""
    seen, queue = {state}, [state]
    while queue and len(seen) <= limit:
        position = queue.pop()
        for move in position.legal_moves():
            after = position.play(move)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return len(seen) <= limit


def worth(state: State, move: int, known: dict[State, int]) -> int:
    """Return the result of a move for the player who makes it."""
    after = state.play(move)
    return solve(after, known) if after.to_move == state.to_move else -solve(after, known)


def value(
    state: State, depth: int, evaluate: Callable[[Any], int], final: Callable[[Any], int], root: int | None = None
) -> int:
    """Return the minimax value to a depth for the player to move.

    Depth counts moves, or rounds if the player at the root is given: it drops when the move comes back to that player.
    """
    if state.outcome() is not None:
        return final(state)
    if depth == 0:
        return evaluate(state)
    values = []
    for move in state.legal_moves():
        after = state.play(move)
        again = after.to_move == state.to_move
        drops = root is None or (after.to_move == root and not again)
        values.append((1 if again else -1) * value(after, depth - drops, evaluate, final, root))
    return max(values)


def perft(state: State, depth: int) -> int:
    """Return the number of ways to play `depth` moves."""
    if depth == 0:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())
