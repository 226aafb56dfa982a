"""A review as one self-contained HTML file. A pure function of the review."""

from __future__ import annotations

from html import escape

from kibitz.analysis.html import charts
from kibitz.analysis.html.document import document, resource, section, table
from kibitz.analysis.review import CHANCE, SCORE_LOSS, VERDICTS, Judgement, Review
from kibitz.analysis.words import sentence
from kibitz.core import registry
from kibitz.core.defaults.shown import html_of
from kibitz.core.game import Move
from kibitz.picture import Mark

MAX_LINE_MOVES = 8
"""Show at most this many moves of an expected line."""


def page(review: Review, title: str) -> str:
    """Return the review as an HTML document."""
    sections = [
        _heading(review, title),
        section("Players", f'<div class="scroll">{_players(review)}</div>'),
        _course(review) if review.judgements else "",
        section("Turning points", _turning_points(review)),
        section("Moves", f"<ol>{''.join(_item(review, judgement) for judgement in review.judgements)}</ol>"),
    ]
    return document(title, resource(__package__, "review.css"), sections)


def worth_text(judgement: Judgement, worth: float) -> str:
    """Return the worth of a judged move or of the best move in words: "52%", "win", "+3"."""
    if judgement.scale is not CHANCE:
        return f"{worth:+g}"
    results = {0.0: "loss", 0.5: "draw", 1.0: "win"} if judgement.exact else {}
    return results.get(worth, f"{worth:.0%}")


def curve_shares(review: Review) -> list[float]:
    """Return the worth of every position of a review on a scale from 0 (the first player loses) to 1 (wins)."""
    if review.scale is CHANCE:
        return list(review.curve)
    largest = max((abs(worth) for worth in review.curve), default=0.0) or 1.0
    return [(worth / largest + 1) / 2 for worth in review.curve]


def _heading(review: Review, title: str) -> str:
    record = review.record
    rules = ", ".join([review.game.title, *(f"{key} {value}" for key, value in record.options.items())])
    summary = escape(f"{rules}. {record.result}, {record.reason}.")
    missing = f'<p class="warn">Only {len(review.judgements)} of {len(record.moves)} moves were reviewed.</p>'
    return f'<h1>{escape(title)}</h1><p class="soft">{summary}</p>{"" if review.complete else missing}'


def _players(review: Review) -> str:
    losses = [review.score_loss(player) for player in (0, 1)]
    estimated = [SCORE_LOSS] if any(loss is not None for loss in losses) else []
    rows = [
        (
            f"{_side(review, player)} {escape(charts.shorten(agent, 40))}",
            *review.figures(player),
            *(_points(losses[player]) for _ in estimated),
        )
        for player, agent in enumerate(review.record.agents)
    ]
    return table(("player", "accuracy", *VERDICTS, *estimated), rows)


def _points(loss: float | None) -> str:
    return "" if loss is None else f"{loss:.1f}"


def _side(review: Review, player: int) -> str:
    return f'<span class="{("first", "second")[player]}">{escape(review.game.players[player])}</span>'


def _course(review: Review) -> str:
    marks = [
        (j.number, j.verdict, f"{j.number}. {review.game.move_label(j.move)}: {j.verdict}")
        for j in review.judgements
        if j.verdict not in ("best", "good")
    ]
    first, second = review.game.players
    svg = charts.evaluation_curve(curve_shares(review), marks, (first, second), "The evaluation after each move")
    note = f"The higher, the better for {escape(first)}. Dots: inaccuracies, mistakes and blunders."
    return section("Course of the game", svg, f'<span class="soft">{note}</span>')


def _turning_points(review: Review) -> str:
    cards = [_card(review, judgement) for judgement in review.turning_points]
    return f'<div class="cards">{"".join(cards)}</div>' if cards else '<p class="soft">No move turned the game.</p>'


def _card(review: Review, judgement: Judgement) -> str:
    game, state = review.game, review.states[judgement.number - 1]
    last = [game.parse_move(text) for text in review.record.moves[: judgement.number - 1][-1:]]
    view, steps = state.view(state.to_move), registry.page(game.name).steps
    marks = [Mark("spot", steps(view, judgement.move)), Mark("hint", steps(view, judgement.best))]
    board = html_of(view, last, marks=marks, title=f"Before move {judgement.number}: the move played is framed")
    before, after = judgement.outlooks
    worths = [worth_text(judgement, worth) for worth in (judgement.best_worth, judgement.worth)]
    better = ""
    if judgement.verdict != "best":
        line = ", ".join(_label(review, move) for move in judgement.line[1:MAX_LINE_MOVES])
        then = f' <span class="soft">Then {line}.</span>' if line else ""
        why = escape(sentence(judgement.best_reasons))
        better = f"<p>Better was <b>{_label(review, judgement.best)}</b>. {why}{then}</p>"
    return (
        f'<article class="card"><h3>{judgement.number}. {_played(review, judgement)} {_chip(judgement)}</h3>'
        f"{board}<p>From {before} ({worths[0]}) to {after} ({worths[1]}{_points_lost(judgement)}). "
        f"{escape(sentence(judgement.reasons))}</p>{better}</article>"
    )


def _points_lost(judgement: Judgement) -> str:
    """Return the points that a move lost, to follow a worth in brackets; empty if that is unknown."""
    return "" if judgement.score_loss is None else f"; {judgement.score_loss:.1f} points lost"


def _played(review: Review, judgement: Judgement) -> str:
    return f"{_side(review, judgement.player)} {_label(review, judgement.move)}"


def _label(review: Review, move: Move) -> str:
    """Return the label of a move, kept on one line."""
    return escape(review.game.move_label(move)).replace(" ", "&nbsp;")


def _chip(judgement: Judgement) -> str:
    return f'<span class="chip {judgement.verdict}">{judgement.verdict}</span>'


def _item(review: Review, judgement: Judgement) -> str:
    better = ""
    if judgement.verdict not in ("best", "good"):
        best = worth_text(judgement, judgement.best_worth)
        better = f" Better was <b>{_label(review, judgement.best)}</b> ({best}{_points_lost(judgement)})."
    return (
        f'<li><span class="number">{judgement.number}</span><span>{_played(review, judgement)}</span>'
        f'<span>{_chip(judgement)}</span><span class="worth">{worth_text(judgement, judgement.worth)}</span>'
        f'<span class="why">{escape(sentence(judgement.reasons))}{better}</span></li>'
    )
