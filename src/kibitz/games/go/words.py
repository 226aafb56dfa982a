"""What a move of Go does, in a player's words. Looks at chains and liberties, one move deep, and judges nothing.

Works on the readable rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.game import Move, State
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import Chain, other
from kibitz.games.go.rules.geometry import Point, neighbours

MOST = 3
"""How many reasons are given."""


def reasons(state: State, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return at most three clauses on what a move does, the most important first. Raises IllegalMove.

    The play expected, line, says nothing here.
    """
    assert isinstance(state, GoState)
    after = state.play(move)
    if move == state.game.pass_move:
        return ("passes, which ends the game" if after.passes == 2 else "passes",)
    return tuple(_clauses(state, move, after))[:MOST]


def _clauses(state: GoState, move: Point, after: GoState) -> Iterator[str]:
    """Yield what a stone does, the most important first."""
    placed = state.board.place(move, 1 + state.to_move)
    if placed.lost:
        yield f"takes off {_stones(len(placed.lost))} of its own"
        return
    if placed.captured:
        yield f"captures {_stones(len(placed.captured))}"
    saved = _saved(state, after)
    if saved:
        yield f"saves {_stones(saved)} from atari"
    if after.ko >= 0:
        who, where = state.game.players[after.to_move], state.game.move_text(after.ko)
        yield f"takes a ko, so that {who} may not play {where} now"
    threatened = sum(len(chain.stones) for chain in _put_in_atari(state, move, after))
    if threatened:
        yield f"puts {_stones(threatened)} in atari"
    own = after.board.chain(move)
    if len(own.liberties) == 1 and after.ko < 0:
        yield f"leaves {_stones(len(own.stones))} of its own in atari"
    joined = len(_beside(state, move, 1 + state.to_move))
    if joined > 1:
        yield f"connects {joined} chains"


def _beside(state: GoState, point: Point, colour: int) -> frozenset[Chain]:
    """Return the chains of a colour next to a point."""
    board = state.board
    near = neighbours(board.size)[point]
    return frozenset(board.chain(other_point) for other_point in near if board.points[other_point] == colour)


def _put_in_atari(state: GoState, move: Point, after: GoState) -> list[Chain]:
    """Return the chains of the opponent that the move leaves with one liberty, and that had more."""
    enemy = other(1 + state.to_move)
    return [
        chain
        for chain in _beside(after, move, enemy)
        if len(chain.liberties) == 1 and len(state.board.chain(min(chain.stones)).liberties) > 1
    ]


def _saved(state: GoState, after: GoState) -> int:
    """Return how many own stones were in atari and have more liberties now, by the move or by what it captured."""
    mine = 1 + state.to_move
    saved = 0
    for point, chain in state.board.chains().items():
        if state.board.points[point] == mine and len(chain.liberties) == 1 and point == min(chain.stones):
            saved += len(chain.stones) * (len(after.board.chain(point).liberties) > 1)
    return saved


def _stones(n: int) -> str:
    return "a stone" if n == 1 else f"{n} stones"
