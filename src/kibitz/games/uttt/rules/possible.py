"""Check that a position of Ultimate Tic-Tac-Toe is possible, and work out its boards and result.

Only the marks are needed, no moves are played. There must be a last move that explains
the forced board; whether a whole game leads to the position is not searched, so a few
unreachable positions pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from kibitz.core.errors import BadText
from kibitz.games.uttt.rules.geometry import LINES
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE, Fields

GOING_ON = 0
DRAW = 3
_NAMES = ("X", "O")


def check_and_complete(fields: Fields, closed: bool, count: bool) -> tuple[tuple[int, ...], int, int]:
    """Work out the owners of the boards, the forced board and the result. Raise BadText if the position is impossible.

    closed: decided boards take no more moves. count: without three boards in a row, the player with more boards wins.
    """
    _check_counts(fields)
    boards = tuple(_owner(fields, board, closed) for board in range(9))
    is_shut = [owner != EMPTY if closed else EMPTY not in _cells(fields, board) for board, owner in enumerate(boards)]
    result = _result(boards, is_shut, count)
    if fields.result not in (None, result):
        raise BadText(f"The result is given as {fields.result}, but by the boards it is {result}.")
    forced = FREE if result else fields.forced
    if forced != FREE and is_shut[forced]:
        raise BadText(f"The forced board cannot be {forced}, because board {forced} takes no more moves.")
    _check_last_move(fields._replace(boards=boards, forced=forced, result=result), is_shut, closed)
    return boards, forced, result


def _cells(fields: Fields, board: int) -> tuple[int, ...]:
    return fields.cells[9 * board : 9 * board + 9]


def has_line(codes: Sequence[int], player: int) -> bool:
    """Return whether a player has three cells, or three boards, in a row."""
    return any(all(codes[i] == player for i in line) for line in LINES)


def _emptied(codes: Sequence[int], i: int) -> list[int]:
    return [*codes[:i], EMPTY, *codes[i + 1 :]]


def _check_counts(fields: Fields) -> None:
    x, o = fields.cells.count(0), fields.cells.count(1)
    if x - o not in (0, 1):
        raise BadText(f"X has {x} marks and O {o}, but X starts, so X must have as many as O or one more.")
    if fields.to_move != x - o:
        raise BadText(f"With {x} X and {o} O it is {_NAMES[x - o]}'s turn, not {_NAMES[fields.to_move]}'s.")


def _owner(fields: Fields, board: int, closed: bool) -> int:
    """Find the owner of a board by its marks. Raise BadText if they are impossible or contradict the given owner."""
    cells = _cells(fields, board)
    owners = [player for player in (0, 1) if has_line(cells, player)]
    given = None if fields.boards is None else fields.boards[board]
    if len(owners) == 2:
        if closed:
            raise BadText(f"Board {board} has lines of both X and O, but the first line would have closed it.")
        if given is None:
            raise BadText(f"Board {board} has lines of both X and O: add a fourth field with the owners of the boards.")
        if given not in owners:
            raise BadText(f"Board {board} is given as {_board_text(given)}, but has lines of both X and O.")
        return given
    owner = owners[0] if owners else (DRAWN if EMPTY not in cells else EMPTY)
    if given not in (None, owner):
        raise BadText(f"Board {board} is given as {_board_text(given)}, but by its marks it is {_board_text(owner)}.")
    if closed and owners and not any(cells[i] == owner and not has_line(_emptied(cells, i), owner) for i in range(9)):
        raise BadText(f"Board {board} has two lines of {_NAMES[owner]} that no single move can complete.")
    return owner


def _board_text(owner: int) -> str:
    return {EMPTY: "undecided", DRAWN: "drawn"}.get(owner) or f"{_NAMES[owner]}'s"


def _result(boards: Sequence[int], shut: Sequence[bool], count: bool) -> int:
    winners = [player for player in (0, 1) if has_line(boards, player)]
    if len(winners) == 2:
        raise BadText("Both X and O have three boards in a row, but the first such row would have ended the game.")
    if winners:
        return winners[0] + 1
    if not all(shut):
        return GOING_ON
    return result_without_line(boards, count)


def result_without_line(boards: Sequence[int], count: bool) -> int:
    """Return the result if no board takes moves and nobody has three in a row; count: more boards win."""
    lead = boards.count(0) - boards.count(1)
    return DRAW if not count or lead == 0 else (1 if lead > 0 else 2)


def _check_last_move(fields: Fields, shut: Sequence[bool], closed: bool) -> None:
    """Raise BadText if none of the marks can have been the last move."""
    if fields.cells.count(EMPTY) == 81:
        if fields.forced != FREE:
            raise BadText("At the start the choice of board is free: write - or 9 for the forced board.")
        return
    mover = 1 - fields.to_move
    for move, mark in enumerate(fields.cells):
        if mark == mover and _can_be_last(fields, shut, closed, move):
            return
    where = "a free choice" if fields.forced == FREE else f"board {fields.forced}"
    after = "the end of the game" if fields.result else f"{where} for {_NAMES[fields.to_move]}"
    raise BadText(f"No last move of {_NAMES[mover]} can have led to {after}.")


def _can_be_last(fields: Fields, shut: Sequence[bool], closed: bool, move: int) -> bool:
    board, cell = divmod(move, 9)
    boards = fields.boards
    assert boards is not None
    mover = fields.cells[move]
    if not fields.result and fields.forced != (FREE if shut[cell] else cell):
        return False
    before = _emptied(_cells(fields, board), cell)
    won_the_board = boards[board] == mover and not has_line(before, mover)
    if closed and boards[board] in (0, 1) and not won_the_board:
        return False  # the board was already closed
    owners = _emptied(boards, board) if won_the_board else boards
    return not any(has_line(owners, player) for player in (0, 1))
