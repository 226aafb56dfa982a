"""A review as one self-contained HTML file. A pure function of the review."""

from __future__ import annotations

from html import escape

from kibitz.analysis.html import charts
from kibitz.analysis.html.document import document, section, table
from kibitz.analysis.review import CHANCE, VERDICTS, Judgement, Review
from kibitz.analysis.words import sentence
from kibitz.core import registry
from kibitz.core.defaults.shown import html_of
from kibitz.core.game import Move
from kibitz.picture import Mark

MAX_LINE_MOVES = 8
"""Moves shown of an expected line."""

_STYLE = """
:root { --first:#c2452d; --second:#1f6feb; --best:#1a7f4b; --good:#5b8f2f; --inaccuracy:#b38600; --mistake:#d9730d;
 --blunder:#c8102e; }
@media (prefers-color-scheme: dark) { :root { --first:#ff8266; --second:#6ea8ff; --best:#4cc38a; --good:#a3c76d;
 --inaccuracy:#e5c04b; --mistake:#ff9f4a; --blunder:#ff6b7d; } }
h1 { font-size:1.6rem; margin:0 0 .25rem; overflow-wrap:anywhere }
h3 { font-size:1rem; margin:0 0 .5rem } p { margin:.3rem 0 } .soft { color:var(--soft) }
.warn { color:var(--blunder); font-weight:600 }
.tick { fill:var(--soft); font-size:12px } .side { fill:var(--ink); font-weight:600 } .grid { stroke:var(--soft);
 stroke-dasharray:3 4 } .field { fill:var(--panel) } .curve { fill:none; stroke:var(--ink); stroke-width:2 }
.area-first { fill:var(--first); opacity:.3 } .area-second { fill:var(--second); opacity:.3 }
circle { stroke:var(--page); stroke-width:1.5 } circle.inaccuracy { fill:var(--inaccuracy) }
circle.mistake { fill:var(--mistake) } circle.blunder { fill:var(--blunder) }
table { font-size:.95rem }
th, td { padding:.3rem .8rem .3rem 0; text-align:right; border-bottom:1px solid var(--line) }
th { color:var(--soft); font-weight:600 } th:first-child, td:first-child { text-align:left; white-space:nowrap }
.first { color:var(--first); font-weight:600 } .second { color:var(--second); font-weight:600 }
.cards { display:grid; grid-template-columns:repeat(auto-fill, minmax(min(100%, 310px), 1fr)); gap:1rem }
.card { background:var(--panel); border:1px solid var(--line); border-radius:8px; padding:1rem }
.card figure { margin:.5rem 0 .75rem } .card svg { min-width:0 }
.chip { display:inline-block; border-radius:99px; padding:0 .6rem; font-size:.82rem; border:1px solid currentColor }
.chip.best { color:var(--best) } .chip.good { color:var(--good) } .chip.inaccuracy { color:var(--inaccuracy) }
.chip.mistake { color:var(--mistake) } .chip.blunder { color:var(--blunder) }
ol { list-style:none; margin:0; padding:0 } li { display:grid; grid-template-columns:3rem 6rem 7rem 7rem 1fr;
 gap:.1rem .5rem; padding:.4rem 0; border-bottom:1px solid var(--line); align-items:baseline }
.number { color:var(--soft); text-align:right; padding-right:.6rem } .worth { font-variant-numeric:tabular-nums;
 text-align:right; padding-right:.8rem } .why { font-size:.92rem }
@media (max-width:640px) { body { padding:1.2rem .9rem 3rem } li { grid-template-columns:2.2rem 5rem 6.4rem 1fr }
 .why { grid-column:2 / -1 } .worth { text-align:left } svg { min-width:0 } .tick, .side { font-size:22px }
 circle { r:9px } }
"""


def page(review: Review, title: str) -> str:
    """Return the whole page."""
    sections = [
        _heading(review, title),
        section("Players", f'<div class="scroll">{_players(review)}</div>'),
        section("Course of the game", _curve(review)) if review.judgements else "",
        section("Turning points", _turning_points(review)),
        section("Moves", f"<ol>{''.join(_item(review, judgement) for judgement in review.judgements)}</ol>"),
    ]
    return document(title, _STYLE, sections)


def worth_text(judgement: Judgement, worth: float) -> str:
    """Return a worth for people: "52%", "win", "+3"."""
    if judgement.scale is not CHANCE:
        return f"{worth:+g}"
    if judgement.exact and worth in (0.0, 0.5, 1.0):
        return {0.0: "loss", 0.5: "draw", 1.0: "win"}[worth]
    return f"{worth:.0%}"


