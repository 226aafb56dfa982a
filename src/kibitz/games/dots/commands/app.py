"""kibitz dots: the commands that only Dots-and-Boxes has."""

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
from kibitz.games.dots.notations.notations import MAX_TEXT_LENGTH, PlayedGame, detect, read, write
from kibitz.games.dots.rules import Dots

app = typer.Typer()


@app.callback()
def root() -> None:
    """Convert, solve, study and practise Dots-and-Boxes."""


@app.command()
def convert(
    to: Annotated[
        str,
        typer.Option(
            metavar="NOTATION",
            help="Write ids, lines, littlegolem, dbl, trmph or record for a game, ascii or hex for a position.",
        ),
    ],
    words: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A game or a position; default: read standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", metavar="FILE", help="Read the text from a file.")] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="NOTATION", help="Notation of the text; default: autodetect.")
    ] = None,
    options: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game, such as rows=3.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert a game or a position to another notation.

    The board has the size that the notation states, if it states one, otherwise that of -o rows=R -o cols=C.
    """
    game = make_game(Dots.name, options) if options else None
    assert game is None or isinstance(game, Dots)
    text = _read_text(words, file)
    notation = source or detect(text)
    content = read(text, notation, game)
    written = write(content, to)
    if not as_json:
        typer.echo(written)
        return
    kind = "game" if isinstance(content, PlayedGame) else "position"
    typer.echo(json.dumps({"from": notation, "kind": kind, "options": content.game.options, "to": to, "text": written}))


def _read_text(words: str | None, file: Path | None) -> str:
    """Return `words`, else the text of a file, else standard input. Raise BadOption for two, BadText if unreadable."""
    if words is not None:
        if file is not None:
            raise BadOption("Give a text or a --file, not both.")
        return words
    where = "Standard input" if file is None else str(file)
    try:
        if file is None:
            data = sys.stdin.buffer.read(MAX_TEXT_LENGTH + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MAX_TEXT_LENGTH + 1)
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise BadText(f"Cannot read {where}: {reason_of(error)}.") from None
    if len(data) > MAX_TEXT_LENGTH:
        raise BadText(f"{where} is too long: at most {MAX_TEXT_LENGTH} bytes are allowed.")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        raise BadText(f"{where} is not UTF-8 text: see line {line}, column {column}.") from None


app.command()(solve)
app.command()(history)
app.command()(problems)
