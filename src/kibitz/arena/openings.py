"""Where the games of a tournament start: random balanced positions, or a file of them."""

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

MOVES = (4, 8)
"""How many random moves an opening has, at least and at most."""
BALANCE = 0.1
"""How far from one half the win probability of an opening may be."""
_NODES = 20_000


def random_openings(game: Game, n: int, seed: int) -> tuple[str, ...]:
    """Return n different balanced positions after a few random moves. Raises BadOption if there are not so many."""
    rng = random.Random(derive(seed, "openings"))
    found: dict[str, None] = {}
    for _ in range(50 * n + 200):
        state = _random_position(game, rng)
        text = game.position_text(state)
        if state.outcome() is None and text not in found and _is_balanced(state):
            found[text] = None
            if len(found) == n:
                return tuple(found)
    raise BadOption(f"There are not {n} balanced openings of {MOVES[0]} to {MOVES[1]} moves: ask for fewer.")


def _random_position(game: Game, rng: random.Random) -> State:
    state: State = game.start(rng.getrandbits(63) if is_dealt(game) else 0)
    for _ in range(rng.randint(*MOVES)):
        if state.outcome() is None:
            state = state.play(rng.choice(state.legal_moves()))
    return state


def _is_balanced(state: State) -> bool:
    choice = analyse(state, Budget(nodes=_NODES))
    if choice.value is None or choice.exact:
        return choice.value == 0
    return choice.unit != "probability" or abs(choice.value - 0.5) <= BALANCE


def read_openings(game: Game, path: Path) -> tuple[str, ...]:
    """Return the positions of a file: one a line, empty lines and those after # passed over.

    Raises BadText that names the line.
    """
    found = []
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
            raise BadText(f"{path}, line {number}: the game is over in this position.")
        found.append(game.position_text(state))
    if not found:
        raise BadText(f"{path} holds no openings.")
    return tuple(found)
