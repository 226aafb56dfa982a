"""Predicted moves of Go for the page, with reasons, and the territory that random playouts expect.

All probabilities come from a model that predicts moves; nothing here says whether a
move is good. The class Predictions is plain and synchronous; the request handlers
below it run short computations on a thread, for tables of Go and for stored games.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption, BadText
from kibitz.core.game import Move
from kibitz.core.untrusted import JsonObject
from kibitz.games.go.page.page import heat_overlay, ownership_overlay
from kibitz.games.go.page.server.explorer import TITLES, Explorer, OpenStore
from kibitz.games.go.page.server.site import site_of
from kibitz.games.go.predict.shipped import NO_NET, has_net
from kibitz.games.go.rules import BLACK, EMPTY, WHITE, Go, GoState, move_text, parse_move
from kibitz.picture.wire import overlay_json
from kibitz.web.server.engines import RecentCache
from kibitz.web.server.requests import address, visitor
from kibitz.web.tables.table import Table

if TYPE_CHECKING:
    from kibitz.games.go.predict.fit.course import Moment
    from kibitz.games.go.predict.model.model import Candidate, PatternModel
    from kibitz.games.go.predict.models import MovePredictor, Shares

T = TypeVar("T")
MAX_EXPLAINED_MOVES = 6  # explain at most this many of the likeliest moves, plus the move played
MAX_REASONS_PER_MOVE = 6
MIN_HEAT_SHARE = 0.002  # do not draw points less likely than this
MAX_EXAMPLES = 4
MAX_SURPRISES = 8
CACHED_POSITIONS, CACHED_GAMES, CACHED_TERRITORIES = 2000, 8, 200
TRAINED_SIZE = 19  # the board size of the games that the models were trained on
PLIES_PER_TURN = 16  # rank at most this many moves of a game before other visitors get their turn
_MODEL_NAMES = {"net": "the policy net", "patterns": "the pattern model"}


class Predictions:
    """Move predictions and territory estimates of one server. Its methods may be called from any thread."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._lock = threading.RLock()
        self._best: MovePredictor | None = None
        self._patterns: PatternModel | None = None
        self._shares: RecentCache[Shares] = RecentCache(CACHED_POSITIONS)
        self._courses: RecentCache[list[Moment]] = RecentCache(CACHED_GAMES)
        self._territories: RecentCache[tuple[tuple[float, ...], frozenset[int]]] = RecentCache(CACHED_TERRITORIES)

    # Models

    def _model(self) -> MovePredictor:
        from kibitz.games.go.predict.models import open_model

        self._best = self._best or open_model()
        return self._best

    def _pattern_model(self) -> PatternModel:
        """Return the pattern model, which gives the reasons for moves, whichever model ranked them."""
        from kibitz.games.go.predict.model.model import PatternModel

        model = self._model()
        if self._patterns is None:
            self._patterns = model if isinstance(model, PatternModel) else PatternModel.load()
        return self._patterns

    def model_name(self) -> str:
        """Return the name of the model that ranks moves."""
        with self._lock:
            return self._model().name

    def _legal_shares(self, moment: Moment, legal: Collection[int] | None) -> Shares:
        """Return the probability of each point being played next, as float [point]; 0 for illegal points."""
        import numpy as np

        shares = self._shares.get(replace(moment, played=-1), lambda: self._model().shares(moment))
        if legal is None:
            return shares
        allowed = np.zeros(len(shares), bool)
        allowed[list(legal)] = True
        return np.where(allowed, shares, 0.0)

    # Positions and games

    def course(self, store: str, number: int) -> list[Moment]:
        """Return all positions of a stored game, from the first to the last. Raise BadOption for an unknown game."""
        from kibitz.games.go.predict.fit.course import moments

        opened = self._explorer.store(store)

        def replay() -> list[Moment]:
            plays = opened.store.plays_of(number - 1)
            return list(moments(int(opened.store.column("sizes")[number - 1]), plays))

        with self._lock:
            return self._courses.get((store, opened.commits, number), replay)

    def predict(self, moment: Moment, legal: Collection[int] | None = None) -> JsonObject:
        """Return the likeliest moves in a position, with reasons. Without `legal`, all points count as legal."""
        size = moment.board.size
        if refusal := size_refusal(size):
            return {"model": None, "words": refusal}
        with self._lock:
            shares = self._legal_shares(moment, legal)
            order = sorted((point for point in range(size * size) if shares[point] > 0), key=lambda p: -shares[p])
            shown = order[:MAX_EXPLAINED_MOVES]
            if moment.played in order[MAX_EXPLAINED_MOVES:]:
                shown.append(moment.played)
            reasons = {each.point: each for each in self._pattern_model().rank_moment(moment, shown).candidates}
            name = self._model().name
        candidates = [
            {
                **_point_json(size, point, float(shares[point])),
                "rank": order.index(point) + 1,
                **_reasons_json(reasons.get(point), name),
            }
            for point in shown
        ]
        heat = [(point, round(float(shares[point]), 4)) for point in order if shares[point] >= MIN_HEAT_SHARE]
        return {
            **model_json(name, size),
            "to_move": moment.colour - 1,
            "played": None if moment.played < 0 else move_text(size, moment.played),
            "heat": heat,
            "overlay": overlay_json(heat_overlay(size, heat)),
            "candidates": candidates,
        }

    def rank_of_played(self, moment: Moment, legal: Collection[int]) -> JsonObject | None:
        """Return the rank of the move that was played, and the likeliest move; None for a pass or an empty board.

        All corners of an empty board are equivalent, so the rank of the first move would be meaningless.
        """
        if moment.played < 0 or not any(moment.board.points):
            return None
        with self._lock:
            shares = self._legal_shares(moment, legal)
        best, share = int(shares.argmax()), float(shares[moment.played])
        likeliest = _point_json(moment.board.size, best, float(shares[best]))
        return {"rank": int((shares > share).sum()) + 1, "share": round(share, 5), "best": likeliest}

    # Games with the same pattern

    def examples(self, moment: Moment, point: int, excluded: tuple[str, int] | None = None) -> JsonObject:
        """Return games in which a point was played in the same pattern, except the game `excluded` (store, number).

        Starts with the largest pattern that the model knows, and tries smaller ones until a game has one.
        Raise BadOption for a board size that the models do not support.
        """
        from kibitz.games.go.patterns.shapes import window_rows
        from kibitz.games.go.predict.model.layout import PATTERN_SIZES

        if refusal := size_refusal(moment.board.size):
            raise BadOption(refusal)
        with self._lock:
            explained = self._pattern_model().rank_moment(moment, [point]).candidates
            if not explained or not explained[0].shape:
                return {"games": [], "words": "The model knows no pattern around this point."}
            largest = PATTERN_SIZES.index(int(explained[0].shape.removeprefix("circle")))
            for size in PATTERN_SIZES[largest::-2]:
                shape = f"circle{size}"
                for name, opened in self._stores(moment.board.size):
                    excluded_game = excluded[1] if excluded and excluded[0] == name else 0
                    if games := _example_games(opened, moment, point, shape, excluded_game):
                        return {
                            "store": name,
                            "title": TITLES[name],
                            "games": games,
                            "whole": size == PATTERN_SIZES[largest],
                            "rows": list(window_rows(moment.board, moment.colour, point, shape)),
                            "words": None,
                        }
        return {"games": [], "words": "No stored game has such a move."}

    def _stores(self, size: int) -> list[tuple[str, OpenStore]]:
        """Return the name and store of every readable store with games on this board size."""
        usable = []
        for name in TITLES:
            try:
                opened = self._explorer.store(name)
            except (BadOption, BadText):  # the explorer's page reports stores that cannot be read
                continue
            if (opened.store.column("sizes") == size).any():
                usable.append((name, opened))
        return usable

    # Territory

    def territory(self, state: GoState, marks: Collection[str] = ()) -> JsonObject:
        """Return the expected owner of each point, the score that follows, and the actual score if the game is over."""
        from kibitz.games.go.players.mcts.owners import dead_stones, expected_owners

        with self._lock:
            shares, dead = self._territories.get(state.board, lambda: (expected_owners(state), dead_stones(state)))
        game = state.game
        black, white = (round(points, 1) for points in expected_score(state, shares, dead))
        margin = round(black - white, 1)
        counted = None
        if state.is_over():
            score = state.score([game.parse_move(mark) for mark in marks])
            words = "Even" if score.winner is None else f"{game.players[score.winner]} wins by {abs(score.margin):g}"
            counted = {"black": score.black, "white": score.white, "words": words}
        return {
            "owners": [round(share, 2) for share in shares],
            "black": black,
            "white": white,
            "words": f"{game.players[margin < 0]} ahead by about {abs(margin):g}" if margin else "Even",
            "rule": f"{game.scoring} counting, komi {game.komi:g}",
            "counted": counted,
        }


