"""Options shared by the commands of kibitz go: the store to open, and the filters that select games."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.show import compiling_notice, progress_line
from kibitz.core.errors import BadOption

if TYPE_CHECKING:  # numpy and DuckDB are imported only when a command runs
    from kibitz.games.go.records.store import GameStore

StoreAt = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="The folder of the store, or masters; default: your own.")
]
Size = Annotated[int, typer.Option(help="The board size.")]

_TEXT_FILTERS = {
    "player": typer.Option(help="Games of this player, under any known spelling."),
    "black": typer.Option(help="Games with this player as Black."),
    "white": typer.Option(help="Games with this player as White."),
    "since": typer.Option(metavar="DATE", help="Played on or after this date: 1995, 1995-03 or 1995-03-12."),
    "until": typer.Option(metavar="DATE", help="Played on or before this date."),
    "result": typer.Option(help="Result of the game: B, W, draw or none."),
    "rank": typer.Option(help="Both players have at least this rank: 3k, 1d, 9p."),
    "event": typer.Option(help="Part of the event's name."),
}
_FILTERS: dict[str, tuple[object, str | int | None]] = {
    **{name: (Annotated[str, option], "") for name, option in _TEXT_FILTERS.items()},
    "handicap": (Annotated[int | None, typer.Option(help="Handicap stones; 0 for even games.")], None),
    "size": (Size, 19),
}
"""Field of kibitz.games.go.records.filters.Filters -> its command-line option and default value."""


def with_filters(*omitted: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a command: replace its parameter `filters` with the options that select games, except those omitted.

    typer reads the options of a command from its signature, so the options are added
    to the signature. The command itself receives one Filters object.
    """
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _FILTERS.items()
        if name not in omitted
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            from kibitz.games.go.records.filters import Filters

            filters = Filters(**{option.name: given.pop(option.name) for option in options})
            command(filters=filters, **given)

        signature = inspect.signature(command, locals={"Filters": None}, eval_str=True)
        parameters = list[inspect.Parameter]()
        for name, parameter in signature.parameters.items():
            parameters += options if name == "filters" else [parameter]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by inspect
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def check_paths_exist(paths: Sequence[Path]) -> None:
    """Raise BadOption if a path does not exist."""
    for path in paths:
        if not path.exists():
            raise BadOption(f"There is no file or folder {path}: check the path.")


def report_games(write: Callable[[str], None], done: int, total: int) -> None:
    """Show the number of games done on a progress line, by calling `write`."""
    write(f"{done:,} of {total:,} games")


def open_with_notice(folder: Path | None) -> GameStore:
    """Open a store as open_store() does. Say so if it holds the masters' games because the user has none."""
    from kibitz.games.go.records.masters import about, open_store

    with compiling_notice(), progress_line() as write:
        store, is_of_masters = open_store(folder, lambda: write("preparing the games of masters ..."))
    if is_of_masters and folder is None:
        typer.echo(f"You have no store yet: these are {about(store)}. Make a store with kibitz go import.", err=True)
    return store
