"""kibitz uttt: what only Ultimate Tic-Tac-Toe has."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from kibitz.core.errors import BadOption

app = typer.Typer()


@app.callback()
def root() -> None:
    """Ultimate Tic-Tac-Toe: what only this game has."""


@app.command()
def perft(
    depth: Annotated[int, typer.Option(min=0, help="How many moves deep.")],
    options: Annotated[list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")] = None,
    position: Annotated[str | None, typer.Option("--position", metavar="TEXT", help="Instead of the start.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")] = False,
) -> None:
    """Count the ways to play so many moves: the standard test of rules and of speed."""
    from kibitz.cli.app import make_game, make_state

    if depth > 81:
        raise BadOption(f"No game is {depth} moves long: the depth must be 0 to 81.")
    state = make_state(make_game("uttt", options), position)
    import numpy as np

    from kibitz.cli.show import told_of_compiling
    from kibitz.games.uttt import kernel
    from kibitz.search.control import new_signal, supervise
    from kibitz.search.perft import perft as count

    pos, moves, signal = kernel.pack(state), np.zeros(max(depth, 1) * kernel.ROOM, np.int64), new_signal()
    with told_of_compiling():
        count(pos, 1, moves, signal)  # compiled or loaded before the clock runs
    began = time.perf_counter()
    leaves = int(supervise(lambda: count(pos, depth, moves, signal), signal))
    seconds = time.perf_counter() - began
    if as_json:
        typer.echo(json.dumps({"leaves": leaves, "seconds": round(seconds, 6)}))
    else:
        typer.echo(f"{leaves:,} leaves in {seconds:.3f} s, {leaves / max(seconds, 1e-9) / 1e6:.0f} million a second")


@app.command()
def convert(
    position: Annotated[str, typer.Argument(metavar="TEXT", help="A position in 93 digits or FEN-like.")],
    options: Annotated[list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")] = None,
) -> None:
    """Print a position in both notations."""
    from kibitz.cli.app import make_game
    from kibitz.games.uttt.rules import Uttt

    game = make_game("uttt", options)
    assert isinstance(game, Uttt)
    state = game.parse_position(position)
    typer.echo(game.position_text(state))
    typer.echo(game.fen(state))
