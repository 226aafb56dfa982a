"""Moves of Go predicted for the page, with what speaks for them; and the territory as random games see it.

Plain and synchronous; predict_routes.py runs it on a thread, one piece of work at a time.
All probabilities are those of a model; nothing here judges a move.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Move
from kibitz.games.go.page.server.explorer import COLLECTION, DEMO, OWN, TITLES, Explorer, Shelf
from kibitz.games.go.rules import GoState
from kibitz.games.go.rules.board import BLACK, EMPTY, WHITE
from kibitz.games.go.rules.scoring import GoScore, dead_chains
from kibitz.games.go.rules.text import move_text
from kibitz.web.server.engines import Memory

if TYPE_CHECKING:
    from kibitz.games.go.predict.fit.course import Moment
    from kibitz.games.go.predict.model.model import Candidate, PatternModel
    from kibitz.games.go.predict.models import Predictor

SHOWN = 6
"""So many of the likeliest moves are explained, and the one that was played."""
REASONS = 6
HEAT = 0.002
"""Less likely points are not drawn."""
EXAMPLES = 4
SURPRISES = 8
"""So many of the least likely moves of a game are named."""
KEPT = 2000
"""Positions whose predictions are remembered,"""
KEPT_GAMES = 8
"""games whose positions are,"""
KEPT_MAPS = 200
"""and estimates of territory."""
LEARNED_ON = 19
_ABOUT = {"net": "the policy net", "patterns": "the pattern model"}


class Predictions:
    """What the models of one server say."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._lock = threading.RLock()
        self._best: Predictor | None = None
        self._patterns: PatternModel | None = None
        self._shares: Memory[Any] = Memory(KEPT)
        self._courses: Memory[list[Moment]] = Memory(KEPT_GAMES)
        self._maps: Memory[tuple[tuple[float, ...], frozenset[int]]] = Memory(KEPT_MAPS)

    # Positions

    def course(self, store: str, number: int) -> list[Moment]:
        """Return the positions of a game of a store, the last one too. Raises BadOption if there is no such game."""
        shelf = self._explorer.shelf(store)
        with self._lock:
            return self._courses.get((store, shelf.commits, number), lambda: _course(shelf, number))

    def opinion(self, moment: Moment, legal: Collection[int] | None = None) -> dict[str, Any]:
        """Return the likeliest moves of a position with what speaks for each. Without `legal` all points are."""
        size = moment.board.size
        unknown = unknown_words(size)
        if unknown:
            return {"model": None, "words": unknown}
        with self._lock:
            shares = self._legal_shares(moment, legal)
            order = sorted((point for point in range(size * size) if shares[point] > 0), key=lambda p: -shares[p])
            asked = order[:SHOWN] + [moment.played] * (moment.played in order[SHOWN:])
            reasons = {one.point: one for one in self._explained(moment, asked)}
            name = self._model().name
        return {
            **about(name, size),
            "to_move": moment.colour - 1,
            "played": None if moment.played < 0 else move_text(size, moment.played),
            "heat": [[point, round(float(shares[point]), 4)] for point in order if shares[point] >= HEAT],
            "candidates": [
                {
                    **_named(size, point, float(shares[point])),
                    "rank": order.index(point) + 1,
                    **_why(reasons.get(point), name),
                }
                for point in asked
            ],
        }

    def _model(self) -> Predictor:
        from kibitz.games.go.predict.models import open_model

        self._best = self._best or open_model()
        return self._best

    def _pattern_model(self) -> PatternModel:
        from kibitz.games.go.predict.model.model import PatternModel
        from kibitz.games.go.predict.models import PatternPredictor

        model = self._model()
        if self._patterns is None:
            self._patterns = model.model if isinstance(model, PatternPredictor) else PatternModel.load()
        return self._patterns

    def _legal_shares(self, moment: Moment, legal: Collection[int] | None) -> Any:
        """Return float [point] what the model says; 0 where the rules of the game forbid a stone."""
        import numpy as np

        shares = self._shares.get(replace(moment, played=-1), lambda: self._model().shares(moment))
        if legal is None:
            return shares
        allowed = np.zeros(len(shares), bool)
        allowed[list(legal)] = True
        return np.where(allowed, shares, 0.0)

    def _explained(self, moment: Moment, points: Collection[int]) -> Sequence[Candidate]:
        """Return what the pattern model says of some points, whichever model ranked them."""
        model = self._pattern_model()
        return model.rank_board(moment.board, moment.colour, moment.recent, moment.facts, points).candidates

    # Games

    def ranked(self, moment: Moment, legal: Collection[int]) -> dict[str, Any] | None:
        """Return how a move that was played ranks, and what was likeliest; None for a pass or an empty board.

        All corners of an empty board are alike, so what is played there first says nothing.
        """
        if moment.played < 0 or not any(moment.board.points):
            return None
        with self._lock:
            shares = self._legal_shares(moment, legal)
        best, size = int(shares.argmax()), moment.board.size
        share = float(shares[moment.played])
        return {
            "rank": int((shares > share).sum()) + 1,
            "share": round(share, 5),
            "best": _named(size, best, float(shares[best])),
        }

    def model_name(self) -> str:
        """Return which model is asked."""
        with self._lock:
            return self._model().name

    # Games that have the same pattern

    def examples(self, moment: Moment, point: int, besides: tuple[str, int] | None = None) -> dict[str, Any]:
        """Return games in which such a move was made, but for the game `besides`.

        Where no game has the largest pattern that the model knows, smaller ones are looked for.
        """
        from kibitz.games.go.patterns.shapes import window_rows
        from kibitz.games.go.predict.model.layout import SIZES

        if unknown_words(moment.board.size):
            raise BadOption(unknown_words(moment.board.size))
        with self._lock:
            found = self._explained(moment, [point])
            if not found or not found[0].shape:
                return {"games": [], "words": "The model knows no pattern around this point."}
            largest = SIZES.index(int(found[0].shape.removeprefix("circle")))
            for size in SIZES[largest::-2]:
                shape = f"circle{size}"
                for name, shelf in self._shelves(moment.board.size):
                    games = _games(shelf, moment, point, shape, besides[1] if besides and besides[0] == name else 0)
                    if games:
                        rows = window_rows(moment.board, moment.colour, point, shape)
                        told = {"store": name, "title": TITLES[name], "games": games, "whole": size == SIZES[largest]}
                        return {**told, "rows": list(rows), "words": None}
        return {"games": [], "words": "No game of the stores here has such a move."}

    def _shelves(self, size: int) -> list[tuple[str, Shelf]]:
        """Return the stores that have games on boards of a size."""
        found = []
        for name in (COLLECTION, OWN, DEMO):
            try:
                shelf = self._explorer.shelf(name)
            except (BadOption, BadText):  # the page of the explorer tells of stores that cannot be read
                continue
            if (shelf.store.column("sizes") == size).any():
                found.append((name, shelf))
        return found

    # Territory

    def territory(self, state: GoState, marks: Collection[str] = ()) -> dict[str, Any]:
        """Return who will own each point by random games, the score by that, and the true one of a finished game."""
        with self._lock:
            shares, dead = self._maps.get(state.board, lambda: _estimate(state))
        black, white = (round(points, 1) for points in estimated(state, shares, dead))
        counted = None
        if state.is_over():
            counted = state.score(dead_chains(state.board, [state.game.parse_move(mark) for mark in marks]))
        return {
            "owners": [round(share, 2) for share in shares],
            "black": black,
            "white": white,
            "words": _ahead(black, white, state.game.players),
            "rule": f"{state.game.scoring} counting, komi {state.game.komi:g}",
            "counted": None if counted is None else _counted(counted, state.game.players),
        }


