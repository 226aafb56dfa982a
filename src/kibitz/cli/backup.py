"""kibitz backup and kibitz restore: games, tournaments and stores in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kibitz.core.untrusted import printable

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup, such as kibitz.tar.gz.")]
Data = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The folder where games are kept; else the user's data folder.")
]


@contextmanager
def _shown() -> Iterator[Callable[[int, int], None]]:
    """Show at a terminal how far it is."""
    from kibitz.cli.show import progress_line

    last = -1
    with progress_line() as write:

        def tell(done: int, total: int) -> None:
            nonlocal last
            if (percent := 100 * done // max(total, 1)) != last:
                last = percent
                write(f"{percent} % of {total / 1e6:,.1f} MB")

        yield tell


def backup(
    file: File,
    data: Data = None,
    stores: Annotated[
        list[Path] | None, typer.Option("--store", metavar="DIR", help="A store of records elsewhere; may be repeated.")
    ] = None,
    arenas: Annotated[
        list[Path] | None, typer.Option("--arena", metavar="DIR", help="A tournament elsewhere; may be repeated.")
    ] = None,
    games: Annotated[
        list[Path] | None, typer.Option("--games", metavar="FILE", help="A file of games; may be repeated.")
    ] = None,
) -> None:
    """Back up all tables, tournaments and stores, also while a server runs. The file is checked when it is written."""
    from kibitz.web.data.backup import back_up, places
    from kibitz.web.server.config import data_folder

    found = places(data or data_folder(), stores or [], arenas or [], games or [])
    with _shown() as tell:
        manifest = back_up(file, found, tell)
    typer.echo(
        f"{file} has {manifest.summary()}; packed {file.stat().st_size / 1e6:,.1f} MB. It was read again and is whole."
    )


def restore(
    file: File,
    data: Data = None,
    force: Annotated[bool, typer.Option("--force", help="Put aside what is in the folder.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only check the backup.")] = False,
) -> None:
    """Make the data folder what a backup holds, when all of it has been checked."""
    from kibitz.web.data.archive import read
    from kibitz.web.data.backup import restore as run
    from kibitz.web.server.config import data_folder

    folder, aside = data or data_folder(), None
    with _shown() as tell:
        if check:
            manifest = read(file, None, tell)
        else:
            manifest, aside = run(file, folder, force, tell)
    of = printable(f"of {manifest.made}, by kibitz {manifest.kibitz}")
    typer.echo(f"{file} is whole: {manifest.summary()}; {of}.")
    if not check:
        typer.echo(f"{folder} is restored." + (f" What was there is in {aside}." if aside else ""))
