"""kibitz dots: what only Dots-and-Boxes has."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import AsJson, make_game
from kibitz.core.errors import BadOption, BadText
from kibitz.core.record import reason_of
from kibitz.games.dots.commands.history import history
from kibitz.games.dots.commands.problems import problems
from kibitz.games.dots.commands.solve import solve

app = typer.Typer()


@app.callback()
def root() -> None:
    """Dots-and-Boxes: what only this game has."""


@app.command()
def convert(
    to: Annotated[
        str,
        typer.Option(
            metavar="NOTATION",
            help="ids, lines, littlegolem, dbl, trmph or record for games, ascii or hex for positions.",
        ),
    ],
    words: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A game or a position; standard input if not given.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", metavar="FILE", help="A file with it instead.")] = None,
    given: Annotated[
        str | None, typer.Option("--from", metavar="NOTATION", help="What it is in; guessed if not given.")
    ] = None,
    options: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game, such as rows=3.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a game in another program's notation, or as the position it ended in.

    The size of the board is taken from the notation if it tells one, else from -o rows=R -o cols=C.
    """
    from kibitz.games.dots.notations.notations import Played, guess, read, write
    from kibitz.games.dots.rules import Dots

    asked = make_game(Dots.name, options) if options else None
    assert asked is None or isinstance(asked, Dots)
    text = _text(words, file)
    notation = given or guess(text)
    what = read(text, notation, asked)
    written = write(what, to)
    if not as_json:
        typer.echo(written)
        return
    kind = "game" if isinstance(what, Played) else "position"
    typer.echo(json.dumps({"from": notation, "kind": kind, "options": what.game.options, "to": to, "text": written}))


def _text(words: str | None, file: Path | None) -> str:
    """Return what is to be converted. Raises BadOption, and BadText for a file that cannot be read or is too long."""
    from kibitz.games.dots.notations.notations import LONGEST

    if words is not None:
        if file is not None:
            raise BadOption("Give a text or a --file, not both.")
        return words
    where = "Standard input" if file is None else str(file)
    try:
        if file is None:
            found = sys.stdin.buffer.read(LONGEST + 1)
        else:
            with file.open("rb") as opened:
                found = opened.read(LONGEST + 1)
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise BadText(f"Cannot read {where}: {reason_of(error)}.") from None
    if len(found) > LONGEST:
        raise BadText(f"{where} is too long: at most {LONGEST} bytes are read.")
    try:
        return found.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line, column = found.count(b"\n", 0, error.start) + 1, error.start - found.rfind(b"\n", 0, error.start)
        raise BadText(f"{where} is not a text in UTF-8: line {line}, column {column}.") from None


app.command()(solve)
app.command()(history)
app.command()(problems)
