"""kibitz serve: the page in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def serve(
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, max=65535, help="The port; the first free one from 8000 on if not given."),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="H", help="The address to listen at; only this machine can reach the default.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder where games are kept; else the user's data folder.")
    ] = None,
    engine_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0.1,
            max=300,
            help="The most an agent may think about a turn; 300 if not given, or 30 with --host.",
        ),
    ] = None,
    clients: Annotated[int, typer.Option(metavar="N", min=1, help="The most connections at a time.")] = 2000,
    clients_each: Annotated[
        int, typer.Option(metavar="N", min=1, help="The most connections at a time from one other machine.")
    ] = 50,
    arena: Annotated[bool, typer.Option(help="Whether tournaments can be held on the page.")] = True,
    log: Annotated[
        Literal["debug", "info", "warning", "error"], typer.Option(help="How much is told on the error stream.")
    ] = "warning",
) -> None:
    """Serve the page: play, watch and analyse in a browser. Ctrl-C ends it; every move is on the disk by then."""
    from kibitz.web.limits import Limits
    from kibitz.web.serve import is_loopback
    from kibitz.web.serve import serve as run

    most = engine_seconds or (300.0 if is_loopback(host) else 30.0)
    limits = Limits(clients=clients, clients_each=clients_each, engine_seconds=most)
    run(host, port, data, not no_open, typer.echo, limits, arena, log)
