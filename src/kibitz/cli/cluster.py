"""kibitz cluster: start workers for tournaments and mining, and the option of other commands that uses them."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Annotated

import typer

from kibitz.core import registry

app = typer.Typer()

At = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Run on the workers of this Dask scheduler: tcp://HOST:PORT."),
]


@app.callback()
def root() -> None:
    """Start workers for tournaments and mining, through Dask."""


@app.command()
def local(
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="Number of workers.")],
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="Port of the scheduler; any free one by default.")
    ] = 0,
) -> None:
    """Start a scheduler and N workers, reachable from this machine only, until Ctrl-C."""
    from kibitz.arena.cluster import local_cluster

    with local_cluster(number, port) as address:
        typer.echo(f"A scheduler and {number} worker{'s' if number > 1 else ''} on this machine at {address}")
        typer.echo(f"Use them with: kibitz arena run {registry.names()[-1]} random level3 --cluster {address}")
        typer.echo("Press Ctrl-C to stop them.")
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
