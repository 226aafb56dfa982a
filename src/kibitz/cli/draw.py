"""kibitz draw: the picture of a position as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from kibitz.cli.options import GameName, Options, Position, make_game, make_state
from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import hides
from kibitz.core.record import reason_of


def draw(
    game: GameName,
    position: Position = None,
    options: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write: .svg, .png or .txt; SVG on standard output by default.")
    ] = None,
    theme: Annotated[Literal["light", "dark"], typer.Option(help="Colours of the picture.")] = "light",
    width: Annotated[int | None, typer.Option(min=16, max=10_000, help="Width of the picture in pixels.")] = None,
    player: Annotated[
        int | None, typer.Option(min=1, max=2, help="Whose view to draw, 1 or 2; the player to move by default.")
    ] = None,
) -> None:
    """Draw a position as a picture, for documents, slides and web pages."""
    from kibitz.core.defaults.shown import svg_of, text_of

    state = make_state(make_game(game, options), position)
    if player is not None and not hides(state):
        raise BadOption(f"--player is for games with hidden cards; {state.game.title} hides nothing.")
    view = state.view(state.to_move if player is None else player - 1)
    kind = ".svg" if out is None else out.suffix.lower()
    if kind not in (".svg", ".png", ".txt"):
        raise BadOption(f"Cannot write a picture as {out}: the name must end in .svg, .png or .txt.")
    text = text_of(view) if kind == ".txt" else svg_of(view, theme=theme, width=width)
    if out is None:
        typer.echo(text)
        return
    content = _png(text) if kind == ".png" else f"{text}\n".encode()
    try:
        out.write_bytes(content)
    except (OSError, ValueError) as error:
        raise BadText(f"Cannot write {out}: {reason_of(error)}.") from None
    typer.echo(f"Written: {out}")


def _png(text: str) -> bytes:
    from kibitz.picture.png import NoConverter, to_png

    try:
        return to_png(text)
    except (NoConverter, RuntimeError) as error:
        raise BadOption(str(error)) from None
