"""kibitz's own commands. Each checks its arguments, calls the library and prints the result."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

import kibitz
from kibitz.analysis.words import reasons
from kibitz.cli import arena, cluster
from kibitz.cli.backup import backup, restore
from kibitz.cli.draw import draw
from kibitz.cli.games import Commands
from kibitz.cli.new_game import new_game
from kibitz.cli.options import (
    AsJson,
    GameName,
    Nodes,
    Options,
    Playouts,
    Position,
    Seconds,
    make_game,
    make_state,
    read_state,
)
from kibitz.cli.records import (
    RecordFile,
    check_number,
    check_save_file,
    show_heading,
    show_result,
    warn,
    warn_of_bad_lines,
)
from kibitz.cli.review import review
from kibitz.cli.serve import serve
from kibitz.cli.warmup import warmup
from kibitz.core import registry
from kibitz.core.agent import Agent, Budget, Watch
from kibitz.core.errors import BadOption, KibitzError
from kibitz.core.game import State
from kibitz.core.record import HUMAN, GameRecord, read_records, replay
from kibitz.core.seeds import derive
from kibitz.core.spec import kind_text, parameters
from kibitz.core.untrusted import JsonObject
from kibitz.search.agents import agent_entries, make_agent, summary_of

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(arena.app, name="arena", help="Run tournaments, resume them and read their reports.")
app.add_typer(cluster.app, name="cluster", help="Start workers for tournaments and mining, through Dask.")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kibitz {kibitz.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Games you can play, question and trust.

    kibitz games lists the games, kibitz play GAME starts one here, and kibitz serve opens the page in a browser.
    """


@app.command()
def games(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="List the agents of this game instead.")] = None,
) -> None:
    """List the games and their options, or the agents of one game."""
    from kibitz.cli.show import console, new_table

    if game is not None:
        agents(game)
        return

    table, faults = new_table("game", "title", "options"), registry.faults()
    if not registry.names():
        raise BadOption(registry.NO_GAMES)
    for name in registry.names():
        if name not in faults:
            rules = registry.game_class(name)
            table.add_row(name, rules.title, "\n".join(_option_texts(rules)))
    console.print(table)
    for reason in (*faults.values(), *registry.page_faults().values()):
        console.print(reason, style="yellow", soft_wrap=True)


@app.command()
def agents(game: GameName) -> None:
    """List the agents of a game and the options of each, as kibitz games GAME does."""
    from kibitz.cli.show import console, new_table

    table = new_table()
    table.add_column("agent", no_wrap=True)
    table.add_column("what it does", ratio=1)
    table.add_row(HUMAN, "You, at the keyboard (in kibitz play).")
    for name, entry in agent_entries(game).items():
        if isinstance(entry.make, str):
            table.add_row(name, f"= {entry.make}")
        else:
            table.add_row(name, summary_of(entry.make))
            for text in _option_texts(entry.make):
                table.add_row("", f"  {text}")
    for prefix, kind in registry.bot_kinds(game).items():
        table.add_row(f"{prefix}:{kind.rest}", kind.about)
    console.print(table)
    console.print(f"Values of eval and leaf: {', '.join(registry.evaluations(game).known)}.", style="dim")


def _option_texts(cls: type) -> Iterator[str]:
    """Yield the options of a game or agent with their defaults: "depth=int|none (default None)"."""
    for key, (kind, default) in parameters(cls).items():
        yield f"{key}={kind_text(kind)}" + (f" (default {default})" if default != "" else "")


@app.command()
def play(
    game: GameName,
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="[AGENT [AGENT]]", help="Two players, or your opponent; human level5 by default."),
    ] = None,
    options: Options = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    starts: Annotated[
        Literal["first", "second", "random"], typer.Option(help="Which of the two players moves first.")
    ] = "first",
    seed: Annotated[int | None, typer.Option(help="Makes a game between agents repeatable; random by default.")] = None,
    position: Position = None,
    insight: Annotated[
        bool,
        typer.Option("--insight", help="Explain each position in the words of the game, such as chains or claims."),
    ] = False,
    save: Annotated[
        Path | None,
        typer.Option(help="Append the game to this file when it ends: records, or a notation of the game (x.sgf)."),
    ] = None,
) -> None:
    """Play at the terminal against an agent or another person, or watch two agents."""
    from kibitz.cli.session import Session

    made, specs = make_game(game, options), players or ["level5"]
    specs = [HUMAN, *specs] if len(specs) == 1 else specs
    if len(specs) != 2:
        raise BadOption(f"A game has 2 players, got {len(specs)}: {', '.join(specs)}.")
    seed = random.getrandbits(32) if seed is None else seed
    if starts == "second" or (starts == "random" and derive(seed, "starts") % 2):
        specs.reverse()
    seats: list[Agent | None] = [None if spec == HUMAN else make_agent(made, spec) for spec in specs]
    start = None if position is None else made.parse_position(position)
    budget = Budget(seconds, nodes, playouts)
    if save is not None:
        check_save_file(made, save)
    session = Session(made, (seats[0], seats[1]), budget, seed, start, insight)
    try:
        session.run()
    finally:  # Ctrl-C loses no game
        if save is not None:
            session.save(save)