def shares(review: Review) -> list[float]:
    """Return the curve on a scale from 0, lost for the first player, to 1, won."""
    if review.scale is CHANCE:
        return list(review.curve)
    largest = max((abs(worth) for worth in review.curve), default=0.0) or 1.0
    return [(worth / largest + 1) / 2 for worth in review.curve]


def _heading(review: Review, title: str) -> str:
    record = review.record
    rules = ", ".join([review.game.title, *(f"{key} {value}" for key, value in record.options.items())])
    summary = f"{rules}. {record.result}, {record.reason}."
    missing = ""
    if not review.complete:
        missing = f'<p class="warn">Only {len(review.judgements)} of {len(record.moves)} moves were reviewed.</p>'
    return f'<h1>{escape(title)}</h1><p class="soft">{escape(summary)}</p>{missing}'


def _side(player: int) -> str:
    return "first" if player == 0 else "second"


def _players(review: Review) -> str:
    rows = []
    for player, agent in enumerate(review.record.agents):
        accuracy, verdicts = review.accuracy(player), review.verdicts(player)
        shown = "" if accuracy is None else f"{accuracy:.0%}"
        name = escape(charts.shorten(agent, 40))
        side = f'<span class="{_side(player)}">{escape(review.game.players[player])}</span> {name}'
        rows.append((side, shown, *(str(verdicts[verdict]) for verdict in VERDICTS)))
    return table(("player", "accuracy", *VERDICTS), rows)


def _curve(review: Review) -> str:
    marks = [
        (j.number, j.verdict, f"{j.number}. {review.game.move_label(j.move)}: {j.verdict}")
        for j in review.judgements
        if j.verdict not in ("best", "good")
    ]
    first, second = review.game.players
    svg = charts.evaluation_curve(shares(review), marks, (first, second), "The evaluation after each move")
    note = f"The higher, the better for {first}. Dots: inaccuracies, mistakes and blunders."
    return f'<p class="soft">{escape(note)}</p><div class="scroll">{svg}</div>'


def _turning_points(review: Review) -> str:
    cards = [_card(review, judgement) for judgement in review.turning_points]
    if not cards:
        return '<p class="soft">No move turned the game.</p>'
    return f'<div class="cards">{"".join(cards)}</div>'


def _card(review: Review, judgement: Judgement) -> str:
    game, state = review.game, review.states[judgement.number - 1]
    last = [game.parse_move(text) for text in review.record.moves[: judgement.number - 1][-1:]]
    view, steps = state.view(state.to_move), registry.page(game.name).steps
    marks = [Mark("spot", steps(view, judgement.move)), Mark("hint", steps(view, judgement.best))]
    board = html_of(view, last, marks=marks, title=f"Before move {judgement.number}: the move played is framed")
    before, after = judgement.outlooks
    return (
        f'<article class="card"><h3>{judgement.number}. {_who(review, judgement)} {_chip(judgement)}</h3>'
        f"{board}<p>From {before} ({worth_text(judgement, judgement.best_worth)}) to {after} "
        f"({worth_text(judgement, judgement.worth)}). {escape(sentence(judgement.reasons))}</p>"
        f"{_better(review, judgement)}</article>"
    )


def _who(review: Review, judgement: Judgement) -> str:
    name = escape(review.game.players[judgement.player])
    return f'<span class="{_side(judgement.player)}">{name}</span> {_label(review, judgement.move)}'


def _label(review: Review, move: Move) -> str:
    """Return the label of a move, kept on one line."""
    return escape(review.game.move_label(move)).replace(" ", "&nbsp;")


def _chip(judgement: Judgement) -> str:
    return f'<span class="chip {judgement.verdict}">{judgement.verdict}</span>'


def _better(review: Review, judgement: Judgement) -> str:
    if judgement.verdict == "best":
        return ""
    label = _label(review, judgement.best)
    line = ", ".join(_label(review, move) for move in judgement.line[1:MAX_LINE_MOVES])
    then = f' <span class="soft">Then {line}.</span>' if line else ""
    return f"<p>Better was <b>{label}</b>. {escape(sentence(judgement.best_reasons))}{then}</p>"


def _item(review: Review, judgement: Judgement) -> str:
    worth = worth_text(judgement, judgement.worth)
    better = ""
    if judgement.verdict not in ("best", "good"):
        label = _label(review, judgement.best)
        better = f" Better was <b>{label}</b> ({worth_text(judgement, judgement.best_worth)})."
    return (
        f'<li><span class="number">{judgement.number}</span><span>{_who(review, judgement)}</span>'
        f'<span>{_chip(judgement)}</span><span class="worth">{worth}</span>'
        f'<span class="why">{escape(sentence(judgement.reasons))}{better}</span></li>'
    )
