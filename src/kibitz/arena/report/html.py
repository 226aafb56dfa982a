"""The report as one self-contained HTML file. A pure function of results and records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from string import Template

from kibitz.analysis.html import charts
from kibitz.analysis.html.document import document, resource, section, table
from kibitz.arena.results import Results, WinRate
from kibitz.core.defaults.shown import assets, revealed_picture
from kibitz.core.errors import KibitzError
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject
from kibitz.picture import Picture
from kibitz.picture.html import film

MAX_REPLAYABLE_GAMES = 12
"""Maximum number of games that can be replayed on the page; games.jsonl has all of them."""
SCRIPT = resource(__package__, "games.js")
"""The page's only script: steps through the replayable games."""


def page(
    results: Results, records: Sequence[GameRecord], planned: int | None, title: str, added: Sequence[str] = ()
) -> str:
    """Return the HTML report of a tournament.

    planned: the number of games of the complete tournament, or None if it is complete.
    added: the game's own sections, placed after the standard ones.
    """
    standings = results.standings
    rates = [(s.agent, s.total.share, *s.total.interval, f"{s.total.share:.1%}") for s in standings]
    ratings = [(s.agent, s.rating) for s in standings]
    elos = [(agent, r.elo, r.elo - r.margin, r.elo + r.margin, r.text) for agent, r in ratings]
    round_elos = charts.round_ticks(min(row[2] for row in elos), max(row[3] for row in elos))
    times = [(s.agent, s.mean_ms, s.median_ms, s.p99_ms) for s in standings]
    sections = [
        _heading(results, len(records), planned, title),
        section("Standings", f'<div class="scroll">{_table(results)}</div>'),
        section("Winning rate", charts.intervals(rates, charts.QUARTERS, "Winning rate of each agent"),
                "A draw counts half; the whiskers are the 95 % interval."),
        section("Rating", charts.intervals(elos, [(x, f"{x:+.0f}" if x else "0") for x in round_elos],
                "Rating of each agent"), "Bradley-Terry on the Elo scale, mean 0, with 95 % intervals."),
        section("Time per turn", charts.log_times(times, "Time per turn"),
                "Mean (full), median (ring) and 99th percentile (bar), on a logarithmic scale."),
        section("Cross table", heat_map([s.agent for s in standings], results.crosstable, "Cross table"),
                "Row against column: the share of points that the row's agent took."),
        section("Length of games", charts.histogram(results.lengths, "Length of games in moves"), "Moves."),
        *added,
        _replays(records),
    ]  # fmt: skip
    return document(title, resource(__package__, "report.css") + charts.STYLE, sections)


def _heading(results: Results, played: int, planned: int | None, title: str) -> str:
    rules = "".join(f", {key}={value}" for key, value in results.options.items())
    ties = f", and {results.replayed} replayed ties" if results.replayed else ""
    summary = f"{results.game}{rules}, {len(results.standings)} agents, {played} games{ties}."
    missing = f'<p class="warn">Incomplete: {played} of {planned} games have been played.</p>'
    return f"<h1>{escape(title)}</h1><p>{escape(summary)}</p>{'' if planned is None else missing}"


def _table(results: Results) -> str:
    head = ("", "agent", "rating", "games", "won", "drawn", "lost", "rate", "95 %", "as first", "as second", "forfeits")
    rows = []
    for place, s in enumerate(results.standings, 1):
        low, high = s.total.interval
        counts = map(str, (s.total.games, s.total.wins, s.total.draws, s.total.losses))
        sides = (f"{side.share:.1%} of {side.games}" for side in (s.as_first, s.as_second))
        rating, interval = f"{s.rating.text} ± {s.rating.margin:.0f}", f"{low:.1%} to {high:.1%}"
        figures = (rating, *counts, f"{s.total.share:.1%}", interval, *sides, str(s.forfeits))
        rows.append((str(place), escape(s.agent), *figures))
    return table(head, rows)


def heat_map(names: Sequence[str], rates: Sequence[Sequence[WinRate | None]], title: str) -> str:
    """Return an SVG of the cross table, each cell coloured by the win rate of its row against its column."""
    n, cell, row_height, left, top = len(names), 46.0, 30.0, charts.LABEL_WIDTH, charts.TOP
    body = [charts.text("tick", str(j + 1), left + cell * (j + 0.5), top - 8) for j in range(n)]
    for i, row in enumerate(rates):
        y = top + row_height * i
        body.append(charts.name_text(f"{i + 1}  {names[i]}", y + 15))
        for j, rate in enumerate(row):
            x = left + cell * j
            if rate is None:
                body.append(charts.rect("void", x, y, cell - 2, row_height - 2, rx=3))
                continue
            low, high = rate.interval
            note = (
                f"{names[i]} v {names[j]}: {rate.share:.1%} of {rate.games} games (95 % {low:.0%} to {high:.0%}), "
                f"+{rate.wins} ={rate.draws} -{rate.losses}"
            )
            opacity = f"{0.08 + 0.72 * abs(2 * rate.share - 1):.2f}"  # faint for an even score
            colour = "good" if rate.share >= 0.5 else "bad"
            ground = charts.rect(colour, x, y, cell - 2, row_height - 2, rx=3, fill_opacity=opacity)
            share = charts.text("cell", f"{rate.share:.0%}", x + cell / 2 - 1, y + 18)
            body.append(charts.group(note, ground, share))
    width, blank = max(left + cell * n + 10, charts.CHART_WIDTH), charts.blank_width(f"{n}  {name}" for name in names)
    return charts.svg_chart(top + row_height * (n + 0.2), body, title, width, blank)


def _replays(records: Sequence[GameRecord]) -> str:
    """Return a viewer that replays the first game of each pair of agents, up to MAX_REPLAYABLE_GAMES."""
    first_games: dict[frozenset[str], GameRecord] = {}
    for record in records:
        first_games.setdefault(frozenset(record.agents), record)
    pictures, titles, games = list[Picture](), list[str](), list[JsonObject]()
    for record in list(first_games.values())[:MAX_REPLAYABLE_GAMES]:
        try:
            states = replay(record)
        except KibitzError:
            continue
        game, first_frame = states[0].game, len(pictures)
        moves = [game.parse_move(text) for text in record.moves]
        pictures += [revealed_picture(state, moves[:i][-1:]) for i, state in enumerate(states)]
        titles.append(f"Game {record.id}: {record.agents[0]} v {record.agents[1]}, {record.result}")
        labels = [game.move_label(move) for move in moves]
        frames = range(first_frame, len(pictures))
        games.append({"frames": frames, "moves": labels, "result": record.result, "reason": record.reason})
    if not games:
        return ""
    reel = film(pictures, **assets(records[0].game), title="The position")
    shown = [{**game, "frames": [reel.frames[i] for i in game["frames"]]} for game in games]
    data = json.dumps({"games": shown, "elements": reel.elements}, ensure_ascii=False).replace("<", "\\u003c")
    options = "".join(f'<option value="{i}">{escape(title)}</option>' for i, title in enumerate(titles))
    player = Template(resource(__package__, "games.html"))
    return section("Games", player.substitute(options=options, board=reel.svg, data=data, script=SCRIPT))
