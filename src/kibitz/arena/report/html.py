"""The report as one self-contained HTML file. A pure function of results and records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from kibitz.analysis.html import charts
from kibitz.analysis.html.document import document, section, table
from kibitz.arena.results import Results, WinRate
from kibitz.core.defaults.shown import assets, whole_picture
from kibitz.core.errors import KibitzError
from kibitz.core.record import GameRecord, replay
from kibitz.core.untrusted import JsonObject
from kibitz.picture import Picture
from kibitz.picture.html import film

MAX_REPLAYABLE_GAMES = 12
"""The page can replay at most this many games; games.jsonl has all of them."""

_STYLE = """
:root { --good:#1a7f4b; --bad:#c2452d; --second:#b86e00; }
@media (prefers-color-scheme: dark) { :root { --good:#4cc38a; --bad:#ff8266; --second:#f0b04a; } }
h1 { font-size:1.7rem; margin:0 0 .25rem }
p { margin:.3rem 0; color:var(--soft) } .warn { color:var(--bad); font-weight:600 }
table { width:100%; font-size:.86rem }
th, td { padding:.35rem .4rem; text-align:right; border-bottom:1px solid var(--line); white-space:nowrap }
th { color:var(--soft); font-weight:600 } th:nth-child(2), td:nth-child(2) { text-align:left }
.key { font-size:.85rem }
.figures { display:grid; grid-template-columns:repeat(auto-fit, minmax(min(100%, 430px), 1fr)); gap:1.6rem 2rem;
 margin-top:1rem } figure { margin:0 } figcaption { font-size:.92rem } .figures svg { min-width:0 }
.swatch { display:inline-block; width:.75em; height:.75em; border-radius:2px; margin:0 .35em 0 .8em }
.swatch.one { background:var(--main) } .swatch.two { background:var(--second) } .swatch.good { background:var(--good) }
.swatch.bad { background:var(--bad) } .swatch:first-child { margin-left:0 }
.player { background:var(--panel); border:1px solid var(--line); border-radius:8px; padding:1rem }
.player select { max-width:100%; font:inherit; color:inherit; background:var(--page); border:1px solid var(--line);
 border-radius:6px; padding:.35rem }
.player button { font:inherit; color:inherit; background:var(--page); border:1px solid var(--line); border-radius:6px;
 padding:.3rem .8rem; cursor:pointer } .player input { flex:1; min-width:6rem; accent-color:var(--main) }
.steps { display:flex; gap:.5rem; align-items:center; margin:.75rem 0 }
#board { max-width:620px; margin:.5rem 0 } #board svg { min-width:0 }
:focus-visible { outline:2px solid var(--main); outline-offset:2px }
"""

SCRIPT = """
const {games, elements} = JSON.parse(document.getElementById("games").textContent);
const pick = document.getElementById("pick"), step = document.getElementById("step");
const board = document.querySelector("#board .kibitz-film"), caption = document.getElementById("caption");
function show() {
  const game = games[pick.value];
  step.max = game.frames.length - 1;
  step.value = Math.min(step.value, step.max);
  board.innerHTML = game.frames[step.value].map((i) => elements[i]).join("");
  const at = Number(step.value);
  caption.textContent = at ? `after move ${at} of ${game.moves.length}: ${game.moves[at - 1]}` : "start";
  if (at === game.moves.length) caption.textContent += `, ${game.result} (${game.reason})`;
}
function go(by) { step.value = Number(step.value) + by; show(); }
pick.addEventListener("change", () => { step.value = 0; show(); });
step.addEventListener("input", show);
document.getElementById("back").addEventListener("click", () => go(-1));
document.getElementById("next").addEventListener("click", () => go(1));
show();
"""


def page(
    results: Results, records: Sequence[GameRecord], planned: int | None, title: str, added: Sequence[str] = ()
) -> str:
    """Return the whole page.

    planned: the number of games of the complete tournament, or None if it is complete.
    added: the game's own sections, placed after the standard ones.
    """
    standings = results.standings
    names = [standing.agent for standing in standings]
    rates = [(s.agent, s.total.share, *s.total.interval, f"{s.total.share:.1%}") for s in standings]
    elos = [
        (s.agent, s.rating.elo, s.rating.elo - s.rating.margin, s.rating.elo + s.rating.margin, s.rating.text)
        for s in standings
    ]
    sections = [
        _heading(results, len(records), planned, title),
        section("Standings", f'<div class="scroll">{_table(results)}</div>'),
        _chart("Winning rate", "A draw counts half; the whiskers are the 95 % interval.",
               charts.intervals(rates, [(x / 4, f"{25 * x} %") for x in range(5)], "Winning rate of each agent")),
        _chart("Rating", "Bradley-Terry on the Elo scale, mean 0, with 95 % intervals.",
               charts.intervals(elos, _round_ticks(elos), "Rating of each agent")),
        _chart("Time per turn", "Mean (full), median (ring) and 99th percentile (bar), on a logarithmic scale.",
               charts.log_times([(s.agent, s.mean_ms, s.median_ms, s.p99_ms) for s in standings], "Time per turn")),
        _chart("Cross table", "Row against column: the share of points that the row's agent took.",
               heat_map(names, results.crosstable, "Cross table")),
        _chart("Length of games", "Moves.", charts.histogram(results.lengths, "Length of games in moves")),
        *added,
        _replays(records),
    ]  # fmt: skip
    return document(title, _STYLE + charts.STYLE, sections)


def _heading(results: Results, played: int, planned: int | None, title: str) -> str:
    rules = "".join(f", {key}={value}" for key, value in results.options.items())
    summary = f"{results.game}{rules}, {len(results.standings)} agents, {played} games"
    if results.replayed:
        summary += f", and {results.replayed} replayed ties"
    missing = ""
    if planned is not None:
        missing = f'<p class="warn">Incomplete: {played} of {planned} games have been played.</p>'
    return f"<h1>{escape(title)}</h1><p>{escape(summary)}.</p>{missing}"


def _chart(title: str, note: str, svg: str) -> str:
    return section(title, f'<p>{note}</p><div class="scroll">{svg}</div>')


def _round_ticks(rows: Sequence[tuple[str, float, float, float, str]]) -> list[tuple[float, str]]:
    """Return ticks at round ratings for an axis that spans the rows' intervals."""
    ticks = charts.round_ticks(min(row[2] for row in rows), max(row[3] for row in rows))
    return [(tick, f"{tick:+.0f}" if tick else "0") for tick in ticks]


def _table(results: Results) -> str:
    head = ("", "agent", "rating", "games", "won", "drawn", "lost", "rate", "95 %", "as first", "as second", "forfeits")
    rows = []
    for place, s in enumerate(results.standings, 1):
        low, high = s.total.interval
        rows.append((
            str(place), escape(s.agent), f"{s.rating.text} ± {s.rating.margin:.0f}", str(s.total.games),
            str(s.total.wins), str(s.total.draws), str(s.total.losses), f"{s.total.share:.1%}",
            f"{low:.1%} to {high:.1%}", _side(s.as_first), _side(s.as_second), str(s.forfeits),
        ))  # fmt: skip
    return table(head, rows)


def heat_map(names: Sequence[str], rates: Sequence[Sequence[WinRate | None]], title: str) -> str:
    """Return an SVG of the cross table, each cell coloured by the win rate of its row against its column."""
    n, cell = len(names), 46.0
    width, height = charts.LABEL_WIDTH + cell * n + 10, charts.TOP + 30 * (n + 0.2)
    body = []
    for j in range(n):
        x = charts.LABEL_WIDTH + cell * (j + 0.5)
        body.append(f'<text class="tick" x="{x:.1f}" y="{charts.TOP - 8}" text-anchor="middle">{j + 1}</text>')
    for i, row in enumerate(rates):
        y = charts.TOP + 30 * i
        body.append(charts.name_text(f"{i + 1}  {names[i]}", y + 15))
        for j, rate in enumerate(row):
            x = charts.LABEL_WIDTH + cell * j
            if rate is None:
                body.append(f'<rect class="void" x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"/>')
                continue
            low, high = rate.interval
            tooltip = (
                f"{names[i]} v {names[j]}: {rate.share:.1%} of {rate.games} games (95 % {low:.0%} to {high:.0%}), "
                f"+{rate.wins} ={rate.draws} -{rate.losses}"
            )
            colour, strength = ("good", 2 * rate.share - 1) if rate.share >= 0.5 else ("bad", 1 - 2 * rate.share)
            shade = f"fill-opacity:{0.08 + 0.72 * strength:.2f}"
            box = f'x="{x:.1f}" y="{y}" width="{cell - 2}" height="28" rx="3"'
            centre = f'x="{x + cell / 2 - 1:.1f}" y="{y + 18}" text-anchor="middle"'
            body.append(f'<g><title>{escape(tooltip)}</title><rect class="{colour}" style="{shade}" {box}/>')
            body.append(f'<text class="cell" {centre}>{rate.share:.0%}</text></g>')
    return charts.svg_chart(
        height,
        "".join(body),
        title,
        max(width, charts.CHART_WIDTH),
        charts.blank_width(f"{n}  {name}" for name in names),
    )


def _side(rate: WinRate) -> str:
    return f"{rate.share:.1%} of {rate.games}"


def _replays(records: Sequence[GameRecord]) -> str:
    """Return a viewer that replays the first game of each pair of agents, up to MAX_REPLAYABLE_GAMES."""
    chosen: dict[frozenset[str], GameRecord] = {}
    for record in records:
        chosen.setdefault(frozenset(record.agents), record)
    pictures, games = list[Picture](), list[JsonObject]()
    for record in list(chosen.values())[:MAX_REPLAYABLE_GAMES]:
        try:
            states = replay(record)
        except KibitzError:
            continue
        game = states[0].game
        moves = [game.parse_move(text) for text in record.moves]
        begin = len(pictures)
        pictures += [whole_picture(state, moves[:i][-1:]) for i, state in enumerate(states)]
        games.append({
            "title": f"Game {record.id}: {record.agents[0]} v {record.agents[1]}, {record.result}",
            "frames": range(begin, len(pictures)),
            "moves": [game.move_label(move) for move in moves],
            "result": record.result,
            "reason": record.reason,
        })  # fmt: skip
    if not games:
        return ""
    reel = film(pictures, **assets(records[0].game), title="The position")
    shown = [{**game, "frames": [reel.frames[i] for i in game["frames"]]} for game in games]
    data = json.dumps({"games": shown, "elements": reel.elements}, ensure_ascii=False).replace("<", "\\u003c")
    options = "".join(f'<option value="{i}">{escape(str(game["title"]))}</option>' for i, game in enumerate(games))
    return section(
        "Games",
        f'<div class="player"><label>Game <select id="pick">{options}</select></label>'
        '<div class="steps"><button id="back" type="button">Back</button>'
        '<input id="step" type="range" min="0" value="0" aria-label="Move">'
        '<button id="next" type="button">Next</button></div>'
        f'<div id="board">{reel.svg}</div><p id="caption" aria-live="polite"></p></div>'
        f'<script type="application/json" id="games">{data}</script><script>{SCRIPT}</script>',
    )
