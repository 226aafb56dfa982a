"""kibitz uttt: the commands of Ultimate Tic-Tac-Toe."""

from __future__ import annotations

import io
import json
import sys
import time
from typing import Annotated

import typer

from kibitz.cli import arena
from kibitz.cli.options import AsJson, Options, Position, Seed, make_game_of
from kibitz.core.errors import BadOption
from kibitz.games.uttt.commands.stats import stats
from kibitz.games.uttt.commands.train import train
from kibitz.games.uttt.rules import Uttt
from kibitz.search.agents import make_agent

app = typer.Typer()


@app.callback()
def root() -> None:
    """Commands for Ultimate Tic-Tac-Toe only."""


@app.command()
def perft(
    depth: Annotated[int, typer.Option(min=0, help="Number of moves.")],
    options: Options = None,
    position: Position = None,
    as_json: AsJson = False,
) -> None:
    """Count the move sequences of a given length: the standard test of rules and speed."""
    if depth > 81:
        raise BadOption(f"--depth must be 0 to 81, the length of the longest game; got {depth}.")
    game = make_game_of(Uttt, options)
    state = game.start() if position is None else game.parse_position(position)
    import numpy as np

    from kibitz.cli.show import compiling_notice
    from kibitz.games.uttt.kernel import position as kernel
    from kibitz.search.control import new_signal, supervise
    from kibitz.search.perft import perft as count

    pos, moves, signal = kernel.pack(state), np.zeros(max(depth, 1) * kernel.MAX_LEGAL_MOVES, np.int64), new_signal()
    with compiling_notice():
        count(pos, 1, moves, signal)  # compile or load before the clock starts
    began = time.perf_counter()
    leaves = int(supervise(lambda: count(pos, depth, moves, signal), signal))
    seconds = time.perf_counter() - began
    if as_json:
        typer.echo(json.dumps({"leaves": leaves, "seconds": round(seconds, 6)}))
    else:
        typer.echo(f"{leaves:,} leaves in {seconds:.3f} s, {leaves / max(seconds, 1e-9) / 1e6:.0f} million per second")


@app.command()
def convert(
    position: Annotated[str, typer.Argument(metavar="TEXT", help="A position in 93 digits or in FEN style.")],
    options: Options = None,
) -> None:
    """Print a position in both notations."""
    game = make_game_of(Uttt, options)
    state = game.parse_position(position)
    typer.echo(game.position_text(state))
    typer.echo(game.fen(state))


@app.command()
def temperature(
    functions: Annotated[
        list[str] | None,
        typer.Option(
            "--function", metavar="F", help="Temperature function such as 5/t^2; may be repeated. Default: ten of them."
        ),
    ] = None,
    evaluation: Annotated[str, typer.Option("--eval", help="Evaluation of the minimax agents.")] = "winning",
    start: Annotated[float, typer.Option(help="t on an agent's first turn.")] = 3.0,
    step: Annotated[float, typer.Option(help="Increase of t per own turn.")] = 0.1,
    against: Annotated[
        list[str] | None, typer.Option("--against", metavar="AGENT", help="Opponent; repeat for more. Default: five.")
    ] = None,
    games: Annotated[int, typer.Option(help="Games per function and opponent.")] = 100,
    seed: Seed = 0,
    jobs: arena.Jobs = None,
    out: arena.Out = None,
) -> None:
    """Compare temperature functions of the random jump: time saved, win rate lost."""
    from kibitz.games.uttt.study.sweep import FIELD, FUNCTIONS, sweep_tournament

    tournament = sweep_tournament(
        functions or FUNCTIONS, against or FIELD, eval=evaluation, start=start, step=step, games=games, seed=seed
    )
    arena.start(tournament, out, jobs)


app.command()(train)
app.command("learn", hidden=True)(train)  # its name in version 0.1


@app.command()
def codingame(
    later: Annotated[int, typer.Option("--time", min=20, metavar="MS", help="Milliseconds per answer.")] = 95,
    first: Annotated[
        int, typer.Option("--first", min=20, metavar="MS", help="Milliseconds for the first answer.")
    ] = 900,
    agent: Annotated[str, typer.Option(help="The agent that plays; kibitz agents uttt lists them.")] = "champion",
    options: Annotated[
        list[str] | None,
        typer.Option("-o", metavar="KEY=VALUE", help="An option of the game. Default: tiebreak=count."),
    ] = None,
) -> None:
    """Play one game as a CodinGame bot on standard input and output (see docs/bots.md)."""
    from kibitz.games.uttt.codingame import run

    given = options or []
    if not any(option.partition("=")[0].strip() == "tiebreak" for option in given):
        given = ["tiebreak=count", *given]
    game = make_game_of(Uttt, given)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    run(make_agent(game, agent), game, sys.stdin, sys.stdout, first / 1000, later / 1000)


app.command()(stats)