@app.command(name="replay")
def replay_file(
    file: RecordFile,
    number: Annotated[int | None, typer.Option("--game", metavar="N", help="Show only this game, from 1.")] = None,
    move: Annotated[int | None, typer.Option("--move", metavar="N", help="Show the board after this move.")] = None,
) -> None:
    """Show recorded games: the players, the moves, and the board at the end or after any move."""
    records, problems = read_records(file), list[str]()
    check_number(file, records, number)
    for i, record in enumerate(records.good, 1):
        if number in (None, i):
            try:
                _show_record(i, record, move)
            except KibitzError as error:
                problems.append(f"line {records.lines[i - 1]}, game {i}: {error}")
    if not records.good and not records.bad:
        problems.append("it holds no games.")
    warn_of_bad_lines(file, records)
    for problem in problems:
        warn(f"{file}, {problem}")
    if records.bad or problems:
        raise typer.Exit(2)


def _show_record(number: int, record: GameRecord, move: int | None) -> None:
    """Print a game as it stood after `move` moves, by default at the end. Raise BadText if a recorded move is bad."""
    from kibitz.cli.show import console, show_board, show_moves

    states = replay(record)
    at = len(record.moves) if move is None else move
    if not 0 <= at <= len(record.moves):
        raise BadOption(f"move {at} does not exist: the game has {len(record.moves)} moves.")
    show_heading(number, record)
    game = states[0].game
    played = [game.parse_move(text) for text in record.moves[:at]]
    show_board(states[at], played[-1] if played else None)
    show_moves(game, played, style="dim")
    if at == len(record.moves):
        show_result(record)
    else:
        console.print(f"after move {at} of {len(record.moves)}")


@app.command()
def analyse(
    game: GameName,
    position: Position = None,
    options: Options = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    agent: Annotated[str | None, typer.Option(help="The agent that analyses; the game's analyst by default.")] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", metavar="FILE", help="Analyse a position of a game in a file, in any notation of the game."
        ),
    ] = None,
    move: Annotated[
        int | None,
        typer.Option(
            "--move", metavar="N", help="Analyse the position after this move of the record; the last by default."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate a position and each of its moves, exactly where the search can solve it in time."""
    made = make_game(game, options)
    if record is None:
        if move is not None:
            raise BadOption("--move needs a game: give its file with --record FILE.")
        state = make_state(made, position)
    else:
        if position is not None:
            raise BadOption("Give --position or --record, not both.")
        state = read_state(made, record, move)
    budget = Budget(seconds, nodes, playouts)
    from kibitz.cli.show import compiling_notice, show_choice, show_insight, thinking

    if as_json:
        with compiling_notice():
            choice = kibitz.analyse(state, budget, agent)
        typer.echo(json.dumps(choice_json(state, choice)))
        return

    watch = Watch()
    with thinking(agent or "the analyst", made, watch):
        choice = kibitz.analyse(state, budget, agent, watch)
    show_insight(state)
    show_choice(state, choice)


def choice_json(state: State, choice: kibitz.Choice) -> JsonObject:
    """Return a choice as analyse --json prints it, plus the game's own data about the position, if any."""
    text, words = state.game.move_text, registry.package(state.game.name).words
    data = None if words is None else words().data
    visited = any(m.visits is not None for m in choice.moves)
    return {
        "value": choice.value,
        "unit": choice.unit,
        "exact": choice.exact,
        "best": [text(move) for move in sorted(choice.best, key=lambda move: move != choice.move)],
        "moves": [
            {
                "move": text(m.move),
                "value": m.value,
                "exact": m.exact,
                **_known(visits=m.visits, score=m.score),
                "line": [text(move) for move in m.line],
                "reasons": list(reasons(state, m.move, m.line)),
            }
            for m in (choice.candidates if visited else choice.moves)
        ],
        "line": [text(move) for move in choice.line],
        **_known(score=choice.score, ownership=[round(owner, 3) for owner in choice.owners] or None),
        "nodes": choice.nodes,
        "playouts": choice.playouts,
        "depth": choice.depth,
        "seconds": round(choice.seconds, 6),
        "note": choice.note,
        **({} if data is None else data(state)),
    }


def _known(**figures: float | list[float] | None) -> JsonObject:
    """Return the figures that the analyst reports, by name."""
    return {name: figure for name, figure in figures.items() if figure is not None}


app.command()(review)


app.command()(warmup)


@app.command()
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


for command in (new_game, draw, serve, backup, restore):
    app.command()(command)
