"""kibitz serve: the page in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def serve(
    port: Annotated[
        int | None, typer.Option(metavar="N", help="The port; the first free one from 8000 on if not given.")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="H", help="The address to listen at; only this machine can reach the default, 127.0.0.1."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What others call the page by, where a proxy passes them on.")
    ] = None,
    open_: Annotated[bool | None, typer.Option("--open/--no-open", help="Whether to open a browser; yes.")] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="The folder where games are kept; else the user's data folder.")
    ] = None,
    engine_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="The most an agent may think about a turn, or a look of the analysis may take, up to 300; 300, or "
            "30 where others can come.",
        ),
    ] = None,
    clients: Annotated[int | None, typer.Option(metavar="N", help="The most connections at a time; 2000.")] = None,
    clients_each: Annotated[
        int | None, typer.Option(metavar="N", help="The most connections at a time from one other machine; 50.")
    ] = None,
    arena: Annotated[
        bool | None, typer.Option("--arena/--no-arena", help="Whether tournaments can be held on the page; yes.")
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A file of TOML with outside programs that people may play; none."),
    ] = None,
    metrics: Annotated[
        bool | None, typer.Option("--metrics/--no-metrics", help="Whether /metrics tells figures for Prometheus; no.")
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL", help="What is told on the error stream: debug, info, warning (the default) or error."
        ),
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="As text, or as json: one object a line.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file of TOML with these options; flags go before it."),
    ] = None,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print what holds and from where, and serve nothing.")
    ] = False,
) -> None:
    """Serve the page: play, watch and analyse in a browser. Ctrl-C ends it; every move is on the disk by then."""
    from kibitz.web.server.config import DATA_DIR, DEFAULT, Setting, Settings, data_folder, gather, resolve, show

    flags = {
        "port": port,
        "host": host,
        "name": name,
        "open": open_,
        "data": data,
        "engine-seconds": engine_seconds,
        "clients": clients,
        "clients-each": clients_each,
        "arena": arena,
        "bots": bots,
        "metrics": metrics,
        "log": log,
        "log-format": log_format,
    }
    folder = Setting(data_folder(), DATA_DIR if os.environ.get(DATA_DIR) else DEFAULT)
    found = resolve(gather(flags, os.environ, config), folder)
    if show_config:
        typer.echo(show(found))
    else:
        from kibitz.web.server.serve import serve as run

        run(Settings.of(found), typer.echo)
