"""kibitz go gtp: an agent as an engine of Go for GoGui, Sabaki and other programs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kibitz.cli.options import make_game
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption


def gtp(
    agent: Annotated[str, typer.Option(help="Who plays; kibitz agents go lists them.")] = "champion",
    size: Annotated[int, typer.Option(help="Lines of the board, until a boardsize comes.")] = 19,
    komi: Annotated[float, typer.Option(help="Komi, until another one comes.")] = 7.5,
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Seconds for a move, at most.")] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Positions to look at for a move.")] = None,
    playouts: Annotated[int | None, typer.Option("--playouts", help="Playouts for a move.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="Another option of the game, such as a ko rule.")
    ] = None,
) -> None:
    """Play for another program that speaks GTP, the Go Text Protocol (see docs/games/go/gtp.md)."""
    from kibitz.games.go.gtp.engine import run
    from kibitz.games.go.rules import Go

    given = options or []
    if any(option.partition("=")[0].strip() == "handicap" for option in given):
        raise BadOption("A handicap is given by the program that asks: fixed_handicap.")
    game = make_game("go", [f"size={size}", f"komi={komi}", *given])
    assert isinstance(game, Go)
    # not sys.stdin itself: Python cannot end while a thread still waits for a line of that
    lines = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115  # it is read until the program ends
    run(agent, game, lines, sys.stdout, Budget(seconds, nodes, playouts))
