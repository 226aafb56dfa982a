"""What the targets of tools.fuzz share: games, random games, and ways to take an input apart."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from kibitz.core import registry
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, Move, State
from kibitz.core.record import GameRecord, deal_seed
from kibitz.web.tables.snapshot import position_json

Part: TypeAlias = Callable[[bytes], None]
"""What an input is given to. Returns if it was taken, or refused as documented; raises otherwise."""
Target: TypeAlias = tuple[list[bytes], Part]
"""The first inputs of a target, and what they are given to."""
GAMES: Sequence[Game] = (
    registry.game("battleline"),
    registry.game("battleline", edition="schotten-totten", scout_two=True),
    registry.game("dots", rows=2, cols=3),
    registry.game("dots", start="icelandic"),
    registry.game("go", size=5),
    registry.game("go", size=9, ko="positional", handicap=2),
    registry.game("go", scoring="territory", suicide=True),
    registry.game("uttt", variant="open"),
)
FOLDER = Path(tempfile.mkdtemp(prefix="kibitz-fuzz-"))
"""Where inputs that are files go. Who loads a target removes it."""


def parts(*each: Part) -> Part:
    """Return what gives an input to one of some functions, as its first byte says. To be refused is right."""

    def attack(data: bytes) -> None:
        with suppress(KibitzError):
            each[data[0] % len(each) if data else 0](data[1:])

    return attack


def with_game(attack: Callable[[Game, str], None]) -> Part:
    """Return what takes a text after a byte that chooses a game."""
    return lambda data: attack(GAMES[data[0] % len(GAMES) if data else 0], as_text(data[1:]))


def as_text(data: bytes) -> str:
    """Return a text as a file or an argument gives it: bytes that are no UTF-8 become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def in_file(data: bytes, name: str = "input") -> Path:
    """Return a file that holds an input."""
    path = FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def random_game(game: Game, seed: int, most: int = 400) -> tuple[list[State], list[Move]]:
    """Return the positions and the moves of a random game."""
    rng, states, moves = random.Random(seed), [game.start(deal_seed(seed))], list[Move]()
    while states[-1].outcome() is None and len(moves) < most:
        moves.append(rng.choice(states[-1].legal_moves()))
        states.append(states[-1].play(moves[-1]))
    return states, moves


def random_record(game: Game, seed: int, most: int = 60) -> GameRecord:
    """Return the record of a random game."""
    states, moves = random_game(game, seed, most)
    outcome = states[-1].outcome()
    texts = tuple(game.move_text(move) for move in moves)
    result = "*" if outcome is None else outcome.result
    return GameRecord(game.name, game.options, ("random", "random"), texts, result, "by chance", seed)


def check_same(one: object, other: object, what: str) -> None:
    """Raise AssertionError unless two things are the same."""
    if one != other:
        raise AssertionError(f"{what}: {one!r:.300} is not {other!r:.300}")


def look(game: Game, state: State) -> None:
    """Do what the terminal and the page do with a position."""
    moves = state.legal_moves()
    check_same(not moves, state.outcome() is not None, "there are moves unless the game is over")
    for player in (0, 1, None):
        game.draw(state.view(player))
        position_json(state, player)
    if moves:
        state.play(moves[0])
