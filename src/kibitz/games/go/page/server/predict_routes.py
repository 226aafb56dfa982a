"""The addresses of predictions: at tables of Go, and beside games of the explorer. All is asked with GET."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kibitz.core.errors import BadOption
from kibitz.core.game import Move
from kibitz.games.go.page.overlays import heat_overlay, ownership_overlay
from kibitz.games.go.page.server import predictions
from kibitz.games.go.page.server.predictions import Predictions
from kibitz.games.go.page.server.site import site_of
from kibitz.games.go.rules import Go, GoState
from kibitz.games.go.rules.text import parse_move
from kibitz.picture.wire import overlay_json
from kibitz.web.server.requests import address, visitor
from kibitz.web.tables.table import Table

if TYPE_CHECKING:
    from kibitz.games.go.predict.fit.course import Moment

T = TypeVar("T")
PIECE = 16
"""So many positions of a game are looked at before others have their turn."""
OVER = "The game is over here: there is no next move."


async def _run(request: Request, who: str, work: Callable[..., T], *given: Any) -> T:
    """Return what a function returns, on a thread, when it is the visitor's turn."""
    return await site_of(request).predict(who, partial(work, *given))


def _predictions(request: Request) -> Predictions:
    return site_of(request).predictions


# At a table


async def _table(request: Request) -> tuple[Table, str]:
    """Return the table of an address and who asks. Raises HTTPException where nothing is predicted."""
    table_id = request.path_params["id"]
    table = await site_of(request).host.table(table_id)
    if not isinstance(table.game, Go):
        raise HTTPException(404, "Moves are predicted in games of Go alone.")
    if table.is_contest:
        raise HTTPException(403, "At a table of two people nothing is predicted before the game is over.")
    return table, visitor(request, table_id)


def _ply(request: Request, most: int) -> int:
    ply: int = request.path_params["ply"]
    if ply > most:
        raise HTTPException(404, f"The game has {most} moves: there is no position after move {ply}.")
    return ply


def _course(table: Table) -> tuple[list[GoState], list[Move]]:
    """Return the positions and moves of a table as they are now: moves may be taken back while a model is asked."""
    return [state for state in table.states[: table.ply + 1] if isinstance(state, GoState)], table.moves[: table.ply]


def _points(state: GoState) -> list[int]:
    return [move for move in state.legal_moves() if move != state.game.pass_move]


async def _at_table(request: Request) -> Response:
    table, who = await _table(request)
    ply, found, (states, moves) = _ply(request, table.ply), _predictions(request), _course(table)

    def work() -> dict[str, Any]:
        if states[ply].is_over():
            return {"model": None, "words": OVER}
        told = found.opinion(predictions.moment_of(states, moves, ply), _points(states[ply]))
        heat = heat_overlay(states[ply].game.size, [(point, share) for point, share in told.get("heat", ())])
        return {**told, "overlay": overlay_json(heat)}

    return JSONResponse({"ply": ply, **await _run(request, who, work)})


async def _examples_at_table(request: Request) -> Response:
    table, who = await _table(request)
    ply, found, (states, moves) = _ply(request, table.ply), _predictions(request), _course(table)
    point = _point(request, states[ply].game.size)

    def work() -> dict[str, Any]:
        return found.examples(predictions.moment_of(states, moves, ply), point)

    return JSONResponse(await _run(request, who, work))


def _point(request: Request, size: int) -> int:
    """Return the point that an address names. Raises BadText or BadOption."""
    point = parse_move(size, request.path_params["point"])
    if point == size * size:
        raise BadOption("A pass has no pattern.")
    return point


async def _territory(request: Request) -> Response:
    table, who = await _table(request)
    ply, found, (states, _) = _ply(request, table.ply), _predictions(request), _course(table)
    marks = table.marks if ply == table.ply else ()

    def work() -> dict[str, Any]:
        told = found.territory(states[ply], marks)
        return {**told, "overlay": overlay_json(ownership_overlay(states[ply], told["owners"], marks))}

    return JSONResponse({"ply": ply, **await _run(request, who, work)})


async def _whole_game(request: Request) -> Response:
    """Answer how likely each move of a table was; others have their turns in between."""
    table, who = await _table(request)
    found, (states, moves) = _predictions(request), _course(table)
    size = states[0].game.size
    unknown = await _run(request, who, predictions.unknown_words, size)
    if unknown:
        return JSONResponse({"model": None, "words": unknown})

    def rank(start: int) -> list[dict[str, Any]]:
        told = []
        for ply in range(start, min(start + PIECE, len(moves))):
            one = found.ranked(predictions.moment_of(states, moves, ply), _points(states[ply]))
            if one is not None:
                told.append({"ply": ply + 1, "player": states[ply].to_move, **one})
        return told

    ranked = [each for start in range(0, len(moves), PIECE) for each in await _run(request, who, rank, start)]
    name = await _run(request, who, found.model_name)
    return JSONResponse(
        {
            **predictions.about(name, size),
            "of": len(moves),
            "moves": ranked,
            "players": [predictions.tally(ranked, player) for player in (0, 1)],
            "surprises": predictions.surprises(ranked),
        }
    )


# Beside a game of the explorer


async def _stored(request: Request, work: Callable[[Moment, list[Moment]], T]) -> T:
    """Return what a function makes of a position of a stored game. Raises HTTPException if there is none."""
    store, number, ply = (request.path_params[name] for name in ("store", "number", "ply"))
    found = _predictions(request)

    def look() -> T:
        try:
            course = found.course(store, number)
        except BadOption as error:
            raise HTTPException(404, str(error)) from None
        if ply >= len(course):
            raise HTTPException(404, f"The game has {len(course) - 1} moves: there is no position after move {ply}.")
        return work(course[ply], course)

    return await _run(request, address(request), look)


async def _in_store(request: Request) -> Response:
    found = _predictions(request)

    def work(moment: Moment, course: list[Moment]) -> dict[str, Any]:
        return {"ply": moment.moves, "last": moment is course[-1], **found.opinion(moment)}

    return JSONResponse(await _stored(request, work))


async def _examples_in_store(request: Request) -> Response:
    found, besides = _predictions(request), (request.path_params["store"], request.path_params["number"])

    def work(moment: Moment, course: list[Moment]) -> dict[str, Any]:
        return found.examples(moment, _point(request, moment.board.size), besides)

    return JSONResponse(await _stored(request, work))


_STORED = "/api/explorer/games/{store}/{number:int}/predict/{ply:int}"
ROUTES = (
    Route("/api/tables/{id}/predict", _whole_game),
    Route("/api/tables/{id}/predict/{ply:int}", _at_table),
    Route("/api/tables/{id}/predict/{ply:int}/{point}", _examples_at_table),
    Route("/api/tables/{id}/territory/{ply:int}", _territory),
    Route(_STORED, _in_store),
    Route(f"{_STORED}/{{point}}", _examples_in_store),
)
