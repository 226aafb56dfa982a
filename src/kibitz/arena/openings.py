"""Start positions for the games of a tournament: random balanced ones, or those in a file."""

from __future__ import annotations

import random
from pathlib import Path

from kibitz.analysis.position import analyse
from kibitz.arena.tournament import is_dealt
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game, State
from kibitz.core.record import reason_of
from kibitz.core.seeds import derive

MIN_MOVES, MAX_MOVES = 4, 8
"""Minimum and maximum number of random moves in an opening."""
MAX_IMBALANCE = 0.1
"""Maximum difference between an opening's win probability and 0.5."""
BALANCE_NODES = 20_000
"""Nodes searched to evaluate an opening."""


def random_openings(game: Game, n: int, seed: int) -> tuple[str, ...]:
    """Return n different balanced positions after a few random moves.

    Raise BadOption if that many are not found within 50 n + 200 attempts.
    """
    rng = random.Random(derive(seed, "openings"))
    openings: dict[str, None] = {}
    for _ in range(50 * n + 200):
        state = _random_position(game, rng)
        text = game.position_text(state)
        if state.outcome() is None and text not in openings and _is_balanced(state):
            openings[text] = None
            if len(openings) == n:
                return tuple(openings)
    raise BadOption(f"Found only {len(openings)} balanced openings of {MIN_MOVES} to {MAX_MOVES} moves, not {n}: "
                    "ask for fewer.")  # fmt: skip


def _random_position(game: Game, rng: random.Random) -> State:
    state: State = game.start(rng.getrandbits(63) if is_dealt(game) else 0)
    for _ in range(rng.randint(MIN_MOVES, MAX_MOVES)):
        if state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
    return state


def _is_balanced(state: State) -> bool:
    choice = analyse(state, Budget(nodes=BALANCE_NODES))
    if choice.value is None or choice.exact:
        return choice.value == 0
    return choice.unit != "probability" or abs(choice.value - 0.5) <= MAX_IMBALANCE


def read_openings(game: Game, path: Path) -> tuple[str, ...]:
    """Read positions from a text file: one per line, ignoring empty lines and comments after #.

    Raise BadText if the file cannot be read or has no openings, or with the line number if a position is invalid.
    """
    openings = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise BadText(f"Cannot read the openings in {path}: {reason_of(error)}.") from None
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            state = game.parse_position(text)
        except KibitzError as error:
            raise BadText(f"{path}, line {number}: {error}") from None
        if state.outcome() is not None:
            raise BadText(f"{path}, line {number}: the game is over in this position; remove the line.")
        openings.append(game.position_text(state))
    if not openings:
        raise BadText(f"{path} has no openings: write one position per line.")
    return tuple(openings)