def about(name: str, size: int) -> dict[str, Any]:
    """Return which model it is, and what is not known of it on a board of this size."""
    sides = f"{size}x{size}"
    note = f"It learned from 19x19 alone; how well it predicts on {sides} was not measured."
    return {"model": name, "about": _ABOUT[name], "note": "" if size == LEARNED_ON else note, "words": None}


def unknown_words(size: int) -> str:
    """Return why no move is predicted on boards of a size; nothing if moves are."""
    from kibitz.games.go.predict.model.model import LARGEST, SMALLEST

    if SMALLEST <= size <= LARGEST:
        return ""
    return (
        f"The models know boards of {SMALLEST} to {LARGEST} lines each way, so no move is predicted on {size}x{size}."
    )


def moment_of(states: Sequence[GoState], moves: Sequence[Move], ply: int) -> Moment:
    """Return a position of a table as models look at it."""
    from kibitz.games.go.predict.fit.course import MOST_RECENT, Moment

    state = states[ply]
    points = [-1 if move == state.game.pass_move else move for move in moves[: ply + 1]]
    recent = tuple(reversed(points[max(0, ply - MOST_RECENT) : ply]))
    played = points[ply] if ply < len(points) else -1
    return Moment(state.board, 1 + state.to_move, recent, state.ko, state.turn, played)


