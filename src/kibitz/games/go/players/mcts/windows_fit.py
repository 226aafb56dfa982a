"""Weighing the windows of windows.py by records of games.

python -m kibitz.games.go.players.mcts.windows_fit RECORDS... --out FILE

Beside the last move there are up to eight points, and elsewhere. Each window has
a strength, elsewhere that of 1, and a point is played with the chance of its
strength by the sum of all: so much for a Bradley-Terry model. The strengths that
make the moves of the records likeliest are found by minorisation-maximisation
(Hunter 2004).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadOption, KibitzError
from kibitz.games.go.kernel.board import new_board
from kibitz.games.go.players.mcts.playout_board_kernel import SETTINGS, new_game
from kibitz.games.go.players.mcts.playout_kernel import DEFAULTS
from kibitz.games.go.players.mcts.windows import ELSEWHERE, FORMAT, VERSION, WINDOWS, least_forms, window_text
from kibitz.games.go.players.mcts.windows_kernel import NONE, gather
from kibitz.games.go.sgf.scan import scan
from kibitz.games.go.sgf.sources import Piece, pieces

SIZE = 19
STEPS = 15
_WON, _MET = 0.3, 3.0
"""What each window is taken to have won before, of so many times that it met elsewhere alone: rare ones stay weak."""
_LONGEST = 4 * SIZE**2


def positions(paths: Sequence[Path | str], most: int) -> tuple[Any, Any]:
    """Return the windows around the last move of up to so many positions, and which was played; see gather."""
    rows, chosen = np.zeros((most, 8), np.uint16), np.zeros(most, np.int8)
    board = new_board(SIZE)
    start = new_game(board, 1, 0, 0, 0, 0)
    start[SETTINGS : SETTINGS + len(DEFAULTS)] = DEFAULTS
    scratch, moves, n = start.copy(), np.zeros(_LONGEST, np.int64), 0
    for piece in pieces(paths):
        if isinstance(piece, Piece):
            games = scan(piece.data)
            fits = (games.sizes == SIZE) & (np.diff(games.first) < _LONGEST)
            which = np.flatnonzero(fits).astype(np.int64)
            n += gather(start, scratch, moves, games.plays, games.first, which, rows[n:], chosen[n:])
    if n == 0:
        raise BadOption(f"There is no game on {SIZE}x{SIZE} to learn from.")
    return rows[:n], chosen[:n]


def fit(rows: Any, chosen: Any) -> tuple[Any, Any, float]:
    """Return [WINDOWS] the strength of each window, how often each was there, and the mean log-evidence of the moves.

    Strengths are at the least forms; the others are 0.
    """
    least = least_forms()[rows]
    there, local = rows != NONE, np.flatnonzero(chosen >= 0)
    played = least[local, chosen[local]]
    won = np.bincount(played, minlength=WINDOWS) + _WON
    met = np.bincount(least[there], minlength=WINDOWS)
    strength = won / (met + _MET)
    for _ in range(STEPS):
        total = 1 + (strength[least] * there).sum(1)
        share = np.repeat(1 / total, 8).reshape(-1, 8)
        strength = won / (np.bincount(least[there], share[there], WINDOWS) + _MET / (1 + strength))
    total = 1 + (strength[least] * there).sum(1)
    evidence = (np.log(strength[played]).sum() - np.log(total).sum()) / len(rows)
    return np.where(met > 0, strength, 0.0), met, float(evidence)


def main() -> None:
    """Weigh the windows and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", help="files, folders and archives of SGF")
    parser.add_argument("--most", type=int, default=3_000_000, help="how many positions to learn from")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    try:
        rows, chosen = positions(options.records, options.most)
    except KibitzError as error:
        raise SystemExit(str(error)) from None
    strength, met, evidence = fit(rows, chosen)
    weights = np.minimum(np.round(ELSEWHERE * strength), 255).astype(int)
    kept = {window_text(window): int(weights[window]) for window in np.flatnonzero(weights).tolist()}
    about = f"{len(rows)} positions on {SIZE}x{SIZE}, {np.mean(chosen >= 0):.3f} answered beside the last move"
    held = {
        "format": FORMAT,
        "version": VERSION,
        "made": f"python -m kibitz.games.go.players.mcts.windows_fit: {about}",
    }
    options.out.write_text(json.dumps({**held, "weights": kept}, indent=0) + "\n", encoding="utf-8")
    print(f"{about}; {np.count_nonzero(met)} windows, {len(kept)} kept; log-evidence {evidence:.4f}")  # noqa: T201


if __name__ == "__main__":
    main()
