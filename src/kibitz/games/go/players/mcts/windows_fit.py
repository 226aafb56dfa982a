"""Fitting the weights of the windows in windows.py to game records.

kibitz go train --model windows --out FILE

A player plays on one of the up to eight points around the last move, or elsewhere. Each window has a strength,
"elsewhere" has the strength 1, and the probability of each choice is its strength divided by the sum of all strengths:
a Bradley-Terry model. The strengths that maximise the likelihood of the recorded moves are found by
minorisation-maximisation (Hunter 2004).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kibitz.compiled.arrays import Ints
from kibitz.compiled.jit import entry, jit
from kibitz.core.errors import BadOption
from kibitz.core.files import write_atomically
from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.players.mcts import playout_board_kernel as board
from kibitz.games.go.players.mcts import windows
from kibitz.games.go.players.mcts.playout_kernel import DEFAULTS, find_urgent, is_playable
from kibitz.games.go.predict.fit.games_file import GamesFile
from kibitz.games.go.rules.board import BLACK, EMPTY
from kibitz.games.go.sgf.record import PASS, POINT_BITS, SETUP

BOARD_SIZE = 19
FIT_STEPS = 15
GAMES_PER_BATCH = 500
NO_POINT = 65535  # fills unused entries; no real point has this window, with the edge all around
_PRIOR_WINS, _PRIOR_GAMES = 0.3, 3.0
"""Prior: give each window this many wins in this many extra choices against "elsewhere", so rare windows stay weak."""
_MAX_PLAYS = 4 * BOARD_SIZE**2


@entry
def _gather_windows(
    start: Ints, g: Ints, moves: Ints, plays: Ints, first: Ints, selected: Ints, rows: NDArray[np.uint16], chosen: Ints
) -> int:
    """Write the windows around each last move, as the player to move sees them; return the number of positions.

    rows[i]: the windows, padded with NO_POINT; chosen[i]: the index of the one played, or -1. Skip positions where a
    chain in atari needs an answer, and the rest of a game after setup, an illegal move or two moves by one player.
    """
    n, step = 0, start[board.STEP]
    for i in range(len(selected)):
        board.copy_game(start, g)
        for at in range(first[selected[i]], first[selected[i] + 1]):
            play, to_play = plays[at], g[board.TO_PLAY]
            point = play & PASS
            if play & SETUP or play >> POINT_BITS & 3 != to_play or n == len(rows):
                break
            cell = 0 if point == PASS else (point // (step - 1) + 1) * step + point % (step - 1) + 1
            if cell and (board.stone_at(g, cell) != EMPTY or board.consequence(g, cell, to_play) == board.SUICIDE):
                break
            if cell and g[board.LAST] and find_urgent(g) == 0:
                chosen[n] = _write_windows(g, cell, rows[n])
                n += 1
            board.advance(g, moves, cell)
    return n


@jit
def _write_windows(g: Ints, played: int, row: Ints) -> int:
    """Write the windows of one position to a row; return the index of the one played, or -1."""
    colour, k, found = g[board.TO_PLAY], 0, -1
    for down in range(-1, 2):
        for across in range(-1, 2):
            cell = g[board.LAST] + down * g[board.STEP] + across
            if board.stone_at(g, cell) == EMPTY and cell != g[board.KO] and is_playable(g, cell, colour):
                if cell == played:
                    found = k
                window = board.window_at(g, cell)
                row[k] = window if colour == BLACK else (window & 0x5555) << 1 | window >> 1 & 0x5555
                k += 1
    for i in range(k, 8):
        row[i] = NO_POINT
    return found


@dataclass(frozen=True)
class WindowsSummary:
    """The summary of a fit."""

    games: int
    positions: int
    answered: float  # the share of positions in which the next move was beside the last one
    windows: int  # the number of windows that occurred
    kept: int  # the number of windows with a weight above 0
    log_evidence: float
    seconds: float


def fit_windows(
    games: GamesFile, max_games: int, max_positions: int, out: Path, progress: Callable[[str], None] = lambda text: None
) -> WindowsSummary:
    """Fit the weights of the windows to the games that are not held out, and write them to a file.

    Use at most the first max_games games and max_positions positions. Raise BadOption if there is no 19x19 game, or if
    the file cannot be written.
    """
    began, learn = time.perf_counter(), games.split(BOARD_SIZE)[0][:max_games]
    rows, chosen = gather_positions(games, learn, max_positions, progress)
    strength, times_seen, evidence = fit_strengths(rows, chosen, progress)
    weights = np.minimum(np.round(windows.ELSEWHERE_WEIGHT * strength), 255).astype(int)
    kept = {windows.window_text(window): int(weights[window]) for window in np.flatnonzero(weights).tolist()}
    answered = float(np.mean(chosen >= 0))
    about = f"{len(rows)} positions on {BOARD_SIZE}x{BOARD_SIZE}, {answered:.3f} answered beside the last move"
    made = f"kibitz go train --model windows: {about}"
    content = {"format": windows.FORMAT, "version": windows.VERSION, "made": made, "weights": kept}
    try:
        write_atomically(out, json.dumps(content, indent=0) + "\n")
    except OSError as error:
        raise BadOption(f"Cannot write the weights to {out}: {error.strerror}.") from None
    seconds = time.perf_counter() - began
    seen = int(np.count_nonzero(times_seen))
    return WindowsSummary(len(learn), len(rows), answered, seen, len(kept), evidence, seconds)


def gather_positions(
    games: GamesFile, selected: NDArray[np.int64], limit: int, progress: Callable[[str], None] = lambda text: None
) -> tuple[NDArray[np.uint16], NDArray[np.int8]]:
    """Return the windows around the last move in up to `limit` positions, and the index of the one played.

    See _gather_windows. Leave out games of other board sizes and implausible length. Raise BadOption if none is left.
    """
    rows, chosen = np.zeros((limit, 8), np.uint16), np.zeros(limit, np.int8)
    start = board.new_game(new_board(BOARD_SIZE), BLACK, 0, 0, 0, 0, DEFAULTS)
    scratch, moves, n = start.copy(), np.zeros(_MAX_PLAYS, np.int64), 0
    fits = (games.sizes == BOARD_SIZE) & (np.diff(games.first) < _MAX_PLAYS)
    selected = selected[fits[selected]]
    for at in range(0, len(selected), GAMES_PER_BATCH):
        batch = selected[at : at + GAMES_PER_BATCH]
        n += _gather_windows(start, scratch, moves, games.plays, games.first, batch, rows[n:], chosen[n:])
        progress(f"gathering: {at + len(batch):,} of {len(selected):,} games, {n:,} positions")
        if n == limit:
            break
    if n == 0:
        raise BadOption(f"There is no {BOARD_SIZE}x{BOARD_SIZE} game to learn from; name more games with --from.")
    return rows[:n], chosen[:n]


def fit_strengths(
    rows: NDArray[np.uint16], chosen: NDArray[np.int8], progress: Callable[[str], None] = lambda text: None
) -> tuple[NDArray[np.float64], NDArray[np.int64], float]:
    """Return the strength of each window, how often it occurred, and the mean log probability of the moves.

    Only the form of a window with the smallest number has a strength; the others are 0.
    """
    least = windows.least_forms()[rows]
    is_point, answered = rows != NO_POINT, np.flatnonzero(chosen >= 0)
    played = least[answered, chosen[answered]]
    times_played = np.bincount(played, minlength=windows.WINDOWS) + _PRIOR_WINS
    times_seen = np.bincount(least[is_point], minlength=windows.WINDOWS)
    strength = times_played / (times_seen + _PRIOR_GAMES)
    for step in range(FIT_STEPS):
        total = 1 + (strength[least] * is_point).sum(1)
        share = np.repeat(1 / total, 8).reshape(-1, 8)
        expected = np.bincount(least[is_point], share[is_point], windows.WINDOWS)
        strength = times_played / (expected + _PRIOR_GAMES / (1 + strength))
        progress(f"weighing: step {step + 1} of {FIT_STEPS}")
    total = 1 + (strength[least] * is_point).sum(1)
    evidence = (np.log(strength[played]).sum() - np.log(total).sum()) / len(rows)
    return np.where(times_seen > 0, strength, 0.0), times_seen, float(evidence)