def surprises(ranked: Sequence[dict[str, Any]]) -> list[int]:
    """Return the plies of the least likely moves that the model would not have played, the least likely first."""
    others = [each for each in ranked if each["rank"] > 1]
    return [each["ply"] for each in sorted(others, key=lambda each: each["share"])[:SURPRISES]]


def tally(ranked: Sequence[dict[str, Any]], player: int) -> dict[str, int]:
    """Return how many moves of a player were the model's first choice, and among its first five."""
    ranks = [each["rank"] for each in ranked if each["player"] == player]
    return {"n": len(ranks), "first": ranks.count(1), "five": sum(rank <= 5 for rank in ranks)}


def estimated(state: GoState, shares: Sequence[float], dead: Collection[int]) -> tuple[float, float]:
    """Return the points of Black and White that owners come to by the rules of the game, komi included."""
    board, game = state.board, state.game
    if game.scoring == "area":
        return sum(1 + share for share in shares) / 2, sum(1 - share for share in shares) / 2 + game.komi
    empty = [p for p, code in enumerate(board.points) if code == EMPTY or p in dead]
    taken = [sum(board.points[p] == other for p in dead) for other in (WHITE, BLACK)]
    black = sum(1 + shares[p] for p in empty) / 2 + state.prisoners[0] + taken[0]
    return black, sum(1 - shares[p] for p in empty) / 2 + state.prisoners[1] + taken[1] + game.komi


def _course(shelf: Shelf, number: int) -> list[Moment]:
    from kibitz.games.go.predict.fit.course import moments

    plays = shelf.store.plays_of(number - 1)
    return list(moments(int(shelf.store.column("sizes")[number - 1]), plays))


def _estimate(state: GoState) -> tuple[tuple[float, ...], frozenset[int]]:
    from kibitz.games.go.players.mcts.owners import dead_stones, owners

    return owners(state), dead_stones(state)


def _named(size: int, point: int, share: float) -> dict[str, Any]:
    return {"point": point, "name": move_text(size, point), "share": round(share, 5)}


def _why(one: Candidate | None, model: str) -> dict[str, Any]:
    """Return what the pattern model says of a candidate; by_patterns is its own probability, if another ranked it."""
    if one is None:
        return {"reasons": [], "rows": None, "by_patterns": None}
    return {
        "reasons": [[reason.text, round(reason.weight, 2)] for reason in one.reasons[:REASONS]],
        "rows": list(one.rows) or None,
        "by_patterns": None if model == "patterns" else round(one.share, 5),
    }


def _games(shelf: Shelf, moment: Moment, point: int, shape: str, besides: int) -> list[dict[str, Any]]:
    """Return games of a store that have a pattern, with their heads."""
    from kibitz.games.go.predict.fit.examples import Examples

    found, seen = [], {besides}
    for each in Examples(shelf.store.folder).of(moment.board, moment.colour, point, shape, 10 * EXAMPLES):
        if each["game"] not in seen:
            seen.add(each["game"])
            found.append({"game": each["game"], "move": each["move"]})
    found = found[:EXAMPLES]
    heads = shelf.heads([each["game"] for each in found])
    return [{**each, **heads[each["game"]]} for each in found]


def _ahead(black: float, white: float, players: Sequence[str]) -> str:
    margin = round(black - white, 1)
    if not margin:
        return "Even"
    return f"{players[margin < 0]} ahead by about {abs(margin):g}"


def _counted(score: GoScore, players: Sequence[str]) -> dict[str, Any]:
    words = "Even" if score.winner is None else f"{players[score.winner]} wins by {abs(score.margin):g}"
    return {"black": score.black, "white": score.white, "words": words}
