"""Reasons for and against a move of Ultimate Tic-Tac-Toe, in words.

Every reason is checked against the rules, at most two moves ahead; nothing is estimated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from kibitz.core.game import Move, Player
from kibitz.games.uttt.rules import UtttState
from kibitz.games.uttt.rules.geometry import LINES, LINES_THROUGH
from kibitz.games.uttt.rules.text import DRAWN, EMPTY, FREE

PLACES = (
    "top left", "top middle", "top right",
    "middle left", "centre", "middle right",
    "bottom left", "bottom middle", "bottom right",
)  # fmt: skip
"""Names of the nine boards."""
LINE_NAMES = (
    "top row", "middle row", "bottom row",
    "left column", "middle column", "right column",
    "falling diagonal", "rising diagonal",
)  # fmt: skip
"""Names of the lines in geometry.LINES."""
MAX_REASONS = 3

_Ranked: TypeAlias = tuple[int, str]
"""A reason and its rank: the lower, the more important."""


def reasons(state: UtttState, move: Move, line: Sequence[Move] = ()) -> tuple[str, ...]:
    """Return up to MAX_REASONS clauses about a move, most important first; `line` is ignored. Raise IllegalMove."""
    after = state.play(move)
    if after.result:
        return (_how_it_ends(state, move, after),)
    found = sorted([*_reasons_on_board(state, move, after), _where_it_sends(after)], key=lambda ranked: ranked[0])
    return tuple(clause for _, clause in found[:MAX_REASONS])


def completing_cells(codes: Sequence[int], player: Player) -> frozenset[int]:
    """Return the empty cells, or undecided boards, that would give a player three in a row."""
    return frozenset(
        line[i]
        for line in LINES
        for i in range(3)
        if codes[line[i]] == EMPTY and codes[line[i - 1]] == codes[line[i - 2]] == player
    )


def board_wins(state: UtttState) -> tuple[Move, ...]:
    """Return the legal moves that win a board for the player to move."""
    boards = range(9) if state.forced == FREE else (state.forced,)
    return tuple(
        9 * board + cell
        for board in boards
        if state.boards[board] == EMPTY
        for cell in sorted(completing_cells(_cells_of(state, board), state.to_move))
    )


def game_wins(state: UtttState) -> tuple[Move, ...]:
    """Return the legal moves that win the game for the player to move."""
    if state.result:
        return ()
    wanted = completing_cells(state.boards, state.to_move)
    wins = [move for move in board_wins(state) if move // 9 in wanted]
    if sum(state.takes_moves(board) for board in range(9)) == 1:  # the last board may win by the count of boards
        wins = [move for move in state.legal_moves() if state.play(move).result == state.to_move + 1]
    return tuple(wins)


def _cells_of(state: UtttState, board: int) -> tuple[int, ...]:
    return state.cells[9 * board : 9 * board + 9]


def _board(board: int) -> str:
    return f"the {PLACES[board]} board"


def _joined_by_or(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _how_it_ends(state: UtttState, move: Move, after: UtttState) -> str:
    outcome = after.outcome()
    assert outcome is not None
    lines = [
        LINE_NAMES[LINES.index(line)]
        for line in LINES_THROUGH[move // 9]
        if all(after.boards[board] == state.to_move for board in line)
    ]
    if lines:
        return f"wins the game with the {' and the '.join(lines)} of boards"
    if outcome.winner is None:
        return "ends the game in a draw"
    return f"{'wins' if outcome.winner == state.to_move else 'loses'} the game, {outcome.reason}"


def _reasons_on_board(state: UtttState, move: Move, after: UtttState) -> Iterator[_Ranked]:
    """Yield reasons about the board that the move is made in, each as (rank, clause)."""
    board, cell = divmod(move, 9)
    me, you = state.to_move, 1 - state.to_move
    name, opponent = _board(board), state.game.players[you]
    if state.boards[board] != EMPTY:
        yield 90, f"changes nothing in {name}, which is decided"
        return
    mine, yours = completing_cells(state.boards, me), completing_cells(state.boards, you)
    if after.boards[board] == me:
        yield 10, f"wins {name}"
        new = sorted(completing_cells(after.boards, me) - mine)
        if new:
            yield 11, f"threatens to win the game with {_joined_by_or(map(_board, new))}"
    elif after.boards[board] == DRAWN:
        yield 20, f"fills {name}, which is drawn"
    if board in yours and after.boards[board] != EMPTY:
        yield 12, f"keeps {opponent} from {_completion(state, board, you)}"
    elif cell in completing_cells(_cells_of(state, board), you) and after.boards[board] != me:
        wins, rank = (f"the game on {name}", 13) if board in yours else (name, 30)
        yield rank, f"keeps {opponent} from winning {wins}"
    if cell == 4 and after.boards[board] == EMPTY:
        yield 45, f"takes the centre of {name}"
    ways = completing_cells(_cells_of(after, board), me) if after.boards[board] == EMPTY else frozenset()
    if ways - completing_cells(_cells_of(state, board), me):
        wins, rank = (f"the game on {name}", 14) if board in mine else (name, 40)
        yield rank, f"threatens to win {wins}{' in two ways' if len(ways) > 1 else ''}"


def _completion(state: UtttState, board: int, player: Player) -> str:
    """Return a phrase such as "completing the top row of boards": what a player would do by winning this board."""
    line = next(line for line in LINES_THROUGH[board] if sum(state.boards[other] == player for other in line) == 2)
    return f"completing the {LINE_NAMES[LINES.index(line)]} of boards"


def _where_it_sends(after: UtttState) -> _Ranked:
    """Return where the move sends the opponent, and what the opponent can win there, as (rank, clause)."""
    names = after.game.players
    you, me = names[after.to_move], names[1 - after.to_move]
    free = after.forced == FREE
    start = f"gives {you} a free choice of board" if free else f"sends {you} to {_board(after.forced)}"
    link = f"{start}, and" if free else f"{start}, where"
    if game_wins(after):
        return 1, f"{link} {you} can win the game"
    if _is_lost(after):
        return 2, f"{link} every reply lets {me} win the game"
    if board_wins(after):
        return 15, f"{link} {you} can win {'a' if free else 'that'} board"
    if free:
        return 16, start
    if all(code == EMPTY for code in _cells_of(after, after.forced)):
        return 50, f"sends {you} to the empty {PLACES[after.forced]} board"
    return 50, f"{link} {you} can win nothing yet"


def _is_lost(state: UtttState) -> bool:
    """Return whether every move lets the opponent win the game at once."""
    if not completing_cells(state.boards, 1 - state.to_move) and state.boards.count(EMPTY) > 2:
        return False  # the opponent needs two more boards, or the count of all boards
    return all(game_wins(state.play(move)) for move in state.legal_moves())
