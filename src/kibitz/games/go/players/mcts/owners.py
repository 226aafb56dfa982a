"""Estimates, by random games, who will own each point and which stones are dead.

The estimate is only as good as random play. Stones in seki count as alive.
"""

from __future__ import annotations

from kibitz.games.go.rules import GoState, Point, dead_chains

RANDOM_GAMES = 400
DEAD_BELOW = -0.35  # a chain is dead if its points' average owner is below this: 1 its own colour, -1 the opponent


def expected_owners(state: GoState, games: int = RANDOM_GAMES, seed: int = 1) -> tuple[float, ...]:
    """Return the expected owner of each point, from 1 (Black) to -1 (White). The same seed gives the same result."""
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.go.kernel.owners import play_out
    from kibitz.games.go.kernel.position import pack

    start, scratch = pack(state).board, pack(state).board
    won, rng = np.zeros(state.game.size**2, np.int64), stream(seed)
    for first in (1, 2):  # so that neither player gains by moving first
        play_out(start, scratch, rng, first, games // 2, won)
    return tuple((won / (games // 2 * 2)).tolist())


def dead_stones(state: GoState, games: int = RANDOM_GAMES) -> frozenset[Point]:
    """Return the stones that are dead according to random games, always whole chains."""
    if not any(state.board.points):
        return frozenset()
    owner, dead = expected_owners(state, games), set[Point]()
    for point, chain in state.board.chains().items():
        sign = 1 if state.board.points[point] == 1 else -1
        if point == min(chain.stones) and sum(sign * owner[p] for p in chain.stones) < DEAD_BELOW * len(chain.stones):
            dead.add(point)
    return dead_chains(state.board, dead)
