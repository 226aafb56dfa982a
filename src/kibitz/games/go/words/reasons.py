"""What a move of Go does, in a player's words: captures, atari, ko, connections.

Sees chains and liberties one move deep, by the readable rules, and does not
judge whether the move is good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kibitz.core.game import Move
from kibitz.games.go.rules import Chain, GoState, Point, neighbours, other

MAX_REASONS = 3


def reasons(state: GoState, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return up to MAX_REASONS clauses about a move, most important first; `line` is ignored. Raise IllegalMove."""
    after = state.play(move)
    if move == state.game.pass_move:
        return ("passes, which ends the game" if after.passes == 2 else "passes",)
    return tuple(_clauses(state, move, after))[:MAX_REASONS]


def _clauses(state: GoState, move: Point, after: GoState) -> Iterator[str]:
    """Yield clauses on what placing a stone does, the most important first."""
    placed = state.board.place(move, 1 + state.to_move)
    if placed.lost:
        yield f"takes off {_stones(len(placed.lost))} of its own"
        return
    if placed.captured:
        yield f"captures {_stones(len(placed.captured))}"
    saved = _saved_stones(state, after)
    if saved:
        yield f"saves {_stones(saved)} from atari"
    if after.ko >= 0:
        opponent, point = state.game.players[after.to_move], state.game.move_text(after.ko)
        yield f"takes a ko, so that {opponent} may not play {point} now"
    threatened = sum(len(chain.stones) for chain in _put_in_atari(state, move, after))
    if threatened:
        yield f"puts {_stones(threatened)} in atari"
    own_chain = after.board.chain(move)
    if len(own_chain.liberties) == 1 and after.ko < 0:
        yield f"leaves {_stones(len(own_chain.stones))} of its own in atari"
    joined = len(_adjacent_chains(state, move, 1 + state.to_move))
    if joined > 1:
        yield f"connects {joined} chains"


def _adjacent_chains(state: GoState, point: Point, colour: int) -> frozenset[Chain]:
    """Return the chains of a colour next to a point."""
    board = state.board
    return frozenset(board.chain(near) for near in neighbours(board.size)[point] if board.points[near] == colour)


def _put_in_atari(state: GoState, move: Point, after: GoState) -> list[Chain]:
    """Return the opponent's chains that had more than one liberty before the move and have one now."""
    enemy = other(1 + state.to_move)
    return [
        chain
        for chain in _adjacent_chains(after, move, enemy)
        if len(chain.liberties) == 1 and len(state.board.chain(min(chain.stones)).liberties) > 1
    ]


def _saved_stones(state: GoState, after: GoState) -> int:
    """Return the number of own stones that were in atari before the move and are not any more."""
    own_colour = 1 + state.to_move
    chains = {chain for point, chain in state.board.chains().items() if state.board.points[point] == own_colour}
    were_in_atari = [chain.stones for chain in chains if len(chain.liberties) == 1]
    return sum(len(stones) for stones in were_in_atari if len(after.board.chain(min(stones)).liberties) > 1)


def _stones(n: int) -> str:
    return "a stone" if n == 1 else f"{n} stones"