def model_json(name: str, size: int) -> JsonObject:
    """Return the name and description of a model, and a caveat if it was not trained on this board size."""
    note = f"It learned from 19x19 only; how well it predicts on {size}x{size} was not measured."
    notes = ["" if size == TRAINED_SIZE else note, "" if has_net() else NO_NET]
    return {"model": name, "about": _MODEL_NAMES[name], "note": " ".join(filter(None, notes)), "words": None}


def size_refusal(size: int) -> str:
    """Return why moves cannot be predicted on this board size, or an empty string if they can."""
    from kibitz.games.go.predict.shipped import MAX_SIZE, MIN_SIZE

    if MIN_SIZE <= size <= MAX_SIZE:
        return ""
    return f"The models know boards of size {MIN_SIZE} to {MAX_SIZE}, so no move is predicted on {size}x{size}."


def moment_of(states: Sequence[GoState], moves: Sequence[Move], ply: int) -> Moment:
    """Return the position of a game after `ply` moves in the form that the models take."""
    from kibitz.games.go.predict.fit.course import MAX_RECENT_MOVES, Moment

    state = states[ply]
    points = [-1 if move == state.game.pass_move else move for move in moves[: ply + 1]]
    recent = tuple(reversed(points[max(0, ply - MAX_RECENT_MOVES) : ply]))
    played = points[ply] if ply < len(points) else -1
    return Moment(state.board, 1 + state.to_move, recent, state.ko, state.turn, played)


