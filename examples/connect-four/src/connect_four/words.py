"""Reasons for and against moves of Connect Four, in words."""

from collections.abc import Sequence

from connect_four.rules import COLS, LINES, State


def reasons(state: State, move: int, line: Sequence[int]) -> tuple[str, ...]:
    """Return reasons for or against a move, the most important first."""
    me, cell = state.to_move, state.landing(move)
    if completes(state, me, cell):
        return ("makes four in a row",)
    opponent = state.game.players[1 - me]
    clauses = {
        f"blocks four in a row of {opponent}": completes(state, 1 - me, cell),
        f"lets {opponent} win on top of it": cell >= COLS and completes(state, 1 - me, cell - COLS),
    }
    return tuple(clause for clause, holds in clauses.items() if holds)


def completes(state: State, player: int, cell: int) -> bool:
    """Return whether a disc of a player in an empty cell would make four in a row."""
    return any(all(state.cells[each] == player for each in line if each != cell) for line in LINES if cell in line)
