"""kibitz backup and kibitz restore: tables, tournaments and stores in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kibitz.core.untrusted import printable

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup file, such as kibitz.tar.gz.")]
Data = Annotated[Path | None, typer.Option(metavar="DIR", help="The data folder; the user's own by default.")]


@contextmanager
def _percentage() -> Iterator[Callable[[int, int], None]]:
    """Show progress as a percentage; yield the function to call with the bytes done and the total bytes."""
    from kibitz.cli.show import progress_line

    last = -1
    with progress_line() as write:

        def progress(done: int, total: int) -> None:
            nonlocal last
            if (percent := 100 * done // max(total, 1)) != last:
                last = percent
                write(f"{percent} % of {total / 1e6:,.1f} MB")

        yield progress


def backup(
    file: File,
    data: Data = None,
    stores: Annotated[
        list[Path] | None,
        typer.Option("--store", metavar="DIR", help="A store outside the data folder; may be repeated."),
    ] = None,
    arenas: Annotated[
        list[Path] | None,
        typer.Option("--arena", metavar="DIR", help="A tournament outside the data folder; may be repeated."),
    ] = None,
    games: Annotated[
        list[Path] | None, typer.Option("--games", metavar="FILE", help="A file of game records; may be repeated.")
    ] = None,
) -> None:
    """Back up all tables, tournaments and stores, even while a server runs, and verify the file."""
    from kibitz.web.backup import back_up, find_sources
    from kibitz.web.server.config import data_folder

    sources = find_sources(data or data_folder(), stores or [], arenas or [], games or [])
    with _percentage() as progress:
        manifest = back_up(file, sources, progress)
    typer.echo(f"{file} holds {manifest.summary()}; {file.stat().st_size / 1e6:,.1f} MB compressed, verified.")


def restore(
    file: File,
    data: Data = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="If the data folder contains data, move that to its subfolder before-DATE-TIME."),
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only verify the backup; change nothing.")] = False,
) -> None:
    """Replace the data folder with the contents of a backup, after verifying all of it."""
    from kibitz.web.backup import read
    from kibitz.web.backup import restore as run
    from kibitz.web.server.config import data_folder

    folder, aside = data or data_folder(), None
    with _percentage() as progress:
        if check:
            manifest = read(file, None, progress)
        else:
            manifest, aside = run(file, folder, force, progress)
    origin = printable(f"made {manifest.made} by kibitz {manifest.kibitz}")
    typer.echo(f"{file} is intact: {manifest.summary()}; {origin}.")
    if not check:
        typer.echo(f"{folder} is restored." + (f" Its old contents are in {aside}." if aside else ""))
