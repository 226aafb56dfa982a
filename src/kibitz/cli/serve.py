"""kibitz serve: the page in a browser."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kibitz.compiled import gear


def serve(
    context: typer.Context,
    port: Annotated[
        int | None, typer.Option(metavar="N", help="Port; by default the first free one from 8000.")
    ] = None,
    host: Annotated[
        str | None, typer.Option(metavar="H", help="Address to listen on; by default 127.0.0.1, for this machine only.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Public host name of the page behind a proxy.")
    ] = None,
    open_: Annotated[bool | None, typer.Option("--open/--no-open", help="Open a browser (default).")] = None,
    data: Annotated[str | None, typer.Option(metavar="DIR", help="The data folder; the user's own by default.")] = None,
    engine_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Time limit for a turn of an agent or an analysis, at most 300; by default 300, or 30 if other "
            "machines can connect.",
        ),
    ] = None,
    clients: Annotated[int | None, typer.Option(metavar="N", help="Maximum connections; 2000 by default.")] = None,
    clients_each: Annotated[
        int | None, typer.Option(metavar="N", help="Maximum connections from one other machine; 50 by default.")
    ] = None,
    arena: Annotated[
        bool | None, typer.Option("--arena/--no-arena", help="Allow tournaments on the page (default).")
    ] = None,
    bots: Annotated[
        str | None, typer.Option(metavar="FILE", help="TOML file of outside programs that people may play.")
    ] = None,
    warmup: Annotated[
        bool | None,
        typer.Option("--warmup/--no-warmup", help="Compile missing searches in the background (default)."),
    ] = None,
    metrics: Annotated[
        bool | None, typer.Option("--metrics/--no-metrics", help="Serve metrics for Prometheus at /metrics.")
    ] = None,
    log: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Log level: debug, info, warning (default) or error.")
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="Log format: text, or json with one object per line.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML file with these options; flags override it.")
    ] = None,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print the settings in force and their sources, then exit.")
    ] = False,
) -> None:
    """Serve the page, to play, watch and analyse in a browser. Every move is saved at once; Ctrl-C stops."""
    from kibitz.web.server import config as settings

    flags = {key.strip("_").replace("_", "-"): given for key, given in context.params.items()}
    del flags["config"], flags["show-config"]
    source = settings.DATA_DIR if os.environ.get(settings.DATA_DIR) else settings.DEFAULT
    folder = settings.ServerSetting(settings.data_folder(), source)
    found = settings.resolve(settings.gather(flags, os.environ, config), folder)
    if show_config:
        typer.echo(settings.to_toml(found))
    else:
        from kibitz.web.server.serve import serve as run

        given = settings.ServerSettings.of(found)
        with _warming_up(given.warmup) as progress:
            run(given, typer.echo, progress)


@contextmanager
def _warming_up(wanted: bool) -> Iterator[Iterable[str]]:
    """Compile missing searches in a process of low priority during the block, if wanted; yield its progress as lines.

    Light work does not wait for it.
    """
    if not wanted:
        yield ()
        return
    gear.MAX_PLAIN_SECONDS = math.inf
    command = [sys.executable, "-m", "kibitz", "warmup", "--background"]
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            process.terminate()
