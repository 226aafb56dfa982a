"""Who will own each point, and which stones are dead: an estimate by random games.

Knows no more than what random play shows. Stones in seki are held to be alive.
"""

from __future__ import annotations

from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import EMPTY
from kibitz.games.go.rules.geometry import Point
from kibitz.games.go.rules.scoring import dead_chains

GAMES = 400
DEAD = -0.35
"""A chain is dead whose points come, on average, to less than this for its own colour, -1 to 1."""


def owners(state: GoState, games: int = GAMES, seed: int = 1) -> tuple[float, ...]:
    """Return for each point how much it will be Black's, from 1 down to -1 for White's. Always the same from a seed."""
    import numpy as np

    from kibitz.compiled.rng import stream
    from kibitz.games.go.kernel.owners import play_out
    from kibitz.games.go.kernel.position import pack

    start, scratch = pack(state).board, pack(state).board
    won, rng = np.zeros(state.game.size**2, np.int64), stream(seed)
    for first in (1, 2):  # so that neither player gains by the move
        play_out(start, scratch, rng, first, games // 2, won)
    return tuple((won / (games // 2 * 2)).tolist())


def dead_stones(state: GoState, games: int = GAMES) -> frozenset[Point]:
    """Return the stones that random games say are dead, whole chains of them."""
    if not any(state.board.points):
        return frozenset()
    share, found = owners(state, games), set[Point]()
    for point, chain in state.board.chains().items():
        sign = 1 if state.board.points[point] == 1 else -1
        if point == min(chain.stones) and sum(sign * share[p] for p in chain.stones) < DEAD * len(chain.stones):
            found.add(point)
    assert all(state.board.points[point] != EMPTY for point in found)
    return dead_chains(state.board, found)
