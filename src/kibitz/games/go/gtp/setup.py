"""A position and its rules as other engines take them: stones and moves, since a position does not hold its game."""

from __future__ import annotations

import random
from typing import NamedTuple, TypeAlias

from kibitz.core.game import Move, Player, View
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.rules import EMPTY, NO_KO, Go, GoState

Stone: TypeAlias = tuple[Player, Move]


class SetUp(NamedTuple):
    """How to reach a position on an empty board."""

    stones: list[Stone]
    """Stones to put on the board first, by point. Handicap stones are among them."""
    moves: list[Stone]
    """Moves to play then. Players need not alternate."""
    komi: float
    """The komi, corrected for the prisoners that putting stones on the board does not make."""


def set_up(state: GoState) -> SetUp:
    """Return how to reach a position.

    With ko=positional, the moves after the first board are those of the game; if there is a ko point, the last move
    takes the ko; if the last move was a pass, it comes last.
    """
    passed = [(1 - state.to_move, state.game.pass_move)] * (state.passes == 1)
    taken = [0, 0]
    if state.first:
        stones, moves = _stones(state.first), [(stone % 2, stone // 2) for stone in state.history]
    elif state.ko == NO_KO:
        stones, moves = _stones(state.board.points), []
    else:
        taker = next(
            point
            for point, chain in state.board.chains().items()
            if chain.liberties == {state.ko}
            and len(chain.stones) == 1
            and state.board.points[point] == 2 - state.to_move
        )
        before_capture = bytearray(state.board.points)
        before_capture[taker], before_capture[state.ko] = EMPTY, 1 + state.to_move
        stones, moves = _stones(bytes(before_capture)), [(1 - state.to_move, taker)]
        taken[1 - state.to_move] = 1
    komi = state.game.komi
    if state.game.scoring == "territory" and not state.first:
        komi += (state.prisoners[1] - taken[1]) - (state.prisoners[0] - taken[0])
    return SetUp(stones, moves + passed, komi)


def position_of(view: View, rng: random.Random) -> GoState:
    """Return the position of a view: nothing is hidden in Go."""
    state = view.sample(rng)
    assert isinstance(state, GoState)
    return state


def kata_rules(game: Go) -> JsonObject:
    """Return the rules of a game as KataGo writes them. White gets no points for handicap stones."""
    area = game.scoring == "area"
    return {
        "ko": game.ko.upper(),
        "scoring": "AREA" if area else "TERRITORY",
        "tax": "NONE" if area else "SEKI",
        "suicide": game.suicide,
        "hasButton": False,
        "whiteHandicapBonus": "0",
    }


def _stones(points: bytes) -> list[Stone]:
    return [(code - 1, point) for point, code in enumerate(points) if code != EMPTY]
