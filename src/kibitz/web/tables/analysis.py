"""Analyses of positions and reviews of games as JSON for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kibitz.analysis.points import final_points, first_points, result_words
from kibitz.analysis.review import GLANCE_SHARE, Judgement, Review, judge_moves, scaled
from kibitz.analysis.words import reasons, sentence
from kibitz.core import registry
from kibitz.core.agent import Budget, Choice, Counted, MoveValue, Unit, Watch
from kibitz.core.defaults.shown import MAX_LINE_MOVES, score_text
from kibitz.core.game import Game, Move, State, View
from kibitz.core.record import GameRecord
from kibitz.core.untrusted import JsonObject
from kibitz.picture.wire import overlay_json
from kibitz.search.agents import agent_table, analyst_unit
from kibitz.web.catalogue import move_label, relabel_moves
from kibitz.web.server.engines import Thinker

SEARCH_SECONDS = (0.3, 1.0, 3.0, 10.0, 30.0)
"""Durations of the successive searches of a position; those above the server's limit are left out."""
GRAPH_SECONDS = 0.15
"""Duration of the search of each position for the graph, in games whose reviews have no number of playouts."""
REVIEW_SECONDS = 0.3
MAX_REVIEW_SECONDS = 5.0
"""The most a review searches for a position, except by a number of playouts of the game's own analyst."""
MIN_REVIEW_NODES = 200
"""A review search that reaches fewer nodes, as on a busy machine, is repeated with more time."""


def graph_budget(game: Game, is_own: bool) -> Budget:
    """Return the budget of each position of the graph: that of a review if it is a number of playouts, else a time.

    is_own: whether the game's own analyst fills it.
    """
    own = agent_table(game.name).review
    return own if is_own and own.seconds is None else Budget(seconds=GRAPH_SECONDS)


def is_proved(choice: Choice) -> bool:
    """Return whether the values of all moves are proved, so that a longer search is of no use."""
    return choice.exact and all(m.exact for m in choice.moves)


def points_of(state: State, choice: Choice) -> float | None:
    """Return the value of a choice as the first player's points, from 0 to 1; None if the choice has no value."""
    if choice.value is None:
        return None
    return first_points(state.game, choice.value, choice.unit, state.to_move)


def unit_json(unit: Unit | None) -> str | dict[str, str] | None:
    """Return a unit as JSON for the page: its name, or the singular and plural of the things counted."""
    return {"one": unit.one, "many": str(unit)} if isinstance(unit, Counted) else unit


def move_json(view: View, move: Move) -> JsonObject:
    """Return a move, legal or not, as JSON: its text, its label, and the places on the board to mark."""
    game = view.game
    steps = list(registry.page(game.name).steps(view, move))
    return {"move": game.move_text(move), "label": move_label(game, move), "steps": steps}


def overlay(view: View, owners: Sequence[float] = ()) -> JsonObject:
    """Return the game's overlay for a position as JSON: annotations that need no search, and expected owners if known.

    owners: for the player to move, as in Choice.owners.
    """
    page = registry.page(view.game.name)
    shown = page.overlay(view)
    if owners:
        found = page.owners_overlay(view, owners)
        shown = replace(
            shown,
            under=(*shown.under, *found.under),
            over=(*shown.over, *found.over),
            legend=(*shown.legend, *found.legend),
        )
    return overlay_json(shown)


def visits(choice: Choice | None) -> int:
    """Return the number of visits that a choice counts; 0 if it counts none."""
    return sum(m.visits or 0 for m in choice.moves) if choice is not None else 0


def first_score(state: State, score: float | None) -> float | None:
    """Convert an expected margin of the player to move to one of the first player."""
    return score if score is None or state.to_move == 0 else -score


def analysis_message(state: State, choice: Choice, ply: int, view: View, done: bool) -> JsonObject:
    """Return the analysis message for a position. view: the client's view; done: whether it is the last message."""
    line_of_move = next((m.line for m in choice.moves if m.move == choice.move), ())
    return {
        "is": "analysis",
        "ply": ply,
        "value": choice.value,
        "unit": unit_json(choice.unit),
        "exact": choice.proved,
        "points": points_of(state, choice),
        "best": [state.game.move_text(move) for move in choice.best],
        "moves": [_valued(state, choice, m, view) for m in choice.candidates],
        "line": [move_json(view, move) for move in choice.line or line_of_move or (choice.move,)],
        "words": relabel_moves(state.game, choice.note),
        "depth": choice.depth,
        "nodes": choice.nodes or choice.playouts,
        "seconds": round(choice.seconds, 3),
        "visits": visits(choice) or None,
        **_scored(state, choice.score),
        "done": done,
        "overlay": overlay(view, choice.owners),
    }


