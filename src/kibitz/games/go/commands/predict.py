"""kibitz go predict and evaluate: show the likeliest next moves with reasons, and measure how often they are right."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import AsJson
from kibitz.cli.show import board_text, compiling_notice, console, new_table, progress_line
from kibitz.core.errors import BadOption, BadText
from kibitz.core.untrusted import JsonObject, printable
from kibitz.games.go.commands.options import StoreAt, check_paths_exist, open_with_notice, report_games
from kibitz.games.go.predict.shipped import NO_NET, has_net
from kibitz.games.go.rules.text import draw, parse_move, point_text

if TYPE_CHECKING:  # numpy is imported only when needed
    from kibitz.games.go.predict.fit.course import Moment
    from kibitz.games.go.predict.fit.figures import MeanInterval, PredictionFigures

Model = Annotated[str, typer.Option(help="patterns or net; default: the best one installed.")]
ModelFile = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="A model of your own, made by kibitz go train.")
]
MAX_EXAMPLES = 3
MAX_EXPLAINED_MOVES = 3  # look up example games for at most this many candidates


def predict(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record in SGF.")],
    move: Annotated[int, typer.Option("--move", metavar="N", min=0, help="Predict from the position after this move.")],
    game: Annotated[int, typer.Option(min=1, help="Number of the game in the file.")] = 1,
    player: Annotated[str, typer.Option(help="Predict the moves of this player, whose games are in the store.")] = "",
    model: Model = "",
    path: ModelFile = None,
    limit: Annotated[int, typer.Option(min=1, max=361, help="Number of points to show.")] = 9,
    store: StoreAt = None,
    as_json: AsJson = False,
) -> None:
    """Show the likeliest next moves in a position, with the patterns and features that favour each."""
    from kibitz.games.go.predict.model.model import PatternModel
    from kibitz.games.go.predict.models import open_model

    moment = _moment_after(file, game, move)
    if not (model or path or player or has_net()):
        typer.echo(f"kibitz: {NO_NET}", err=True)
    with compiling_notice():
        chosen = open_model(model or ("patterns" if player else ""), path)
        if player:
            from kibitz.games.go.predict.model.player import adapt_to_player, games_of_player

            if not isinstance(chosen, PatternModel):
                raise BadOption("--player works with the pattern model only: use --model patterns.")
            chosen = adapt_to_player(chosen, games_of_player(open_with_notice(store).folder, player))
        if isinstance(chosen, PatternModel):
            ranking = chosen.rank_moment(moment, limit)
            shares, candidates = ranking.shares, ranking.candidates
        else:
            shares, candidates = chosen.shares(moment), ()
    found = _candidates_json(moment, shares, candidates, limit)
    if candidates:
        _add_examples(found, moment, store)
    size = moment.board.size
    played = None if moment.played < 0 else point_text(size, moment.played)
    if as_json:
        answer = {"model": chosen.name, "to_move": "BW"[moment.colour - 1], "after": moment.moves, "played": played}
        if played:
            answer["played_probability"] = round(float(shares[moment.played]), 5)
        typer.echo(json.dumps({**answer, "player": player or None, "candidates": found}, ensure_ascii=False))
        return
    show_predicted(moment, shares, found, chosen.name)


def _moment_after(file: Path, game: int, move: int) -> Moment:
    """Return the position after a move of the given game in a file. Raise BadOption or BadText if it does not exist."""
    from kibitz.games.go.predict.fit.course import moments
    from kibitz.games.go.sgf.scan import scan
    from kibitz.games.go.sgf.sources import Piece, pieces

    if not file.is_file():
        raise BadOption(f"There is no file {file}: check the path.")
    games_before, reason = 0, "it has no game"
    for piece in pieces([file]):
        if not isinstance(piece, Piece):
            reason = piece.reason
            continue
        games = scan(piece.data)
        if games_before + len(games) < game:
            games_before += len(games)
            continue
        course = list(moments(int(games.sizes[game - 1 - games_before]), games.plays_of(game - 1 - games_before)))
        if move >= len(course):
            length = f"Game {game} of {file} has {len(course) - 1} moves"
            raise BadOption(f"{length}: there is no position after move {move}.")
        return course[move]
    if games_before:
        raise BadOption(f"{file} has {games_before} games: there is no game {game}.")
    raise BadText(f"{file} cannot be read as a game record: {reason}.")


def _candidates_json(moment: Moment, shares: Any, candidates: Any, limit: int) -> list[JsonObject]:
    """Return the likeliest points, in the form that --json prints, with reasons if the model gives any."""
    size = moment.board.size
    if candidates:
        return [
            {
                "point": point_text(size, candidate.point), "probability": round(candidate.share, 5),
                "reasons": [{"text": reason.text, "weight": round(reason.weight, 3)} for reason in candidate.reasons],
                "pattern": {"shape": candidate.shape, "rows": list(candidate.rows)} if candidate.shape else None,
            }
            for candidate in candidates
        ]  # fmt: skip
    order = sorted(range(len(shares)), key=lambda point: -float(shares[point]))
    likely = [point for point in order if shares[point] > 0][:limit]
    return [{"point": point_text(size, point), "probability": round(float(shares[point]), 5)} for point in likely]


def _add_examples(found: list[JsonObject], moment: Moment, store: Path | None) -> None:
    """Add games in which the largest pattern of a candidate was played, if there is a store to search."""
    from kibitz.games.go.patterns.listing import Examples
    from kibitz.games.go.records.masters import open_store
    from kibitz.games.go.records.store import MANIFEST, default_folder

    if store is None and not (default_folder() / MANIFEST).exists():
        return
    examples, board = Examples(open_store(store)[0].folder), moment.board
    for candidate in found[:MAX_EXPLAINED_MOVES]:
        if candidate["pattern"]:
            point, shape = parse_move(board.size, candidate["point"]), candidate["pattern"]["shape"]
            candidate["games"] = examples.of_move(board, moment.colour, point, shape, MAX_EXAMPLES)


def evaluate(
    paths: Annotated[
        list[Path],
        typer.Option(
            "--games", metavar="PATH", help="Records, folders and archives, a store, or a games file; repeat for more."
        ),
    ],
    model: Model = "",
    path: ModelFile = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="GAMES", help="Use at most this many games, spread evenly over all.")
    ] = None,
    held: Annotated[bool, typer.Option("--held-out", help="Only games that no model of kibitz learned from.")] = False,
    chart: Annotated[Path | None, typer.Option("--chart", metavar="FILE", help="Draw the calibration as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how often the move played is among the 1, 5 and 10 likeliest moves of a model."""
    import time

    from kibitz.games.go.predict.fit.figures import figures
    from kibitz.games.go.predict.fit.games_file import read_games
    from kibitz.games.go.predict.models import open_model, predictable_games

    check_paths_exist(paths)
    with compiling_notice():
        games = read_games(paths)
    selected = predictable_games(games)
    if held:
        selected = selected[games.held_out_mask()[selected]]
        if not len(selected):
            raise BadOption("None of these games is held out: about one in twenty is, so use more games.")
    if limit is not None and limit < len(selected):
        selected = selected[[i * len(selected) // limit for i in range(limit)]]
    with compiling_notice(), progress_line() as write:
        chosen = open_model(model, path)
        chosen.predict_games(games, selected[:1])  # compile first, so that only predictions are timed below
        began = time.perf_counter()
        moves = chosen.predict_games(games, selected, progress=partial(report_games, write))
        seconds = time.perf_counter() - began
    found = figures(moves)
    if chart is not None:
        _write_chart(chart, found, chosen.name)
    if as_json:
        answer = {"model": chosen.name, **found.json(), "positions_per_second": round(found.whole.n / seconds)}
        typer.echo(json.dumps(answer))
        return
    show_figures(found, chosen.name, seconds)


_CHART_STYLE = (
    "<style>.grid{stroke:#dfe4ea}.tick{fill:#5d6878;font:12px sans-serif}.path{fill:none;stroke:#5d6878;"
    "stroke-dasharray:4 4}.whisker{stroke:#1f6feb;stroke-width:2}.dot{fill:#1f6feb}</style>"
)


def _write_chart(chart: Path, found: PredictionFigures, name: str) -> None:
    """Write the calibration chart as a self-contained SVG. Raise BadOption if the file cannot be written."""
    from kibitz.analysis.html.charts import calibration

    bins = [(one.predicted, one.played.value, one.played.low, one.played.high, one.n) for one in found.calibration]
    svg = calibration(bins, f"{name}: how often the likeliest move was played")
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    svg = svg.replace("<title>", f"{_CHART_STYLE}<title>", 1)
    try:
        chart.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise BadOption(f"Cannot write the chart to {chart}: {error.strerror}.") from None


MAX_NUMBERED_POINTS = 9
MAX_SHOWN_REASONS = 4
MAX_DRAWN_PATTERNS = 3


def show_predicted(moment: Moment, shares: Any, found: list[JsonObject], model: str) -> None:
    """Print the board with the likeliest points numbered, and the reasons for each."""
    size, mover = moment.board.size, "Black" if moment.colour == 1 else "White"
    console.print(f"After move {moment.moves}, {mover} to move; predicted by {model}", style="bold")
    last = moment.recent[0] if moment.recent and moment.recent[0] >= 0 else None
    rows = [list(line) for line in draw(moment.board, moment.ko, (0, 0), last)[: size + 2]]
    for number, candidate in enumerate(found[:MAX_NUMBERED_POINTS], 1):
        row, column = divmod(parse_move(size, candidate["point"]), size)
        rows[1 + row][2 + 2 * column] = (str(number), "last")  # each row is a label followed by two spans per column
    console.print(board_text(tuple(tuple(row) for row in rows)))
    for number, candidate in enumerate(found, 1):
        console.print(f"{number:>2}  {candidate['point']:<4} {candidate['probability']:6.1%}", style="bold")
        for reason in candidate.get("reasons", [])[:MAX_SHOWN_REASONS]:
            console.print(f"      {reason['weight']:+5.2f}  {reason['text']}", style="dim", highlight=False)
        for game in candidate.get("games", []):
            console.print(f"      {printable(game['text'])}", highlight=False)
    _show_patterns(found)
    if moment.played >= 0:
        place = 1 + int((shares > shares[moment.played]).sum())
        share = float(shares[moment.played])
        console.print(f"{point_text(size, moment.played)} was played: ranked {place}, {share:.1%}")


def _show_patterns(found: list[JsonObject]) -> None:
    """Print the patterns of the first candidates side by side."""
    from kibitz.games.go.commands.show import show_boards

    boards = [
        (candidate["pattern"]["rows"], (candidate["point"], candidate["pattern"]["shape"]))
        for candidate in found[:MAX_DRAWN_PATTERNS]
        if candidate.get("pattern")
    ]
    if boards:
        console.print("The largest known patterns; the mover is X and plays at *, # is beyond the edge", style="dim")
        show_boards(boards)


def show_figures(found: PredictionFigures, model: str, seconds: float) -> None:
    """Print the accuracy with confidence intervals, by phase of the game, and the calibration."""
    n = found.whole.n
    console.print(f"{model}: {n:,} positions of {found.games:,} games, {n / seconds:,.0f} positions/s", style="bold")
    table = new_table()
    for heading in ("", "n", "top1 %", "top5 %", "top10 %", "log_evidence"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for part in (found.whole, *found.phases):
        tops = [_percent_text(share) for share in (part.top1, part.top5, part.top10)]
        evidence = part.log_evidence
        table.add_row(part.name, f"{part.n:,}", *tops, f"{evidence.value:.3f} ±{evidence.high - evidence.value:.3f}")
    console.print(table)
    console.print("The likeliest move: its probability, how often it was played in %", style="dim")
    for item in found.calibration:
        console.print(f"  {item.predicted:6.1%}  {_percent_text(item.played)}  of {item.n:,}", highlight=False)


def _percent_text(share: MeanInterval) -> str:
    return f"{100 * share.value:.1f} ±{100 * (share.high - share.value):.1f}"
