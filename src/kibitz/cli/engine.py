"""kibitz engine: an agent that other programs can play against."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from kibitz.cli.options import GameName, Options, make_game
from kibitz.search.agents import make_agent


def engine(
    game: GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Name of an agent; kibitz agents GAME lists them.")],
    options: Options = None,
) -> None:
    """Run an agent for another program, over standard input and output (see docs/bots.md)."""
    from kibitz.bots.engine import run

    made = make_game(game, options)
    player = make_agent(made, agent)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    run(player, made, sys.stdin, sys.stdout)
