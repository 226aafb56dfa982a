"""Arguments and options that several commands share, and functions that turn them into games and positions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from kibitz.core import registry
from kibitz.core.errors import BadOption, BadText, KibitzError
from kibitz.core.game import Game, State
from kibitz.core.record import read_records, replay

G = TypeVar("G", bound=Game)
GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game; kibitz games lists them.")]
Options = Annotated[
    list[str] | None,
    typer.Option("-o", metavar="KEY=VALUE", help="An option of the game, as kibitz games lists them; may be repeated."),
]
Seconds = Annotated[float | None, typer.Option("--time", metavar="S", help="Seconds for each turn.")]
Nodes = Annotated[int | None, typer.Option("--nodes", help="Positions an agent may search in each turn.")]
Playouts = Annotated[int | None, typer.Option("--playouts", help="Playouts an agent may run in each turn.")]
Position = Annotated[
    str | None,
    typer.Option("--position", metavar="TEXT", help="A position in the notation of the game; its start by default."),
]
Seed = Annotated[int, typer.Option(help="Seed of all random choices.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Games to run at a time; one per core by default.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]


def make_game(name: str, options: list[str] | None) -> Game:
    """Return a game from its name and KEY=VALUE options. Raise BadOption if one is unknown or out of range."""
    given = {}
    for option in options or []:
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals:
            raise BadOption(f"{option!r} is not an option: write KEY=VALUE.")
        if key in given:
            raise BadOption(f"Option {key!r} is given twice.")
        given[key] = value
    return registry.game_of_user(name, **given)


def make_game_of(kind: type[G], options: list[str] | None) -> G:
    """Return a game of this class with KEY=VALUE options, for a game's own commands. Raise BadOption like make_game."""
    game = make_game(kind.name, options)
    assert isinstance(game, kind)
    return game


def make_state(game: Game, position: str | None) -> State:
    """Parse a position, or return the start if it is None. Raise BadText if the text is invalid."""
    state: State = game.start() if position is None else game.parse_position(position)
    return state


def read_state(game: Game, path: Path, ply: int | None) -> State:
    """Read a game from a file; return the position after `ply` moves, or the last one if ply is None.

    The file holds kibitz records, the last of which is used, or one game in any notation of the game. Raise BadText
    if it cannot be read, or BadOption if it holds another game or fewer moves.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadText(f"Cannot read {path}: {error.strerror}.") from None
    if not text.strip():
        raise BadText(f"{path} is empty: it holds no game.")
    if text.lstrip().startswith("{"):
        records = read_records(path)
        if not records.good:
            raise BadText(f"{path} holds no games.")
        states: Sequence[State] = replay(records.good[-1])
        if states[0].game.name != game.name:
            raise BadOption(f"{path} is a game of {states[0].game.title}, not {game.title}.")
    else:
        try:
            state, moves = registry.package(game.name).make_notations().read(game, text, None)
        except KibitzError as error:
            raise type(error)(f"{path}: {error}") from None
        states = list(accumulate(moves, lambda before, move: before.play(move), initial=state))
    if ply is not None and not 0 <= ply < len(states):
        raise BadOption(f"Move {ply} does not exist: the game in {path} has {len(states) - 1} moves.")
    state = states[-1 if ply is None else ply]
    if state.outcome() is not None and len(states) > 1:
        raise BadOption(f"The game in {path} is over after move {len(states) - 1}: choose an earlier one by --move N.")
    return state