def most_surprising(ranked: Sequence[JsonObject]) -> list[int]:
    """Return the plies of the least likely moves, the most surprising first, without the model's first choices."""
    others = [each for each in ranked if each["rank"] > 1]
    return [each["ply"] for each in sorted(others, key=lambda each: each["share"])[:MAX_SURPRISES]]


def count_top_choices(ranked: Sequence[JsonObject], player: int) -> dict[str, int]:
    """Count the ranked moves of a player: all, the model's first choices, and those among its first five."""
    ranks = [each["rank"] for each in ranked if each["player"] == player]
    return {"n": len(ranks), "first": ranks.count(1), "five": sum(rank <= 5 for rank in ranks)}


def expected_score(state: GoState, shares: Sequence[float], dead: Collection[int]) -> tuple[float, float]:
    """Return the expected scores of Black and White, komi included; shares are owners, from 1 (Black) to -1 (White)."""
    board, game = state.board, state.game
    if game.scoring == "area":
        return sum(1 + share for share in shares) / 2, sum(1 - share for share in shares) / 2 + game.komi
    empty = [p for p, code in enumerate(board.points) if code == EMPTY or p in dead]
    taken = [sum(board.points[p] == colour for p in dead) for colour in (WHITE, BLACK)]
    black = sum(1 + shares[p] for p in empty) / 2 + state.prisoners[0] + taken[0]
    return black, sum(1 - shares[p] for p in empty) / 2 + state.prisoners[1] + taken[1] + game.komi


