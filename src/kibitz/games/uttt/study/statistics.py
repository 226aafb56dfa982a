"""Lengths and branching factors of games of Ultimate Tic-Tac-Toe, and extreme games.

Checks the analysis of the game tree in Amar & Ben Binyamin (2014), chapter IV: no win
before move 17, no game longer than 81 moves, and an average branching factor of at least
5 without free choices. Like the paper, it leaves out the first turn, and for a
free choice counts only the empty cells of the shut board that the player was sent to.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Move, Player
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.games.uttt.rules.geometry import LINES
from kibitz.games.uttt.rules.text import EMPTY

MAX_LENGTH = 81
"""Moves in the longest game: one per cell."""
_RESTART_POSITIONS = 200
"""Restart the search for a full game after this many positions."""

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """Figures of a set of games, one entry per game."""

    lengths: Ints
    """Number of moves."""
    branching: Floats
    """Mean number of legal moves over all turns."""
    forced: Floats
    """Mean number of legal moves over the turns with a forced board."""
    paper_branching: Floats
    """Mean number of legal moves as the paper counts them; NaN for a game of one move."""
    free: Floats
    """Share of turns with a free choice."""


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval, and the extremes."""

    n: int
    mean: float
    margin: float
    least: float
    most: float


def mean_of(values: Ints | Floats) -> Mean:
    """Return the mean of values with its interval and extremes, ignoring NaN."""
    kept = values[~np.isnan(values)].astype(np.float64)
    margin = 1.96 * float(kept.std(ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else math.nan
    return Mean(len(kept), float(kept.mean()), margin, float(kept.min()), float(kept.max()))


def mean_over_turns(values: Floats, lengths: Ints) -> Mean:
    """Return the mean over all turns of all games, given the mean of each game."""
    mean = float((values * lengths).sum() / lengths.sum())
    spread = (values - mean) * lengths / lengths.mean()  # first-order error of a ratio of sums
    margin = 1.96 * float(spread.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return Mean(len(values), mean, margin, float(values.min()), float(values.max()))


def measure(played: Ints, widths: Ints) -> Measured:
    """Return each game's length, mean number of legal moves (over all turns, on forced boards, and as the paper
    counts them) and share of free turns.

    played, widths: the move and the number of legal moves of each turn, int64 [game, turn]; -1 and 0 after the end of
    a game. A turn had a forced board exactly if the move was made on the board to which the previous move sent the
    player.
    """
    games = len(played)
    lengths, total_width = (played >= 0).sum(axis=1), widths.sum(axis=1)
    forced_turns, forced_width, paper_width = (np.zeros(games, np.int64) for _ in range(3))
    marks = np.zeros(9 * games, np.int8)  # at 9 * game + board
    first_board = 9 * np.arange(games, dtype=np.int32)
    moves_by_ply, widths_by_ply = (np.ascontiguousarray(rows.T, dtype=np.int8) for rows in (played, widths))
    for last, move, width in zip(moves_by_ply, moves_by_ply[1:], widths_by_ply[1:], strict=False):
        has_move = move >= 0
        sent = last % 9
        # a finished game adds 0 to its own board 0: `last` may be -1, which would be a board of another game
        marks[first_board + np.where(has_move, last // 9, 0)] += has_move
        paper_width += (9 - marks[first_board + sent]) * has_move  # the empty cells of the board sent to
        was_forced = has_move & (move // 9 == sent)
        forced_turns += was_forced
        forced_width += width * was_forced
    with np.errstate(invalid="ignore", divide="ignore"):  # a game of one move
        return Measured(
            lengths=lengths,
            branching=total_width / lengths,
            forced=forced_width / forced_turns,
            paper_branching=paper_width / (lengths - 1),
            free=1 - forced_turns / lengths,
        )


def as_arrays(game: Uttt, games: Iterable[Sequence[Move]]) -> tuple[Ints, Ints]:
    """Return the moves of games and their numbers of legal moves, as measure() takes them. Raise IllegalMove."""
    rows = [list(moves) for moves in games]
    played = np.full((len(rows), MAX_LENGTH), -1, np.int64)
    widths = np.zeros((len(rows), MAX_LENGTH), np.int64)
    for row, moves in enumerate(rows):
        state = game.start()
        for ply, move in enumerate(moves):
            played[row, ply], widths[row, ply] = move, len(state.legal_moves())
            state = state.play(move)
    return played, widths


def marks_needed(state: UtttState, player: Player) -> float:
    """Return the fewest marks that could still give a player three boards in a row; infinity if none can."""
    costs = [_marks_for_board(state, board, player) for board in range(9)]
    return min(sum(costs[board] for board in line) for line in LINES)


def _marks_for_board(state: UtttState, board: int, player: Player) -> float:
    if state.boards[board] != EMPTY:
        return 0 if state.boards[board] == player else math.inf
    cells = state.cells[9 * board : 9 * board + 9]
    open_lines = [line for line in LINES if all(cells[i] != 1 - player for i in line)]
    return min((3 - sum(cells[i] == player for i in line) for line in open_lines), default=math.inf)


def shortest_win(game: Uttt, player: Player) -> tuple[Move, ...]:
    """Return a shortest game that a player wins with three boards in a row.

    Tries every length from 1 on; marks_needed refutes those that are too short.
    """
    for moves in range(1, MAX_LENGTH + 1):
        found = _win_within(game.start(), player, moves)
        if found is not None:
            return found
    raise AssertionError("unreachable: every game can be won")


def _win_within(state: UtttState, player: Player, moves: int) -> tuple[Move, ...] | None:
    """Return a sequence of at most `moves` moves by which a player wins, or None if there is none."""
    if state.result:
        return () if state.result == player + 1 else None
    own_moves = (moves + (state.to_move == player)) // 2
    if marks_needed(state, player) > own_moves:
        return None
    for move in state.legal_moves():
        rest = _win_within(state.play(move), player, moves - 1)
        if rest is not None:
            return move, *rest
    return None


def longest_game(game: Uttt) -> tuple[Move, ...]:
    """Return a game that fills all 81 cells, without a free choice after the first move.

    A move in cell c of board b is an edge from b to c in the complete graph on nine
    points, loops included; a full game uses each edge once, so it is an Euler circuit. The
    search prefers boards with many empty cells, wins a board only by filling it, and
    restarts after a few hundred positions.
    """
    for attempt in itertools.count():
        found = _fill(game.start(), random.Random(attempt), [_RESTART_POSITIONS], ())
        if found is not None:
            return found
    raise AssertionError("unreachable: such a game exists")


def _fill(state: UtttState, rng: random.Random, budget: list[int], played: tuple[Move, ...]) -> tuple[Move, ...] | None:
    """Return a full game that continues these moves, or None if budget[0] positions were not enough."""
    if len(played) == MAX_LENGTH:
        return played
    budget[0] -= 1
    if budget[0] < 0:
        return None
    moves = _filling_moves(state, len(played))
    options = [(-_empties(after, move % 9), rng.random(), move, after) for move, after in moves]
    for _, _, move, after in sorted(options, key=lambda option: option[:3]):
        found = _fill(after, rng, budget, (*played, move))
        if found is not None:
            return found
    return None


def _filling_moves(state: UtttState, played: int) -> Iterator[tuple[Move, UtttState]]:
    """Yield moves that leave their board undecided or full and give no free choice, unless they end the game."""
    for move in state.legal_moves():
        after = state.play(move)
        keeps_board_open = after.boards[move // 9] == EMPTY or _empties(after, move // 9) == 0
        if played == MAX_LENGTH - 1 or (keeps_board_open and not after.result and after.forced == move % 9):
            yield move, after


def _empties(state: UtttState, board: int) -> int:
    return state.cells[9 * board : 9 * board + 9].count(EMPTY)


def low_branching_game(game: Uttt, seed: int) -> tuple[Move, ...]:
    """Return a game in which every move sends the opponent to the board with the fewest empty cells, ties at random."""
    rng, state, moves = random.Random(seed), game.start(), list[Move]()

    def empties_offered(move: Move) -> tuple[int, float]:
        return _empties(state.play(move), move % 9), rng.random()

    while not state.result:
        moves.append(min(state.legal_moves(), key=empties_offered))
        state = state.play(moves[-1])
    return tuple(moves)
