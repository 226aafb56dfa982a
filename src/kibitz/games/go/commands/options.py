"""Options that several commands of kibitz go have, which store and which of its games; and the store they name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.core.errors import BadOption

if TYPE_CHECKING:  # numpy and DuckDB are imported only when something is done
    from kibitz.games.go.records.store import GameStore

StoreAt = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="The folder of the store; yours if not given.")
]
Size = Annotated[int, typer.Option(help="The size of the board.")]

_FILTERS: dict[str, tuple[Any, Any]] = {
    "player": (Annotated[str, typer.Option(help="One of the players, under any spelling.")], ""),
    "black": (Annotated[str, typer.Option(help="Who has Black.")], ""),
    "white": (Annotated[str, typer.Option(help="Who has White.")], ""),
    "since": (
        Annotated[str, typer.Option(metavar="DATE", help="Played on or after 1995, or 1995-03, or 1995-03-12.")],
        "",
    ),
    "until": (Annotated[str, typer.Option(metavar="DATE", help="Played on or before.")], ""),
    "result": (Annotated[str, typer.Option(help="B, W, draw or none.")], ""),
    "rank": (Annotated[str, typer.Option(help="Both players have at least this rank: 3k, 1d, 9p.")], ""),
    "handicap": (Annotated[int | None, typer.Option(help="Handicap stones; 0 for even games.")], None),
    "event": (Annotated[str, typer.Option(help="A part of the event's name.")], ""),
    "size": (Size, 19),
}
"""Field of kibitz.games.go.records.filters.Filters -> its option, and its default."""


def filtered(*left_out: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that choose games, but for some, in place of its parameter `filters`.

    typer reads the options of a command from its signature, so they are written
    into that. The command is called with one Filters.
    """
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _FILTERS.items()
        if name not in left_out
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
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # inspect looks for it
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return decorate


def check_there(paths: Sequence[Path]) -> None:
    """Raise BadOption for a path that leads nowhere."""
    for path in paths:
        if not path.exists():
            raise BadOption(f"There is no file or folder {path}.")


def tell_games(write: Callable[[str], None], done: int, total: int) -> None:
    """Write how many games are done into a line of progress."""
    write(f"{done:,} of {total:,} games")


def open_told(folder: Path | None) -> GameStore:
    """Return the store that was asked for; where it is the demo, say so."""
    from kibitz.cli.show import compiling_notice
    from kibitz.games.go.records.demo import open_store

    with compiling_notice():
        store, is_demo = open_store(folder)
    if is_demo:
        typer.echo(
            f"You have no store yet, so these are the {len(store)} demo games of kibitz; kibitz go import makes one.",
            err=True,
        )
    return store