def _valued(state: State, choice: Choice, found: MoveValue, view: View) -> JsonObject:
    return {
        **move_json(view, found.move),
        "value": found.value,
        "points": first_points(state.game, found.value, choice.unit, state.to_move),
        "exact": found.exact,
        "visits": found.visits,
        **_scored(state, found.score),
        "line": [state.game.move_text(move) for move in found.line],
        "line_words": ", ".join(move_label(state.game, move) for move in found.line[1:MAX_LINE_MOVES]),
        "words": sentence(reasons(state, found.move, found.line)),
    }


def _scored(state: State, score: float | None) -> JsonObject:
    """Return an expected margin for the player to move, and in words such as "B+6.9"."""
    if score is None:
        return {"score": None, "score_words": ""}
    return {"score": round(score, 1), "score_words": score_text(state.game, score, state.to_move)}


def end_message(state: State, ply: int) -> JsonObject:
    """Return the analysis message for the last position of a finished game."""
    unsearched: JsonObject = {"value": None, "unit": None, "depth": 0, "nodes": 0, "seconds": 0}
    unsearched |= {"best": [], "moves": [], "line": [], "visits": None, "score": None, "score_words": ""}
    known = {"is": "analysis", "ply": ply, "exact": True, "points": final_points(state), "done": True}
    words = f"{result_words(state.game, state)}."
    return {**known, **unsearched, "words": words, "overlay": overlay(state.view(None))}


def judgements(analyst: Thinker, states: Sequence[State], moves: Sequence[Move], watch: Watch) -> Iterator[Judgement]:
    """Yield the analyst's judgement of each move of a game; the watch can stop the searches.

    Each position gets the game's own budget; if that is a time, more on a busy machine.
    """
    own = agent_table(analyst.game.name).review
    limit = MAX_REVIEW_SECONDS if analyst.is_outside or own.seconds is not None else None

    def analyse(state: State) -> Choice:
        if own.seconds is None:
            return analyst.analyse(state, own.within(limit), watch)
        seconds = REVIEW_SECONDS
        while True:
            choice = analyst.analyse(state, Budget(seconds=seconds), watch)
            thorough = is_proved(choice) or max(choice.nodes, choice.playouts) >= MIN_REVIEW_NODES
            if thorough or watch.stopped or seconds >= MAX_REVIEW_SECONDS:
                return choice
            seconds *= 2

    def glance(state: State) -> Choice:
        return analyst.analyse(state, scaled(own, GLANCE_SHARE).within(limit), watch)

    return judge_moves(states, moves, analyse, glance)


def review_message(record: GameRecord, states: Sequence[State], judged: Sequence[Judgement]) -> JsonObject:
    """Return the message with the review so far. The `ply` of a judged move counts the moves up to and including it."""
    game = states[0].game
    review = Review(record, game, tuple(states), tuple(judged))
    return {
        "is": "review",
        "done": len(judged),
        "of": len(record.moves),
        "unit": unit_json(analyst_unit(game)),
        "moves": [
            {
                "ply": j.number,
                "player": j.player,
                "verdict": j.verdict,
                "loss": round(j.loss, 4),
                "score_loss": None if j.score_loss is None else round(j.score_loss, 1),
                "exact": j.exact,
                "best": game.move_text(j.best),
                "best_label": move_label(game, j.best),
                "best_steps": move_json(states[j.number - 1].view(j.player), j.best)["steps"],
                "words": sentence(j.reasons),
                "best_words": sentence(j.best_reasons),
            }
            for j in judged
        ],
        "accuracy": [review.accuracy(0), review.accuracy(1)],
        "score_loss": [review.score_loss(0), review.score_loss(1)],
        "turning": [j.number for j in review.turning_points],
    }
