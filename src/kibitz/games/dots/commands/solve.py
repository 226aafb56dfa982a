"""kibitz dots solve: the exact value of a position, with the bounds so far while the solver works."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from kibitz.cli import show
from kibitz.cli.options import AsJson
from kibitz.core import registry
from kibitz.core.errors import BadOption
from kibitz.core.untrusted import JsonObject
from kibitz.games.dots.exact.layout import MAX_CORE_STRINGS
from kibitz.games.dots.exact.solver import Solution, SolveProgress, Solver, SolveReport
from kibitz.games.dots.rules import Dots, DotsState
from kibitz.games.dots.rules.drawing import draw_values
from kibitz.games.dots.rules.rules import parse_drawn

_BYTE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def solve(
    board: Annotated[
        str, typer.Argument(metavar="BOARD", help="Rows x columns of boxes, such as 4x4, or the name of a graph file.")
    ],
    drawn: Annotated[str, typer.Option("--drawn", metavar="HEX", help="Lines drawn so far: bit i is line i.")] = "0",
    start: Annotated[str, typer.Option(help="Lines drawn at the start: empty, icelandic or swedish.")] = "empty",
    moves: Annotated[bool, typer.Option("--moves", help="Also find the value of every move.")] = False,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Size of the transposition table: 512M, 2G.")] = "1G",
    threads: Annotated[int, typer.Option(help="Number of search threads.")] = 1,
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Time limit in seconds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a position: the net boxes still to come for the side to move, with best play by both.

    Shows the bounds found so far when the time is up or after Ctrl-C.
    """
    if seconds is not None and not seconds > 0:
        raise BadOption(f"The time limit must be more than 0 seconds, not {seconds}.")
    state = _initial_state(board, start)
    lines = parse_drawn(state.game.board, drawn) | state.drawn
    state = state.game.parse_position(f"{lines:x}")
    solver = Solver(state.game.board, _parse_bytes(memory), threads)
    with _progress(state, as_json) as report:
        solver.prepare()
        solution = solver.solve(lines, moves=moves, seconds=seconds, report=report)
    if as_json:
        typer.echo(json.dumps(solution_json(state, solution)))
    else:
        _show(state, solution, moves)
    if not solution.exact:
        typer.echo(f"kibitz: {_unsolved_text(state, solution, seconds)}", err=True)
        raise typer.Exit(1)


def _initial_state(board: str, start: str) -> DotsState:
    """Return the initial position on a board, a size such as 4x4 or a graph file. Raise BadOption or BadText."""
    size = re.fullmatch(r"([0-9]{1,3})[xX]([0-9]{1,3})", board)
    options = {"rows": size[1], "cols": size[2]} if size else {"graph": board}
    if not size and not Path(board).is_file():
        raise BadOption(f"{board!r} is not a board: write rows x columns, such as 4x4, or the name of a graph file.")
    game = registry.game_of_user("dots", start=start, **options)
    assert isinstance(game, Dots)
    return game.start()


def _parse_bytes(text: str) -> int:
    """Parse a size such as 512M; return it in bytes. Raise BadOption if the text is not a size."""
    found = re.fullmatch(r"([0-9]{1,12})\s*([kmg]?)b?", text.strip(), re.IGNORECASE)
    if not found:
        raise BadOption(f"{text!r} is not a memory size: write a number with M or G, such as 512M or 2G.")
    return int(found[1]) * _BYTE_UNITS[found[2].lower()]


def solution_json(state: DotsState, solution: Solution) -> JsonObject:
    """Return a solution as solve --json prints it. The best lines are numbers on a grid and ids on other graphs."""
    text = state.game.move_text
    return {
        "value": solution.value,
        "exact": solution.exact,
        **asdict(solution),
        "best": [move if state.game.board.is_grid else text(move) for move in solution.best],
        "moves": {text(move): value for move, value in solution.moves.items()},
        "seconds": round(solution.seconds, 6),
    }


def _unsolved_text(state: DotsState, solution: Solution, seconds: float | None) -> str:
    """Return a message that says why the position was not solved and which bounds were found."""
    bounds = f"the value lies between {solution.lower:+d} and {solution.upper:+d}."
    if solution.nodes == 0 and state.undrawn.bit_count() > MAX_CORE_STRINGS:
        return f"Not solved: at most {MAX_CORE_STRINGS} lines outside isolated chains can be searched; {bounds}"
    limit = "" if seconds is None else f" in {seconds:g} s"
    return f"Not solved{limit}: {bounds} Try more --time, --threads or --memory."


@contextmanager
def _progress(state: DotsState, quiet: bool) -> Iterator[SolveReport | None]:
    """Yield a callback that shows the bounds found so far; None if quiet or not at a terminal."""
    with show.compiling_notice():
        if quiet or not show.console.is_terminal:
            yield None
            return
        with Live(console=show.console, transient=True, refresh_per_second=8) as live:
            yield lambda progress: live.update(Text(progress_text(progress, len(state.legal_moves())), "dim"))


def progress_text(progress: SolveProgress, moves: int) -> str:
    """Return the progress of a solve as one line of text. moves: the number of moves in the position."""
    if progress.lower == progress.upper:
        current = f"value {progress.lower:+d}, moves {progress.moves} of {moves}"
    else:
        bounds = f"{progress.lower:+d} to {progress.upper:+d}"
        current = f"value {bounds}, testing {progress.goal:+d}: {progress.tried} moves"
    return f"{current}, {progress.nodes / 1e6:,.1f} M nodes, {progress.seconds:,.0f} s"


def _show(state: DotsState, solution: Solution, moves: bool) -> None:
    """Print a solution: the board, with the value of each line if `moves`, the value, the best lines and the work."""
    game, console = state.game, show.console
    if moves and solution.moves and game.board.is_grid:
        console.print(show.board_text(draw_values(game.board, state.drawn, solution.moves)), end="")
    else:
        console.print(show.board_text(game.draw(state)), end="")
        for move, value in solution.moves.items():
            console.print(Text.assemble((f"  {game.move_label(move):>8} ", ""), f"{value:+d}"))
    if solution.value is not None:
        boxes = "box" if abs(solution.value) == 1 else "boxes"
        console.print(
            Text.assemble(("Value  ", "dim"), (f"{solution.value:+d}", "bold"), f" {boxes} for the side to move")
        )
        if solution.best:
            show.show_moves(game, solution.best, "Best   " if solution.all_best else "A best ", "bold")
    console.print(Text.assemble(("Work   ", "dim"), f"{solution.nodes:,} nodes, {solution.seconds:.2f} s"))
