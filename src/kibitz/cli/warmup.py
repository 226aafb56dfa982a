"""kibitz warmup: compile the searches ahead of time, with the most likely ones first."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Annotated

import typer

from kibitz.cli.extend import WARMUP
from kibitz.compiled import gear
from kibitz.compiled.notice import compilations
from kibitz.core import registry
from kibitz.core.game import Game
from kibitz.search.agents import agent_table, make_agent, preparable_agents


def warmup(
    wanted: Annotated[
        list[str] | None, typer.Argument(metavar="GAME", help="Games to compile for; all by default.")
    ] = None,
    background: Annotated[
        bool, typer.Option("--background", help="Run at the lowest priority, and print progress as JSON lines.")
    ] = False,
) -> None:
    """Compile the searches now, so that no game has to wait for them later."""
    if background and hasattr(os, "nice"):
        os.nice(19)
    gear.MAX_PLAIN_SECONDS = 0.0  # light work needs kernels now
    compiled, began = list[str](), time.perf_counter()
    games = [registry.game(name) for name in wanted or registry.packages()]
    with compilations(lambda kernel: compiled.append(kernel) if kernel else None):
        if background:
            _prepare_quietly(games)
        else:
            _prepare(games)
            typer.echo(f"{len(compiled)} searches compiled, ready in {time.perf_counter() - began:.1f} s.")


def _jobs(game: Game) -> dict[str, Callable[[], None]]:
    """Return what to prepare for a game, the most likely first: specs of agents, then other features."""
    specs = agent_table(game.name).warmup or preparable_agents(game.name)
    more = registry.package(game.name).get(WARMUP) or {}
    return {spec: partial(_prepare_agent, game, spec) for spec in specs} | dict(more)


def _prepare_agent(game: Game, spec: str) -> None:
    """Compile an agent's search, or load it."""
    agent = make_agent(game, spec)
    agent.prepare()
    if agent_table(game.name).warmup:  # made for short moves, which reach what prepare() does not
        agent.choose(game.start().view(0))


def _in_turn(games: list[Game]) -> list[tuple[Game, str, Callable[[], None]]]:
    """Return all jobs: each game's first before any game's second."""
    jobs = [[(game, name, work) for name, work in _jobs(game).items()] for game in games]
    return [job for turn in zip_longest(*jobs) for job in turn if job]


def _prepare(games: list[Game]) -> None:
    """Do all jobs; print each with its time."""
    jobs = _in_turn(games)
    for number, (game, name, work) in enumerate(jobs, 1):
        typer.echo(f"{number} of {len(jobs)}, {game.name}: {name} ... ", nl=False)
        since = time.perf_counter()
        work()
        typer.echo(f"{time.perf_counter() - since:.1f} s")


def _prepare_quietly(games: list[Game]) -> None:
    """Do all jobs; print how many of each game are done, for web/server/warmup.py."""
    searches = {game.name: len(_jobs(game)) for game in games}
    ready = dict.fromkeys(searches, 0)

    def show(name: str) -> None:
        typer.echo(json.dumps({"game": name, "ready": ready[name], "searches": searches[name]}))

    for name in searches:
        show(name)
    for game, _, work in _in_turn(games):
        work()
        ready[game.name] += 1
        show(game.name)