def _point_json(size: int, point: int, share: float) -> JsonObject:
    return {"point": point, "name": move_text(size, point), "share": round(share, 5)}


def _reasons_json(candidate: Candidate | None, model: str) -> JsonObject:
    """Return the pattern model's reasons for a move, and its own probability if another model ranked the moves."""
    if candidate is None:
        return {"reasons": [], "rows": None, "by_patterns": None}
    return {
        "reasons": [[reason.text, round(reason.weight, 2)] for reason in candidate.reasons[:MAX_REASONS_PER_MOVE]],
        "rows": list(candidate.rows) or None,
        "by_patterns": None if model == "patterns" else round(candidate.share, 5),
    }


def _example_games(opened: OpenStore, moment: Moment, point: int, shape: str, excluded_game: int) -> list[JsonObject]:
    """Return games of a store, with their headers, in which the pattern was played, without `excluded_game`."""
    from kibitz.games.go.patterns.listing import Examples

    moves = dict[int, int]()
    for each in Examples(opened.store.folder).of_move(moment.board, moment.colour, point, shape, 10 * MAX_EXAMPLES):
        if each["game"] != excluded_game:
            moves.setdefault(each["game"], each["move"])
    games = list(moves)[:MAX_EXAMPLES]
    heads = opened.heads(games)
    return [{"game": game, "move": moves[game], **heads[game]} for game in games]


# Request handlers for tables


class _TableCourse:
    """A snapshot of the game at a table, since moves may be taken back while a model works."""

    def __init__(self, request: Request, table: Table) -> None:
        self.request = request
        self.site, self.visitor = site_of(request), visitor(request, request.path_params["id"])
        self.predictions = self.site.predictions
        self.states = [state for state in table.states[: table.ply + 1] if isinstance(state, GoState)]
        self.moves, self.marks = table.moves[: table.ply], table.marks

    @property
    def ply(self) -> int:
        """The ply in the URL. Raise HTTPException if the game has fewer moves."""
        return _checked_ply(self.request, len(self.moves))

    def moment(self, ply: int) -> Moment:
        return moment_of(self.states, self.moves, ply)

    def points(self, ply: int) -> list[int]:
        """Return the legal points at a ply, without the pass."""
        return [move for move in self.states[ply].legal_moves() if move != self.states[ply].game.pass_move]

    async def run(self, work: Callable[..., T], *args: object) -> T:
        """Run a computation on a thread, when it is the visitor's turn; return its result."""
        return await self.site.predict(self.visitor, partial(work, *args))


async def _table_course(request: Request) -> _TableCourse:
    """Return the game of the table in the URL. Raise HTTPException if no moves are predicted there."""
    table = await site_of(request).host.table(request.path_params["id"])
    if not isinstance(table.game, Go):
        raise HTTPException(404, "Moves are predicted in games of Go only.")
    if table.is_contest:
        raise HTTPException(403, "Predictions are off until the game between two people is over.")
    return _TableCourse(request, table)


def _checked_ply(request: Request, last_ply: int) -> int:
    """Return the ply in the URL. Raise HTTPException if the game has fewer moves."""
    ply: int = request.path_params["ply"]
    if ply > last_ply:
        raise HTTPException(404, f"The game has {last_ply} moves: there is no position after move {ply}.")
    return ply


def _checked_point(request: Request, size: int) -> int:
    """Return the point in the URL. Raise BadText if it is malformed, BadOption if it is a pass."""
    point = parse_move(size, request.path_params["point"])
    if point == size * size:
        raise BadOption("A pass has no pattern around it: name a point such as D4.")
    return point


