"""kibitz go gtp: an agent as a GTP engine for GoGui, Sabaki and other programs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from kibitz.cli.options import make_game
from kibitz.core.agent import Budget
from kibitz.core.errors import BadOption


def gtp(
    agent: Annotated[str, typer.Option(help="The agent that plays; kibitz agents go lists them.")] = "champion",
    size: Annotated[int, typer.Option(help="Board size until a boardsize command changes it.")] = 19,
    komi: Annotated[float, typer.Option(help="Komi until a komi command changes it.")] = 7.5,
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Maximum seconds per move.")] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Positions to search per move.")] = None,
    playouts: Annotated[int | None, typer.Option("--playouts", help="Playouts per move.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="Another option of the game, such as a ko rule.")
    ] = None,
) -> None:
    """Play for another program that speaks GTP, the Go Text Protocol (see docs/games/go/gtp.md)."""
    from kibitz.games.go.gtp.engine import run
    from kibitz.games.go.rules import Go

    given = options or []
    if any(option.partition("=")[0].strip() == "handicap" for option in given):
        raise BadOption("The handicap is set by the GTP command fixed_handicap, not by an option.")
    game = make_game("go", [f"size={size}", f"komi={komi}", *given])
    assert isinstance(game, Go)
    # A copy of sys.stdin: Python cannot exit while a thread still waits for a line of sys.stdin itself.
    lines = open(os.dup(sys.stdin.fileno()), "rb")  # noqa: SIM115  # read until the program exits
    run(agent, game, lines, sys.stdout, Budget(seconds, nodes, playouts))
