"""kibitz review: a recorded game, judged move by move."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import AsJson
from kibitz.cli.records import (
    GameNumber,
    RecordFile,
    choose_game,
    read_games,
    show_heading,
    show_result,
    warn,
    warn_of_bad_lines,
)
from kibitz.core.agent import Budget
from kibitz.core.errors import BadText
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject, printable

if TYPE_CHECKING:  # rich and numpy are imported only when a game is reviewed
    from collections.abc import Callable

    from rich.table import Table
    from rich.text import Text

    from kibitz.analysis.review import Judgement, Review

AGENT_BUDGET = Budget(seconds=0.3)
"""What an agent named by --agent spends on each position by default."""
BLOCKS = " ▁▂▃▄▅▆▇█"
"""Characters of a bar chart, from empty to full in eighths of a line."""
_STYLES = {"best": "green", "good": "", "inaccuracy": "yellow", "mistake": "bold yellow", "blunder": "bold red"}


def review(
    file: RecordFile,
    number: GameNumber = None,
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Seconds for each position.")] = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Positions to search for each, instead of time.")] = None,
    playouts: Annotated[
        int | None, typer.Option("--playouts", help="Playouts for each position, instead of time.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="The agent that analyses; the game's analyst by default.")
    ] = None,
    as_json: AsJson = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.html", help="Also write a page with boards.")
    ] = None,
) -> None:
    """Review a recorded game: what each move lost, where the game turned, and how accurately both sides played.

    The file holds records of kibitz, or one game in the notation that its name ends in, such as x.sgf.

    Without --time, --nodes or --playouts each position gets the game's own budget: 0.3 seconds, or a number of playouts
    such as 300, which makes the review repeatable; an --agent gets 0.3 seconds. Where the analyst estimates the score,
    losses in points are shown.

    A move loses the difference between the value of the best move and its own, in percentage points of win
    probability, or in results where values are proved. A loss of 5 is an inaccuracy, 10 a mistake, 20 a blunder; in
    games that count boxes 1, 2 and 4. A position is winning from 65 %, losing up to 35 %, and even in between; a move
    that worsens this is a turning point. Accuracy compares a player's losses with what random moves would have lost in
    the same positions: 0 % is random play, 100 % play without a loss.
    """
    budget = None if seconds is nodes is playouts is None else Budget(seconds, nodes, playouts)
    records = read_games(file)
    warn_of_bad_lines(file, records)
    at, record = choose_game(file, records, number)
    if out is not None and not out.parent.is_dir():
        raise BadText(f"Cannot write {out}: the folder {out.parent} does not exist.")
    try:
        found, interrupted = _review(record, budget, agent)
    except BadText as error:
        raise BadText(f"{file}, line {records.lines[at - 1]}, game {at}: {error}") from None
    if as_json:
        typer.echo(json.dumps(review_json(found), ensure_ascii=False))
    else:
        _show(found, at)
    if out is not None:
        _write(found, out)
        if not as_json:
            typer.echo(f"Written: {out}")
    if interrupted:
        warn(f"Stopped after {len(found.judgements)} of {len(record.moves)} moves; the review covers these.")
        raise typer.Exit(130)
    if records.bad:
        raise typer.Exit(2)


def _review(record: GameRecord, budget: Budget | None, agent: str | None) -> tuple[Review, bool]:
    """Return the review, partial if interrupted by Ctrl-C, and whether it was. Raise BadText for an illegal move."""
    from kibitz.analysis.review import Judgement, Review, judge_moves, reviewers
    from kibitz.search.agents import agent_table, make_agent

    states = replay(record)
    table = agent_table(record.game)
    limit = budget or (table.review if agent is None else AGENT_BUDGET)
    game, found, interrupted = states[0].game, list[Judgement](), False
    moves = [game.parse_move(text) for text in record.moves]
    try:
        with closing(make_agent(states[0].game, agent or table.analyst)) as analyst, _progress(len(moves)) as advance:
            for judgement in judge_moves(states, moves, *reviewers(limit, analyst)):
                found.append(judgement)
                advance()
    except KeyboardInterrupt:
        interrupted = True
    return Review(record, game, states, tuple(found)), interrupted


@contextmanager
def _progress(moves: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on the error stream; yield the function to call after each move."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from kibitz.cli.show import compiling_notice

    screen = Console(stderr=True)
    columns = (TextColumn("reviewing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
    task = bar.add_task("", total=moves)
    with compiling_notice(), bar:
        yield lambda: bar.advance(task)


def review_json(review: Review) -> JsonObject:
    """Return a review as --json prints it: losses are the mover's, the curve is the first player's."""
    from kibitz.analysis.review import VERDICTS

    text, record = review.game.move_text, review.record
    scored = any(j.best_score is not None for j in review.judgements)
    return {
        "game": record.game,
        "options": record.options,
        "result": record.result,
        "complete": review.complete,
        "players": [
            {
                "agent": agent,
                "accuracy": review.accuracy(player),
                **({"score_loss": review.score_loss(player)} if scored else {}),
                **{v: review.verdicts(player)[v] for v in VERDICTS},
            }
            for player, agent in enumerate(record.agents)
        ],
        "curve": [round(worth, 4) for worth in review.curve],
        **({"score_curve": [round(score, 2) for score in review.score_curve]} if scored else {}),
        "turning_points": [j.number for j in review.turning_points],
        "moves": [
            {
                "number": j.number,
                "player": j.player,
                "move": text(j.move),
                "worth": round(j.worth, 4),
                "best": text(j.best),
                "best_worth": round(j.best_worth, 4),
                "loss": round(j.loss, 4),
                **({"best_score": j.best_score, "score": j.score, "score_loss": j.score_loss} if scored else {}),
                "exact": j.exact,
                "verdict": j.verdict,
                "line": [text(move) for move in j.line],
                "reasons": list(j.reasons),
                "best_reasons": list(j.best_reasons),
            }
            for j in review.judgements
        ],
    }


def _show(review: Review, number: int) -> None:
    """Print a review: the players, the curve, and the moves that lost ground."""
    from kibitz.analysis.html.review import curve_shares
    from kibitz.cli.show import console

    show_heading(number, review.record)
    show_result(review.record)
    if not review.judgements:
        return
    console.print(_players_table(review))
    turned = [j.number for j in review.turning_points]
    console.print(curve_text(curve_shares(review), turned, review.game.players, console.width))
    lost = [j for j in review.judgements if j.verdict not in ("best", "good") or j.is_turning_point]
    console.print(_moves_table(review, lost) if lost else "No move lost anything notable.")


def _players_table(review: Review) -> Table:
    from kibitz.analysis.review import SCORE_LOSS, VERDICTS
    from kibitz.cli.show import new_table, player_text

    table = new_table()
    score_losses = [review.score_loss(player) for player in (0, 1)]
    estimated = any(loss is not None for loss in score_losses)
    for heading in ("player", "accuracy", *VERDICTS, *([SCORE_LOSS] if estimated else [])):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for player, agent in enumerate(review.record.agents):
        name = player_text(review.game, player).append(f" {printable(agent)}", "default")
        loss = score_losses[player]
        table.add_row(name, *review.figures(player), *([_points_text(loss)] if estimated else []))
    return table


def _points_text(loss: float | None) -> str:
    return "" if loss is None else f"{-loss:+.1f}" if round(loss, 1) else "0"


def curve_text(
    shares: Sequence[float], turned: Sequence[int], sides: tuple[str, str], width: int, rows: int = 6
) -> Text:
    """Return a bar chart of the first side's shares, 0 to 1, with a ▲ under each turning point."""
    from rich.text import Text

    columns = min(len(shares), max(width - 8, 10))
    places = [round(i * (len(shares) - 1) / max(columns - 1, 1)) for i in range(columns)]
    text = Text()
    for row in reversed(range(rows)):
        side = sides[1] if row == rows - 1 else sides[0] if row == 0 else "50%" if row == rows // 2 else ""
        text.append(f"{side[:5]:>5} ", "dim")
        for place in places:
            eighths = round(8 * (shares[place] * rows - row))
            text.append(BLOCKS[min(max(eighths, 0), 8)], "red on blue" if 0 < eighths < 8 else "red" if eighths else "")
        text.append("\n")
    marks = {min(range(columns), key=lambda i: abs(places[i] - number)) for number in turned}
    text.append(" " * 6 + "".join("▲" if i in marks else " " for i in range(columns)).rstrip() + "\n", "yellow")
    text.append(f"{'':6}0{len(shares) - 1:>{max(columns - 1, 1)}}\n", "dim")
    text.append(f"{'':6}move{'; ▲ turning point' if turned else ''}", "dim")
    return text