async def _get_table_prediction(request: Request) -> Response:
    course = await _table_course(request)
    ply = course.ply

    def work() -> JsonObject:
        if course.states[ply].is_over():
            return {"model": None, "words": "The game is over here: there is no next move."}
        return course.predictions.predict(course.moment(ply), course.points(ply))

    return JSONResponse({"ply": ply, **await course.run(work)})


async def _get_table_examples(request: Request) -> Response:
    course = await _table_course(request)
    ply, point = course.ply, _checked_point(request, course.states[0].game.size)
    return JSONResponse(await course.run(lambda: course.predictions.examples(course.moment(ply), point)))


async def _get_territory(request: Request) -> Response:
    course = await _table_course(request)
    ply = course.ply
    marks = course.marks if ply == len(course.moves) else ()

    def work() -> JsonObject:
        territory = course.predictions.territory(course.states[ply], marks)
        overlay = ownership_overlay(course.states[ply], territory["owners"], marks)
        return {**territory, "overlay": overlay_json(overlay)}

    return JSONResponse({"ply": ply, **await course.run(work)})


async def _get_ranked_game(request: Request) -> Response:
    """Answer with the rank of each move at a table; other visitors get their turns in between."""
    course = await _table_course(request)
    predictions, plies, size = course.predictions, len(course.moves), course.states[0].game.size
    if refusal := await course.run(size_refusal, size):
        return JSONResponse({"model": None, "words": refusal})

    def rank(start: int) -> list[JsonObject]:
        ranked = []
        for ply in range(start, min(start + PLIES_PER_TURN, plies)):
            each = predictions.rank_of_played(course.moment(ply), course.points(ply))
            if each is not None:
                ranked.append({"ply": ply + 1, "player": course.states[ply].to_move, **each})
        return ranked

    ranked = [each for start in range(0, plies, PLIES_PER_TURN) for each in await course.run(rank, start)]
    answer = {"of": plies, "moves": ranked, "surprises": most_surprising(ranked)}
    answer["players"] = [count_top_choices(ranked, player) for player in (0, 1)]
    return JSONResponse({**model_json(await course.run(predictions.model_name), size), **answer})


# Request handlers for games of the explorer


async def _at_stored_ply(request: Request, work: Callable[[Moment, list[Moment]], JsonObject]) -> Response:
    """Answer with the result of `work` on a position of a stored game. Raise HTTPException if it does not exist."""
    store, number = request.path_params["store"], request.path_params["number"]
    site = site_of(request)

    def find_and_work() -> JsonObject:
        try:
            course = site.predictions.course(store, number)
        except BadOption as error:
            raise HTTPException(404, str(error)) from None
        return work(course[_checked_ply(request, len(course) - 1)], course)

    return JSONResponse(await site.predict(address(request), find_and_work))


async def _get_stored_prediction(request: Request) -> Response:
    def work(moment: Moment, course: list[Moment]) -> JsonObject:
        prediction = site_of(request).predictions.predict(moment)
        return {"ply": moment.moves, "last": moment is course[-1], **prediction}

    return await _at_stored_ply(request, work)


async def _get_stored_examples(request: Request) -> Response:
    excluded = request.path_params["store"], request.path_params["number"]

    def work(moment: Moment, course: list[Moment]) -> JsonObject:
        point = _checked_point(request, moment.board.size)
        return site_of(request).predictions.examples(moment, point, excluded)

    return await _at_stored_ply(request, work)


_STORED = "/api/explorer/games/{store}/{number:int}/predict/{ply:int}"
ROUTES = (
    Route("/api/tables/{id}/predict", _get_ranked_game),
    Route("/api/tables/{id}/predict/{ply:int}", _get_table_prediction),
    Route("/api/tables/{id}/predict/{ply:int}/{point}", _get_table_examples),
    Route("/api/tables/{id}/territory/{ply:int}", _get_territory),
    Route(_STORED, _get_stored_prediction),
    Route(f"{_STORED}/{{point}}", _get_stored_examples),
)
