"""Training positions: games played and judged by a teacher, in batches determined by their settings and number.

The teacher is a selective search of few nodes with the net of the previous round. It
plays itself, and in some games one of the paper's minimax agents. Every position is
stored with the teacher's value and the result of the game.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.compiled.arrays import AnyArray
from kibitz.core.agent import Budget
from kibitz.core.files import open_atomically
from kibitz.core.seeds import derive
from kibitz.games.uttt.evaluate import EVALUATIONS
from kibitz.games.uttt.kernel import position as kernel
from kibitz.games.uttt.kernel.layout import WON
from kibitz.games.uttt.players.net import SCALE, UtttNet, make_net
from kibitz.games.uttt.rules import Uttt, UtttState
from kibitz.search.agents import make_agent

OPPONENTS = ("MM_Winning", "MM_Recursive", "MM_Cells")
AGAINST_MINIMAX = 0.25
"""Share of games against one of the paper's minimax agents."""
OPEN_VARIANT = 0.1
"""Share of games in the open variant; each tie-break gets half of all games."""
MAX_OPENING_MOVES = 12
"""A game starts with up to this many random moves."""
RANDOM_MOVE_SHARE = 0.08
"""Probability of a random move later in the game."""

POSITION = np.dtype([
    ("marks", np.uint16, 18),
    ("won", np.uint16, 2),
    ("to_move", np.uint8),
    ("forced", np.uint8),
    ("rules", np.uint8),
    ("value", np.float32),
    ("points", np.float32),
])  # fmt: skip
"""A position: the marks of X and O in each board, the boards they won, the player to move, the forced board, the rules
(1 count + 2 open); the teacher's value and the result, as points (0 to 1) of the player to move."""


@dataclass(frozen=True)
class Teaching:
    """The settings of a batch of games; together with the batch number they determine its games."""

    seed: int
    round: int
    games: int
    """Games per batch."""
    nodes: int
    """Nodes the teacher searches per position."""
    evaluation: str
    """The teacher's evaluation."""
    net: str = ""
    """The file of the teacher's net; empty for the shipped net."""


def play_batch(teaching: Teaching, number: int, path: Path) -> int:
    """Play a batch of games, save its positions and return their number."""
    teacher = _Teacher(teaching)
    rng = random.Random(derive(teaching.seed, "batch", teaching.round, number))
    games = [_play_game(teacher, rng) for _ in range(teaching.games)]
    positions = np.concatenate(games)
    with open_atomically(path) as file:
        np.save(file, positions)
    return len(positions)


class _Teacher:
    """A search that judges positions."""

    def __init__(self, teaching: Teaching) -> None:
        from kibitz.compiled.transposition import new_table
        from kibitz.search.common import new_arrays
        from kibitz.search.selective.kernel import new_root

        self._nodes, self._evaluation = teaching.nodes, teaching.evaluation
        learned = teaching.evaluation == "learned"
        self._scale: float = SCALE if learned else EVALUATIONS.known[teaching.evaluation].scale
        self._search: Any = new_arrays(kernel, new_table(16))
        self._root: Any = new_root(kernel)
        self._net = _load_net(teaching.net)

    def judge(self, state: UtttState) -> tuple[int, float, bool]:
        """Return the best move, the points (0 to 1) it is expected to bring, and whether they are proved."""
        from kibitz.search.common import start_search
        from kibitz.search.selective.kernel import SOLVED, deepen
        from kibitz.search.values import probability

        search, root = self._search, self._root
        start_search(search, kernel.MAX_GAME_LENGTH, self._nodes, EVALUATIONS.number(self._evaluation))
        pos = kernel.pack(state)
        if self._net is not None:
            pos = pos._replace(net=self._net)
        deepen(pos, search, root)
        move, value, solved = int(root.moves[0]), int(root.values[0]), bool(root.summary[SOLVED])
        if solved:
            return move, (value > 0) + 0.5 * (value == 0), True
        return move, probability(value, self._scale), False

    def clear_table(self) -> None:
        """Clear the transposition table."""
        self._search.table.keys[:] = 0
        self._search.table.data[:] = 0


def _load_net(path: str) -> UtttNet | None:
    """Load a net from a file; return None, which stands for the shipped net, if the path is empty."""
    if not path:
        return None
    with np.load(path) as arrays:
        return make_net(dict(arrays))


def _play_game(teacher: _Teacher, rng: random.Random) -> AnyArray:
    """Play a game; return its positions as a POSITION array."""
    teacher.clear_table()
    game = Uttt(
        variant="open" if rng.random() < OPEN_VARIANT else "closed", tiebreak="count" if rng.random() < 0.5 else "draw"
    )
    opponent = None
    if rng.random() < AGAINST_MINIMAX:
        opponent = make_agent(game, rng.choice(OPPONENTS), rng.getrandbits(32))
    opponents_side = rng.randrange(2)
    state = game.start()
    for _ in range(rng.randrange(MAX_OPENING_MOVES + 1)):
        if state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
    judged: list[UtttState] = []
    values: list[float] = []
    result = 0.5  # X's points
    while (outcome := state.outcome()) is None:
        move, points, proved = teacher.judge(state)
        judged.append(state)
        values.append(points)
        if proved:
            result = points if state.to_move == 0 else 1 - points
            break
        if rng.random() < RANDOM_MOVE_SHARE:
            move = rng.choice(state.legal_moves())
        elif opponent is not None and state.to_move == opponents_side:
            move = opponent.choose(state, Budget()).move
        state = state.play(move)
    else:
        result = (outcome.value(0) + 1) / 2
    positions = np.zeros(len(judged), POSITION)
    for row, position, value in zip(positions, judged, values, strict=True):
        _write(row, position, value, result if position.to_move == 0 else 1 - result)
    return positions


def _write(row: Any, state: UtttState, value: float, points: float) -> None:
    words: Any = kernel.pack(state).words
    row["marks"] = words[:18]
    row["won"] = words[WON : WON + 2]
    row["to_move"], row["forced"] = state.to_move, state.forced
    row["rules"] = (state.game.tiebreak == "count") + 2 * (state.game.variant == "open")
    row["value"], row["points"] = value, points
