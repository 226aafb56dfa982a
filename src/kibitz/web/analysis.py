"""Positions analysed and games reviewed for the page: what is sent while a search goes deeper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz.arena.match import reasons, sentence
from kibitz.arena.review import Judgement, Review, judge_moves
from kibitz.core.agent import Budget, Choice, MoveValue, Watch
from kibitz.core.game import Game, Move, State
from kibitz.core.record import GameRecord
from kibitz.search.values import unit_of
from kibitz.web.catalogue import move_label, page_of, plain
from kibitz.web.engines import Thinker
from kibitz.web.snapshot import final_points, first_points, result_words

STEPS = (0.3, 1.0, 3.0, 10.0, 30.0)
"""The seconds of each look at a position, one after the other, as far as an engine may think so long."""
GLANCE = 0.15
"""The seconds of a look at an earlier position, for the graph."""
REVIEW_SECONDS = 0.3


def is_proved(choice: Choice) -> bool:
    """Return whether the value of a choice is proved; one proved win is enough."""
    is_result = choice.unit in ("result", "probability")
    return choice.exact or any(is_result and m.exact and m.move == choice.move and m.value == 1 for m in choice.moves)


def is_finished(choice: Choice) -> bool:
    """Return whether nothing more can be found: the value of every move is proved."""
    return choice.exact and all(m.exact for m in choice.moves)


def points_of(state: State, choice: Choice) -> float | None:
    """Return the first player's points by a choice; None if it has no value."""
    if choice.value is None:
        return None
    return first_points(state.game, choice.value, choice.unit, state.to_move)


def report(state: State, choice: Choice, ply: int, layer: Any, done: bool) -> dict[str, Any]:
    """Return what is sent of a look at a position."""
    game = state.game
    text = game.move_text
    ranked = sorted(choice.moves, key=lambda m: (m.move not in choice.best, -m.value, m.move != choice.move, m.move))
    return {
        "is": "analysis",
        "ply": ply,
        "value": choice.value,
        "unit": choice.unit,
        "exact": is_proved(choice),
        "points": points_of(state, choice),
        "best": [text(move) for move in choice.best],
        "moves": [_valued(state, choice, m) for m in ranked],
        "line": [{"move": text(move), "label": move_label(game, move)} for move in _line(choice)],
        "words": plain(game, choice.note),
        "depth": choice.depth,
        "nodes": choice.nodes or choice.playouts,
        "seconds": round(choice.seconds, 3),
        "done": done,
        "layer": layer,
    }


def _valued(state: State, choice: Choice, found: MoveValue) -> dict[str, Any]:
    text = state.game.move_text
    return {
        "move": text(found.move),
        "label": move_label(state.game, found.move),
        "value": found.value,
        "points": first_points(state.game, found.value, choice.unit, state.to_move),
        "exact": found.exact,
        "line": [text(move) for move in found.line],
        "words": sentence(reasons(state, found.move, found.line)),
    }


def _line(choice: Choice) -> tuple[Move, ...]:
    own = next((m.line for m in choice.moves if m.move == choice.move), ())
    return choice.line or own or (choice.move,)


def report_end(state: State, ply: int) -> dict[str, Any]:
    """Return what is sent of the last position of a finished game."""
    return {
        "is": "analysis",
        "ply": ply,
        "value": None,
        "unit": None,
        "exact": True,
        "points": final_points(state),
        "best": [],
        "moves": [],
        "line": [],
        "words": f"{result_words(state.game, state)}.",
        "depth": 0,
        "nodes": 0,
        "seconds": 0,
        "done": True,
        "layer": page_of(state.game.name).layer(state.view(None)),
    }


def judgements(analyst: Thinker, states: Sequence[State], moves: Sequence[Move], watch: Watch) -> Iterator[Judgement]:
    """Yield what the analyst thinks of each move of a game."""
    return judge_moves(states, moves, lambda state: analyst.look(state, Budget(seconds=REVIEW_SECONDS), watch))


def report_review(record: GameRecord, states: Sequence[State], found: Sequence[Judgement]) -> dict[str, Any]:
    """Return what is sent of a review as far as it is. The ply of a move is the number of moves with it."""
    game = states[0].game
    review = Review(record, game, tuple(states), tuple(found))
    return {
        "is": "review",
        "done": len(found),
        "of": len(record.moves),
        "unit": unit_of(game, False),
        "moves": [
            {
                "ply": j.number,
                "player": j.player,
                "verdict": j.verdict,
                "loss": round(j.loss, 4),
                "exact": j.exact,
                "best": game.move_text(j.best),
                "best_label": move_label(game, j.best),
                "words": sentence(j.reasons),
                "best_words": sentence(j.best_reasons),
            }
            for j in found
        ],
        "accuracy": [review.accuracy(0), review.accuracy(1)],
        "turning": [j.number for j in review.turning_points],
    }


def points_before(game: Game, found: Judgement) -> tuple[float, bool]:
    """Return the first player's points before a move that was judged, and whether they are proved."""
    return first_points(game, found.best_worth, unit_of(game, False), found.player), found.exact
