"""Weighing the windows of windows.py by records of games.

kibitz go train --model windows --out FILE

Beside the last move there are up to eight points, and elsewhere. Each window has
a strength, elsewhere that of 1, and a point is played with the chance of its
strength by the sum of all: so much for a Bradley-Terry model. The strengths that
make the moves of the records likeliest are found by minorisation-maximisation
(Hunter 2004).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption
from kibitz.core.files import write_atomically
from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.players.mcts.playout_board_kernel import SETTINGS, new_game
from kibitz.games.go.players.mcts.playout_kernel import DEFAULTS
from kibitz.games.go.players.mcts.windows import ELSEWHERE, FORMAT, VERSION, WINDOWS, least_forms, window_text
from kibitz.games.go.players.mcts.windows_kernel import NONE, gather
from kibitz.games.go.predict.fit.games_file import GamesFile

SIZE = 19
STEPS = 15
GAMES_PER_BATCH = 500
_WON, _MET = 0.3, 3.0
"""What each window is taken to have won before, of so many times that it met elsewhere alone: rare ones stay weak."""
_LONGEST = 4 * SIZE**2


@dataclass(frozen=True)
class WindowsSummary:
    """What weighing did."""

    games: int
    positions: int
    answered: float
    """The part of the positions in which the move played is beside the last one."""
    windows: int
    """How many windows came up."""
    kept: int
    """How many of them have a weight."""
    log_evidence: float
    seconds: float


def weigh(
    games: GamesFile, limit: int, most: int, out: Path, tell: Callable[[str], None] | None = None
) -> WindowsSummary:
    """Weigh the windows by the games that are not held out, and write them to a file.

    At most `limit` games and `most` positions are taken, the first ones. Raises BadOption if there is no game on
    19x19, or if the file cannot be written.
    """
    began, learn = time.perf_counter(), games.split(SIZE)[0][:limit]
    rows, chosen = positions(games, learn, most, tell)
    strength, met, evidence = fit(rows, chosen, tell)
    weights = np.minimum(np.round(ELSEWHERE * strength), 255).astype(int)
    kept = {window_text(window): int(weights[window]) for window in np.flatnonzero(weights).tolist()}
    answered = float(np.mean(chosen >= 0))
    about = f"{len(rows)} positions on {SIZE}x{SIZE}, {answered:.3f} answered beside the last move"
    held = {"format": FORMAT, "version": VERSION, "made": f"kibitz go train --model windows: {about}"}
    try:
        write_atomically(out, json.dumps({**held, "weights": kept}, indent=0) + "\n")
    except OSError as error:
        raise BadOption(f"The weights cannot be written to {out}: {error.strerror}.") from None
    seconds = time.perf_counter() - began
    return WindowsSummary(len(learn), len(rows), answered, int(np.count_nonzero(met)), len(kept), evidence, seconds)


def positions(games: GamesFile, which: Any, most: int, tell: Callable[[str], None] | None = None) -> tuple[Any, Any]:
    """Return the windows around the last move of up to `most` positions, and which was played; see gather.

    Games on boards of other sizes, and longer ones than any real one, are left out.
    """
    rows, chosen = np.zeros((most, 8), np.uint16), np.zeros(most, np.int8)
    board = new_board(SIZE)
    start = new_game(board, 1, 0, 0, 0, 0)
    start[SETTINGS : SETTINGS + len(DEFAULTS)] = DEFAULTS
    scratch, moves, n = start.copy(), np.zeros(_LONGEST, np.int64), 0
    lengths = np.diff(games.first)[which]
    fits = which[(games.sizes[which] == SIZE) & (lengths < _LONGEST)].astype(np.int64)
    for at in range(0, len(fits), GAMES_PER_BATCH):
        some = fits[at : at + GAMES_PER_BATCH]
        n += gather(start, scratch, moves, games.plays, games.first, some, rows[n:], chosen[n:])
        if tell is not None:
            tell(f"gathering: {at + len(some):,} of {len(fits):,} games, {n:,} positions")
        if n == most:
            break
    if n == 0:
        raise BadOption(f"There is no game of size {SIZE} to learn from.")
    return rows[:n], chosen[:n]


def fit(rows: Any, chosen: Any, tell: Callable[[str], None] | None = None) -> tuple[Any, Any, float]:
    """Return [WINDOWS] the strength of each window, how often each was there, and the mean log-evidence of the moves.

    Strengths are at the least forms; the others are 0.
    """
    least = least_forms()[rows]
    there, local = rows != NONE, np.flatnonzero(chosen >= 0)
    played = least[local, chosen[local]]
    won = np.bincount(played, minlength=WINDOWS) + _WON
    met = np.bincount(least[there], minlength=WINDOWS)
    strength = won / (met + _MET)
    for step in range(STEPS):
        total = 1 + (strength[least] * there).sum(1)
        share = np.repeat(1 / total, 8).reshape(-1, 8)
        strength = won / (np.bincount(least[there], share[there], WINDOWS) + _MET / (1 + strength))
        if tell is not None:
            tell(f"weighing: step {step + 1} of {STEPS}")
    total = 1 + (strength[least] * there).sum(1)
    evidence = (np.log(strength[played]).sum() - np.log(total).sum()) / len(rows)
    return np.where(met > 0, strength, 0.0), met, float(evidence)