def _moves_table(review: Review, judgements: Sequence[Judgement]) -> Table:
    from rich.text import Text

    from kibitz.analysis.html.review import worth_text
    from kibitz.analysis.words import sentence
    from kibitz.cli.show import new_table, player_text

    label = review.game.move_label
    table = new_table()
    estimated = any(j.score_loss is not None for j in judgements)
    for heading in ("", "move", "verdict", "worth", *(["points"] if estimated else [])):
        table.add_column(heading, no_wrap=True)
    table.add_column("in words")
    for j in judgements:
        words = Text(sentence(j.reasons))
        if j.is_turning_point:
            words.append(" From {} to {}.".format(*j.outlooks), "bold")
        why = sentence(j.best_reasons)
        words.append(f"\nBetter was {label(j.best)}{': ' if why else '.'}", "bold")
        words.append(why)
        table.add_row(
            Text(f"{j.number}.", "dim"),
            player_text(review.game, j.player).append(f" {label(j.move)}", "default"),
            Text(j.verdict, _STYLES[j.verdict]),
            f"{worth_text(j, j.best_worth)} → {worth_text(j, j.worth)}",
            *([_points_text(j.score_loss)] if estimated else []),
            words,
        )
    return table


def _write(review: Review, path: Path) -> None:
    """Write the review as an HTML page. Raise BadText if the file cannot be written."""
    from kibitz.analysis.html.review import page

    try:
        path.write_text(page(review, " v ".join(review.record.agents)), encoding="utf-8")
    except OSError as error:
        raise BadText(f"Cannot write {path}: {error.strerror}.") from None
