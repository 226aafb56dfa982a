"""Arguments and options that several commands have, and the games and positions that they name."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.core import registry
from kibitz.core.errors import BadOption
from kibitz.core.game import Game, State

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game; kibitz games lists them.")]
Options = Annotated[
    list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game; may be repeated.")
]
Seconds = Annotated[float | None, typer.Option("--time", metavar="S", help="Seconds for each turn.")]
Nodes = Annotated[int | None, typer.Option("--nodes", help="Positions an agent may look at in each turn.")]
Playouts = Annotated[int | None, typer.Option("--playouts", help="Playouts an agent may make in each turn.")]
Position = Annotated[str | None, typer.Option("--position", metavar="TEXT", help="A position, instead of the start.")]
Seed = Annotated[int, typer.Option(help="Decides everything that is random.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]


def make_game(name: str, options: list[str] | None) -> Game:
    """Return a game from its name and KEY=VALUE options. Raises BadOption."""
    given = {}
    for option in options or []:
        key, equals, value = (part.strip() for part in option.partition("="))
        if not equals:
            raise BadOption(f"{option!r} is not of the form key=value.")
        if key in given:
            raise BadOption(f"The option {key!r} is given twice.")
        given[key] = value
    return registry.game_of_user(name, **given)


def make_state(game: Game, position: str | None) -> State:
    """Return the position of a text, or the start. Raises BadText."""
    return game.start() if position is None else game.parse_position(position)
