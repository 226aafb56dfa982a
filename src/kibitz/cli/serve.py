"""kibitz serve: the page in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
) -> None:
    """Serve the page: play, watch and analyse in a browser. Ctrl-C ends it; every move is on the disk by then."""
    from kibitz.web.serve import serve as run

    run(host, port, data, not no_open, typer.echo)
