"""kibitz engine: an agent as a program for other programs."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from kibitz.core import registry


def engine(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game; kibitz games lists them.")],
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="An agent; kibitz agents GAME lists them.")],
    options: Annotated[list[str] | None, typer.Option("-o", metavar="KEY=VALUE", help="An option of the game.")] = None,
) -> None:
    """Let an agent play for another program, by lines on standard input and output (see docs/bots.md)."""
    from kibitz.cli.app import make_game
    from kibitz.interop.engine import run

    made = make_game(game, options)
    player = registry.agent(made, agent)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    run(player, made, sys.stdin, sys.stdout)
