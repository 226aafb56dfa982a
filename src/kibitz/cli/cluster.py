"""kibitz cluster: workers for tournaments and mining, started here. And the option with which others use them."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Annotated

import typer

from kibitz.core import registry

app = typer.Typer()

At = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Let the workers of this Dask scheduler do it: tcp://HOST:PORT."),
]


@app.callback()
def root() -> None:
    """Workers for tournaments and mining, through Dask."""


@app.command()
def local(
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="How many workers.")],
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="The port of the scheduler; any free one if not given.")
    ] = 0,
) -> None:
    """Start a scheduler and N workers that only this machine can reach, until Ctrl-C."""
    from kibitz.arena.cluster import local_cluster

    with local_cluster(number, port) as address:
        typer.echo(f"A scheduler and {number} worker{'s' if number > 1 else ''} on this machine at {address}")
        typer.echo(f"Use them with: kibitz arena run {registry.names()[-1]} random level3 --cluster {address}")
        typer.echo("Ctrl-C ends them.")
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
